// Reads a cluster and all that is part of it, in as few requests as there are kinds.

import { clusterSelector, LABELS, type MarekvsCluster, type MarekvsNode, selectorString } from '@marekvs/api';
import { MAREKVS_CLUSTER, MAREKVS_NODE } from '@marekvs/operator/projections';
import { ApiError, type PersistentVolumeClaim, type Pod, persistentVolumeClaims, pods } from '@marekvs/runtime';
import type { Run } from '../cli.ts';
import { isObjectMissing, notFound, wrongUsage } from '../errors.ts';
import { nextAfter } from './near-name.ts';

export interface ClusterParts {
  readonly cluster: MarekvsCluster;
  /** By id. */
  readonly nodes: readonly MarekvsNode[];
  readonly pods: readonly Pod[];
  readonly volumes: readonly PersistentVolumeClaim[];
}

/** As far as the caller may read it: undefined is unknown, and never none. */
export interface SeenParts extends Pick<ClusterParts, 'cluster' | 'nodes'> {
  readonly pods: readonly Pod[] | undefined;
  readonly volumes: readonly PersistentVolumeClaim[] | undefined;
  /** What may not be read, with the API server's message. */
  readonly unread: readonly string[];
}

const LIST_CLUSTERS = 'kubectl mkv status -A lists every cluster you may see';

/** DNS subdomain names: what the API server takes for any object. */
const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

export function checkedName(name: string, what: string): string {
  const bare = name.replace(/^(mkv|mkvnode|marekvsclusters?|marekvsnodes?)(\.marekvs\.io)?\//, '');
  if (NAME.test(bare)) return bare;
  throw wrongUsage(`${JSON.stringify(name)} is no name of a ${what}`, 'kubectl mkv status -A');
}

/** Of the namespace asked for, or of all. */
export async function listClusters(run: Run): Promise<readonly MarekvsCluster[]> {
  const { client } = await run.connect();
  const { items } = await client.list(MAREKVS_CLUSTER, { namespace: await run.namespace(), signal: run.ports.signal });
  return items;
}

/** The named cluster, or without a name the only one of the namespace. */
export async function readCluster(run: Run, name: string | undefined): Promise<MarekvsCluster> {
  const { client } = await run.connect();
  const namespace = await requiredNamespace(run);
  if (name === undefined) return onlyCluster(run, namespace);
  const ref = { namespace, name: checkedName(name, 'cluster') };
  try {
    return await client.get(MAREKVS_CLUSTER, ref, { signal: run.ports.signal });
  } catch (error) {
    if (!isObjectMissing(error, ref.name)) throw error;
    throw notFound(
      `there is no cluster ${ref.name} in namespace ${namespace}`,
      await nextAfter(ref.name, () => namesOf(run, MAREKVS_CLUSTER, namespace), LIST_CLUSTERS),
    );
  }
}

export async function requiredNamespace(run: Run): Promise<string> {
  const namespace = await run.namespace();
  if (namespace === undefined) throw wrongUsage('-A does not go with one cluster', 'name its namespace with -n');
  return namespace;
}

async function onlyCluster(run: Run, namespace: string): Promise<MarekvsCluster> {
  const items = await listClusters(run);
  const [only] = items;
  if (only !== undefined && items.length === 1) return only;
  if (only === undefined) throw notFound(`there is no cluster in namespace ${namespace}`, LIST_CLUSTERS);
  const names = items.map(({ metadata }) => metadata.name).join(', ');
  throw wrongUsage(`there are ${items.length} clusters in namespace ${namespace}`, `name one of ${names}`);
}

export async function readNode(run: Run, name: string): Promise<MarekvsNode> {
  const { client } = await run.connect();
  const namespace = await requiredNamespace(run);
  const ref = { namespace, name: checkedName(name, 'node') };
  try {
    return await client.get(MAREKVS_NODE, ref, { signal: run.ports.signal });
  } catch (error) {
    if (!isObjectMissing(error, ref.name)) throw error;
    throw notFound(
      `there is no MarekvsNode ${ref.name} in namespace ${namespace}`,
      await nextAfter(
        ref.name,
        () => namesOf(run, MAREKVS_NODE, namespace),
        `kubectl get mkvnode -n ${namespace} lists them`,
      ),
    );
  }
}

/** Of every object of our kinds in the namespace. */
export async function namesOf(
  run: Run,
  kind: typeof MAREKVS_CLUSTER | typeof MAREKVS_NODE,
  namespace: string,
): Promise<readonly string[]> {
  const { client } = await run.connect();
  const { items } = await client.list<MarekvsCluster | MarekvsNode>(kind, { namespace, signal: run.ports.signal });
  return items.map(({ metadata }) => metadata.name);
}

/** Nodes, Pods and volumes of the cluster. */
export async function readParts(run: Run, cluster: MarekvsCluster): Promise<ClusterParts> {
  const [nodes, ownPods, volumes] = await Promise.all([
    readNodes(run, cluster),
    readPods(run, cluster),
    readVolumes(run, cluster),
  ]);
  return { cluster, nodes, pods: ownPods, volumes };
}

/** The same for who may see the cluster and its nodes, and not everything else. */
export async function readSeenParts(run: Run, cluster: MarekvsCluster): Promise<SeenParts> {
  const unread: string[] = [];
  const [nodes, ownPods, volumes] = await Promise.all([
    readNodes(run, cluster),
    unlessForbidden('pods', readPods(run, cluster), unread),
    unlessForbidden('volume claims', readVolumes(run, cluster), unread),
  ]);
  return { cluster, nodes, pods: ownPods, volumes, unread };
}

/** Undefined, and a note of it, for what the API server refuses. */
export async function unlessForbidden<T>(what: string, read: Promise<T>, unread: string[]): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    unread.push(`${what} (${error.status} ${error.reason})`);
    return undefined;
  }
}

export async function readPods(run: Run, { metadata: { namespace, name } }: MarekvsCluster): Promise<readonly Pod[]> {
  const { client } = await run.connect();
  const labelSelector = selectorString(clusterSelector(name));
  return (await client.list(pods, { namespace, labelSelector, signal: run.ports.signal })).items;
}

async function readVolumes(
  run: Run,
  { metadata: { namespace, name } }: MarekvsCluster,
): Promise<readonly PersistentVolumeClaim[]> {
  const { client } = await run.connect();
  const labelSelector = `${LABELS.cluster}=${name}`;
  return (await client.list(persistentVolumeClaims, { namespace, labelSelector, signal: run.ports.signal })).items;
}

export async function readNodes(run: Run, cluster: MarekvsCluster): Promise<readonly MarekvsNode[]> {
  const { client } = await run.connect();
  const { namespace, name } = cluster.metadata;
  const { items } = await client.list(MAREKVS_NODE, {
    namespace,
    fieldSelector: `spec.clusterName=${name}`,
    signal: run.ports.signal,
  });
  return items.sort((a, b) => a.spec.nodeId - b.spec.nodeId);
}
