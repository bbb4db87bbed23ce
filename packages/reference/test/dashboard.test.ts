// The shipped dashboard: valid, laid out without overlaps, and about existing metrics.

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { dashboardQueries } from '../src/dashboard/dashboard.ts';
import { metricCatalogue, seriesNames } from '../src/metrics/catalogue.ts';
import { metricsIn } from './support/expressions.ts';

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: readonly { readonly refId: string; readonly expr: string }[];
}

const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
const shipped = read(resolve(import.meta.dirname, '../../../config/components/monitoring/dashboard.json')) as {
  readonly panels: readonly Panel[];
};

describe('the dashboard', () => {
  it('is valid by the schema', () => {
    const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(
      read(join(import.meta.dirname, 'dashboard.schema.json')) as object,
    );
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

  it('uses only metrics of the catalogue', () => {
    const known = new Set(metricCatalogue().flatMap(seriesNames));
    const used = dashboardQueries().flatMap(metricsIn);
    expect(used.length).to.be.greaterThan(30);
    expect(used.filter((name) => !known.has(name))).to.deep.equal([]);
  });
});
