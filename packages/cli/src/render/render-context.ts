// How something is to be shown, and a sentence shown that way. Pure.

import { harmless, type Paint, wrap } from './text.ts';

export interface RenderContext {
  readonly nowMs: number;
  /** Columns to fit into; undefined: as wide as it has to be. */
  readonly width: number | undefined;
  /** All columns of a table, as with `-o wide`. */
  readonly isWide?: boolean;
  readonly paint: Paint;
}

/** A line each, or more where it does not fit, behind a dash. */
export function listed(lines: readonly string[], { width }: RenderContext): readonly string[] {
  return lines.flatMap((line) =>
    wrap(harmless(line), width ?? Number.POSITIVE_INFINITY, '    ').map((text, i) =>
      i === 0 ? `  - ${text.trimStart()}` : text,
    ),
  );
}

/** In lines that fit, indented. */
export function sentence(
  text: string | undefined,
  { width, paint }: RenderContext,
  colour?: Parameters<Paint>[0],
): readonly string[] {
  if (text === undefined || text === '') return [];
  const lines = wrap(harmless(text), width ?? Number.POSITIVE_INFINITY, '  ');
  return colour === undefined ? lines : lines.map((line) => paint(colour, line));
}
