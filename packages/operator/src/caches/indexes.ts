// Answers: how are the objects in the caches found? What is of a cluster is found by its namespace, name and UID
// together (api: ownership.ts).

import type { ClusterRef, MarekvsCluster } from '@marekvs/api';
import { keyOf } from '@marekvs/runtime';
import type { ClusterView, NodeView, RevisionView } from './views.ts';
import type { VolumeView } from './volume-view.ts';

/** Nodes and revisions, by the very cluster that they are of (`ownedBy`). */
export const BY_OWNER = 'owner';
/** Clusters by their UID, and nodes by the UID that they name, whether they are of that cluster or not. */
export const BY_UID = 'uid';
/** Clusters and nodes. */
export const BY_NAMESPACE = 'namespace';
/** Volumes, and the sentinels among the revisions, by `namespace/cluster`, from their label: no cluster controls
 *  them. */
export const BY_CLUSTER = 'cluster';

/** The key of `BY_OWNER`. */
export function ownedBy({ namespace, name, uid }: ClusterRef): string {
  return `${namespace}/${name}/${uid}`;
}

/** From the name of an index to the keys of an object in it. */
type Indexes<V> = Readonly<Record<string, (view: V) => readonly string[]>>;

export const CLUSTER_INDEXES: Indexes<ClusterView> = {
  [BY_NAMESPACE]: ({ namespace }) => [namespace],
  [BY_UID]: ({ uid }) => [uid],
};

export const NODE_INDEXES: Indexes<NodeView> = {
  [BY_OWNER]: ({ owner }) => (owner.kind === 'cluster' ? [ownedBy(owner.cluster)] : []),
  [BY_UID]: ({ owner }) => namedUids(owner),
  [BY_NAMESPACE]: ({ namespace }) => [namespace],
};

export const VOLUME_INDEXES: Indexes<VolumeView> = {
  [BY_CLUSTER]: ({ namespace, clusterName = '' }) => [`${namespace}/${clusterName}`],
};

export const REVISION_INDEXES: Indexes<RevisionView> = {
  [BY_OWNER]: ({ owner }) => (owner === undefined ? [] : [ownedBy(owner)]),
  [BY_CLUSTER]: ({ sentinelOf }) => (sentinelOf === undefined ? [] : [sentinelOf]),
};

/** The UIDs of the clusters that a node names. */
export function namedUids(owner: NodeView['owner']): readonly string[] {
  if (owner.kind === 'none') return [];
  return owner.kind === 'cluster' ? [owner.cluster.uid] : owner.uids;
}

/** The cluster of a node; undefined when the cache does not have it.
 *  @param get finds a cluster by its `namespace/name` */
export function clusterOf(
  { owner }: NodeView,
  get: (key: string) => ClusterView | undefined,
): MarekvsCluster | undefined {
  if (owner.kind !== 'cluster') return undefined;
  const found = get(keyOf(owner.cluster));
  return found?.uid === owner.cluster.uid ? found.object : undefined;
}
