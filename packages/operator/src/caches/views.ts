// What the caches keep of our own kinds, their revisions and children; Pods and volumes: pod-view.ts, volume-view.ts.
// Projections: a field that is not here cannot be decided on (docs/design/runtime.md#projections).

import {
  ANNOTATIONS,
  type ClusterRef,
  controllerOf,
  controllingCluster,
  LABELS,
  type MarekvsCluster,
  type MarekvsNode,
  type NodeOwner,
  type NodeTemplate,
  ownerOfNode,
} from '@marekvs/api';
import type { RevisionRecord } from '@marekvs/planner';
import type { ControllerRevision, Identified, KubeObject } from '@marekvs/runtime';
import { identity } from '../objects/metadata.ts';
import { hashOfRevision, templateOfRevision } from '../objects/revision-object.ts';
import { restartHash } from '../objects/template.ts';

/** One of our own resources, kept whole. */
export interface OwnView<T> extends Identified {
  readonly namespace: string;
  readonly object: T;
}
export type ClusterView = OwnView<MarekvsCluster>;

export interface NodeView extends OwnView<MarekvsNode> {
  readonly owner: NodeOwner;
}

export interface RevisionView extends RevisionRecord, Identified {
  readonly namespace: string;
  /** The cluster that controls it, if that exists; undefined for the sentinels. */
  readonly owner: ClusterRef | undefined;
  /** The stored template; undefined unless it has the hash in the name. */
  readonly template: NodeTemplate | undefined;
  /** `namespace/cluster` of a sentinel (cluster/secret-sentinel.ts); undefined for other revisions. */
  readonly sentinelOf: string | undefined;
  /** UID of the Secret that owns it; undefined when somebody removed that owner. */
  readonly secretUid: string | undefined;
  /** From its label. */
  readonly clusterName: string | undefined;
}

/** A Service, disruption budget or network policy: only what tells whether it drifted. */
export interface ChildView extends Identified {
  readonly namespace: string;
  readonly ownerUid: string;
  readonly isTerminating: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly appliedHash: string | undefined;
  readonly spec: unknown;
}

export function toClusterView(object: MarekvsCluster): ClusterView {
  return toOwnView(object);
}

export function toNodeView(object: MarekvsNode): NodeView {
  return { ...toOwnView(object), owner: ownerOfNode(object) };
}

function toOwnView<T extends MarekvsCluster | MarekvsNode>(object: T): OwnView<T> {
  const { namespace, name, uid, resourceVersion } = object.metadata;
  return { namespace, name, uid, resourceVersion, object };
}

export function toRevisionView(revision: ControllerRevision): RevisionView {
  const known = identity(revision);
  const template = templateOfRevision(revision);
  return {
    ...known,
    owner: controllingCluster({ namespace: known.namespace, ownerReferences: revision.metadata.ownerReferences ?? [] }),
    hash: hashOfRevision(revision),
    number: revision.revision,
    isValid: template !== undefined,
    restartHash: template === undefined ? undefined : restartHash(template),
    resources: template?.resources,
    template,
    clusterName: revision.metadata.labels?.[LABELS.cluster],
    ...sentinelFields(revision),
  };
}

function sentinelFields({ metadata }: ControllerRevision): Pick<RevisionView, 'sentinelOf' | 'secretUid'> {
  const { namespace = '', labels = {}, ownerReferences = [] } = metadata;
  const cluster = labels[LABELS.cluster];
  const uid = labels[LABELS.secretUid];
  if (controllerOf(metadata) !== undefined || cluster === undefined || uid === undefined)
    return { sentinelOf: undefined, secretUid: undefined };
  const isOwned = ownerReferences.some((owner) => owner.kind === 'Secret' && owner.uid === uid);
  return { sentinelOf: `${namespace}/${cluster}`, secretUid: isOwned ? uid : undefined };
}

export function toChildView(object: KubeObject & { readonly spec?: unknown }): ChildView {
  const { metadata } = object;
  return {
    ...identity(object),
    ownerUid: controllerOf(metadata)?.uid ?? '',
    isTerminating: metadata.deletionTimestamp !== undefined,
    labels: metadata.labels ?? {},
    appliedHash: metadata.annotations?.[ANNOTATIONS.appliedHash],
    spec: object.spec,
  };
}
