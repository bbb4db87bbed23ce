// What is known of one MarekvsNode, and of its Pod.

import type { Reason, RemovalProof } from '@marekvs/api';
import type { ComputeResources, PodResources } from '../values/compute-resources.ts';
import type { PasswordSource } from '../values/password-source.ts';
import type { AdoptedData } from './adoption-found.ts';
import type { MemberAnswer } from './member-answer.ts';
import type { VolumeRecord } from './volume-record.ts';

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
  /** UID of its Pod that was told to leave and may be restarted to stay: what it has was compared. @default none */
  readonly mayRestartPod?: string | undefined;
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
