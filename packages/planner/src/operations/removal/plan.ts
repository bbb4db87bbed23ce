// Answers: what is next for the one operation a cluster may have under way, or for the one it should begin?
// Each phase has a file of its own; this one knows their order (docs/design/contract.md#removing-a-node).

import type { Operation } from '@marekvs/api';
import { preflight, retryAllowed } from '../../evidence/preflight/preflight.ts';
import type { Membership } from '../../members/membership.ts';
import type { ClusterObservation } from '../../observation/observation.ts';
import { type Candidate, chooseCandidate } from '../../size/candidate.ts';
import { type Hold, hold } from '../../values/hold.ts';
import { inPhase, newRecord, none, type OperationPlan, proceed, store } from '../record.ts';
import { scopeOf } from '../scope.ts';
import { planAfter } from './after.ts';
import { planBefore } from './before.ts';
import { planCancelling } from './cancelling.ts';
import { planDeleting } from './deleting.ts';

/** The next step of the stored operation. */
export function planOperation(
  o: ClusterObservation,
  record: Operation,
  membership: Membership,
  desired: number,
): OperationPlan {
  const scope = scopeOf(o, record, desired);
  if (scope === undefined) return unknownOperation(record);
  switch (record.phase) {
    case 'Claimed':
    case 'Isolating':
    case 'Sealing':
    case 'Proving':
      return planBefore(scope);
    case 'Deleting':
    case 'Departing':
      return planDeleting(scope);
    case 'Settling':
    case 'Reclaiming':
    case 'Closed':
      // Only a cache had shown that the node was gone, and caches may be stale.
      return scope.node === undefined ? planAfter(scope) : store(inPhase(record, 'Deleting', o.nowMs));
    case 'Cancelling':
      return planCancelling(scope, membership);
    case 'Restarting':
    case 'CatchingUp':
    case 'RollingBack':
    case 'Resizing':
    case 'Stopping':
    case 'Suspended':
    case 'Hibernated':
    case 'Waking':
      return unknownOperation(record);
  }
}

/** An operation of another version is left as it is, and nothing else begins beside it. */
function unknownOperation(record: Operation): OperationPlan {
  const message = `operation ${record.id} of type ${record.type} is not known to this version`;
  return proceed(record, { waits: hold('OperationInProgress', message, true) });
}

export interface ClaimPlan {
  readonly plan: OperationPlan;
  /** Reported whether or not an operation begins. */
  readonly holds: readonly Hold[];
}

/** A new operation, if some node has to go and no check blocks it now. */
export function planClaim(o: ClusterObservation, desired: number): ClaimPlan {
  const { candidate, holds } = chooseCandidate(o, desired);
  if (candidate === undefined) return { plan: none(), holds };
  const later = retryAllowed(o);
  if (later !== undefined) return { plan: none(later), holds };
  const { missing } = preflight(o, candidate);
  if (missing !== undefined) return { plan: none(prefixed(candidate, missing)), holds };
  return { plan: store(newRecord(o, candidate)), holds };
}

function prefixed({ node }: Candidate, hold: Hold): Hold {
  return { ...hold, message: `removing ${node.name} waits: ${hold.message}` };
}
