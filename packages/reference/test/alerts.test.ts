// Are the alerts complete and about existing metrics, and does docs/reference/alerts.md say the same of them? That they
// fire when they should is tested in test-e2e/alerts.test.ts.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { metricCatalogue, seriesNames } from '../src/metrics/catalogue.ts';
import { ALERT_CASES } from './support/alert-cases.ts';
import { metricsIn } from './support/expressions.ts';
import { alertsPage, oneLine, ROOT, type Rule, secondsOf, shippedRules } from './support/shipped.ts';

const RULES = shippedRules();
const PAGE = alertsPage();
const BY_REASON = './docs/errors.md#{{ $labels.reason | toLower }}';
const isByReason = ({ annotations }: Rule): boolean => annotations.runbook_url === BY_REASON;

describe('the alerts', () => {
  for (const rule of RULES) {
    const { alert, expr, for: lasting, labels, annotations } = rule;
    const paragraph = PAGE.paragraphs.find(({ name }) => name === alert);

    it(`${alert} says what it means and what to do`, () => {
      expect(alert).to.match(/^Marekvs[A-Z][A-Za-z]+$/);
      expect(labels.severity).to.be.oneOf(['critical', 'warning', 'info']);
      expect(annotations).to.have.all.keys('summary', 'description', 'runbook_url');
      for (const text of [annotations.summary, annotations.description, paragraph?.meaning])
        expect(text?.length).to.be.within(15, 300);
      expect(paragraph?.steps.length).to.be.within(1, 4);
      expect(paragraph?.commands.length).to.be.within(1, 3);
      expect(secondsOf(lasting ?? '0s')).to.be.within(0, 3600);
    });

    it(`${alert} has its severity, duration and expression on the page, too`, () => {
      const row = PAGE.rows.find(([link]) => link === `[${alert}](#${alert.toLowerCase()})`);
      expect(row?.slice(1, 3)).to.deep.equal([labels.severity, lasting ?? 'at once']);
      expect(row?.[3]).to.match(/^\S.{14,}\.$/);
      expect(paragraph?.expr).to.equal(oneLine(expr));
      expect(paragraph?.saysMoreByReason).to.equal(isByReason(rule));
    });

    it(`${alert} links to a heading that exists`, () => {
      const link = annotations.runbook_url ?? '';
      if (!isByReason(rule)) expect(link).to.equal(`./docs/reference/alerts.md#${alert.toLowerCase()}`);
      const [path = '', anchor = ''] = link.replace(/^\.\//, '').split('#');
      const headings = readFileSync(join(ROOT, path), 'utf8').match(/^#+ .+$/gm) ?? [];
      const anchors = headings.map((heading) => heading.replace(/^#+ /, '').toLowerCase());
      expect(anchors).to.include(isByReason(rule) ? 'membersilent' : anchor);
    });
  }

  it('are those of the page, in the same order, in its table and below it', () => {
    const names = RULES.map(({ alert }) => alert);
    expect(PAGE.paragraphs.map(({ name }) => name)).to.deep.equal(names);
    expect(PAGE.rows.map(([link]) => /\w+/.exec(link ?? '')?.[0])).to.deep.equal(names);
  });

  it('that link to a reason have the label reason', () => {
    for (const rule of RULES.filter(isByReason))
      expect(rule.expr, rule.alert).to.match(/cluster_stuck_since|by \(.*reason.*\)/);
  });

  it('use only metrics of the catalogue', () => {
    const known = new Set(metricCatalogue().flatMap(seriesNames));
    for (const { alert, expr } of RULES) {
      expect(metricsIn(expr), alert).to.not.have.lengthOf(0);
      expect(
        metricsIn(expr).filter((metric) => !known.has(metric)),
        alert,
      ).to.deep.equal([]);
    }
  });

  it('have different names, and stories on both sides of their limits', () => {
    const names = RULES.map(({ alert }) => alert);
    expect(new Set(names).size).to.equal(names.length);
    for (const name of names) {
      const stories = ALERT_CASES.filter(({ alert }) => alert === name);
      expect(
        stories.some(({ fires }) => fires !== undefined),
        name,
      ).to.equal(true);
      expect(
        stories.some(({ fires }) => fires === undefined),
        name,
      ).to.equal(true);
    }
  });
});
