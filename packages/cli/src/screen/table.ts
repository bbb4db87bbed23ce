// Tables that fit: columns as wide as their widest cell, and when the terminal is narrower the columns
// that may give way are cut. Pure.

import { fit, harmless, type Paint, plain } from './text.ts';

export interface Column<T> {
  readonly head: string;
  cell(row: T): string;
  /** Right-aligned, for figures. */
  readonly isNumber?: boolean;
  /** May be cut down to this many characters when the table is too wide. */
  readonly least?: number;
  /** Shown with `-o wide` only. */
  readonly isWide?: boolean;
  colour?(row: T): Parameters<Paint>[0] | undefined;
}

export interface TableOptions {
  /** Undefined: as wide as it has to be. */
  readonly width?: number | undefined;
  readonly isWide?: boolean;
  readonly paint?: Paint;
}

const GAP = 2;

/** The head and a line per row; cells are made harmless here. */
export function table<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  options: TableOptions = {},
): readonly string[] {
  const { isWide = false, paint = plain } = options;
  const shown = columns.filter((column) => isWide || column.isWide !== true);
  const cells = rows.map((row) => shown.map((column) => harmless(column.cell(row))));
  const natural = shown.map(({ head }, i) => Math.max(head.length, ...cells.map((row) => row[i]?.length ?? 0)));
  const widths = isWide ? natural : fitted(shown, natural, options.width);
  const line = (texts: readonly string[], row?: T): string =>
    texts
      .map((text, i) => {
        const width = widths[i] ?? 0;
        const cut = fit(text, width);
        const isLast = i === texts.length - 1;
        const padded = shown[i]?.isNumber === true ? cut.padStart(width) : isLast ? cut : cut.padEnd(width);
        const colour = row === undefined ? undefined : shown[i]?.colour?.(row);
        return colour === undefined ? padded : paint(colour, padded);
      })
      .join(' '.repeat(GAP))
      .trimEnd();
  return [paint('bold', line(shown.map(({ head }) => head))), ...cells.map((texts, index) => line(texts, rows[index]))];
}

/** Cuts the widest column that may give way by one character, until the table fits. */
function fitted<T>(
  columns: readonly Column<T>[],
  natural: readonly number[],
  width: number | undefined,
): readonly number[] {
  const widths = [...natural];
  const total = () => widths.reduce((sum, one) => sum + one, GAP * (widths.length - 1));
  while (width !== undefined && total() > width) {
    let widest = -1;
    for (const [i, { least }] of columns.entries()) {
      const has = widths[i] ?? 0;
      if (least !== undefined && has > least && has > (widths[widest] ?? 0)) widest = i;
    }
    if (widest < 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}
