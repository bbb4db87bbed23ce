// Answers: what is the next thing to do for one MarekvsNode's volume and Pod, and what keeps it from being Active?
// One step a pass. A Pod is only ever started on the volume its node was recorded with (marekvs.md H2, H3).

import type { Reason } from '@marekvs/api';
import type { Hold, NodeRecord, PodRecord } from './observation.ts';
import { hostPatienceLeftMs, podTrouble } from './pod-trouble.ts';
import { mayStartNow } from './restart-order.ts';
import { gossipAddresses, sameSeeds } from './seeds.ts';
import { hasLostVolume } from './sizing.ts';

/** The MarekvsCluster a node belongs to, as confirmed for this pass. `gone` needs a live read, a cache is the past.
 *  `none`: nobody owns the node; whoever took the reference away may have done so by mistake (F56). */
export type ParentState = 'present' | 'paused' | 'gone' | 'unconfirmed' | 'none';

export interface NodeObservation {
  readonly nowMs: number;
  readonly clusterName: string;
  readonly node: NodeRecord;
  readonly parent: ParentState;
  readonly isClusterFormed: boolean;
  readonly replicationFactor: number;
  /** Every node of the cluster, this one included. */
  readonly siblings: readonly NodeRecord[];
  /** Labels the operator owns on the Pod and wants there; undefined values are labels that must be absent. */
  readonly wantedPodLabels: Readonly<Record<string, string | undefined>>;
}

/** One write of the node controller. The executor adds the preconditions. */
export type NodeStep =
  | { readonly kind: 'createVolume' }
  | { readonly kind: 'createPod'; readonly seeds: readonly string[] }
  | { readonly kind: 'deletePod'; readonly pod: PodRecord; readonly why: Reason }
  | { readonly kind: 'labelPod'; readonly pod: PodRecord; readonly labels: Readonly<Record<string, string | null>> }
  | { readonly kind: 'confirmParent' }
  | { readonly kind: 'releaseNode' };

export interface NodePlan {
  readonly step: NodeStep | undefined;
  readonly hold: Hold | undefined;
  /** Look again after this time even if nothing changes. */
  readonly lookAgainAfterMs: number | undefined;
}

/** A terminating Pod is called stuck this long after its grace period ended. */
export const STUCK_TERMINATING_MS = 30_000;

/** The next step for one node. Pure. */
export function planNode(o: NodeObservation): NodePlan {
  if (o.parent === 'gone') return planRelease(o);
  if (o.parent === 'none') return wait(orphaned(o));
  if (o.parent === 'paused')
    return wait({ reason: 'Paused', message: 'spec.paused of the cluster is true', needsPerson: false });
  const plan = planVolume(o) ?? planPod(o);
  // Nothing is made or ended for a cluster that may be gone, or going with its namespace (F60).
  const isConfirmed = o.parent === 'present' || (plan.step === undefined && !o.node.isDeleting);
  return isConfirmed ? plan : act({ kind: 'confirmParent' });
}

function orphaned(o: NodeObservation): Hold {
  return {
    reason: 'NodeOrphaned',
    message: `${o.node.name} has no owner: give it its owner reference to MarekvsCluster ${o.clusterName} back; until then it is left as it is`,
    needsPerson: true,
  };
}

/** The cluster is gone: the Pod goes, the volume stays, the node is let go. */
function planRelease(o: NodeObservation): NodePlan {
  if (!o.node.isDeleting) return wait(undefined);
  const pod = ownPod(o);
  if (pod === undefined) return act({ kind: 'releaseNode' });
  if (!pod.isTerminating) return act({ kind: 'deletePod', pod, why: 'Deleting' });
  return waitForTermination(o, pod);
}

function planVolume(o: NodeObservation): NodePlan | undefined {
  const { node } = o;
  if (hasLostVolume(node)) {
    return wait({
      reason: 'VolumeLost',
      message: `volume ${node.volume === undefined ? 'of this node is gone' : `${node.volume.name} is another one than before`}: no Pod is started on an empty volume under a used id`,
      needsPerson: false,
    });
  }
  if (node.volume === undefined) return act({ kind: 'createVolume' });
  if (node.volume.clusterName !== o.clusterName || node.volume.nodeId !== node.id) {
    return wait({
      reason: 'VolumeForeign',
      message: `PersistentVolumeClaim ${node.volume.name} carries labels of something else: relabel or remove it`,
      needsPerson: true,
    });
  }
  if (node.volume.isTerminating && node.pod === undefined) {
    return wait({
      reason: 'VolumeLost',
      message: `PersistentVolumeClaim ${node.volume.name} is being deleted: its Pod is not started again`,
      needsPerson: false,
    });
  }
  return undefined;
}

function planPod(o: NodeObservation): NodePlan {
  const { pod } = o.node;
  if (pod === undefined) return planStart(o);
  if (pod.ownerUid !== o.node.uid) return planForeignPod(pod);
  if (pod.isTerminating) return waitForTermination(o, pod);
  if (pod.phase === 'Failed' || pod.phase === 'Succeeded') return act({ kind: 'deletePod', pod, why: 'PodTerminal' });
  if (o.node.seeds.length > 0 && !sameSeeds(pod.seeds, o.node.seeds)) {
    return act({ kind: 'deletePod', pod, why: 'MemberLonely' });
  }
  const labels = labelChanges(pod.labels, o.wantedPodLabels);
  if (labels !== undefined) return act({ kind: 'labelPod', pod, labels });
  const hold = podTrouble(o.node, pod, o.nowMs);
  return { step: undefined, hold, lookAgainAfterMs: hostPatienceLeftMs(pod, o.nowMs) };
}

function planStart(o: NodeObservation): NodePlan {
  const turn = mayStartNow(o);
  if (turn.kind === 'wait') {
    return {
      step: undefined,
      hold: { reason: 'WaitingForTurn', message: turn.message, needsPerson: false },
      lookAgainAfterMs: turn.lookAgainAfterMs,
    };
  }
  return act({ kind: 'createPod', seeds: o.node.seeds.length > 0 ? o.node.seeds : knownSeeds(o) });
}

/** A Pod of our name with another owner: an earlier node of the same name, or somebody else's. It has to leave by itself. */
function planForeignPod(pod: PodRecord): NodePlan {
  return wait({
    reason: 'NameTaken',
    message: `Pod ${pod.name} belongs to another owner${pod.isTerminating ? ' and is terminating' : ''}: waiting until it is gone`,
    needsPerson: pod.ownerUid === undefined && !pod.isTerminating,
  });
}

function waitForTermination(o: NodeObservation, pod: PodRecord): NodePlan {
  const stuckAtMs = (pod.terminationDueMs ?? o.nowMs) + STUCK_TERMINATING_MS;
  if (o.nowMs < stuckAtMs) return { step: undefined, hold: undefined, lookAgainAfterMs: stuckAtMs - o.nowMs };
  return wait({
    reason: 'PodStuckTerminating',
    message: `Pod ${pod.name} on ${pod.hostName ?? 'no host'} does not end: no second process is started on its volume`,
    needsPerson: true,
  });
}

/** Gossip addresses of the other members that have a Pod with an address, smallest first. */
function knownSeeds(o: NodeObservation): readonly string[] {
  return gossipAddresses(o.siblings.filter(({ id, pod }) => id !== o.node.id && pod?.isTerminating === false));
}

function ownPod(o: NodeObservation): PodRecord | undefined {
  return o.node.pod?.ownerUid === o.node.uid ? o.node.pod : undefined;
}

function labelChanges(
  labels: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | null>> | undefined {
  const changes = Object.entries(wanted)
    .filter(([name, value]) => labels[name] !== value)
    .map(([name, value]) => [name, value ?? null] as const);
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

function act(step: NodeStep): NodePlan {
  return { step, hold: undefined, lookAgainAfterMs: undefined };
}

function wait(hold: Hold | undefined): NodePlan {
  return { step: undefined, hold, lookAgainAfterMs: undefined };
}
