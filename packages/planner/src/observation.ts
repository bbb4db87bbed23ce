// What the planner sees: plain values gathered by the operator, with the time they were gathered at.
// Nothing here does I/O, reads a clock, or changes after it was built. Unknown is `undefined` or a kind of its own,
// never 0.

import type {
  EffectiveClusterSpec,
  FieldProblem,
  MarekvsClusterStatus,
  Operation,
  Reason,
  RemovalProof,
} from '@marekvs/api';
import type { AdoptedData, Adoption } from './adoption-found.ts';
import type { AutoscaleSeen } from './autoscale/seen.ts';
import type { ComparisonReport } from './contents/request.ts';
import type { HostFinding } from './hosts/finding.ts';
import type { SelectedHosts } from './hosts/selected-host.ts';
import type { PasswordSource } from './password-source.ts';
import type { ReleaseSeen } from './releasing/seen.ts';
import type { MemberFacts } from './removal/member-facts.ts';
import type { ComputeResources, PodResources } from './rolling/resources.ts';
import type { ViewLine } from './view-line.ts';

/** What one member answered when it was last asked.
 *  - `notAsked`: no sample of this Pod yet (a new address, or the operator has just started).
 *  - `silent`: asked without a usable answer since `sinceMs`; `isInvalid`: something answered that is not marekvs.
 *  - `joining`: its metrics port answers, it does not serve commands yet.
 *  - `serving`: it serves commands and showed its list of members. */
export type MemberAnswer =
  | { readonly kind: 'notAsked' }
  | {
      readonly kind: 'silent';
      readonly sinceMs: number;
      readonly error: string;
      readonly isInvalid: boolean;
      /** It answers, and takes no password that is known. */
      readonly isLocked?: true;
    }
  | { readonly kind: 'joining'; readonly sinceMs: number }
  | {
      readonly kind: 'serving';
      readonly atMs: number;
      /** Monotonic: when the list it shows was asked for. A brief probe lets an older list stand. */
      readonly viewAtMs: number;
      readonly view: readonly ViewLine[];
      /** Over its whole CLUSTER NODES answer, slot ranges included: equal on members with the same placement
       *  (docs/design/server.md#cluster-commands). */
      readonly digest: string;
      /** By its own figures its disk is full: it refuses the writes of clients. */
      readonly isWriteStopped?: true;
      /** It still takes the password that was in the Secret before, and not the one that is there. */
      readonly hasOldPassword?: true;
      /** It took our password when it was last asked for its list: it wants one. Without this it answers everybody. */
      readonly isGuarded?: true;
      /** Where the password it took is, or was. */
      readonly wants?: PasswordSource;
    };

/** The part of a Pod that decisions rest on. */
export interface PodRecord {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** UID of the controlling owner, undefined when nobody controls it. */
  readonly ownerUid: string | undefined;
  readonly isTerminating: boolean;
  /** When its grace period ends, for a terminating Pod. */
  readonly terminationDueMs: number | undefined;
  readonly createdAtMs: number;
  readonly phase: string;
  /** status.reason, `Evicted` for instance. */
  readonly statusReason: string | undefined;
  readonly ip: string | undefined;
  readonly hostName: string | undefined;
  readonly isReady: boolean;
  /** Message of PodScheduled=False, undefined while scheduled or not yet known. */
  readonly unschedulable: string | undefined;
  /** Waiting reason and message of the member's container (`ImagePullBackOff`, `CrashLoopBackOff`, …). */
  readonly waiting: { readonly reason: string; readonly message: string } | undefined;
  readonly restartCount: number;
  /** Its process was ended for the memory limit of its container, the last time it ended. */
  readonly isOutOfMemory: boolean;
  readonly labels: Readonly<Record<string, string>>;
  /** The explicit seeds it was started with, as stamped in its annotation. */
  readonly seeds: readonly string[];
  readonly templateHash: string | undefined;
  /** Its member was told to leave; only a restart takes that back (docs/design/server.md#leaving). */
  readonly isLeaving: boolean;
  /** Condition DisruptionTarget: it is about to be evicted. */
  readonly isDisrupted: boolean;
  readonly resources: PodResources;
  /** The operation that resized it last, once that was done. */
  readonly resizedBy: string | undefined;
  /** MAREKVS_REPLICAS_N and MAREKVS_GC_GRACE_SECS its process was started with; undefined where it names none. */
  readonly replicationFactor: number | undefined;
  readonly gcGraceSeconds: number | undefined;
  /** What its process was started with, and is started with again when it ends; undefined where the Pod does not
   *  say. */
  readonly password?: PasswordSource | undefined;
}

/** The part of a PersistentVolumeClaim that decisions rest on. */
export interface VolumeRecord {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Node id from its label; undefined when the label is missing or not a number. */
  readonly nodeId: number | undefined;
  readonly clusterName: string | undefined;
  readonly isTerminating: boolean;
  readonly isBound: boolean;
  /** Of a claim that waits for its volume: who is to make it, as far as the claim says. Undefined once
   *  it has one, or has lost it. */
  readonly provisioning:
    | { readonly className: string | undefined; readonly provisioner: string | undefined }
    | undefined;
  readonly createdAtMs: number;
  readonly requestedSize: string | undefined;
  /** What it has, by the status of the claim; undefined until that is there. */
  readonly capacity: string | undefined;
  /** What the claim says of a growth that is not over. */
  readonly growth: VolumeGrowth | undefined;
  readonly attributes: VolumeAttributes;
  /** UID of the cluster it was made for, from its label. */
  readonly clusterUid: string | undefined;
  /** UIDs of its owners: the cluster's while the volumes shall go with it. */
  readonly ownerUids: readonly string[];
  /** When its node let it go, and when its member was last Active; undefined when nothing says so. */
  readonly detachedAtMs: number | undefined;
  readonly lastActiveAtMs: number | undefined;
  /** The highest id its cluster has ever used, as far as this claim was made to remember it. */
  readonly highestNodeId: number | undefined;
  readonly isProtected: boolean;
  /** Where a Pod of ours finds the data on it, when it was taken over; undefined: in the node's own folder. */
  readonly dataDir: string | undefined;
  /** The host it was on when that was lost; undefined when it was not let go for that. */
  readonly hostLost: string | undefined;
  /** The host it is on that was drained when its node went; undefined when it was not let go for that. */
  readonly hostDrained: string | undefined;
}

/** `fileSystem`: the volume has grown, and the file system on it has not yet. `failed`: as the claim says. */
export type VolumeGrowth =
  | { readonly kind: 'underWay' | 'fileSystem'; readonly sinceMs: number }
  | { readonly kind: 'failed'; readonly message: string };

/** The VolumeAttributesClass a claim asks for, and the one its volume has; `problem` as the claim says. */
export interface VolumeAttributes {
  readonly asked: string | undefined;
  readonly current: string | undefined;
  readonly problem: string | undefined;
}

/** One MarekvsNode with what is known about its Pod, volume and member. */
export interface NodeRecord {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly id: number;
  readonly isDeleting: boolean;
  /** When its deletion was asked for, for a node that is being deleted. */
  readonly deletedAtMs: number | undefined;
  readonly serving: boolean;
  readonly intent: 'Active' | 'Leaving';
  /** Its Pod is to end, and none is made: undefined while it shall run. */
  readonly stopped: 'Suspended' | 'Hibernated' | undefined;
  /** MAREKVS_REPLICAS_N its member runs with: that of its Pod, and of its stamp while it has none. */
  readonly replicationFactor: number;
  /** MAREKVS_GC_GRACE_SECS of it, likewise. */
  readonly gcGraceSeconds: number;
  /** What its next Pod is started with, by its stamp. @default none */
  readonly password?: PasswordSource | undefined;
  /** What its member may have been given since, besides: noted before it was. */
  readonly passwordsGiven?: readonly PasswordSource[] | undefined;
  readonly isProtected: boolean;
  /** Annotations as they are written; undefined when absent. */
  readonly removeFirst: string | undefined;
  readonly forceRemove: string | undefined;
  /** Id of the operation it is marked with. */
  readonly removalMark: string | undefined;
  /** Who wants its Pod off its volume for a while, and what for, by annotation; undefined when nobody does. */
  readonly suspendAsked: string | undefined;
  readonly removalProof: RemovalProof | undefined;
  /** Its status says that its member was Active once: it may hold what nobody else does. */
  readonly wasActive: boolean;
  /** When its member was last known to be Active, wall clock: infinite while its status calls it so,
   *  undefined when nothing says it. */
  readonly lastActiveAtMs: number | undefined;
  readonly seeds: readonly string[];
  readonly createdAtMs: number;
  readonly templateHash: string;
  /** What its Pod shall ask for, by its stamp. */
  readonly resources: ComputeResources;
  /** The last time a Pod of it was let to get other resources without a restart; undefined when none ever was. */
  readonly resize: ResizePermit | undefined;
  /** Why the API server does not let its Pod be resized as it is stamped now; undefined while it was not refused. */
  readonly resizeRefused: string | undefined;
  /** What its volume shall be, by its stamp. */
  readonly storage: { readonly size: string; readonly attributesClass: string | undefined };
  /** When its volume was last made larger because it filled up. */
  readonly volumeGrownAtMs: number | undefined;
  /** The message with which the API server refused to let its claim change; undefined when it was not refused last. */
  readonly volumeRefused: string | undefined;
  /** Why its status says that its volume is not what is asked for, and since when; undefined while it says nothing. */
  readonly volumeCondition: { readonly reason: Reason; readonly sinceMs: number } | undefined;
  /** UID of the volume this node's data lives on, as recorded when it was first seen. */
  readonly recordedVolumeUid: string | undefined;
  /** Why the node was last reported not to be ready; undefined when it is ready, or nothing was reported yet. */
  readonly reportedReason: Reason | undefined;
  /** The lost host for which it is being replaced; undefined when it is not. */
  readonly hostLost: string | undefined;
  /** The host that is being drained for which it is being replaced; undefined when it is not. */
  readonly hostDrained: string | undefined;
  /** What it was made to take over; undefined for a node of our own making. */
  readonly adopts: AdoptedData | undefined;
  readonly pod: PodRecord | undefined;
  readonly volume: VolumeRecord | undefined;
  readonly answer: MemberAnswer;
}

/** The Pod of this UID may get the resources of this revision where it is. */
export interface ResizePermit {
  readonly podUid: string;
  readonly revision: string;
  readonly operationId: string;
}

export interface ClusterRecord {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly isDeleting: boolean;
  readonly createdAtMs: number;
  readonly spec: EffectiveClusterSpec;
  readonly problems: readonly FieldProblem[];
  /** Of the template that nodes are made from now. */
  readonly templateHash: string;
  /** What nodes that have not joined yet are made from; undefined: the same. */
  readonly joinerHash?: string | undefined;
  /** Latched once: the cluster was formed and holds data. */
  readonly isFormed: boolean;
  /** Of its members; undefined where nobody can tell. */
  readonly password?: ClusterPassword | undefined;
  /** What a StatefulSet has to do with it; undefined when it has not, and once the cluster is formed. */
  readonly adoption: Adoption | undefined;
  /** That its members are, or shall be, handed to a StatefulSet; undefined while nobody asks and nothing has begun. */
  readonly release: ReleaseSeen | undefined;
  /** Highest node id ever used, -1 when none. */
  readonly highestNodeId: number;
  /** What the stored status says of the operation under way and of the one before. */
  readonly operation: Operation | undefined;
  readonly lastOperation: MarekvsClusterStatus['lastOperation'];
  /** How far the last pass saw the update of the members. */
  readonly update: MarekvsClusterStatus['update'];
  /** A person has asked that members start after an outage of whatever length. */
  readonly mayStartAfterOutage: boolean;
  /** What a person says about it, by annotation. */
  readonly rollout: RolloutAnnotations;
  /** What the stored status says of the last comparison of contents. */
  readonly verification: MarekvsClusterStatus['verification'];
  /** Value of the annotation with which a person asks for a comparison; undefined without it. */
  readonly verifyAsked: string | undefined;
  /** The size that was decided last by load or disks. */
  readonly autoscale: MarekvsClusterStatus['autoscale'];
  /** The size the last pass worked towards. */
  readonly sizeBefore: number | undefined;
  /** Members that are, or were, taken over from a StatefulSet; undefined for a cluster of our own making. */
  readonly adoptedNodes: number | undefined;
  /** The `spec.nodes` a person means although it stood there before; undefined without the annotation. */
  readonly acceptedNodes: string | undefined;
  readonly detachedVolumes: NonNullable<MarekvsClusterStatus['detachedVolumes']>;
  readonly instanceNames: readonly string[];
}

export interface ClusterPassword {
  /** By the spec. */
  readonly asked: PasswordSource;
  /** It is there, it may be read, and a member can be given it. */
  readonly isUsable: boolean;
  /** What is in force: new Pods are started with it. */
  readonly stamped: PasswordSource;
}

/** What a person says about a rolling update. */
export interface RolloutAnnotations {
  /** The revision that may go on after its canaries; undefined when none is approved. */
  readonly approved: string | undefined;
  readonly isPaused: boolean;
  /** Another value than the one heeded last asks for another try. */
  readonly retry: string | undefined;
}

/** A stored template. */
export interface RevisionRecord {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** As its name says. */
  readonly hash: string;
  /** The order in which templates were stored. */
  readonly number: number;
  /** It is the cluster's, and its template has the hash that its name says. */
  readonly isValid: boolean;
  /** Equal for two templates that differ in nothing but their resources; undefined unless it is valid. */
  readonly restartHash: string | undefined;
  /** Of its template; undefined unless it is valid. */
  readonly resources: ComputeResources | undefined;
}

/** Whether the API server lets the resources of a running Pod be changed. `unknown`: an answer is on its way. */
export type ResizeSupport = 'offered' | 'absent' | 'unknown';

/** What is known of the Kubernetes Node a Pod runs on. `notAsked`: an answer is on its way; `unknown`: nobody may
 *  tell. */
export type HostState = 'schedulable' | 'draining' | 'gone' | 'unknown' | 'notAsked';

/** How long the members' answers have had their present shape, as the operator's sampler saw it. */
export interface ViewHistory {
  /** Milliseconds since all answers last became equal; undefined while they differ. */
  readonly agreedForMs: number | undefined;
  /** Milliseconds since they last became different; undefined while equal. */
  readonly differForMs: number | undefined;
}

export interface ClusterObservation {
  /** Wall clock: for times that are shown or stored. */
  readonly nowMs: number;
  /** Never goes back; the scale of every sample. */
  readonly monotonicMs: number;
  readonly cluster: ClusterRecord;
  /** Every MarekvsNode whose controller owner is this cluster's UID, by id. */
  readonly nodes: readonly NodeRecord[];
  /** Every volume that carries this cluster's name, attached or not, by id. */
  readonly volumes: readonly VolumeRecord[];
  /** The templates that are stored for this cluster. */
  readonly revisions: readonly RevisionRecord[];
  readonly history: ViewHistory;
  /** What every followed member's process has shown up to now. */
  readonly facts: readonly MemberFacts[];
  /** How far the comparison of contents is that was asked for last; undefined when none is under way. */
  readonly comparison: ComparisonReport | undefined;
  /** Monotonic: when this process last knew the contents to be covered, or began; what is due at rest counts from
   *  then. */
  readonly verifiedAtMs: number;
  /** Monotonic: since when the target of the operation under way has been told to leave and out of the client Service,
   *  as this process saw it; undefined while it is not. Whether its clients are gone is known from the members'
   *  figures. */
  readonly isolatedSinceMs: number | undefined;
  /** Monotonic: since when, while an operation is under way, members have counted too few mesh connections without a
   *  break, as this process saw it; undefined while none does. */
  readonly unmeshedSinceMs: number | undefined;
  /** For a cluster whose size follows its load; undefined otherwise, and before its members were followed. */
  readonly autoscale: AutoscaleSeen | undefined;
  /** By name of the host; only while somebody may have to go. */
  readonly hosts: ReadonlyMap<string, HostState>;
  /** Hosts that are being drained, of whatever member, and since when this process has seen it; wall clock. */
  readonly drainedHosts: ReadonlyMap<string, number>;
  /** Whether those are all. `notYet`: this process has yet to hear of them; `forbidden`: it may not, and there are
   *  none. */
  readonly drainsSeen: 'known' | 'notYet' | 'forbidden';
  /** Those that spec.hosts.onePerHost selects; undefined without it, and while they are read for the first time. */
  readonly selectedHosts: SelectedHosts | undefined;
  /** For so long without a break fewer of them have been there than the size is; undefined while there are not. */
  readonly fewerHostsForMs: number | undefined;
  /** What is known of the hosts of members that do not answer or shall be moved, by UID of the node. */
  readonly hostFindings: ReadonlyMap<string, HostFinding>;
  /** Only asked for while a member has other resources than are asked for. */
  readonly resizeSupport: ResizeSupport;
  /** Other clusters have their turns first, since this process restarts members of a few clusters at a time. */
  readonly isInLine: boolean;
  /** This process has made a proof for the operation under way: times in it are of our clock. */
  readonly isProvenHere: boolean;
}
