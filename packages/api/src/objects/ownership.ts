// Answers: which cluster does a MarekvsNode belong to? Namespace, kind, name and UID decide together: a UID alone can
// be copied with the object it is in. Everything that finds the nodes of a cluster asks here.

import { GROUP } from '../names/labels.ts';
import { nodeName } from '../names/names.ts';
import { controllerOf, type ObjectMeta, type OwnerReference } from './metadata.ts';

/** One very cluster. */
export interface ClusterRef {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** - `cluster`: the one that the node is of, if that exists.
 *  - `foreign`: it names clusters with these UIDs, and is of none of them. It counts for nothing.
 *  - `none`: it names no cluster at all. */
export type NodeOwner =
  | { readonly kind: 'cluster'; readonly cluster: ClusterRef }
  | { readonly kind: 'foreign'; readonly uids: readonly string[]; readonly why: string }
  | { readonly kind: 'none' };

interface Created {
  readonly metadata: Pick<ObjectMeta, 'creationTimestamp'>;
}

interface OwnedNode {
  readonly metadata: Pick<ObjectMeta, 'name' | 'namespace' | 'ownerReferences'>;
  readonly spec: { readonly clusterName: string; readonly nodeId: number };
}

/** Pure. Whether such a cluster exists is not known here. */
export function ownerOfNode({ metadata, spec }: OwnedNode): NodeOwner {
  const named = (metadata.ownerReferences ?? []).filter(isOfOurs);
  const [first, second] = named;
  if (first === undefined) return { kind: 'none' };
  const why = second === undefined ? problemOf(first, { metadata, spec }) : 'it names two clusters as its owners';
  if (why !== undefined) return { kind: 'foreign', uids: named.map(({ uid }) => uid), why };
  const { name, uid } = first;
  return { kind: 'cluster', cluster: { namespace: metadata.namespace, name, uid } };
}

/** The cluster that the controller reference of an object names: one in the object's own namespace. */
export function controllingCluster(
  metadata: Pick<ObjectMeta, 'namespace' | 'ownerReferences'>,
): ClusterRef | undefined {
  const owner = controllerOf(metadata);
  if (owner === undefined || !isOfOurs(owner)) return undefined;
  return { namespace: metadata.namespace, name: owner.name, uid: owner.uid };
}

/** True for a node of exactly this cluster. */
export function isNodeOf(node: OwnedNode, { namespace, name, uid }: ClusterRef): boolean {
  const owner = ownerOfNode(node);
  if (owner.kind !== 'cluster') return false;
  const { cluster } = owner;
  return cluster.uid === uid && cluster.name === name && cluster.namespace === namespace;
}

/** True when the node may be left over from an earlier cluster of the same name: that one was gone before this one was
 *  made. The reference of a younger node was edited, or came with a backup. */
export function isOlder(node: Created, cluster: Created): boolean {
  return Date.parse(node.metadata.creationTimestamp) < Date.parse(cluster.metadata.creationTimestamp);
}

/** Any version of our group, whoever wrote it. */
function isOfOurs({ apiVersion, kind }: OwnerReference): boolean {
  return kind === 'MarekvsCluster' && apiVersion.startsWith(`${GROUP}/`);
}

function problemOf({ name, controller }: OwnerReference, { metadata, spec }: OwnedNode): string | undefined {
  if (controller !== true) return `its owner ${name} does not control it`;
  if (name !== spec.clusterName) return `its owner is ${name}, and its spec.clusterName is ${spec.clusterName}`;
  const own = nodeName(spec.clusterName, spec.nodeId);
  return metadata.name === own ? undefined : `node ${spec.nodeId} of ${name} is ${own}`;
}
