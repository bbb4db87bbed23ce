// The caches every pass reads from, one per kind: what is listed, what is kept, how it is found.
// They see only what carries our label, except our own kinds, which are ours by definition.

import { LABELS, MANAGED_BY } from '@marekvs/api';
import {
  type Change,
  type Clock,
  controllerRevisions,
  createReflector,
  type Identified,
  type Kind,
  type KubeObject,
  networkPolicies,
  persistentVolumeClaims,
  podDisruptionBudgets,
  pods,
  type Reflector,
  type ReflectorMetrics,
  type ReflectorProblem,
  services,
  type Transport,
} from '@marekvs/runtime';
import { MAREKVS_CLUSTER, MAREKVS_NODE } from '../kinds.ts';
import {
  type ChildView,
  type ClusterView,
  type NodeView,
  type PodView,
  type RevisionView,
  toChildView,
  toClusterView,
  toNodeView,
  toPodView,
  toRevisionView,
  toVolumeView,
  type VolumeView,
} from './views.ts';

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

/** Called after a cache changed; must only take note. */
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
  readonly namespaces: readonly string[] | 'all';
  readonly handlers: CacheHandlers;
  readonly onProblem: (problem: ReflectorProblem) => void;
  readonly metrics: ReflectorMetrics;
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** Uniform in [0, 1). @default Math.random */
  readonly random?: () => number;
}

/** Index of nodes and revisions by the UID of the cluster that controls them. */
export const BY_OWNER = 'owner';
/** Index of volumes, and of the sentinels among the revisions, by `namespace/cluster`, from their label: no cluster owns them. */
export const BY_CLUSTER = 'cluster';

export function createCaches(options: CacheOptions): Caches {
  const { transport, namespaces, handlers, onProblem, metrics, clock, random } = options;
  const shared = { transport, namespaces, onProblem, metrics, clock, random };
  const ours = { ...shared, labelSelector: `${LABELS.managedBy}=${MANAGED_BY}` };
  const child = <T extends KubeObject & { readonly spec?: unknown }>(kind: Kind<T>): Reflector<ChildView> =>
    createReflector({ ...ours, kind, project: toChildView, onChange: handlers.child });
  return {
    clusters: createReflector({ ...shared, kind: MAREKVS_CLUSTER, project: toClusterView, onChange: handlers.cluster }),
    nodes: createReflector({
      ...shared,
      kind: MAREKVS_NODE,
      project: toNodeView,
      indexes: { [BY_OWNER]: (node) => [node.ownerUid] },
      onChange: handlers.node,
    }),
    pods: createReflector({ ...ours, kind: pods, project: toPodView, onChange: handlers.pod }),
    volumes: createReflector({
      ...ours,
      kind: persistentVolumeClaims,
      project: toVolumeView,
      indexes: { [BY_CLUSTER]: (volume) => [`${volume.namespace}/${volume.clusterName ?? ''}`] },
      onChange: handlers.volume,
    }),
    services: child(services),
    budgets: child(podDisruptionBudgets),
    policies: child(networkPolicies),
    revisions: createReflector({
      ...ours,
      kind: controllerRevisions,
      project: toRevisionView,
      indexes: {
        [BY_OWNER]: (revision) => [revision.ownerUid],
        [BY_CLUSTER]: ({ sentinelOf }) => (sentinelOf === undefined ? [] : [sentinelOf]),
      },
      onChange: handlers.revision,
    }),
  };
}

/** All of them, for starting, stopping and readiness. */
export function listCaches(caches: Caches): readonly Reflector<Identified>[] {
  return Object.values(caches);
}
