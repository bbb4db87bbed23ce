// Whose placement the test keys of a removal were written for: the members at its claim, kept in the record's baselines. A member that
// joins or is given up later changes which partitions the target homes, and with them which keys would be looked for.

import type { Operation } from '@marekvs/api';

/** `audit`, `audit/1`, …: pieces of a list like `0-4,7`, or `no` when none were asked for. */
const NAME = 'audit';
const NONE = 'no';
/** Longest value of a baseline (the schema's bound). */
const MAX_PIECE = 64;

export type TestKeys =
  | { readonly kind: 'none' }
  | { readonly kind: 'of'; readonly memberIds: readonly number[] }
  /** A record of an earlier version: the spec says whether there are any. */
  | { readonly kind: 'unsaid' };

/** @param memberIds the target included; undefined: no test keys are written */
export function testKeyBaselines(memberIds: readonly number[] | undefined): Readonly<Record<string, string>> {
  const pieces = memberIds === undefined ? [NONE] : piecesOf(rangesOf([...memberIds].sort((a, b) => a - b)));
  return Object.fromEntries(pieces.map((piece, index) => [nameOf(index), piece]));
}

export function testKeysOf({ baselines = {} }: Pick<Operation, 'baselines'>): TestKeys {
  const pieces: string[] = [];
  for (let next = baselines[NAME]; next !== undefined; next = baselines[nameOf(pieces.length)]) pieces.push(next);
  if (pieces.length === 0) return { kind: 'unsaid' };
  return pieces[0] === NONE ? { kind: 'none' } : { kind: 'of', memberIds: pieces.flatMap(idsOf) };
}

function nameOf(index: number): string {
  return index === 0 ? NAME : `${NAME}/${index}`;
}

function rangesOf(ids: readonly number[]): readonly string[] {
  const ranges: { readonly from: number; to: number }[] = [];
  for (const id of ids) {
    const last = ranges.at(-1);
    if (last?.to === id - 1) last.to = id;
    else ranges.push({ from: id, to: id });
  }
  return ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`));
}

function piecesOf(ranges: readonly string[]): readonly string[] {
  const pieces: string[] = [];
  for (const range of ranges) {
    const longer = `${pieces.at(-1) ?? ''},${range}`;
    if (pieces.length === 0 || longer.length > MAX_PIECE) pieces.push(range);
    else pieces[pieces.length - 1] = longer;
  }
  return pieces;
}

function idsOf(piece: string): readonly number[] {
  return piece.split(',').flatMap((range) => {
    const [from = Number.NaN, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}
