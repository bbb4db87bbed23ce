// What a person reads while an operation is in one of its phases.

import type { Operation, OperationPhase } from '@marekvs/api';
import { goesByProof } from '@marekvs/planner';

export function phaseText(operation: Operation): string {
  const { phase } = operation;
  return (goesByProof(operation) ? undefined : UNPROVEN[phase]) ?? PHASES[phase];
}

/** Phase texts that differ for a node that goes without proof. */
const UNPROVEN: Readonly<Partial<Record<OperationPhase, string>>> = {
  Claimed: 'it goes without a proof of its own',
  Deleting: 'its MarekvsNode is being deleted',
};

export const PHASES: Readonly<Record<OperationPhase, string>> = {
  Claimed: 'its clients move to the other members, and every copy is proven to be there',
  Isolating: 'its clients move to the other members',
  Sealing: 'it is restarted with its door closed, so that nothing can be written to it any more',
  Proving: 'proving that every copy is on another member',
  Deleting: 'proven, its MarekvsNode is being deleted',
  Departing: 'its member ends and the others forget it',
  Settling: 'proving that the others have every copy again',
  Reclaiming: 'its volume is being deleted',
  Closed: 'done',
  Cancelling: 'it comes back',
  Restarting: 'its Pod is made again with the changed template',
  CatchingUp: 'it gets what it has missed',
  RollingBack: 'it goes back to the template it had',
  Resizing: 'its Pod gets other resources where it runs, and nobody is restarted',
  Stopping: 'its Pod ends, and its volume is kept',
  Suspended: 'it is stopped, and its volume is kept',
  Hibernated: 'all members are stopped, and their volumes are kept',
  Waking: 'all members start together',
};
