// Answers: can clients still reach the target? First it has no primaries, so that none is sent to it, and those that
// are connected have had time to move. They need not go: before a removal its door is closed (sealing.ts).

import type { NodeRecord } from '../observation/node-record.ts';
import { hold } from '../values/hold.ts';
import { viewKey } from '../values/view-line.ts';
import { drainedIds, shownSinceMs, type Witness } from './answers.ts';
import { type Check, failed, passed } from './checks.ts';

export interface Isolation {
  readonly checks: readonly Check[];
  /** Monotonic: what is read from then on counts; undefined while the target may be sent clients. */
  readonly sinceMs: number | undefined;
}

/** How long clients may move away from a member that is only restarted: what they write until its process ends is on
 *  its volume, which comes back. */
export const RESTART_GRACE_MS = 5_000;

export interface IsolationInput {
  readonly target: NodeRecord;
  /** Monotonic: since when it has been told to leave and been out of the Service. A member that could not come back
   *  from an earlier removal has no primaries all along: what it took while it was in the Service again is certain only
   *  since it left it. */
  readonly isolatedSinceMs: number | undefined;
  /** How long clients may move away. */
  readonly graceMs: number;
  readonly monotonicMs: number;
}

/** A restart waits no longer than this for lists to show its member without primaries: it is back within seconds, on
 *  its volume. */
export const ISOLATION_PATIENCE_MS = 15_000;

/** noPrimaries, graceOver, in this order. */
export function isolationOf(witnesses: readonly Witness[], input: IsolationInput): Isolation {
  const { target, isolatedSinceMs } = input;
  const primaries = noPrimaries(witnesses, target);
  const shownMs = primaries.passed ? shownSinceMs(witnesses) : undefined;
  const sinceMs =
    shownMs === undefined || isolatedSinceMs === undefined ? undefined : Math.max(shownMs, isolatedSinceMs);
  return { checks: [primaries, graceOver(input, sinceMs)], sinceMs };
}

/** Every member that can be asked shows all of them, and only the target without primaries, or others that somebody
 *  else has drained. */
export function noPrimaries(witnesses: readonly Witness[], target: NodeRecord): Check {
  const name = 'noPrimaries';
  const drained = drainedIds(witnesses);
  let rightKey: string | undefined;
  for (const { node, view, isUnlisting } of witnesses) {
    if (isUnlisting === true || (view !== undefined && viewKey(view) === rightKey)) continue;
    if (view === undefined) {
      const message = `${node.name} does not show whether ${target.name} still serves`;
      return failed(name, message, hold('MemberSilent', message));
    }
    const isExcused = (id: number) => id !== target.id && drained.has(id);
    const wrong = witnesses.find(({ node: { id } }) => !isExcused(id) && !isShownRight(view, id, target.id))?.node;
    if (wrong === undefined) {
      rightKey = viewKey(view);
      continue;
    }
    const line = view.find(({ id }) => id === wrong.id);
    if (line === undefined) {
      const message = `${node.name} does not show ${wrong.name}`;
      return failed(name, message, hold('ViewsDisagree', message));
    }
    const message = `${node.name} shows ${wrong.name} ${line.hasPrimaries ? 'with' : 'without'} primaries`;
    return failed(name, message, hold(wrong.id === target.id ? 'MemberLeaving' : 'MemberNotActive', message));
  }
  return passed(name, `none on ${target.name}`);
}

function isShownRight(view: NonNullable<Witness['view']>, id: number, targetId: number): boolean {
  return view.some((line) => line.id === id && line.hasPrimaries === (id !== targetId));
}

function graceOver({ target, graceMs, monotonicMs }: IsolationInput, sinceMs: number | undefined): Check {
  const value = `clients of ${target.name} have ${graceMs / 1000} s to move to the others`;
  if (sinceMs !== undefined && monotonicMs - sinceMs >= graceMs) return passed('graceOver', value);
  return failed('graceOver', value, hold('MemberLeaving', value));
}
