// Grafana panels as data: only the kinds we use, each with what it needs to be drawn.

export interface Query {
  readonly expr: string;
  /** Name of the line; none for a table. */
  readonly legend?: string;
}

export interface Panel {
  readonly title: string;
  readonly description: string;
  readonly kind: 'stat' | 'timeseries' | 'table';
  readonly unit: string;
  readonly queries: readonly Query[];
  /** Columns, of 24. */
  readonly width: number;
  /** A stat turns red from here on. */
  readonly redFrom?: number;
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

const DATASOURCE = { type: 'prometheus', uid: '$datasource' };
const HEIGHT = { stat: 4, timeseries: 8, table: 8 } as const;
const WIDTH = 24;

interface Place {
  readonly x: number;
  readonly y: number;
}

/** The panels of all rows in Grafana's form, left to right and top to bottom, each row below a heading. */
export function layOut(rows: readonly Row[]): readonly object[] {
  const panels: object[] = [];
  let y = 0;
  for (const row of rows) {
    panels.push(heading(panels.length + 1, row.title, y));
    y += 1;
    let x = 0;
    let height = 0;
    for (const panel of row.panels) {
      if (x + panel.width > WIDTH) {
        x = 0;
        y += height;
        height = 0;
      }
      panels.push(draw(panels.length + 1, panel, { x, y }));
      x += panel.width;
      height = Math.max(height, HEIGHT[panel.kind]);
    }
    y += height;
  }
  return panels;
}

function heading(id: number, title: string, y: number) {
  return { id, type: 'row', title, collapsed: false, gridPos: { h: 1, w: WIDTH, x: 0, y }, panels: [] };
}

function draw(id: number, panel: Panel, { x, y }: Place) {
  const { title, description, kind, unit, width, redFrom } = panel;
  const steps = [{ color: 'green', value: null }, ...(redFrom === undefined ? [] : [{ color: 'red', value: redFrom }])];
  return {
    id,
    type: kind,
    title,
    description,
    datasource: DATASOURCE,
    gridPos: { h: HEIGHT[kind], w: width, x, y },
    fieldConfig: {
      defaults: { unit, thresholds: { mode: 'absolute', steps }, ...(kind === 'timeseries' ? { min: 0 } : {}) },
      overrides: [],
    },
    options: OPTIONS[kind],
    targets: panel.queries.map((query, index) => target(query, index, kind)),
    ...(kind === 'table' ? { transformations: [{ id: 'organize', options: { excludeByName: HIDDEN } }] } : {}),
  };
}

const OPTIONS = {
  stat: { colorMode: 'background', reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false } },
  timeseries: { legend: { displayMode: 'list', placement: 'bottom', showLegend: true }, tooltip: { mode: 'multi' } },
  table: { showHeader: true },
} as const;

/** What a scrape adds and nobody wants to read in a table. */
const HIDDEN = {
  Time: true,
  __name__: true,
  container: true,
  endpoint: true,
  instance: true,
  job: true,
  pod: true,
  service: true,
};

function target({ expr, legend }: Query, index: number, kind: Panel['kind']) {
  const isTable = kind === 'table';
  return {
    refId: String.fromCharCode(65 + index),
    datasource: DATASOURCE,
    expr,
    ...(legend === undefined ? {} : { legendFormat: legend }),
    instant: isTable || kind === 'stat',
    range: !isTable && kind !== 'stat',
    ...(isTable ? { format: 'table' } : {}),
  };
}
