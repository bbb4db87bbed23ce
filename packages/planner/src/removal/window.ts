// A window is the longest run of samples up to the newest in which something held throughout; every fold of a proof is one.
// Unknown is never zero: where a figure is missing, the window ends. Whoever asks says what has to hold.

import { viewKey } from '../membership.ts';
import type { ViewLine } from '../observation.ts';
import type { MemberHistory, MemberSample } from './sample.ts';

/** Why a window begins no earlier, in words for a person. */
export type Flaw = string;

export interface Window {
  readonly history: MemberHistory;
  /** Index of its first sample; the number of samples when even the newest does not hold. */
  readonly from: number;
  readonly flaw: Flaw | undefined;
}

export interface Holding {
  /** Why one sample does not hold. */
  readonly alone?: (sample: MemberSample, index: number) => Flaw | undefined;
  /** Why nothing may be concluded across two samples in a row. */
  readonly between?: (before: MemberSample, after: MemberSample) => Flaw | undefined;
}

/** The window of one process. In every one: statistics were there, no sample is missing, and nothing restarted. */
export function windowOf(history: MemberHistory, holding: Holding): Window {
  const { samples } = history;
  for (let i = samples.length - 1; i >= 0; i -= 1) {
    const after = samples[i + 1];
    const sample = samples[i];
    if (sample === undefined) break;
    const flaw =
      (after === undefined ? undefined : (gapOrRestart(sample, after) ?? holding.between?.(sample, after))) ??
      notCounting(sample) ??
      holding.alone?.(sample, i);
    if (flaw !== undefined) return { history, from: i + 1, flaw };
  }
  return { history, from: 0, flaw: undefined };
}

function notCounting(sample: MemberSample): Flaw | undefined {
  if (!sample.isFresh) return 'no statistics yet';
  if (sample.upSeconds === undefined || sample.rounds === undefined) return 'a figure was missing';
  return undefined;
}

function gapOrRestart(before: MemberSample, after: MemberSample): Flaw | undefined {
  if (!after.isContinuous) return 'samples were missing';
  if ((after.upSeconds ?? 0) < (before.upSeconds ?? 0) || (after.rounds ?? 0) < (before.rounds ?? 0))
    return 'it restarted';
  return undefined;
}

/** When the last of the windows began; undefined when one is empty, or there is none. */
export function commonStart(windows: readonly Window[]): number | undefined {
  let latest: number | undefined;
  for (const { history, from } of windows) {
    const at = history.samples[from]?.atMs;
    if (at === undefined) return undefined;
    latest = Math.max(latest ?? at, at);
  }
  return latest;
}

/** Rounds begun after the first sample at or after `sinceMs`, the smallest number over all. */
export function roundsBegun(windows: readonly Window[], sinceMs: number): number {
  return windows.length === 0 ? 0 : Math.min(...windows.map((window) => begunIn(window, sinceMs)));
}

function begunIn({ history: { samples }, from }: Window, sinceMs: number): number {
  const first = samples[Math.max(from, firstSince(samples, sinceMs))]?.rounds;
  const last = samples.at(-1)?.rounds;
  return first === undefined || last === undefined ? 0 : last - first;
}

/** The index of the first sample at or after a time; the number of samples when there is none. */
export function firstSince(samples: readonly MemberSample[], sinceMs: number): number {
  const index = samples.findIndex((sample) => sample.atMs >= sinceMs);
  return index < 0 ? samples.length : index;
}

/** Rounds that began and ended inside: the counter rises when a round begins, so the last one may still be under way. */
export function completeRounds(begun: number): number {
  return Math.max(0, begun - 1);
}

/** The process's last word, unless it is older than two of its intervals. */
export function recentSample(history: MemberHistory | undefined, monotonicMs: number): MemberSample | undefined {
  const newest = history?.samples.at(-1);
  if (history === undefined || newest === undefined) return undefined;
  return monotonicMs - newest.atMs <= 2 * history.intervalMs ? newest : undefined;
}

/** The history of each of these nodes, in their order: of two lives of one node the one that spoke last. */
export function historiesOf(
  ids: readonly number[],
  histories: readonly MemberHistory[],
): (MemberHistory | undefined)[] {
  const byId = new Map<number, MemberHistory>();
  for (const history of histories) {
    const known = byId.get(history.nodeId);
    if (known === undefined || lastAtMs(history) > lastAtMs(known)) byId.set(history.nodeId, history);
  }
  return ids.map((id) => byId.get(id));
}

function lastAtMs(history: MemberHistory): number {
  return history.samples.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY;
}

/** Lists of members are read less often than figures: one counts for this long… */
const LIST_LIFETIME_MS = 8_000;
/** …or for so many intervals, one whole look and three brief ones. The number of members covers the time between. */
const LIST_LIFETIME_INTERVALS = 4;

/** The list a sample carries, while it is recent enough to be one of that time. */
export function listOf(history: MemberHistory, index: number): readonly ViewLine[] | undefined {
  const sample = history.samples[index];
  if (sample?.view === undefined || sample.viewAtMs === undefined) return undefined;
  const ageMs = sample.atMs - sample.viewAtMs;
  if (ageMs <= LIST_LIFETIME_MS) return sample.view;
  // The pace may have been slower when it was taken.
  const intervalMs = Math.max(history.intervalMs, sample.atMs - (history.samples[index - 1]?.atMs ?? sample.atMs));
  return ageMs <= LIST_LIFETIME_INTERVALS * intervalMs ? sample.view : undefined;
}

/** In every sample the member shows the list it shows now, by `textOf`. Equal digests are equal answers, so the lists
 *  themselves are compared only where the digest differs: thousands of them would be looked at in every pass. */
export function showing(history: MemberHistory, textOf: (view: readonly ViewLine[]) => string): Holding {
  const now = history.samples.length - 1;
  const digest = history.samples[now]?.viewDigest;
  const list = listOf(history, now);
  const text = list === undefined ? undefined : textOf(list);
  return {
    alone: (sample, index) => {
      const shown = listOf(history, index);
      if (shown === undefined || text === undefined) return 'no list of members';
      if (sample.viewDigest === digest && digest !== undefined) return undefined;
      return textOf(shown) === text ? undefined : 'another list of members';
    },
  };
}

/** `viewKey`, computed once per list: the same list stands in many samples and is looked at in every pass. */
export function keyOf(view: readonly ViewLine[]): string {
  return remembered(keys, view, viewKey);
}

/** A text that is equal exactly when two lists show the same members and lives, in whatever phase. */
export function livesOf(view: readonly ViewLine[]): string {
  return remembered(lives, view, (list) => viewKey(list.map((line) => ({ ...line, hasPrimaries: true }))));
}

type Texts = WeakMap<readonly ViewLine[], string>;
const keys: Texts = new WeakMap();
const lives: Texts = new WeakMap();

function remembered(texts: Texts, view: readonly ViewLine[], compute: (view: readonly ViewLine[]) => string): string {
  const known = texts.get(view);
  if (known !== undefined) return known;
  const text = compute(view);
  texts.set(view, text);
  return text;
}
