// An API server in memory with a healthy cluster, including UIDs and owners.

import { type MarekvsNode, nodeName } from '@marekvs/api';
import { type ApiObject, MemoryApiServer, seededRandom } from '@marekvs/simulator';
import { type ClusterChange, claim, cluster, NAME, NAMESPACE, NOW_MS, node, pod } from './objects.ts';

export const CLUSTERS = 'marekvsclusters.marekvs.io';
export const NODES = 'marekvsnodes.marekvs.io';
export const REF = { namespace: NAMESPACE, name: NAME };

/** A healthy cluster of so many nodes, an hour old. */
export function serverWith(nodes = 3, change: ClusterChange = {}): MemoryApiServer {
  const server = new MemoryApiServer({ nowMs: () => NOW_MS - 3_600_000, random: seededRandom(1) });
  for (const name of ['default', 'other', 'marekvs-system']) server.create('namespaces', { metadata: { name } });
  const { metadata } = put(server, CLUSTERS, cluster({ ...change, spec: { nodes, ...change.spec } }));
  for (let id = 0; id < nodes; id += 1) putNode(server, id, nodes, metadata.uid);
  return server;
}

function putNode(server: MemoryApiServer, id: number, all: number, clusterUid: string): void {
  server.create('nodes', { metadata: { name: `host-${id}` }, spec: {} });
  const created = put(server, NODES, ownedBy(node(id), clusterUid));
  const owner = {
    apiVersion: 'marekvs.io/v1alpha1',
    kind: 'MarekvsNode',
    name: nodeName(NAME, id),
    uid: created.metadata.uid,
    controller: true,
  };
  const ownPod = put(server, 'pods', pod(id, {}, { ownerReferences: [owner] }));
  const volume = put(server, 'persistentvolumeclaims', claim(id));
  const status = { podUID: ownPod.metadata.uid, pvcUID: volume.metadata.uid, seenBy: `${all}/${all}` };
  server.patch(NODES, { namespace: NAMESPACE, name: nodeName(NAME, id) }, { status }, 'status');
}

/** The node with the UID that the API server has given its cluster. */
export function ownedBy(one: MarekvsNode, clusterUid: string): MarekvsNode {
  const ownerReferences = (one.metadata.ownerReferences ?? []).map((owner) => ({ ...owner, uid: clusterUid }));
  return { ...one, metadata: { ...one.metadata, ownerReferences } };
}

/** Stores an object with its status, as if both had been written. */
export function put(server: MemoryApiServer, resource: string, object: object): ApiObject {
  const created = server.create(resource, object);
  const { status } = object as { readonly status?: Readonly<Record<string, unknown>> };
  return status === undefined ? created : server.patch(resource, created.metadata, { status }, 'status');
}
