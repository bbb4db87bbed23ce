// What every object of a cluster is called. Names are functions of cluster and node id alone, so that a second
// create is refused as AlreadyExists and a StatefulSet of the same cluster can be taken over
// (docs/design/contract.md#names).

import { MAX_NODE_ID } from '../members/placement.ts';

/** Longest cluster name: `<name>-headless` and `<name>-65534` stay DNS labels (63) with two characters to spare. */
export const MAX_CLUSTER_NAME_LENGTH = 52;

/** A cluster is named like its client Service: a DNS-1035 label. */
export const CLUSTER_NAME_PATTERN = '^[a-z]([-a-z0-9]*[a-z0-9])?$';

/** A cluster called `x-headless` would claim the headless Service of cluster `x` as its client Service. */
export const HEADLESS_SUFFIX = '-headless';

/** Name of the MarekvsNode and of its Pod. */
export function nodeName(cluster: string, nodeId: number): string {
  return `${cluster}-${nodeId}`;
}

/** Name of the node's PersistentVolumeClaim; the one a StatefulSet with the claim template `data` would use. */
export function pvcName(cluster: string, nodeId: number): string {
  return `data-${nodeName(cluster, nodeId)}`;
}

/** Service without a cluster IP that publishes every Pod, ready or not: the gossip seed. */
export function headlessServiceName(cluster: string): string {
  return `${cluster}${HEADLESS_SUFFIX}`;
}

/** Service the clients use; it selects serving nodes only. */
export function clientServiceName(cluster: string): string {
  return cluster;
}

export function pdbName(cluster: string): string {
  return cluster;
}

/** The policy about everything that is not for clients. */
export function networkPolicyName(cluster: string): string {
  return cluster;
}

/** The policy about clients. No cluster has a dot in its name, so this is never the policy of another cluster. */
export function clientsPolicyName(cluster: string): string {
  return `${cluster}.clients`;
}

/** The value of `MAREKVS_CLUSTER`: fixed for the life of a cluster, different for every object that ever had this name
 *  (docs/design/server.md#h5: equal identities merge their data).
 *  @throws RangeError when the uid has fewer than 8 characters, because two clusters could then share an identity */
export function clusterIdentity(namespace: string, name: string, uid: string): string {
  if (uid.length < 8) {
    throw new RangeError(`identity of MarekvsCluster ${namespace}/${name}: uid ${JSON.stringify(uid)} is too short`);
  }
  return `${namespace}.${name}.${uid.slice(0, 8)}`;
}

/** The node id in the name of a node or Pod of this cluster, or undefined for any other name. Leading zeros are
 *  refused: `demo-01` and `demo-1` must not be the same node. */
export function parseNodeId(cluster: string, name: string): number | undefined {
  if (!name.startsWith(`${cluster}-`)) return undefined;
  return parseNodeIdText(name.slice(cluster.length + 1));
}

/** A node id written as text (label value, gossip field), or undefined when it is not one. */
export function parseNodeIdText(text: string): number | undefined {
  if (!/^(0|[1-9][0-9]{0,4})$/.test(text)) return undefined;
  const id = Number(text);
  return id <= MAX_NODE_ID ? id : undefined;
}

/** Ascending by number: as text, 10 would come before 9. */
export function compareNodeIds(a: number, b: number): number {
  return a - b;
}
