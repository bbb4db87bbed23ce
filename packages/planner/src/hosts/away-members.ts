// Answers: whose host is to be asked about? Only that of a member which has been silent for a while although nothing of
// its own keeps it: at rest nobody reads a Node, however many there are.

import type { ClusterObservation, NodeRecord, PodRecord } from '../observation.ts';

/** A member that restarts is back sooner, and a kubelet that stops reporting is noticed by nobody sooner. */
export const SILENCE_MS = 30_000;

/** What a kubelet says of a container that it is about to start. */
const ON_ITS_WAY: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);

/** Members whose hosts may be away, and when the next one may be: nothing else would wake anybody. */
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

/** Milliseconds until its host is asked about; undefined while there is no reason to. */
function silenceLeftMs(node: NodeRecord, nowMs: number): number | undefined {
  const { pod, uid, answer, volume } = node;
  if (pod === undefined || pod.ownerUid !== uid) return undefined;
  if (pod.isTerminating) return (pod.terminationDueMs ?? nowMs) + SILENCE_MS - nowMs;
  if (pod.isReady) return silenceOfReadyLeftMs(answer, nowMs);
  if (failsOnItsHost(pod)) return undefined;
  if (pod.hostName === undefined)
    // That no host takes it, is known from the scheduler: there is nothing to wait for.
    return pod.unschedulable !== undefined && volume?.isBound === true && node.wasActive ? 0 : undefined;
  if (answer.kind === 'serving' || answer.kind === 'joining') return undefined;
  const sinceMs = answer.kind === 'silent' ? answer.sinceMs : pod.createdAtMs;
  return sinceMs + SILENCE_MS - nowMs;
}

/** A kubelet calls a Pod ready for some seconds after its member has ended, and for ever after its own end when nobody
 *  marks the Pod: its Node may be gone. */
const SILENCE_OF_READY_MS = 2 * SILENCE_MS;

/** One that takes no password of ours is there. */
function silenceOfReadyLeftMs(answer: NodeRecord['answer'], nowMs: number): number | undefined {
  if (answer.kind !== 'silent' || answer.isLocked === true) return undefined;
  return answer.sinceMs + SILENCE_OF_READY_MS - nowMs;
}

/** Its kubelet says what keeps it: so its host is there. */
function failsOnItsHost({ waiting, phase }: PodRecord): boolean {
  return (waiting !== undefined && !ON_ITS_WAY.has(waiting.reason)) || phase === 'Failed' || phase === 'Succeeded';
}
