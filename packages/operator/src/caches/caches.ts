// The caches every pass reads from, one per kind: what is listed and what is kept; how it is found: indexes.ts. They
// see only objects with our label, except our own kinds, which are ours by definition.

import { LABELS, MANAGED_BY } from '@marekvs/api';
import {
  type Change,
  type Clock,
  controllerRevisions,
  createReflector,
  type Identified,
  type Kind,
  type KubeObject,
  keyOf,
  networkPolicies,
  type ObjectMeta,
  persistentVolumeClaims,
  podDisruptionBudgets,
  pods,
  type Reflector,
  type ReflectorMetrics,
  type ReflectorProblem,
  services,
  type Transport,
} from '@marekvs/runtime';
import { MAREKVS_CLUSTER, MAREKVS_NODE } from '../objects/kinds.ts';
import { clusterOfNodeName, type Share } from '../sharing/share.ts';
import { CLUSTER_INDEXES, NODE_INDEXES, REVISION_INDEXES, VOLUME_INDEXES } from './indexes.ts';
import { type PodView, toPodView } from './pod-view.ts';
import {
  type ChildView,
  type ClusterView,
  type NodeView,
  type RevisionView,
  toChildView,
  toClusterView,
  toNodeView,
  toRevisionView,
} from './views.ts';
import { toVolumeView, type VolumeView } from './volume-view.ts';

export interface Caches {
  readonly clusters: Reflector<ClusterView>;
  readonly nodes: Reflector<NodeView>;
  readonly pods: Reflector<PodView>;
  readonly volumes: Reflector<VolumeView>;
  readonly services: Reflector<ChildView>;
  readonly budgets: Reflector<ChildView>;
  readonly policies: Reflector<ChildView>;
  readonly revisions: Reflector<RevisionView>;
}

/** Called after a cache has changed; must only take note. */
export interface CacheHandlers {
  cluster(change: Change<ClusterView>): void;
  node(change: Change<NodeView>): void;
  pod(change: Change<PodView>): void;
  volume(change: Change<VolumeView>): void;
  child(change: Change<ChildView>): void;
  revision(change: Change<RevisionView>): void;
}

export interface CacheOptions {
  readonly transport: Transport;
  /** Empty: the namespaces that join later. */
  readonly namespaces: readonly string[] | 'all';
  readonly handlers: CacheHandlers;
  readonly onProblem: (problem: ReflectorProblem) => void;
  readonly metrics: ReflectorMetrics;
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** Uniform in [0, 1). @default Math.random */
  readonly random?: () => number;
  /** The part that is managed, when other replicas manage the rest. @default everything */
  readonly share?: Share | undefined;
  /** Called for every object of a cluster that is sent to us, ours or not, with its cluster's `namespace/name`; must
   *  only take note. */
  readonly onSent?: (kind: Kind<KubeObject>, metadata: ObjectMeta, clusterKey: string) => void;
}

const MANAGED = `${LABELS.managedBy}=${MANAGED_BY}`;

export function createCaches(options: CacheOptions): Caches {
  const { transport, namespaces, handlers, onProblem, metrics, clock, random, share } = options;
  const shared = { transport, namespaces, onProblem, metrics, clock, random };
  const ours = { ...shared, labelSelector: MANAGED };
  /** Objects of a cluster have its slot in a label. */
  const inSlots = share === undefined ? ours : { ...shared, labelSelector: () => and(MANAGED, share.selector()) };
  const keep = <V>(clusterKeyOf: (v: V) => string | undefined) => keptBy(share, clusterKeyOf);
  const { onSent } = options;
  const noted =
    <T extends KubeObject, V>(kind: Kind<T>, toView: (o: T) => V, clusterKeyOf: (v: V) => string | undefined) =>
    (object: T): V => {
      const view = toView(object);
      const key = clusterKeyOf(view);
      if (key !== undefined) onSent?.(kind, object.metadata, key);
      return view;
    };
  const child = <T extends KubeObject & { readonly spec?: unknown }>(kind: Kind<T>): Reflector<ChildView> =>
    createReflector({
      ...inSlots,
      kind,
      project: noted(kind, toChildView, ofChild),
      keep: keep(ofChild),
      onChange: handlers.child,
    });
  return {
    clusters: createReflector({
      ...shared,
      kind: MAREKVS_CLUSTER,
      project: toClusterView,
      keep: keep(keyOf),
      indexes: CLUSTER_INDEXES,
      onChange: handlers.cluster,
    }),
    nodes: createReflector({
      ...shared,
      labelSelector: share?.selector,
      keep: keep(ofNode),
      kind: MAREKVS_NODE,
      project: noted(MAREKVS_NODE, toNodeView, ofNode),
      indexes: NODE_INDEXES,
      onChange: handlers.node,
    }),
    pods: createReflector({
      ...inSlots,
      kind: pods,
      project: noted(pods, toPodView, ofPod),
      keep: keep(ofPod),
      onChange: handlers.pod,
    }),
    volumes: createReflector({
      ...inSlots,
      keep: keep(ofVolume),
      kind: persistentVolumeClaims,
      project: noted(persistentVolumeClaims, toVolumeView, ofVolume),
      indexes: VOLUME_INDEXES,
      onChange: handlers.volume,
    }),
    services: child(services),
    budgets: child(podDisruptionBudgets),
    policies: child(networkPolicies),
    revisions: createReflector({
      ...inSlots,
      keep: keep(ofRevision),
      kind: controllerRevisions,
      project: noted(controllerRevisions, toRevisionView, ofRevision),
      indexes: REVISION_INDEXES,
      onChange: handlers.revision,
    }),
  };
}

function and(one: string, other: string | undefined): string {
  return other === undefined ? one : `${one},${other}`;
}

/** An object of no known cluster is kept: no decision rests on it. */
function keptBy<V>(
  share: Share | undefined,
  clusterKeyOf: (v: V) => string | undefined,
): ((v: V) => boolean) | undefined {
  if (share === undefined) return undefined;
  return (v) => {
    const key = clusterKeyOf(v);
    return key === undefined || share.has(key);
  };
}

function ofNode({ namespace, object }: NodeView): string {
  return `${namespace}/${object.spec.clusterName}`;
}

/** By name, which cannot be edited: the owner still sees a Pod whose label names another cluster, and corrects it. */
function ofPod({ namespace, name }: PodView): string {
  return `${namespace}/${clusterOfNodeName(name)}`;
}

/** By name, too; undefined for a volume without the label, which is of no known cluster. */
function ofVolume({ namespace, name, clusterName }: VolumeView): string | undefined {
  return clusterName === undefined ? undefined : `${namespace}/${clusterOfNodeName(name.replace(/^data-/, ''))}`;
}

function ofRevision({ namespace, clusterName }: RevisionView): string | undefined {
  return clusterName === undefined ? undefined : `${namespace}/${clusterName}`;
}

function ofChild({ namespace, labels }: ChildView): string | undefined {
  const cluster = labels[LABELS.cluster];
  return cluster === undefined ? undefined : `${namespace}/${cluster}`;
}

/** All caches, for starting, stopping and readiness. */
export function listCaches(caches: Caches): readonly Reflector<Identified>[] {
  return Object.values(caches);
}
