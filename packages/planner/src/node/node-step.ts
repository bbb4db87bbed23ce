// What a node plan consists of: one write at most, or what it waits for.

import type { Operation, Reason, ReleasePhase } from '@marekvs/api';
import { isHeard, shows } from '../members/member-state.ts';
import type { ClusterPassword } from '../observation/cluster-record.ts';
import { type HostFinding, isAway, isOff, offInMs, whatIfOff } from '../observation/host-finding.ts';
import type { NodeRecord, PodRecord } from '../observation/node-record.ts';
import type { VolumeRecord } from '../observation/volume-record.ts';
import type { ComputeResources } from '../values/compute-resources.ts';
import { type Hold, hold } from '../values/hold.ts';
import type { PasswordSource } from '../values/password-source.ts';
import type { ClaimChange } from '../volumes/claim-change.ts';

/** One step of the node controller. The executor adds the preconditions. Everything but `drain` is
 *  one write to the API server. */
export type NodeStep =
  | { readonly kind: 'addFinalizer' }
  | { readonly kind: 'createVolume' }
  /** The claim with this UID, as a StatefulSet left it, becomes this node's: it gets labels and the folder of its data.
   *  No data moves. */
  | { readonly kind: 'adoptVolume'; readonly volumeUid: string; readonly dataDir: string }
  /** A running Pod without a controller becomes this node's, as it is. */
  | { readonly kind: 'adoptPod' }
  /** The running Pod is handed to a StatefulSet, as it is: it has no controller until the StatefulSet takes it. */
  | { readonly kind: 'letPodGo' }
  /** Undoes `letPodGo`: a running Pod without a controller is this node's again. */
  | { readonly kind: 'takePodBack' }
  /** The volume is in use again: removes what `detachVolume` wrote. */
  | { readonly kind: 'attachVolume'; readonly volume: VolumeRecord }
  /** The node lets its volume go: both times are wall clock. */
  | {
      readonly kind: 'detachVolume';
      readonly volume: VolumeRecord;
      readonly detachedAtMs: number;
      readonly lastActiveAtMs: number;
      /** The lost host it is on. */
      readonly hostLost: string | undefined;
      /** The drained host it is on. */
      readonly hostDrained: string | undefined;
    }
  /** The claim asks for a larger size, or for other attributes. */
  | { readonly kind: 'changeClaim'; readonly volume: VolumeRecord; readonly change: ClaimChange }
  | { readonly kind: 'createPod'; readonly seeds: readonly string[] }
  | {
      readonly kind: 'deletePod';
      readonly pod: PodRecord;
      readonly why: Reason;
      /** How long its process may take to end. @default that of the Pod */
      readonly graceSeconds?: number;
      /** Only in the very state that was decided on: the DELETE carries its version. @default whatever its state */
      readonly isAsSeen?: true;
    }
  /** Force-deletes the Pod object: the host is off and will never report the end of the Pod. */
  | { readonly kind: 'forgetPod'; readonly pod: PodRecord; readonly host: string }
  | {
      readonly kind: 'labelPod';
      readonly pod: PodRecord;
      readonly labels: Readonly<Record<string, string | null>>;
      readonly annotations?: Readonly<Record<string, string>>;
    }
  /** The container gets other resources in place. */
  | { readonly kind: 'resizePod'; readonly pod: PodRecord; readonly resources: ComputeResources }
  /** The host reports these resources in force: from now on the Pod is one of this revision. */
  | {
      readonly kind: 'noteResized';
      readonly pod: PodRecord;
      readonly revision: string;
      readonly operationId: string;
    }
  /** Tells the member to leave, at most once in `intervalMs`. */
  | { readonly kind: 'drain'; readonly pod: PodRecord; readonly intervalMs: number }
  /** The member is about to be given this password: from now on it may require it. */
  | { readonly kind: 'notePassword'; readonly source: PasswordSource }
  /** Gives the running member the present password, or removes the one it has; at most every `requeueAfterMs` of the
   *  plan. */
  | { readonly kind: 'setPassword'; readonly pod: PodRecord; readonly source: PasswordSource }
  | { readonly kind: 'confirmParent' }
  | { readonly kind: 'releaseNode' };

export interface NodePlan {
  readonly step: NodeStep | undefined;
  readonly hold: Hold | undefined;
  /** Reconcile again after this time even if nothing changes. */
  readonly requeueAfterMs: number | undefined;
}

export const AS_SEEN = { isAsSeen: true } as const;

/** A terminating Pod is called stuck this long after its grace period ended. */
export const STUCK_TERMINATING_MS = 30_000;

export function act(step: NodeStep, requeueAfterMs?: number): NodePlan {
  return { step, hold: undefined, requeueAfterMs };
}

export function wait(hold: Hold | undefined, requeueAfterMs?: number): NodePlan {
  return { step: undefined, hold, requeueAfterMs };
}

/** Ends the node's own Pod: deletes it once, then waits; undefined when it is gone.
 *  @param graceSeconds how long its process may take to end; default that of the Pod */
export function endPod(o: NodeObservation, why: Reason, graceSeconds?: number): NodePlan | undefined {
  const pod = ownPod(o);
  if (pod === undefined) return undefined;
  const forgotten = planForgetting(o, pod);
  if (forgotten !== undefined) return forgotten;
  if (pod.isTerminating) return waitForTermination(o, pod);
  return act({ kind: 'deletePod', pod, why, ...(graceSeconds === undefined ? {} : { graceSeconds }) });
}

/** Forgets a Pod whose host is gone, or that Kubernetes is ending because a person marked its host out of service:
 *  nothing will ever report its end. While another member still lists this one, its process runs. */
export function planForgetting(o: NodeObservation, pod: PodRecord): NodePlan | undefined {
  const { hostFinding: finding, node } = o;
  if (finding === undefined || pod.hostName !== finding.host || !isOff(finding)) return undefined;
  if (finding.state === 'outOfService' && !pod.isTerminating) return undefined;
  if (isHeard(node)) return undefined;
  return othersOf(o).some((one) => shows(one, node.id))
    ? undefined
    : act({ kind: 'forgetPod', pod, host: finding.host });
}

export function waitForTermination(o: NodeObservation, pod: PodRecord): NodePlan {
  const stuckAtMs = (pod.terminationDueMs ?? o.nowMs) + STUCK_TERMINATING_MS;
  if (o.nowMs < stuckAtMs) return wait(undefined, stuckAtMs - o.nowMs);
  const message = `Pod ${pod.name} on ${pod.hostName ?? 'no host'} does not end: no second process is started on its volume${ofHost(o, pod)}`;
  return wait(hold('PodStuckTerminating', message, true), offInMs(o.hostFinding));
}

/** Says that the host is not ready, and what a person can do; empty when the host is not the cause. */
function ofHost({ hostFinding }: NodeObservation, { hostName }: PodRecord): string {
  if (hostFinding === undefined || hostName === undefined || !isAway(hostFinding)) return '';
  return `. ${hostName} is not ready: ${whatIfOff(hostName)}`;
}

// What the plan for one node rests on: the node, its cluster as confirmed for this pass, and the nodes beside it. Plain
// values.
/** The MarekvsCluster a node belongs to, as confirmed for this pass. `gone` needs a live read, caches may be stale.
 *  `none`: nobody owns the node; the reference may have been taken away by mistake (F56). `foreign`: it names a cluster
 *  that it is not a node of, as a copied object does. */
export type ParentState = 'present' | 'paused' | 'gone' | 'unconfirmed' | 'none' | 'foreign';

export interface NodeObservation {
  readonly nowMs: number;
  readonly clusterName: string;
  readonly node: NodeRecord;
  readonly parent: ParentState;
  /** Why it is not a node of the cluster that it names; undefined unless `parent` is `foreign`. */
  readonly foreignWhy?: string | undefined;
  readonly isClusterFormed: boolean;
  readonly replicationFactor: number;
  /** How far the handover of the cluster's members to a StatefulSet is; undefined without one. */
  readonly releasePhase: ReleasePhase | undefined;
  /** For how long its members remember deletions. */
  readonly gcGraceSeconds: number;
  /** A person has asked that members start one by one after an outage of whatever length. */
  readonly mayStartAfterOutage: boolean;
  /** How many nodes there should be; undefined while the cluster is not known. */
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
  /** The same for every node, by UID, as early as it can have been: for a member that ended unseen, only what was
   *  stored before is certain. */
  readonly lastActiveMs: ReadonlyMap<string, number>;
  /** What is known of its host while its member does not answer; undefined while the host is not probed. */
  readonly hostFinding: HostFinding | undefined;
  /** The API server has just refused a change of its claim: the message, and milliseconds until the next try. */
  readonly volumeRefusal: { readonly message: string; readonly leftMs: number } | undefined;
  /** Monotonic: since when this operator has seen it without a Pod of its own; undefined while it has one. */
  readonly podGoneSinceMs: number | undefined;
  /** This process has made a proof for the operation under way, so the times in it are of our clock. */
  readonly isProvenHere: boolean;
}

export function othersOf({ siblings, node }: NodeObservation): readonly NodeRecord[] {
  return siblings.filter(({ id }) => id !== node.id);
}

/** The Pod of the node's name, if it is really the node's. */
export function ownPod({ node }: NodeObservation): PodRecord | undefined {
  return node.pod?.ownerUid === node.uid ? node.pod : undefined;
}
