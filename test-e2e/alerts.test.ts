// The shipped alerts and the dashboard, evaluated by Prometheus' own engine: every expression parses and asks only for
// what the operator exposes, and every alert fires when it should and not before. Skipped if the engine does not build.

import { metricCatalogue, seriesNames } from '@marekvs/reference';
import { askPromql, NoGoProgramError, obtainPromql, type PromqlFound, type PromqlRule } from '@marekvs/testbed';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { ALERT_CASES } from '../packages/reference/test/support/alert-cases.ts';
import { dashboardQueries, secondsOf, shippedRules } from '../packages/reference/test/support/shipped.ts';

describe('alerts and dashboard, evaluated by the engine of Prometheus:', function () {
  this.timeout(30_000);
  const rules = shippedRules();
  const queries = [...rules.map(({ expr }) => expr), ...dashboardQueries()];
  let found: PromqlFound;

  before(async function () {
    this.timeout(320_000);
    try {
      const program = await obtainPromql();
      found = await askPromql(program, {
        queries,
        rules: rules.map(
          ({ alert, expr, labels, annotations, for: lasting = '0s' }): PromqlRule => ({
            alert,
            expr,
            labels,
            annotations,
            forSeconds: secondsOf(lasting),
          }),
        ),
        cases: ALERT_CASES,
      });
    } catch (error) {
      if (!(error instanceof NoGoProgramError)) throw error;
      console.log(`  skipped: ${error.message}`);
      this.skip();
    }
  });

  it('every expression parses', () => {
    const wrong = found.queries.flatMap(({ error }, index) =>
      error === undefined ? [] : [`${queries[index]}: ${error}`],
    );
    expect(wrong).to.deep.equal([]);
    expect(found.queries).to.have.length.above(60);
  });

  it('every metric asked for is one that the operator exposes', () => {
    const known = new Set(metricCatalogue().flatMap(seriesNames));
    const used = new Set(found.queries.flatMap(({ metrics }) => metrics));
    expect([...used].filter((name) => !known.has(name))).to.deep.equal([]);
    expect(used.size).to.be.above(20);
  });

  for (const [index, { alert, story, atSeconds, fires }] of ALERT_CASES.entries()) {
    it(`${alert} ${story} (${atSeconds} s)`, () => {
      const firing = found.cases[index] ?? [];
      expect(firing.map(({ annotations }) => annotations.summary)).to.deep.equal(fires === undefined ? [] : [fires]);
      for (const { labels, annotations } of firing) {
        expect(labels.severity).to.be.oneOf(['critical', 'warning', 'info']);
        const texts = Object.values(annotations).join(' ');
        expect(texts, 'a template without its value').to.not.match(/<no value>|\{\{|#( |$)|\/ /);
      }
    });
  }

  it('every alert has a story in which it fires and one in which it is quiet', () => {
    const fires = (alert: string, should: boolean) =>
      ALERT_CASES.some((one) => one.alert === alert && (one.fires !== undefined) === should);
    const untold = rules.filter(({ alert }) => !fires(alert, true) || !fires(alert, false));
    expect(untold.map(({ alert }) => alert)).to.deep.equal([]);
  });
});
