// A fence is a live check right before something is done. What was decided rests on caches, and caches may be stale.
// The precondition of a write protects the object it changes, and says nothing about the others
// (docs/decisions/0008). Which step has which fences is in cluster/fences.ts and node/fences.ts.

import type { MarekvsCluster, MarekvsNode } from '@marekvs/api';
import type { Hold } from '@marekvs/planner';
import type { PersistentVolumeClaim, Stored } from '@marekvs/runtime';

/** How a step ended. */
export type StepOutcome =
  | { readonly kind: 'done' }
  /** What it was decided on has changed: it is left to the next pass. */
  | { readonly kind: 'stale' }
  /** The API server refused it, or what was read forbids it: why, as it is shown. */
  | { readonly kind: 'blocked'; readonly hold: Hold };

/** What fences have read that the write goes by. It carries the version just read. */
export interface Live {
  readonly cluster?: MarekvsCluster;
  readonly node?: MarekvsNode;
  readonly claim?: Stored<PersistentVolumeClaim>;
}

/** Whether a decision still holds, or how its step ends without being done. */
export type Verdict = { readonly kind: 'holds'; readonly live: Live } | StepOutcome;

/** Reads, tells the caches what it has learned, and writes nothing. A request that fails is thrown. */
export type Fence<Context, Subject = unknown> = (context: Context, subject: Subject) => Promise<Verdict>;

export const HOLDS: Verdict = { kind: 'holds', live: {} };
export const STALE: StepOutcome = { kind: 'stale' };
export const DONE: StepOutcome = { kind: 'done' };

export function holdsIf(isSo: boolean): Verdict {
  return isSo ? HOLDS : STALE;
}

export function blocked(hold: Hold): StepOutcome {
  return { kind: 'blocked', hold };
}

/** Asks them in order. The first that does not hold ends it, and the reads of the others are saved. */
export async function confirm<Context, Subject>(
  fences: readonly Fence<Context, Subject>[],
  context: Context,
  subject: Subject,
): Promise<Verdict> {
  let live: Live = {};
  for (const fence of fences) {
    const verdict = await fence(context, subject);
    if (verdict.kind !== 'holds') return verdict;
    live = { ...live, ...verdict.live };
  }
  return { kind: 'holds', live };
}
