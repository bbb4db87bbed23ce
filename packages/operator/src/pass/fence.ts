// A fence is a live check right before an action, because decisions rest on caches, which may be stale. The
// precondition of a write protects the object that it changes, and says nothing about others
// (docs/decisions/live-reads.md). This is how fences are checked; which step has which, and why, is said by the tables
// in cluster/steps/fences.ts and node/steps/fences.ts.

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

/** What is read live before one kind of step or change, or why nothing has to be. */
export interface FenceRow<Context, Subject = unknown> {
  /** Read once per pass, before the first step that rests on it. */
  readonly oncePerPass?: readonly Fence<Context>[];
  /** Read for this one alone, right before its write, in this order. */
  readonly rightBefore?: readonly Fence<Context, Subject>[];
  readonly why: string;
}

export function unfenced(why: string): FenceRow<unknown> {
  return { why };
}

export const CONFIRMED: FenceOutcome = { kind: 'confirmed', live: {} };
export const STALE: StepOutcome = { kind: 'stale' };
export const DONE: StepOutcome = { kind: 'done' };

export function confirmedIf(isSo: boolean): FenceOutcome {
  return isSo ? CONFIRMED : STALE;
}

export function blocked(hold: Hold): StepOutcome {
  return { kind: 'blocked', hold };
}

/** Checks the fences right before a write. The first that does not hold ends it, which saves the reads of the
 *  others. */
export async function confirm<Context, Subject>(
  { rightBefore = [] }: FenceRow<Context, Subject>,
  context: Context,
  subject: Subject,
): Promise<FenceOutcome> {
  let live: Live = {};
  for (const fence of rightBefore) {
    const verdict = await fence(context, subject);
    if (verdict.kind !== 'confirmed') return verdict;
    live = { ...live, ...verdict.live };
  }
  return { kind: 'confirmed', live };
}

/** The steps of a pass without the stale ones. A live read that several steps rest on is made once, for the first of
 *  them. */
export async function withoutStale<Step, Context>(
  steps: readonly Step[],
  rowOf: (step: Step) => Pick<FenceRow<Context>, 'oncePerPass'>,
  context: Context,
): Promise<readonly Step[]> {
  const verdicts = new Map<Fence<Context>, FenceOutcome>();
  const valid: Step[] = [];
  for (const step of steps) if (await doHold(rowOf(step).oncePerPass ?? [], verdicts, context)) valid.push(step);
  return valid;
}

async function doHold<Context>(
  fences: readonly Fence<Context>[],
  verdicts: Map<Fence<Context>, FenceOutcome>,
  context: Context,
): Promise<boolean> {
  for (const fence of fences) {
    const verdict = verdicts.get(fence) ?? (await fence(context, undefined));
    verdicts.set(fence, verdict);
    if (verdict.kind !== 'confirmed') return false;
  }
  return true;
}
