// The alerts as data: complete, about existing metrics, and with a paragraph at the end of their link. That they fire
// when they should is tested in test-e2e/alerts.test.ts.

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { runbookUrl, secondsOf } from '../src/alerts/alert.ts';
import { ALERTS } from '../src/alerts/rules.ts';
import { metricCatalogue, seriesNames } from '../src/metrics/catalogue.ts';
import { ALERT_CASES } from './support/alert-cases.ts';
import { metricsIn } from './support/expressions.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

describe('the alerts', () => {
  for (const alert of ALERTS) {
    it(`${alert.name} says what it means and what to do`, () => {
      expect(alert.name).to.match(/^Marekvs[A-Z][A-Za-z]+$/);
      for (const text of [alert.summary, alert.description, alert.meaning]) expect(text.length).to.be.within(15, 300);
      expect(alert.steps.length).to.be.within(1, 4);
      expect(alert.commands.length).to.be.within(1, 3);
      expect(secondsOf(alert.for)).to.be.within(0, 3600);
    });

    it(`${alert.name} links to a heading that exists`, () => {
      const [path = '', anchor = ''] = runbookUrl(alert).replace(/^\.\//, '').split('#');
      const headings = readFileSync(join(ROOT, path), 'utf8').match(/^#+ .+$/gm) ?? [];
      const anchors = headings.map((heading) => heading.replace(/^#+ /, '').toLowerCase());
      if (alert.isByReason === true) expect(anchors).to.include('membersilent');
      else expect(anchors).to.include(anchor);
    });
  }

  it('that link to a reason have the label reason', () => {
    for (const { name, expr, isByReason } of ALERTS)
      if (isByReason === true) expect(expr, name).to.match(/cluster_stuck_since|by \(.*reason.*\)/);
  });

  it('use only metrics of the catalogue', () => {
    const known = new Set(metricCatalogue().flatMap(seriesNames));
    for (const { name, expr } of ALERTS) {
      expect(metricsIn(expr), name).to.not.have.lengthOf(0);
      expect(
        metricsIn(expr).filter((metric) => !known.has(metric)),
        name,
      ).to.deep.equal([]);
    }
  });

  it('have different names, and stories on both sides of their limits', () => {
    const names = ALERTS.map(({ name }) => name);
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
