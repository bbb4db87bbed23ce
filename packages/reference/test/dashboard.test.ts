// Is the shipped dashboard valid, laid out without overlaps, and about existing metrics?

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { metricCatalogue, seriesNames } from '../src/metrics/catalogue.ts';
import { metricsIn } from './support/expressions.ts';
import { dashboardQueries, shippedDashboard } from './support/shipped.ts';

const shipped = shippedDashboard();
const schema = readFileSync(join(import.meta.dirname, 'dashboard.schema.json'), 'utf8');

describe('the dashboard', () => {
  it('is valid by the schema', () => {
    const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(JSON.parse(schema));
    expect(validate(shipped), JSON.stringify(validate.errors)).to.equal(true);
    const broken = structuredClone(shipped) as unknown as { panels: { targets?: unknown }[] };
    delete broken.panels[1]?.targets;
    expect(validate(broken)).to.equal(false);
  });

  it('shows clusters, operations, sizes, rolling updates, members, passes, the API server and the lease', () => {
    const rows = shipped.panels.filter(({ type }) => type === 'row').map(({ title }) => title);
    expect(rows).to.deep.equal([
      'Fleet',
      'Clusters',
      'Operations',
      'Sizes that follow the load',
      'Rolling updates',
      'Members',
      'Passes and queue',
      'API server',
      'Lease and process',
    ]);
  });

  it('has no two panels in one place or with one id', () => {
    const cells = shipped.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).to.equal(cells.length);
    expect(new Set(shipped.panels.map(({ id }) => id)).size).to.equal(shipped.panels.length);
  });

  it('has no panel that is wider than the page, and no two queries of a panel with one letter', () => {
    for (const { title, gridPos, targets = [] } of shipped.panels) {
      expect(gridPos.x + gridPos.w, title).to.be.at.most(24);
      expect(new Set(targets.map(({ refId }) => refId)).size, title).to.equal(targets.length);
    }
  });

  it('draws tables and figures of now, and lines over time', () => {
    for (const { title, type, targets = [] } of shipped.panels)
      for (const { instant, range, format } of targets)
        expect({ instant, range, format }, title).to.deep.equal({
          instant: type !== 'timeseries',
          range: type === 'timeseries',
          format: type === 'table' ? 'table' : undefined,
        });
  });

  it('uses only metrics of the catalogue', () => {
    const known = new Set(metricCatalogue().flatMap(seriesNames));
    const used = dashboardQueries().flatMap(metricsIn);
    expect(used.length).to.be.greaterThan(30);
    expect(used.filter((name) => !known.has(name))).to.deep.equal([]);
  });
});
