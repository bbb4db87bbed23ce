// What is known of the cluster itself: its spec, its stored status, its annotations and its templates.

import type { EffectiveClusterSpec, FieldProblem, MarekvsClusterStatus, Operation } from '@marekvs/api';
import type { ComputeResources } from '../values/compute-resources.ts';
import type { PasswordSource } from '../values/password-source.ts';
import type { Adoption } from './adoption-found.ts';
import type { ReleaseSeen } from './release-seen.ts';

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
