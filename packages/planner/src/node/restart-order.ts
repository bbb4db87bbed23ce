// Answers: may this node's missing Pod be started now, or is it another node's turn?
// A formed cluster brings members back one at a time while the others suffice (docs/design/contract.md#repair); when
// they do not, all start together, which is also the safe way back from a full stop (docs/design/server.md#h1).

import { reasonRow } from '@marekvs/api';
import { hasLostVolume } from '../members/lost-volume.ts';
import type { NodeRecord, PodRecord } from '../observation/node-record.ts';
import type { NodeObservation } from './node-step.ts';

export type Turn =
  | { readonly kind: 'go' }
  | { readonly kind: 'wait'; readonly message: string; readonly requeueAfterMs: number };

/** A node waits no longer than this for another member to start: an unhealthy member never delays a healthy one. A
 *  returning member is Active after 2-4 s (docs/design/server.md#returning), a whole cluster after 7 s. */
export const START_PATIENCE_MS = 30_000;

/** Whether the node may get its Pod now. First starts and starts of a cluster that cannot serve anyway never wait. */
export function mayStartNow(o: NodeObservation): Turn {
  if (!o.isClusterFormed || isFirstStart(o.node)) return { kind: 'go' };
  const others = othersOf(o);
  if (others.filter(isUp).length < o.replicationFactor) return { kind: 'go' };
  const starting = others.find((sibling) => isStarting(sibling, o.nowMs));
  if (starting !== undefined)
    return waitFor(o, starting, `${starting.name} is starting`, startedAgo(starting, o.nowMs));
  const ending = others.find((sibling) => endsInMs(sibling, o.nowMs) > 0);
  if (ending !== undefined) return waitForEnd(o, ending);
  const first = others.find((sibling) => sibling.id < o.node.id && needsPod(sibling));
  if (first !== undefined) return waitFor(o, first, `${first.name} starts first`, 0);
  return { kind: 'go' };
}

export function othersOf({ siblings, node }: NodeObservation): readonly NodeRecord[] {
  return siblings.filter(({ id }) => id !== node.id);
}

/** A member that is out of the Service because it leaves is not a new one. */
function isFirstStart(node: NodeRecord): boolean {
  return node.recordedVolumeUid === undefined || (!node.serving && node.intent === 'Active');
}

/** Its own Pod is ready and not about to end. */
export function isUp({ pod, uid }: NodeRecord): boolean {
  return pod?.isReady === true && !pod.isTerminating && pod.ownerUid === uid;
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

function waitForEnd({ node, nowMs }: NodeObservation, ending: NodeRecord): Turn {
  const message = `${node.name} waits: ${ending.name} is ending, members come back one at a time`;
  return { kind: 'wait', message, requeueAfterMs: endsInMs(ending, nowMs) };
}

/** A sibling that lacks its Pod and could get one right now. With a reason that is none of a start it is unhealthy,
 *  and no other node waits for it. */
function needsPod(node: NodeRecord): boolean {
  if (node.pod !== undefined || node.stopped !== undefined || node.isDeleting || hasLostVolume(node)) return false;
  const isHealthy = node.reportedReason === undefined || reasonRow(node.reportedReason)?.isOfStart === true;
  return node.volume?.isTerminating === false && isHealthy;
}

function startedAgo(node: NodeRecord, nowMs: number): number {
  return node.pod === undefined ? 0 : nowMs - node.pod.createdAtMs;
}

function waitFor(o: NodeObservation, other: NodeRecord, why: string, elapsedMs: number): Turn {
  return {
    kind: 'wait',
    message: `${o.node.name} waits: ${why}, members come back one at a time`,
    requeueAfterMs: other.pod === undefined ? START_PATIENCE_MS : Math.max(0, START_PATIENCE_MS - elapsedMs),
  };
}
