// Answers: what is known of the contents after this pass? An operation that has ended proves them on its way; otherwise
// they are compared when that is due.

import { coveredNow, planVerification, type VerificationPlan } from '../evidence/verification/verification.ts';
import { hasOwnVolume } from '../members/member-state.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import type { PartialPlan } from './plan-formed.ts';

/** A removal compares what it needs, and its last proof is an answer about all members; a cluster that
 *  forms on new volumes is empty. */
export function verificationAfter(o: ClusterObservation, { removal, mayLatchFormed }: PartialPlan): VerificationPlan {
  const only = { hold: undefined, requeueAfterMs: undefined };
  if (removal?.ended?.proof?.post !== undefined) {
    const verification = coveredNow(o, 'the survivors of the last removal were compared');
    return { ...only, contents: undefined, verification };
  }
  const ended = removal?.ended?.reason;
  if (ended === 'Woken') {
    const verification = coveredNow(o, 'all members were compared when they were back');
    return { ...only, contents: undefined, verification };
  }
  if (removal !== undefined && (ended === 'RolledOut' || ended === 'MovedOff' || ended === 'Resumed')) {
    const verification = coveredNow(o, 'all members were compared when the last one was restarted');
    return { ...only, contents: removal.contents, verification };
  }
  if (removal?.operation !== undefined)
    return { ...only, contents: removal.contents, verification: o.cluster.verification };
  if (o.cluster.isFormed) return planVerification(o);
  const isEmpty = mayLatchFormed === true && o.nodes.every(hasOwnVolume);
  const verification = isEmpty ? coveredNow(o, 'the cluster was formed on new volumes') : undefined;
  return { ...only, contents: undefined, verification };
}
