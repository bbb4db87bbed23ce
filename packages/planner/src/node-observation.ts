// What the plan for one node rests on: the node, its cluster as confirmed for this pass, and the nodes beside it. Plain
// values.

import type { Operation, ReleasePhase } from '@marekvs/api';
import type { HostFinding } from './hosts/finding.ts';
import type { ClusterPassword, NodeRecord, PodRecord } from './observation.ts';

/** The MarekvsCluster a node belongs to, as confirmed for this pass. `gone` needs a live read, caches may be stale.
 *  `none`: nobody owns the node; the reference may have been taken away by mistake (F56). */
export type ParentState = 'present' | 'paused' | 'gone' | 'unconfirmed' | 'none';

export interface NodeObservation {
  readonly nowMs: number;
  readonly clusterName: string;
  readonly node: NodeRecord;
  readonly parent: ParentState;
  readonly isClusterFormed: boolean;
  readonly replicationFactor: number;
  /** How far its members are handed to a StatefulSet; undefined while they are not. */
  readonly releasePhase: ReleasePhase | undefined;
  /** For how long its members remember deletions. */
  readonly gcGraceSeconds: number;
  /** A person has asked that members start one by one after an outage of whatever length. */
  readonly mayStartAfterOutage: boolean;
  /** How many nodes there shall be; undefined while the cluster is not known. */
  readonly wantedNodes: number | undefined;
  /** Every node of the cluster, this one included, by id. */
  readonly siblings: readonly NodeRecord[];
  /** Labels the operator owns on the Pod and wants there; undefined values are labels that must be absent. */
  readonly wantedPodLabels: Readonly<Record<string, string | undefined>>;
  /** What the cluster's cached status says is under way. Never trusted alone: the node has to carry the same proof. */
  readonly operation: Operation | undefined;
  /** Volumes outlive the cluster. */
  readonly keepVolumes: boolean;
  /** The cluster has deletionProtection. */
  readonly isProtected: boolean;
  /** What the spec of its cluster asks for; undefined while that is not known. */
  readonly password?: Pick<ClusterPassword, 'asked' | 'isUsable'> | undefined;
  /** Our finalizer is on the node. */
  readonly hasFinalizer: boolean;
  /** When its member was last known to be Active; undefined when it never was, as far as the node's status says. */
  readonly lastActiveAtMs: number | undefined;
  /** The same of every node, by UID, as early as it can have been: of a member that ended unseen only what was
   *  stored before is certain. */
  readonly lastActiveMs: ReadonlyMap<string, number>;
  /** What is known of its host while its member does not answer; undefined while nobody asks. */
  readonly hostFinding: HostFinding | undefined;
  /** The API server refused its claim a change a moment ago: its message, and how long it is not tried again. */
  readonly volumeRefusal: { readonly message: string; readonly leftMs: number } | undefined;
  /** Monotonic: since when this operator has seen it without a Pod of its own; undefined while it has one. */
  readonly podGoneSinceMs: number | undefined;
  /** This process has made a proof for the operation under way: times in it are of our clock. */
  readonly isProvenHere: boolean;
}

/** The Pod of the node's name, if it is really the node's. */
export function ownPod({ node }: NodeObservation): PodRecord | undefined {
  return node.pod?.ownerUid === node.uid ? node.pod : undefined;
}

/** Its own Pod is there and not ending: a process of it may run. */
export function hasProcess({ uid, pod }: NodeRecord): boolean {
  return pod?.ownerUid === uid && !pod.isTerminating;
}
