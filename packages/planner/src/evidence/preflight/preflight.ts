// Answers: may the removal of this candidate begin now, and if not, what is in the way? Named checks in a fixed order,
// none of which changes anything; they are in preflight-checks.ts. What is proven once it has begun is in evidence.ts.

import { isHeldOut, isJoiningOut } from '../../members/member-state.ts';
import { agreeOnMembership } from '../../members/membership.ts';
import { isStillJoining, survivorsOf } from '../../members/replacement.ts';
import type { NodeRecord } from '../../observation/node-record.ts';
import type { ClusterObservation } from '../../observation/observation.ts';
import type { Candidate } from '../../size/candidate.ts';
import { clockText, type Hold, hold } from '../../values/hold.ts';
import { witnessesOf } from '../answers.ts';
import { type Beginning, type Check, type CheckName, checksFor, type Restart } from '../checks.ts';
import { PREFLIGHT_HOLDS, type PreflightScope } from './preflight-checks.ts';

export type PreflightCheck = Omit<Check, 'value'>;

export interface Preflight {
  /** In order, up to and including the first that did not pass: later ones may rely on it. */
  readonly checks: readonly PreflightCheck[];
  /** The hold of the check that did not pass; undefined when the removal may begin. */
  readonly missing: Hold | undefined;
}

/** Names of the checks that only the members' own figures can answer: a caller that cannot ask the members stops before
 *  the first of them. */
export const FIGURE_CHECK_NAMES: readonly CheckName[] = ['meshComplete', 'writesAllowed', 'noRejoin', 'diskFits'];

/** A removal that was undone is tried again after this long, or when the spec changes. */
export const RETRY_DELAY_MS = 600_000;

/** Everything that has to hold before a removal begins. Pure. The candidate itself is asked only when it has to prove
 *  something: a dead, never joined or forced one is judged by the others alone. */
export function preflight(o: ClusterObservation, candidate: Candidate): Preflight {
  return runChecks(o, candidate, candidate.basis);
}

/** What blocks a restart of this member now: all others have to be up, whole, and there to stay. A member that is held
 *  out is not asked itself: its restart is to bring what it lacks. */
export function restartPreflight(o: ClusterObservation, node: NodeRecord, purpose: Restart): Hold | undefined {
  const isAsked = !isHeldOut(node);
  const isSkipped = (name: CheckName): boolean =>
    (!isAsked && name === 'recordsInPlace') || (name === 'volumesKept' && isJoiningOut(node));
  return runChecks(o, staying(node), purpose, { isAsked, isRestart: true, isSkipped }).missing;
}

/** Why this member must not be away for long: the others take over what it homes, and need room for that. */
export function suspensionPreflight(o: ClusterObservation, node: NodeRecord): Hold | undefined {
  return runChecks(o, staying(node), 'Suspend').missing;
}

function staying(node: NodeRecord): Candidate {
  return { node, type: 'Replace', basis: 'Proof', chosen: '' };
}

/** `isAsked`: whether the candidate has to answer, too; otherwise it may be listed, but does not count. */
function runChecks(
  o: ClusterObservation,
  candidate: Candidate,
  purpose: Beginning,
  { isAsked = candidate.basis === 'Proof', isRestart = false, isSkipped = (_: CheckName): boolean => false } = {},
): Preflight {
  const { node: own, basis } = candidate;
  // Two members stuck while joining would wait for each other for ever.
  const joining = basis === 'NeverJoined' ? o.nodes.filter((node) => isStillJoining(o, node)) : [];
  const survivors = survivorsOf(o, own).filter((node) => !joining.includes(node));
  const uncounted = basis === 'Proof' && !isAsked ? [own] : joining;
  const asked = isAsked ? [...survivors, own].sort((a, b) => a.id - b.id) : survivors;
  const scope: PreflightScope = {
    o,
    candidate,
    purpose,
    isRestart,
    survivors,
    uncounted,
    asked,
    // Computed only when needed, and once: neither is worth its time while a simpler check does not pass.
    membership: once(() => agreeOnMembership(asked)),
    witnesses: once(() => witnessesOf(asked, o.facts, o.monotonicMs)),
  };
  const checks: PreflightCheck[] = [];
  for (const name of checksFor(purpose).filter((one) => !isSkipped(one))) {
    const hold = PREFLIGHT_HOLDS[name](scope);
    checks.push({ name, passed: hold === undefined, hold });
    if (hold !== undefined) return { checks, missing: hold };
  }
  return { checks, missing: undefined };
}

/** Undefined when a removal may be tried; otherwise why the next attempt waits: the last one was undone a moment ago
 *  and nobody has changed the spec since. */
export function retryAllowed({ cluster, nowMs }: Pick<ClusterObservation, 'cluster' | 'nowMs'>): Hold | undefined {
  const last = cluster.lastOperation;
  const againMs = last?.target === undefined ? undefined : retryAtMs({ cluster, nowMs });
  if (againMs === undefined) return undefined;
  const message = `the removal of ${last?.target?.name ?? 'a node'} was undone: the next one is tried at ${clockText(againMs)}, or when the spec changes`;
  return hold('RetryDelayed', message);
}

/** Wall clock: when the last operation, which was given up for this spec, is tried again; undefined when that may be
 *  now. */
export function retryAtMs({ cluster, nowMs }: Pick<ClusterObservation, 'cluster' | 'nowMs'>): number | undefined {
  const last = cluster.lastOperation;
  if (last?.outcome !== 'Failed' || last.specGeneration !== cluster.generation) return undefined;
  const finishedMs = Date.parse(last.finishedAt);
  // By distance: a clock that was set back must not hold up anything for as long as it was wrong.
  return Math.abs(nowMs - finishedMs) < RETRY_DELAY_MS ? finishedMs + RETRY_DELAY_MS : undefined;
}

function once<T>(compute: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}
