// Compares what a command printed with what its page says. Pure.

import type { OutputAt } from './blocks.ts';
import { masked } from './masks.ts';

/** On a line of its own in a page: any number of lines. */
export const ELLIPSIS = '…';

/** The first difference, for a person; undefined when the page is right. */
export function difference(page: readonly string[], printed: readonly string[]): string | undefined {
  const claimed = unwrapped(page).map(masked);
  const real = unwrapped(printed).map(masked);
  const pieces = piecesOf(claimed);
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    const isFirst = index === 0;
    const isLast = index === pieces.length - 1;
    const found = isLast && !isFirst ? Math.max(at, real.length - piece.length) : at;
    const from = isFirst || isLast ? found : firstPlace(piece, real, at);
    const differs = piece.findIndex((line, offset) => !isSame(line, real[from + offset]));
    if (differs >= 0) return described(piece[differs], real[from + differs], printed);
    at = from + piece.length;
  }
  return at < real.length ? described(undefined, real[at], printed) : undefined;
}

/** The lines of a page with what was printed in place of what they say, from the end, so that what is left
 *  still stands where it stood. */
export function rewritten(
  lines: readonly string[],
  outputs: readonly { readonly at: OutputAt; readonly printed: readonly string[] }[],
): readonly string[] {
  return outputs
    .toReversed()
    .reduce((text, { at, printed }) => text.toSpliced(at.from, at.to - at.from, ...printed), [...lines]);
}

/** The width for which `kubectl mkv` breaks its sentences when the output is no terminal. */
const WIDTH = 80;

/** Sentences in one line each: where they are broken depends on how long the numbers in them are. An indented line
 *  whose first word would not have fitted on the line before is the rest of it. */
function unwrapped(lines: readonly string[]): readonly string[] {
  const whole: string[] = [];
  let before = 0;
  for (const line of lines.map((one) => one.trimEnd())) {
    const [, rest = '', word = ''] = /^ {2,}((\S+).*)$/.exec(line) ?? [];
    if (word !== '' && before > 0 && before + 1 + word.length > WIDTH) whole.push(`${whole.pop() ?? ''} ${rest}`);
    else whole.push(line);
    before = line.length;
  }
  return whole;
}

/** The runs of lines between ellipses; the first is at the beginning, the last at the end. */
function piecesOf(lines: readonly string[]): readonly (readonly string[])[] {
  const pieces: string[][] = [[]];
  for (const line of lines) {
    if (line === ELLIPSIS) pieces.push([]);
    else pieces.at(-1)?.push(line);
  }
  return pieces;
}

/** Compares a cell that was cut to the width of the screen, where the length of an age beside it decides at which
 *  character. */
const MOST_CUT_OTHERWISE = 6;

function isSame(claimed: string, real: string | undefined): boolean {
  if (claimed === real) return true;
  if (real === undefined || !claimed.endsWith(ELLIPSIS) || !real.endsWith(ELLIPSIS)) return false;
  const length = Math.min(claimed.length, real.length) - ELLIPSIS.length;
  const isNear = Math.abs(claimed.length - real.length) <= MOST_CUT_OTHERWISE;
  return isNear && claimed.slice(0, length) === real.slice(0, length);
}

function firstPlace(piece: readonly string[], real: readonly string[], from: number): number {
  for (let at = from; at + piece.length <= real.length; at += 1) {
    if (piece.every((line, offset) => isSame(line, real[at + offset]))) return at;
  }
  return from;
}

function described(claimed: string | undefined, real: string | undefined, printed: readonly string[]): string {
  return [
    `  the page: ${claimed ?? '(nothing more)'}`,
    `  printed:  ${real ?? '(nothing more)'}`,
    '  all that was printed:',
    ...printed.map((line) => `    ${line}`),
  ].join('\n');
}
