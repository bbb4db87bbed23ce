// The dashboard, checked by Grafana's own types, which are its schema; dashboard.schema.json only lists the few fields
// that ours uses.

import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { grafanaProblems } from './support/grafana-problems.ts';
import { shippedDashboard } from './support/shipped.ts';

type Fields = Record<string, unknown>;
interface Board extends Fields {
  panels: (Fields & {
    readonly type: string;
    readonly options?: Fields;
    readonly fieldConfig?: { readonly defaults: Fields };
  })[];
}

const shipped = shippedDashboard() as unknown as Board;

/** The shipped dashboard with only a heading and its first panel of the kind. */
function only(kind: string): { readonly board: Board; readonly panel: Board['panels'][number] } {
  const board = structuredClone({
    ...shipped,
    panels: shipped.panels.filter(({ type }) => type === 'row').slice(0, 1),
  });
  const panel = structuredClone(shipped.panels.find(({ type }) => type === kind));
  if (panel === undefined) throw new Error(`there is no ${kind}`);
  board.panels.push(panel);
  return { board, panel };
}

function broken(kind: string, change: (panel: Board['panels'][number], board: Board) => void): Board {
  const { board, panel } = only(kind);
  change(panel, board);
  return board;
}

const MISTAKES = {
  'a field that Grafana does not know': broken('stat', (panel) => Object.assign(panel, { gridPosition: {} })),
  'a kind of panel that is not there': broken('stat', (panel) => Object.assign(panel, { type: 'statistics' })),
  'a colour mode that is not there': broken('stat', (panel) =>
    Object.assign(panel.options ?? {}, { colorMode: 'bright' }),
  ),
  'thresholds without steps': broken('stat', ({ fieldConfig }) =>
    Object.assign(fieldConfig?.defaults ?? {}, { thresholds: { mode: 'absolute' } }),
  ),
  'a unit that is a number': broken('table', ({ fieldConfig }) =>
    Object.assign(fieldConfig?.defaults ?? {}, { unit: 1 }),
  ),
  'options of another kind of panel': broken('table', (panel) => Object.assign(panel, { options: { legend: {} } })),
  'a legend in a place that is not there': broken('timeseries', ({ options }) =>
    Object.assign(options ?? {}, { legend: { placement: 'left' } }),
  ),
  'a query without its letter': broken('timeseries', (panel) => Object.assign(panel, { targets: [{ expr: 'up' }] })),
  'a variable of no kind': broken('stat', (_, board) =>
    Object.assign(board, { templating: { list: [{ name: 'x' }] } }),
  ),
  'no number of its schema': broken('stat', (_, board) => delete board.schemaVersion),
} as const;

describe('the dashboard by the types of Grafana', function () {
  this.timeout(600_000);
  let problems: Readonly<Record<string, readonly string[]>>;

  // The compiler runs once for all of them.
  before(async () => {
    problems = await grafanaProblems({ shipped, stat: only('stat').board, ...MISTAKES });
  });

  it('has no unknown field, lacks no required one, and has only valid values', () => {
    expect(problems.shipped).to.deep.equal([]);
    expect(problems.stat).to.deep.equal([]);
  });

  for (const mistake of Object.keys(MISTAKES)) {
    it(`would be refused with ${mistake}`, () => {
      expect(problems[mistake]).to.have.length.above(0);
    });
  }
});
