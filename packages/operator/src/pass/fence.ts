// A fence is a live check right before an action, because decisions rest on caches, which may be stale. The
// precondition of a write protects the object that it changes, and says nothing about others
// (docs/decisions/live-reads.md). The fences of each step are in cluster/steps/fences.ts and node/steps/fences.ts.

import type { MarekvsCluster, MarekvsNode } from '@marekvs/api';
import type { Hold } from '@marekvs/planner';
import type { PersistentVolumeClaim, Pod, Stored } from '@marekvs/runtime';

/** How a step ended. */
export type StepOutcome =
  | { readonly kind: 'done' }
  /** The state it was decided on has changed: left to the next pass. */
  | { readonly kind: 'stale' }
  /** The API server refused it, or a live read forbids it; the hold is what is reported. */
  | { readonly kind: 'blocked'; readonly hold: Hold };

/** Objects that fences have read for the write, which carries the version just read. */
export interface Live {
  readonly cluster?: MarekvsCluster;
  readonly node?: MarekvsNode;
  readonly claim?: Stored<PersistentVolumeClaim>;
  readonly pod?: Stored<Pod>;
}

/** The decision still holds, or how its step ends without being carried out. */
export type FenceOutcome = { readonly kind: 'confirmed'; readonly live: Live } | StepOutcome;

/** Reads, updates the caches, and writes nothing. A failed request is thrown. */
export type Fence<Context, Subject = unknown> = (context: Context, subject: Subject) => Promise<FenceOutcome>;

export const CONFIRMED: FenceOutcome = { kind: 'confirmed', live: {} };
export const STALE: StepOutcome = { kind: 'stale' };
export const DONE: StepOutcome = { kind: 'done' };

export function confirmedIf(isSo: boolean): FenceOutcome {
  return isSo ? CONFIRMED : STALE;
}

export function blocked(hold: Hold): StepOutcome {
  return { kind: 'blocked', hold };
}

/** Checks the fences in order. The first that does not hold ends it, which saves the reads of the others. */
export async function confirm<Context, Subject>(
  fences: readonly Fence<Context, Subject>[],
  context: Context,
  subject: Subject,
): Promise<FenceOutcome> {
  let live: Live = {};
  for (const fence of fences) {
    const verdict = await fence(context, subject);
    if (verdict.kind !== 'confirmed') return verdict;
    live = { ...live, ...verdict.live };
  }
  return { kind: 'confirmed', live };
}
