// Answers: may this node's missing Pod be started now, or is it another node's turn?
// A formed cluster brings members back one at a time while the others suffice (docs/design/contract.md#repair); when
// they do not, all start together, which is also the safe way back from a full stop (docs/design/server.md#h1).

import { reasonRow } from '@marekvs/api';
import { hasLostVolume, isUp } from '../members/member-state.ts';
import type { NodeRecord, PodRecord } from '../observation/node-record.ts';
import { hold } from '../values/hold.ts';
import { type NodeObservation, type NodePlan, othersOf, wait } from './node-step.ts';

/** A node waits no longer than this for another member to start: an unhealthy member never delays a healthy one. A
 *  returning member is Active after 2-4 s (docs/design/server.md#returning), a whole cluster after 7 s. */
export const START_PATIENCE_MS = 30_000;

/** What the node waits for before it gets its Pod; undefined when it may have it now. First starts and starts of a
 *  cluster that cannot serve anyway never wait. */
export function waitToStart(o: NodeObservation): NodePlan | undefined {
  if (!o.isClusterFormed || isFirstStart(o.node)) return undefined;
  const others = othersOf(o);
  if (others.filter(isUp).length < o.replicationFactor) return undefined;
  const starting = others.find((sibling) => isStarting(sibling, o.nowMs));
  if (starting?.pod !== undefined)
    return waitFor(o, `${starting.name} is starting`, starting.pod.createdAtMs + START_PATIENCE_MS - o.nowMs);
  const ending = others.find((sibling) => endsInMs(sibling, o.nowMs) > 0);
  if (ending !== undefined) return waitFor(o, `${ending.name} is ending`, endsInMs(ending, o.nowMs));
  const first = others.find((sibling) => sibling.id < o.node.id && needsPod(sibling));
  return first === undefined ? undefined : waitFor(o, `${first.name} starts first`, START_PATIENCE_MS);
}

/** A member that is out of the Service because it leaves is not a new one. */
function isFirstStart(node: NodeRecord): boolean {
  return node.recordedVolumeUid === undefined || (!node.serving && node.intent === 'Active');
}

function isStarting(node: NodeRecord, nowMs: number): boolean {
  const { pod } = node;
  return pod !== undefined && !pod.isTerminating && !pod.isReady && isYoungPod(pod, nowMs);
}

/** True while the Pod may well become ready soon. */
export function isYoungPod({ createdAtMs }: PodRecord, nowMs: number): boolean {
  return nowMs - createdAtMs < START_PATIENCE_MS;
}

/** Milliseconds left of the grace period of a terminating Pod, 0 otherwise: a stuck Pod delays no other member. */
function endsInMs({ pod }: NodeRecord, nowMs: number): number {
  return pod?.isTerminating === true ? Math.max(0, (pod.terminationDueMs ?? nowMs) - nowMs) : 0;
}

/** A sibling that lacks its Pod and could get one right now. With a reason that is none of a start it is unhealthy,
 *  and no other node waits for it. */
function needsPod(node: NodeRecord): boolean {
  if (node.pod !== undefined || node.stopped !== undefined || node.isDeleting || hasLostVolume(node)) return false;
  const isHealthy = node.reportedReason === undefined || reasonRow(node.reportedReason)?.isOfStart === true;
  return node.volume?.isTerminating === false && isHealthy;
}

function waitFor({ node }: NodeObservation, why: string, leftMs: number): NodePlan {
  return wait(hold('WaitingForTurn', `${node.name} waits: ${why}, members come back one at a time`), leftMs);
}
