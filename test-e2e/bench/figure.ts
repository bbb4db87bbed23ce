// One measured figure, with its limit and with the figure of the existing operator.

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The most that the value may be; infinite if it is only reported. */
  readonly limit: number;
  /** The same for the existing operator on the same kind of machine, as measured for the issue. */
  readonly existing: string;
}

/** The figures as a table, one line each, with a mark at those above their limits. */
export function renderFigures(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, value, unit, limit, existing }) => [
    name,
    `${value} ${unit}`,
    Number.isFinite(limit) ? `<= ${limit}` : '-',
    existing,
    value <= limit ? 'ok' : 'MISSED',
  ]);
  const table = [['figure', 'this operator', 'limit', 'existing operator', ''], ...rows];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function figure(name: string, value: number, unit: string, limit: number, existing = '-'): Figure {
  return { name, value, unit, limit, existing };
}
