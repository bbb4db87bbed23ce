// Answers: which list of members does a sample carry, and since when has a member shown the list it shows now?
// Lists are read less often than figures; whether they mean something together with others' is the proof's business.

import { viewKey } from '../membership.ts';
import type { ViewLine } from '../observation.ts';
import type { MemberHistory } from './sample.ts';
import { type Holding, oncePerHistory, windowOf } from './window.ts';

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

/** Since when the member has shown the list it shows now. */
export const shownWindow = oncePerHistory((history) => windowOf(history, showing(history, viewKey)));

/** Since when it has shown the same members and lives, in whatever phase. */
export const livesWindow = oncePerHistory((history) => windowOf(history, showing(history, livesOf)));

/** In every sample the member shows the list it shows now, by `textOf`. Equal digests are equal answers, so the lists
 *  themselves are compared only where the digest differs: thousands of them would be looked at in every pass. */
function showing(history: MemberHistory, textOf: (view: readonly ViewLine[]) => string): Holding {
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

/** A text that is equal exactly when two lists show the same members and lives, in whatever phase. Made once per list. */
export function livesOf(view: readonly ViewLine[]): string {
  const known = lives.get(view);
  if (known !== undefined) return known;
  const text = viewKey(view.map((line) => ({ ...line, hasPrimaries: true })));
  lives.set(view, text);
  return text;
}

const lives = new WeakMap<readonly ViewLine[], string>();
