// Answers: how many records does each member repair per round while all is well? What Bounded allows rests on it.
// Never across a departure, join or settling: a baseline that held a repair storm once let 4,248 copies be missing (marekvs.md 11).

import { viewKey } from '../membership.ts';
import { roundsOf } from './repairs.ts';
import type { MemberHistory, MemberSample } from './sample.ts';
import { listOf, shownWindow } from './shown-list.ts';
import {
  commonStart,
  type Flaw,
  firstSince,
  type Holding,
  historiesOf,
  recentSample,
  type Window,
  windowWithin,
} from './window.ts';

export type Baseline =
  | {
      readonly kind: 'clean';
      /** Most repairs per round that still count as health, by node id. */
      readonly bounds: ReadonlyMap<number, number>;
      /** Undisturbed rounds it rests on, the smallest number over all members. */
      readonly rounds: number;
    }
  | { readonly kind: 'unclean'; readonly rounds: number; readonly needed: number; readonly about: readonly number[] };

/** Rounds a member needs (marekvs.md 5.7, load mode)… */
const BASELINE_ROUNDS = 20;
/** …not counting the first ones after a change, in which copies may still be on their way. */
const SETTLING_ROUNDS = 5;

/** The bounds by the rounds since the last change any member saw; the begin of the samples counts as a change, since nobody
 *  knows what was before. `about`: the members that have too few rounds. */
export function healthyBaseline(
  ids: readonly number[],
  histories: readonly MemberHistory[],
  monotonicMs: number,
): Baseline {
  const windows = undisturbedWindows(ids, histories, monotonicMs);
  const sinceMs = windows === undefined ? undefined : commonStart(windows);
  if (windows === undefined || sinceMs === undefined) return unclean(0, ids);
  const settled = windows.map((window) => settledPart(window, sinceMs));
  const rounds = settled.map(
    ({ history: { samples }, from }) => (samples.at(-1)?.rounds ?? 0) - (samples[from]?.rounds ?? Number.NaN),
  );
  const isEnough = (count: number | undefined) => count !== undefined && count >= BASELINE_ROUNDS;
  const fewest = Math.min(...rounds.map((count) => (Number.isNaN(count) ? 0 : count)));
  const about = ids.filter((_, index) => !isEnough(rounds[index]));
  if (about.length > 0) return unclean(fewest, about);
  return {
    kind: 'clean',
    bounds: new Map(settled.map((window) => [window.history.nodeId, boundOf(window)])),
    rounds: fewest,
  };
}

function unclean(rounds: number, about: readonly number[]): Baseline {
  return { kind: 'unclean', rounds, needed: BASELINE_ROUNDS, about };
}

/** Undefined unless every member has spoken lately and all show the same list. */
function undisturbedWindows(
  ids: readonly number[],
  histories: readonly MemberHistory[],
  monotonicMs: number,
): readonly Window[] | undefined {
  const windows: Window[] = [];
  let shown: string | undefined;
  for (const history of historiesOf(ids, histories)) {
    if (history === undefined || recentSample(history, monotonicMs) === undefined) return undefined;
    const view = listOf(history, history.samples.length - 1);
    if (view === undefined) return undefined;
    shown ??= viewKey(view);
    if (viewKey(view) !== shown) return undefined;
    windows.push(windowWithin(shownWindow(history), UNDISTURBED));
  }
  return windows;
}

function unsettled(sample: MemberSample): Flaw | undefined {
  if (sample.rejoinActive !== 0) return 'it rejoined';
  const isWhole =
    sample.repairs !== undefined &&
    sample.viewDigest !== undefined &&
    sample.members !== undefined &&
    sample.ownedPartitions !== undefined &&
    sample.bootstraps !== undefined &&
    sample.bootstrapBytes !== undefined &&
    sample.gatePartitions !== undefined &&
    sample.droppedRecords !== undefined;
  return isWhole ? undefined : 'a figure was missing';
}

/** What moves with a join, a departure or a settling stood still. */
function movedMembership(before: MemberSample, after: MemberSample): Flaw | undefined {
  const isSame =
    before.viewDigest === after.viewDigest &&
    before.members === after.members &&
    before.ownedPartitions === after.ownedPartitions &&
    before.bootstraps === after.bootstraps &&
    before.bootstrapBytes === after.bootstrapBytes &&
    before.gatePartitions === after.gatePartitions &&
    before.droppedRecords === after.droppedRecords;
  return isSame ? undefined : 'the membership moved';
}

const UNDISTURBED: Holding = { alone: unsettled, between: movedMembership };

/** The window without its first rounds after the last change. */
function settledPart({ history, from, flaw }: Window, sinceMs: number): Window {
  const { samples } = history;
  let settled = Math.max(from, firstSince(samples, sinceMs));
  const rounds = (samples[settled]?.rounds ?? Number.NaN) + SETTLING_ROUNDS;
  while (settled < samples.length && !((samples[settled]?.rounds ?? Number.NaN) >= rounds)) settled += 1;
  return { history, from: settled, flaw };
}

/** Under 200 writes a second healthy members repair 0 to 17 records a round, p95 5 to 12 (marekvs.md 11). */
const LEAST_BOUND = 10;
/** While copies are really missing rounds carry 200 to 3,700 (marekvs.md 11). */
const GREATEST_BOUND = 100;

function boundOf({ history: { samples }, from }: Window): number {
  const perRound = roundsOf(samples, from)
    .map(({ repairs, rounds }) => repairs / rounds)
    .sort((a, b) => a - b);
  const p95 = perRound[Math.ceil(0.95 * perRound.length) - 1] ?? 0;
  return Math.min(GREATEST_BOUND, Math.max(LEAST_BOUND, Math.ceil(3 * p95)));
}
