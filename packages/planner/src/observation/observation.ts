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
import type { AutoscaleSeen } from '../autoscale/seen.ts';
import type { ComparisonReport } from '../contents/request.ts';
import type { ComputeResources, PodResources } from '../values/compute-resources.ts';
import type { PasswordSource } from '../values/password-source.ts';
import type { ViewLine } from '../values/view-line.ts';
import type { AdoptedData, Adoption } from './adoption-found.ts';
import type { HostFinding } from './host-finding.ts';
import type { MemberFacts } from './member-facts.ts';
import type { ReleaseSeen } from './release-seen.ts';
import type { SelectedHosts } from './selected-hosts.ts';

/** What one member answered when it was last asked.
 *  - `notAsked`: no sample of this Pod yet (a new address, or the operator has just started).
 *  - `silent`: asked without a usable answer since `sinceMs`; `isInvalid`: something answered that is not marekvs.
 *  - `joining`: its metrics port answers, it does not serve commands yet.
 *  - `serving`: it serves commands and showed its list of members.
 *  - `sealed`: its metrics port answers. No client can reach it, and we cannot ask it for its list either. */
export type MemberAnswer =
  | { readonly kind: 'notAsked' }
  | {
      readonly kind: 'silent';
      readonly sinceMs: number;
      readonly error: string;
      readonly isInvalid: boolean;
      /** The member answers, but accepts none of the known passwords. */
      readonly isLocked?: true;
    }
  | { readonly kind: 'joining'; readonly sinceMs: number }
  | { readonly kind: 'sealed'; readonly sinceMs: number }
  | {
      readonly kind: 'serving';
      readonly atMs: number;
      /** Monotonic: when the list it shows was requested. A brief probe keeps the earlier list. */
      readonly viewAtMs: number;
      readonly view: readonly ViewLine[];
      /** Of its whole CLUSTER NODES answer, slot ranges included: equal on members with the same placement
       *  (docs/design/server.md#cluster-commands). */
      readonly digest: string;
      /** Its own metrics say that its disk is full: it refuses the writes of clients. */
      readonly isWriteStopped?: true;
      /** It still accepts the previous password of the Secret, not the present one. */
      readonly hasOldPassword?: true;
      /** It accepted our password when last asked for its list, so it requires one. Absent: it answers everybody. */
      readonly isGuarded?: true;
      /** Where the password it accepted is, or was. */
      readonly wants?: PasswordSource;
    };

/** The part of a Pod that decisions rest on. */
export interface PodRecord {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** UID of the controlling owner; undefined without one. */
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
  /** Its process last ended because it exceeded the memory limit of its container. */
  readonly isOutOfMemory: boolean;
  readonly labels: Readonly<Record<string, string>>;
  /** The explicit seeds it was started with, as stamped in its annotation. */
  readonly seeds: readonly string[];
  readonly templateHash: string | undefined;
  /** Its member was told to leave; only a restart takes that back (docs/design/server.md#leaving). */
  readonly isLeaving: boolean;
  /** Its member accepts commands on no address that anybody else reaches (docs/design/server.md#closed-door). By the
   *  environment of its container, which cannot be edited. */
  readonly isSealed: boolean;
  /** Condition DisruptionTarget: it is about to be evicted. */
  readonly isDisrupted: boolean;
  readonly resources: PodResources;
  /** The operation that resized it last, set once the resize is done. */
  readonly resizedBy: string | undefined;
  /** MAREKVS_REPLICAS_N and MAREKVS_GC_GRACE_SECS its process was started with; undefined where the Pod sets none. */
  readonly replicationFactor: number | undefined;
  readonly gcGraceSeconds: number | undefined;
  /** What its process is started with, also after it has ended; undefined where the Pod does not say. */
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
  /** For a claim that waits for its volume: who is to provision it, as far as the claim says. Undefined once the claim
   *  has a volume, or has lost it. */
  readonly provisioning:
    | { readonly className: string | undefined; readonly provisioner: string | undefined }
    | undefined;
  readonly createdAtMs: number;
  readonly requestedSize: string | undefined;
  /** Its actual size by the status of the claim; undefined until that is set. */
  readonly capacity: string | undefined;
  /** An expansion that has not finished, as the claim reports it. */
  readonly growth: VolumeGrowth | undefined;
  readonly attributes: VolumeAttributes;
  /** UID of the cluster it was made for, from its label. */
  readonly clusterUid: string | undefined;
  /** UIDs of its owners. The cluster is one of them while the volume is to be deleted with it. */
  readonly ownerUids: readonly string[];
  /** When its node detached it, and when its member was last Active; undefined when not recorded. */
  readonly detachedAtMs: number | undefined;
  readonly lastActiveAtMs: number | undefined;
  /** The highest id its cluster has ever used; undefined unless this claim was made to record it. */
  readonly highestNodeId: number | undefined;
  readonly isProtected: boolean;
  /** Folder of the data on a volume that was taken over; undefined: the node's own folder. */
  readonly dataDir: string | undefined;
  /** The lost host it was on; undefined when it was not detached for that. */
  readonly hostLost: string | undefined;
  /** The drained host it is on; undefined when it was not detached for that. */
  readonly hostDrained: string | undefined;
}

/** `fileSystem`: the volume has grown, but not yet its file system. `failed`: with the message of the claim. */
export type VolumeGrowth =
  | { readonly kind: 'underWay' | 'fileSystem'; readonly sinceMs: number }
  | { readonly kind: 'failed'; readonly message: string };

/** The VolumeAttributesClass a claim asks for, and the one its volume has; `problem` as the claim reports it. */
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
  readonly intent: 'Active' | 'Leaving' | 'Sealed';
  /** The process that was told to leave before the door was closed; undefined while that has not been decided. */
  readonly ran: { readonly podUid: string; readonly generation: number | undefined } | undefined;
  /** Why its Pod is to end and no new one is made; undefined while the member is to run. */
  readonly stopped: 'Suspended' | 'Hibernated' | undefined;
  /** MAREKVS_REPLICAS_N of its member: from its Pod, or from its stamp while it has no Pod. */
  readonly replicationFactor: number;
  /** MAREKVS_GC_GRACE_SECS of its member, likewise. */
  readonly gcGraceSeconds: number;
  /** What its next Pod is started with, by its stamp. @default none */
  readonly password?: PasswordSource | undefined;
  /** Further passwords that its member may have been given since; each is noted before it is given. */
  readonly passwordsGiven?: readonly PasswordSource[] | undefined;
  readonly isProtected: boolean;
  /** Annotations as they are written; undefined when absent. */
  readonly removeFirst: string | undefined;
  readonly forceRemove: string | undefined;
  /** @default undefined */
  readonly acceptDiverging?: string | undefined;
  /** Id of the operation it is marked with. */
  readonly removalMark: string | undefined;
  /** By annotation: who wants its Pod off its volume for a while, and why; undefined when nobody does. */
  readonly suspendAsked: string | undefined;
  readonly removalProof: RemovalProof | undefined;
  /** Its status says that its member was Active once: it may hold data that no other member has. */
  readonly wasActive: boolean;
  /** Wall clock: when its member was last known to be Active. Infinite while its status says Active, undefined when
   *  nothing is recorded. */
  readonly lastActiveAtMs: number | undefined;
  readonly seeds: readonly string[];
  readonly createdAtMs: number;
  readonly templateHash: string;
  /** What its Pod should request, by its stamp. */
  readonly resources: ComputeResources;
  /** The last permit to resize one of its Pods in place; undefined when there was none. */
  readonly resize: ResizePermit | undefined;
  /** Why the API server refused to resize its Pod to the present stamp; undefined when it was not refused. */
  readonly resizeRefused: string | undefined;
  /** What its volume should be, by its stamp. */
  readonly storage: { readonly size: string; readonly attributesClass: string | undefined };
  /** When its volume was last made larger because it filled up. */
  readonly volumeGrownAtMs: number | undefined;
  /** Message of the API server when it refused to change its claim; undefined when it was not refused last. */
  readonly volumeRefused: string | undefined;
  /** Reason and time of the condition that its volume is not what is asked for; undefined without that condition. */
  readonly volumeCondition: { readonly reason: Reason; readonly sinceMs: number } | undefined;
  /** UID of the volume this node's data lives on, as recorded when it was first seen. */
  readonly recordedVolumeUid: string | undefined;
  /** Why the node was last reported not to be ready; undefined when it is ready, or nothing was reported yet. */
  readonly reportedReason: Reason | undefined;
  /** The lost host for which it is being replaced; undefined when it is not. */
  readonly hostLost: string | undefined;
  /** The drained host for which it is being replaced; undefined when it is not. */
  readonly hostDrained: string | undefined;
  /** What it was made to take over; undefined for a node that adopts nothing. */
  readonly adopts: AdoptedData | undefined;
  readonly pod: PodRecord | undefined;
  readonly volume: VolumeRecord | undefined;
  readonly answer: MemberAnswer;
}

/** The Pod with this UID may get the resources of this revision in place. */
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
  /** Of the template that new nodes are made from. */
  readonly templateHash: string;
  /** Of the template for nodes that have not joined yet; undefined: the same. */
  readonly joinerHash?: string | undefined;
  /** Latched once: the cluster was formed and holds data. */
  readonly isFormed: boolean;
  /** The password of its members; undefined where it cannot be told. */
  readonly password?: ClusterPassword | undefined;
  /** What was found of a StatefulSet under its name; undefined when there is none, and once the cluster is formed. */
  readonly adoption: Adoption | undefined;
  /** The handover of its members to a StatefulSet; undefined unless it is requested or has begun. */
  readonly release: ReleaseSeen | undefined;
  /** Highest node id ever used, -1 when none. */
  readonly highestNodeId: number;
  /** From the stored status: the operation under way, and the one before. */
  readonly operation: Operation | undefined;
  readonly lastOperation: MarekvsClusterStatus['lastOperation'];
  /** Progress of the members' update, as of the last pass. */
  readonly update: MarekvsClusterStatus['update'];
  /** A person has asked that members start after an outage of whatever length. */
  readonly mayStartAfterOutage: boolean;
  /** What a person says about the rolling update, by annotation. */
  readonly rollout: RolloutAnnotations;
  /** What the stored status says of the last comparison of contents. */
  readonly verification: MarekvsClusterStatus['verification'];
  /** Value of the annotation with which a person asks for a comparison; undefined without it. */
  readonly verifyAsked: string | undefined;
  /** The size that was decided last by load or disks. */
  readonly autoscale: MarekvsClusterStatus['autoscale'];
  /** The size the last pass worked towards. */
  readonly sizeBefore: number | undefined;
  /** Number of members taken over from a StatefulSet; undefined for a cluster that was not adopted. */
  readonly adoptedNodes: number | undefined;
  /** The unchanged `spec.nodes` that a person confirms by annotation; undefined without the annotation. */
  readonly acceptedNodes: string | undefined;
  readonly detachedVolumes: NonNullable<MarekvsClusterStatus['detachedVolumes']>;
  readonly instanceNames: readonly string[];
}

export interface ClusterPassword {
  /** The one that the spec names. */
  readonly asked: PasswordSource;
  /** `asked` exists, may be read, and can be given to a member. */
  readonly isUsable: boolean;
  /** The one in force: new Pods are started with it. */
  readonly stamped: PasswordSource;
}

/** What a person says about a rolling update. */
export interface RolloutAnnotations {
  /** The revision that may go on after its canaries; undefined when none is approved. */
  readonly approved: string | undefined;
  readonly isPaused: boolean;
  /** A value other than the last one handled asks for another try. */
  readonly retry: string | undefined;
}

/** A stored template. */
export interface RevisionRecord {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** From its name. */
  readonly hash: string;
  /** The order in which templates were stored. */
  readonly number: number;
  /** It belongs to the cluster, and its template has the hash in its name. */
  readonly isValid: boolean;
  /** Equal for two templates that differ only in their resources; undefined unless it is valid. */
  readonly restartHash: string | undefined;
  /** Of its template; undefined unless it is valid. */
  readonly resources: ComputeResources | undefined;
}

/** Whether the API server lets the resources of a running Pod be changed. `unknown`: an answer is on its way. */
export type ResizeSupport = 'offered' | 'absent' | 'unknown';

/** What is known of the Kubernetes Node a Pod runs on. `notAsked`: an answer is on its way; `unknown`: the read was
 *  forbidden or failed. */
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
  /** Monotonic: the time scale of every sample. */
  readonly monotonicMs: number;
  readonly cluster: ClusterRecord;
  /** Every MarekvsNode of this cluster (api: ownership.ts), by id. */
  readonly nodes: readonly NodeRecord[];
  /** Those that name this cluster and are not its own: their names in its own namespace, in order, and whether there
   *  are any elsewhere. They are shown, and enter no decision. */
  readonly foreignNodes: { readonly names: readonly string[]; readonly areElsewhere: boolean };
  /** Every volume that carries this cluster's name, attached or not, by id. */
  readonly volumes: readonly VolumeRecord[];
  /** The templates that are stored for this cluster. */
  readonly revisions: readonly RevisionRecord[];
  readonly history: ViewHistory;
  /** What every followed member's process has shown up to now. */
  readonly facts: readonly MemberFacts[];
  /** Progress of the comparison that was requested last; undefined when none is under way. */
  readonly comparison: ComparisonReport | undefined;
  /** Monotonic: when this process last knew the contents to be covered, or when it started. Comparisons at rest are due
   *  from then on. */
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
  /** By host name; only filled while a node may have to be removed. */
  readonly hosts: ReadonlyMap<string, HostState>;
  /** Drained hosts of any member, and since when this process has seen them drained (wall clock). */
  readonly drainedHosts: ReadonlyMap<string, number>;
  /** Whether `drainedHosts` is complete. `notYet`: this process has not read them yet; `forbidden`: it may not, and the
   *  map is empty. */
  readonly drainsSeen: 'known' | 'notYet' | 'forbidden';
  /** The hosts that spec.hosts.onePerHost selects; undefined without it, and while they are read for the first time. */
  readonly selectedHosts: SelectedHosts | undefined;
  /** How long there have been fewer selected hosts than the size, without a break; undefined while enough. */
  readonly fewerHostsForMs: number | undefined;
  /** What is known of the hosts of members that do not answer or are to be moved, by UID of the node. */
  readonly hostFindings: ReadonlyMap<string, HostFinding>;
  /** Only probed while a member has other resources than the spec asks for. */
  readonly resizeSupport: ResizeSupport;
  /** Turns wait for other clusters: this process restarts members of only a few clusters at a time. */
  readonly isInLine: boolean;
  /** This process has made a proof for the operation under way, so the times in it are of our clock. */
  readonly isProvenHere: boolean;
}
