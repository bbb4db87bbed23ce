// Reads a cluster and all that is part of it, in as few requests as there are kinds.

import { clusterSelector, LABELS, type MarekvsCluster, type MarekvsNode, selectorString } from '@marekvs/api';
import { MAREKVS_CLUSTER, MAREKVS_NODE } from '@marekvs/operator/projections';
import { type PersistentVolumeClaim, type Pod, persistentVolumeClaims, pods } from '@marekvs/runtime';
import type { Run } from '../cli.ts';
import { CliError, isObjectMissing } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';

export interface ClusterParts {
  readonly cluster: MarekvsCluster;
  /** By id. */
  readonly nodes: readonly MarekvsNode[];
  readonly pods: readonly Pod[];
  readonly volumes: readonly PersistentVolumeClaim[];
}

/** DNS subdomain names: what the API server takes for any object. */
const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

export function checkedName(name: string, what: string): string {
  const bare = name.replace(/^(mkv|mkvnode|marekvsclusters?|marekvsnodes?)(\.marekvs\.io)?\//, '');
  if (NAME.test(bare)) return bare;
  throw new CliError(EXIT.usage, `${JSON.stringify(name)} is no name of a ${what}`, 'kubectl mkv status -A');
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
    throw new CliError(
      EXIT.notFound,
      `there is no cluster ${ref.name} in namespace ${namespace}`,
      'kubectl mkv status -A lists every cluster you may see',
    );
  }
}

export async function requiredNamespace(run: Run): Promise<string> {
  const namespace = await run.namespace();
  if (namespace === undefined)
    throw new CliError(EXIT.usage, '-A does not go with one cluster', 'name its namespace with -n');
  return namespace;
}

async function onlyCluster(run: Run, namespace: string): Promise<MarekvsCluster> {
  const { client } = await run.connect();
  const { items } = await client.list(MAREKVS_CLUSTER, { namespace, signal: run.ports.signal });
  const [only] = items;
  if (only !== undefined && items.length === 1) return only;
  if (only === undefined)
    throw new CliError(
      EXIT.notFound,
      `there is no cluster in namespace ${namespace}`,
      'kubectl mkv status -A lists every cluster you may see',
    );
  const names = items.map(({ metadata }) => metadata.name).join(', ');
  throw new CliError(
    EXIT.usage,
    `there are ${items.length} clusters in namespace ${namespace}`,
    `name one of ${names}`,
  );
}

export async function readNode(run: Run, name: string): Promise<MarekvsNode> {
  const { client } = await run.connect();
  const namespace = await requiredNamespace(run);
  const ref = { namespace, name: checkedName(name, 'node') };
  try {
    return await client.get(MAREKVS_NODE, ref, { signal: run.ports.signal });
  } catch (error) {
    if (!isObjectMissing(error, ref.name)) throw error;
    throw new CliError(
      EXIT.notFound,
      `there is no MarekvsNode ${ref.name} in namespace ${namespace}`,
      `kubectl get mkvnode -n ${namespace} lists them`,
    );
  }
}

/** Nodes, Pods and volumes of the cluster. */
export async function readParts(run: Run, cluster: MarekvsCluster): Promise<ClusterParts> {
  const { client } = await run.connect();
  const { namespace, name } = cluster.metadata;
  const { signal } = run.ports;
  const labelSelector = selectorString(clusterSelector(name));
  const [nodes, podList, volumes] = await Promise.all([
    readNodes(run, cluster),
    client.list(pods, { namespace, labelSelector, signal }),
    client.list(persistentVolumeClaims, { namespace, labelSelector: `${LABELS.cluster}=${name}`, signal }),
  ]);
  return { cluster, nodes, pods: podList.items, volumes: volumes.items };
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
