// Reads a cluster and all that is part of it, with one request per kind.

import { clusterSelector, isNodeOf, LABELS, type MarekvsCluster, type MarekvsNode, selectorString } from '@marekvs/api';
import { MAREKVS_CLUSTER, MAREKVS_NODE } from '@marekvs/operator/projections';
import {
  ApiError,
  type Kind,
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaims,
  pods,
} from '@marekvs/runtime';
import type { Run } from '../connection/cli.ts';
import { isObjectMissing, notFound, wrongUsage } from '../connection/errors.ts';
import { nextAfter } from './near-name.ts';

export interface ClusterParts {
  readonly cluster: MarekvsCluster;
  /** Sorted by id. */
  readonly nodes: readonly MarekvsNode[];
  readonly pods: readonly Pod[];
  readonly volumes: readonly PersistentVolumeClaim[];
}

/** What the user may read. Undefined means unknown, never none. */
export interface SeenParts extends Pick<ClusterParts, 'cluster' | 'nodes'> {
  readonly pods: readonly Pod[] | undefined;
  readonly volumes: readonly PersistentVolumeClaim[] | undefined;
  /** MarekvsNodes in its namespace that name this cluster, by its name or its UID, and are not its own. */
  readonly foreign: readonly MarekvsNode[];
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

/** Lists the clusters of the requested namespace, or of all. */
export async function listClusters(run: Run): Promise<readonly MarekvsCluster[]> {
  return run.list(MAREKVS_CLUSTER, { namespace: await run.namespace() });
}

/** The named cluster, or without a name the only one of the namespace. */
export async function readCluster(run: Run, name: string | undefined): Promise<MarekvsCluster> {
  if (name === undefined) return onlyCluster(run, await requiredNamespace(run));
  return readNamed(run, MAREKVS_CLUSTER, 'cluster', name, () => LIST_CLUSTERS);
}

export function readNode(run: Run, name: string): Promise<MarekvsNode> {
  return readNamed(run, MAREKVS_NODE, 'node', name, (namespace) => `kubectl get mkvnode -n ${namespace} lists them`);
}

/** @throws CliError with the name that was probably meant, when there is none of this name */
async function readNamed<T extends MarekvsCluster | MarekvsNode>(
  run: Run,
  kind: Kind<T>,
  what: 'cluster' | 'node',
  given: string,
  listedBy: (namespace: string) => string,
): Promise<T> {
  const namespace = await requiredNamespace(run);
  const name = checkedName(given, what);
  try {
    return await run.get(kind, { namespace, name });
  } catch (error) {
    if (!isObjectMissing(error, name)) throw error;
    throw notFound(
      `there is no ${what === 'node' ? 'MarekvsNode' : what} ${name} in namespace ${namespace}`,
      await nextAfter(name, () => namesOf(run, kind, namespace), listedBy(namespace)),
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

/** Names of all objects of the kind in the namespace. */
export async function namesOf<T extends MarekvsCluster | MarekvsNode>(
  run: Run,
  kind: Kind<T>,
  namespace: string,
): Promise<readonly string[]> {
  return (await run.list(kind, { namespace })).map(({ metadata }) => metadata.name);
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

/** The same for a user who may read the cluster and its nodes, but perhaps nothing else. */
export async function readSeenParts(run: Run, cluster: MarekvsCluster): Promise<SeenParts> {
  const unread: string[] = [];
  const { namespace } = cluster.metadata;
  const [all, ownPods, volumes] = await Promise.all([
    run.list(MAREKVS_NODE, { namespace }),
    unlessForbidden('pods', readPods(run, cluster), unread),
    unlessForbidden('volume claims', readVolumes(run, cluster), unread),
  ]);
  const foreign = all.filter((node) => !isNodeOf(node, cluster.metadata) && isNaming(node, cluster));
  return { cluster, nodes: ownNodes(all, cluster), pods: ownPods, volumes, foreign, unread };
}

/** Resolves with undefined, and adds a note to `unread`, when the API server refuses the read. */
export async function unlessForbidden<T>(what: string, read: Promise<T>, unread: string[]): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    unread.push(`${what} (${error.status} ${error.reason})`);
    return undefined;
  }
}

export function readPods(run: Run, { metadata: { namespace, name } }: MarekvsCluster): Promise<readonly Pod[]> {
  return run.list(pods, { namespace, labelSelector: selectorString(clusterSelector(name)) });
}

function readVolumes(
  run: Run,
  { metadata: { namespace, name } }: MarekvsCluster,
): Promise<readonly PersistentVolumeClaim[]> {
  return run.list(persistentVolumeClaims, { namespace, labelSelector: `${LABELS.cluster}=${name}` });
}

export async function readNodes(run: Run, cluster: MarekvsCluster): Promise<readonly MarekvsNode[]> {
  const { namespace, name } = cluster.metadata;
  const items = await run.list(MAREKVS_NODE, { namespace, fieldSelector: `spec.clusterName=${name}` });
  return ownNodes(items, cluster);
}

function ownNodes(items: readonly MarekvsNode[], { metadata }: MarekvsCluster): readonly MarekvsNode[] {
  return items.filter((node) => isNodeOf(node, metadata)).toSorted((a, b) => a.spec.nodeId - b.spec.nodeId);
}

function isNaming({ metadata, spec }: MarekvsNode, cluster: MarekvsCluster): boolean {
  const { name, uid } = cluster.metadata;
  return spec.clusterName === name || metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;
}
