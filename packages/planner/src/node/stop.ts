// Answers: is the Pod of this node to end for a while, and may it be made? A stopped node is not started, whatever
// happens to others. Nodes that were stopped together start together.

import { hasLostVolume, isUp } from '../members/member-state.ts';
import type { PodRecord } from '../observation/node-record.ts';
import { hold, namesOf } from '../values/hold.ts';
import { act, type NodeObservation, type NodePlan, othersOf, wait } from './node-step.ts';
import { OUTAGE_CHECK_MS } from './outage.ts';
import { START_PATIENCE_MS } from './restart-order.ts';

/** Ends its Pod. Not while its volume is being deleted: the end of the Pod would complete that deletion. */
export function planStop(o: NodeObservation, pod: PodRecord): NodePlan | undefined {
  const { node, operation } = o;
  if (node.stopped === 'Suspended') return planStopAlone(o, pod);
  if (node.stopped !== 'Hibernated') return undefined;
  const isTime =
    operation?.type === 'Hibernate' && (operation.phase === 'Stopping' || operation.phase === 'Hibernated');
  if (!isTime || node.volume?.isTerminating !== false) return undefined;
  return act({ kind: 'deletePod', pod, why: 'Hibernated' });
}

/** Its process ends only while every other member that holds data is up: another one may just have gone. */
function planStopAlone(o: NodeObservation, pod: PodRecord): NodePlan | undefined {
  const { node, operation } = o;
  const isTime =
    operation?.type === 'Suspend' &&
    operation.roll?.uid === node.uid &&
    (operation.phase === 'Stopping' || operation.phase === 'Suspended');
  if (!isTime || node.volume?.isTerminating !== false) return undefined;
  const why = othersOf(o).find((other) => !isUp(other) && !hasLostVolume(other));
  if (why !== undefined)
    return wait(hold('WaitingForTurn', `${node.name} is stopped when ${why.name} is up`), START_PATIENCE_MS);
  return act({ kind: 'deletePod', pod, why: 'Suspended' });
}

/** Why no Pod is made now; undefined when one may be. */
export function stoppedHold(o: NodeObservation): NodePlan | undefined {
  const { node, siblings, clusterName } = o;
  if (node.stopped === 'Hibernated')
    return wait(hold('Hibernated', `${node.name} is stopped with all members of ${clusterName}`));
  if (node.stopped === 'Suspended') {
    const who = node.suspendAsked === undefined ? '' : ` (${node.suspendAsked})`;
    return wait(hold('Suspended', `${node.name} is stopped for repair by hand${who}`));
  }
  // The others may start within moments. Started one by one, a later one could lack what an earlier one has forgotten.
  const asleep = siblings.filter((one) => one.stopped === 'Hibernated' && !hasLostVolume(one));
  if (asleep.length === 0 || siblings.some(isUp)) return undefined;
  return wait(hold('WakingUp', `${node.name} starts together with ${namesOf(asleep)}`), OUTAGE_CHECK_MS);
}
