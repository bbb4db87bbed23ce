// Answers: what is done to a running Pod whose member is to hand over its clients, or to take them back? A leaving
// member stays a full home and moves no data; only a restart takes the leaving back (docs/design/server.md#leaving).

import { ANNOTATIONS, type Reason } from '@marekvs/api';
import {
  hasProcess,
  isActiveMember,
  isLockedOut,
  isUnforeseen,
  mayHaveProcess,
  shows,
} from '../members/member-state.ts';
import type { PodRecord } from '../observation/node-record.ts';
import { hold } from '../values/hold.ts';
import type { ViewLine } from '../values/view-line.ts';
import { waitToRestart } from './cancel-restart.ts';
import { AS_SEEN, act, type NodeObservation, type NodePlan, othersOf, wait } from './node-step.ts';

/** A member that was told to leave and still has primaries is told again after this long: the others see it within 2 s
 *  (docs/design/server.md#leaving). */
const DRAIN_INTERVAL_MS = 2_000;
/** A process that was told once, early, forgot it and became first home of 802 partitions; asked about ten times a
 *  second it never was first home of any (docs/design/server.md#closed-door). */
const SEALED_DRAIN_MS = 250;

/** What the Pod has to carry before its member is told to leave, so that the next pass knows that it needs a restart.
 *  Undefined while its removal is being taken back: its contents would not be compared before that restart. */
export function leavingMark(
  { node, operation }: Pick<NodeObservation, 'node' | 'operation'>,
  pod: PodRecord,
): Readonly<Record<string, string>> | undefined {
  if (node.intent !== 'Leaving' || pod.isLeaving || pod.phase !== 'Running') return undefined;
  if (operation?.phase === 'Cancelling') return undefined;
  return { [ANNOTATIONS.leaving]: 'true' };
}

/** Tells the member to leave while it shows itself with primaries, again if its process has restarted meanwhile. A
 *  member that accepts none of our passwords cannot be asked for its list, and is told all the same. */
export function planDrain(o: NodeObservation, pod: PodRecord): NodePlan | undefined {
  const { node } = o;
  if (node.intent === 'Active' || !pod.isLeaving || pod.ip === undefined) return undefined;
  if (pod.isSealed) return planSealedDrain(o, pod);
  if (!isActiveMember(node) && !isLockedOut(node)) return undefined;
  return act({ kind: 'drain', pod, intervalMs: DRAIN_INTERVAL_MS }, DRAIN_INTERVAL_MS);
}

/** A process behind a closed door is told to leave from its first moment, so that it never becomes the first home of
 *  anything: until every other member shows its new process without primaries. Afterwards its own probes do
 *  (docs/design/server.md#closed-door). */
function planSealedDrain(o: NodeObservation, pod: PodRecord): NodePlan | undefined {
  const { node } = o;
  const isShown = (line: ViewLine): boolean => !line.hasPrimaries && line.generation !== node.ran?.generation;
  const others = othersOf(o).filter(hasProcess);
  if (others.every((one) => shows(one, node.id, isShown))) return undefined;
  return act({ kind: 'drain', pod, intervalMs: SEALED_DRAIN_MS }, SEALED_DRAIN_MS);
}

/** Ends the open process of a member whose door is to be closed, when its turn to be restarted comes. Not while its
 *  volume is being deleted: the end of its Pod would complete that deletion. */
export function planSealing(o: NodeObservation, pod: PodRecord): NodePlan | undefined {
  const { node, operation } = o;
  if (node.intent !== 'Sealed' || pod.isSealed || node.volume?.isTerminating !== false) return undefined;
  const isMeant = operation?.target?.uid === node.uid && node.removalMark === operation.id;
  // A removal that is taken back lets it serve again: its contents are compared before that restart.
  if (!isMeant || operation.phase === 'Cancelling' || node.ran?.podUid !== pod.uid) return undefined;
  return restart(o, pod, 'MemberSealing');
}

/** Restarts the member on its volume when its turn comes: its removal was given up, or a rolling update gave it another
 *  template. Not while its volume is being deleted: the end of its Pod would complete that deletion. */
export function planComeback(o: NodeObservation, pod: PodRecord): NodePlan | undefined {
  const isRolled = isPermitted(o, pod);
  if (o.node.intent !== 'Active' || !(pod.isLeaving || isRolled)) return undefined;
  if (o.node.volume?.isTerminating !== false) return undefined;
  if (!isRolled && isUnforeseen(o.node)) {
    const message = `${pod.name} is restarted to stay once its cluster has compared what it has`;
    return wait(hold('WaitingForTurn', message));
  }
  return restart(o, pod, whyRestarted(o, pod, isRolled));
}

function restart(o: NodeObservation, pod: PodRecord, why: Reason): NodePlan {
  // A process that has begun meanwhile was not compared.
  const step = { kind: 'deletePod', pod, why, ...(mayHaveProcess(o.node) ? {} : AS_SEEN) } as const;
  return waitToRestart(o) ?? act(step);
}

function whyRestarted({ operation }: NodeObservation, { uid }: PodRecord, isItsTurn: boolean): Reason {
  if (!isItsTurn) return 'CancelledByUser';
  if (operation?.roll?.cause === 'Password') return 'PasswordRefused';
  if (operation?.roll?.cause === 'Drained') return 'DrainedFromOutside';
  return operation?.roll?.leaves !== undefined && operation.roll.podUID === uid ? 'HostDraining' : 'RollingOut';
}

/** True when the node is out of the Service for its turn, and the turn gave it another template than its Pod was made
 *  from, or recreates the Pod from the same one: on another host, with the password of its Secret, or to lead again. */
function isPermitted({ node, operation }: NodeObservation, pod: PodRecord): boolean {
  const { removalMark, serving, uid, templateHash } = node;
  const isItsTurn = operation?.roll?.uid === uid && removalMark === operation.id;
  const { leaves, cause } = operation?.roll ?? {};
  const isSameTemplate = leaves !== undefined || cause === 'Password' || cause === 'Drained';
  const isToBeMadeAgain = isSameTemplate && operation?.roll?.podUID === pod.uid;
  return isItsTurn && !serving && (isToBeMadeAgain || pod.templateHash !== templateHash);
}
