// A window is the longest run of samples up to the newest in which something held throughout; every fold of a proof is one.
// Unknown is never zero: where a figure is missing, the window ends. Whoever asks says what has to hold; what holds in every
// window is looked at once in a pass. Lists of members are shown-list.ts's.

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

/** The window of one process in which this holds. In every one: statistics were there, no sample is missing, nothing restarted. */
export function windowOf(history: MemberHistory, holding: Holding): Window {
  return windowWithin(unbrokenWindow(history), holding);
}

/** The part of a window, up to the newest sample, in which this holds as well. */
export function windowWithin(window: Window, { alone, between }: Holding): Window {
  const { history, from } = window;
  const { samples } = history;
  let after: MemberSample | undefined;
  for (let i = samples.length - 1; i >= from; i -= 1) {
    const sample = samples[i];
    if (sample === undefined) break;
    const flaw = (after === undefined ? undefined : between?.(sample, after)) ?? alone?.(sample, i);
    if (flaw !== undefined) return { history, from: i + 1, flaw };
    after = sample;
  }
  return window;
}

/** What one history has shown, worked out once: several folds of a pass begin with the same. */
export function oncePerHistory(compute: (history: MemberHistory) => Window): (history: MemberHistory) => Window {
  const known = new WeakMap<MemberHistory, Window>();
  return (history) => {
    let window = known.get(history);
    if (window === undefined) {
      window = compute(history);
      known.set(history, window);
    }
    return window;
  };
}

const unbrokenWindow = oncePerHistory((history) => {
  const whole: Window = { history, from: 0, flaw: undefined };
  return windowWithin(whole, { alone: notCounting, between: gapOrRestart });
});

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
  let index = 0;
  let end = samples.length;
  while (index < end) {
    const middle = (index + end) >> 1;
    if ((samples[middle]?.atMs ?? Number.POSITIVE_INFINITY) >= sinceMs) end = middle;
    else index = middle + 1;
  }
  return index;
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
