// Answers: which members' hosts are to be probed? Only those of members that have been silent for a while without a
// cause of their own: at rest no Node is read, however many there are.

import { isHeard, isHeldBack } from '../members/member-state.ts';
import type { NodeRecord, PodRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';

/** A member that restarts is back sooner, and Kubernetes does not notice a silent kubelet any sooner. */
export const SILENCE_MS = 30_000;

/** Members whose hosts may be away, and when the next one may be: no event would trigger a pass. */
export function awayMembers(o: Pick<ClusterObservation, 'cluster' | 'nodes' | 'nowMs'>): {
  readonly nodes: readonly NodeRecord[];
  readonly requeueAfterMs: number | undefined;
} {
  if (!o.cluster.isFormed || o.cluster.isDeleting) return { nodes: [], requeueAfterMs: undefined };
  const waits = o.nodes.map((node) => ({ node, leftMs: silenceLeftMs(node, o.nowMs) }));
  const nodes = waits.flatMap(({ node, leftMs }) => (leftMs !== undefined && leftMs <= 0 ? [node] : []));
  const later = waits.flatMap(({ leftMs }) => (leftMs !== undefined && leftMs > 0 ? [leftMs] : []));
  return { nodes, requeueAfterMs: later.length === 0 ? undefined : Math.min(...later) };
}

/** Milliseconds until its host is probed; undefined while there is no reason to. */
function silenceLeftMs(node: NodeRecord, nowMs: number): number | undefined {
  const { pod, uid, answer, volume } = node;
  if (pod === undefined || pod.ownerUid !== uid) return undefined;
  if (pod.isTerminating) return (pod.terminationDueMs ?? nowMs) + SILENCE_MS - nowMs;
  if (pod.isReady) return silenceOfReadyLeftMs(answer, nowMs);
  if (failsOnItsHost(pod)) return undefined;
  if (pod.hostName === undefined)
    // The scheduler says that no host takes the Pod, so there is nothing to wait for.
    return pod.unschedulable !== undefined && volume?.isBound === true && node.wasActive ? 0 : undefined;
  if (isHeard(node)) return undefined;
  const sinceMs = answer.kind === 'silent' ? answer.sinceMs : pod.createdAtMs;
  return sinceMs + SILENCE_MS - nowMs;
}

/** A Pod stays ready for some seconds after its member has ended. After its kubelet has ended it does so for ever if
 *  nothing marks the Pod: its Node may be gone. */
const SILENCE_OF_READY_MS = 2 * SILENCE_MS;

/** Undefined for a member that accepts none of our passwords: it is there. */
function silenceOfReadyLeftMs(answer: NodeRecord['answer'], nowMs: number): number | undefined {
  if (answer.kind !== 'silent' || answer.isLocked === true) return undefined;
  return answer.sinceMs + SILENCE_OF_READY_MS - nowMs;
}

/** The kubelet reports what keeps the Pod, so the host is there. */
function failsOnItsHost(pod: PodRecord): boolean {
  return isHeldBack(pod) || pod.phase === 'Failed' || pod.phase === 'Succeeded';
}
