// Answers: what is next for the removal under way, or for the one that should begin? Each phase has a file of its own;
// this one knows their order (docs/design/contract.md#removing-a-node).

import { type Operation, stageOf } from '@marekvs/api';
import { preflight, retryAllowed } from '../../evidence/preflight/preflight.ts';
import type { Membership } from '../../members/membership.ts';
import type { ClusterObservation } from '../../observation/observation.ts';
import { chooseCandidate } from '../../size/candidate.ts';
import { hold } from '../../values/hold.ts';
import { inPhase, newRecord, none, type OperationPlan, proceed, store } from '../record.ts';
import { scopeOf } from '../scope.ts';
import { planAfter } from './after.ts';
import { planBefore } from './before.ts';
import { planCancelling } from './cancelling.ts';
import { planDeleting } from './deleting.ts';

/** The next step of the stored operation. */
export function planRemoval(
  o: ClusterObservation,
  record: Operation,
  membership: Membership,
  desired: number,
): OperationPlan {
  const scope = scopeOf(o, record, desired);
  if (scope === undefined) return unknownOperation(record);
  switch (stageOf(record)) {
    case 'before':
      return planBefore(scope);
    case 'deleting':
      return planDeleting(scope);
    case 'after':
      // Only a cache had shown that the node was gone, and caches may be stale.
      return scope.node === undefined ? planAfter(scope) : store(inPhase(record, 'Deleting', o.nowMs));
    case 'back':
      return planCancelling(scope, membership);
    default:
      return unknownOperation(record);
  }
}

/** An operation of another version is left as it is, and nothing else begins beside it. */
export function unknownOperation(record: Operation): OperationPlan {
  const message = `operation ${record.id} of type ${record.type} is not known to this version`;
  return proceed(record, { waits: hold('OperationInProgress', message, true) });
}

/** A new operation, if some node has to go and no check blocks it now. */
export function planClaim(o: ClusterObservation, desired: number): OperationPlan {
  const { candidate, holds } = chooseCandidate(o, desired);
  if (candidate === undefined) return { ...none(), holds };
  const later = retryAllowed(o);
  if (later !== undefined) return { ...none(later), holds };
  const { missing } = preflight(o, candidate);
  if (missing === undefined) return { ...store(newRecord(o, candidate)), holds };
  return { ...none({ ...missing, message: `removing ${candidate.node.name} waits: ${missing.message}` }), holds };
}
