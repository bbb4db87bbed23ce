// The journeys' own view of the API server, through @kubernetes/client-node, which shares no code with the operator's
// client, so that a mistake in ours cannot hide. They wait by watching, never by sleeping.

import { CoreV1Api, CustomObjectsApi, PatchStrategy, setHeaderOptions, Watch } from '@kubernetes/client-node';
import { GROUP, type MarekvsCluster, type MarekvsClusterSpec, type MarekvsNode, VERSION } from '@marekvs/api';
import { limit } from '@marekvs/testbed';
import { loadKubeConfig } from './kept-connections.ts';

/** An object that can be waited for: anything with a name. */
export interface Seen {
  readonly metadata?: { readonly name?: string | undefined; readonly namespace?: string | undefined };
}

type NewMetadata = Pick<MarekvsNode['metadata'], 'name' | 'namespace' | 'labels' | 'finalizers' | 'ownerReferences'>;

export type Kube = ReturnType<typeof createKube>;

const DEFAULT_LIMIT_MS = 60_000;
const MERGE_PATCH = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
const clustersPlural = 'marekvsclusters';
const nodesPlural = 'marekvsnodes';

export function createKube(kubeconfigPath: string) {
  const config = loadKubeConfig(kubeconfigPath);
  const core = config.makeApiClient(CoreV1Api);
  const custom = config.makeApiClient(CustomObjectsApi);
  const own = (plural: string, namespace: string) => ({ group: GROUP, version: VERSION, plural, namespace });

  /** Follows a collection until its objects satisfy `isEnough`, and gives them.
   *  @throws Error after `limitMs`, naming what was waited for and what was there last */
  async function until<T extends Seen>(
    what: string,
    path: string,
    isEnough: (objects: readonly T[]) => boolean,
    limitMs = DEFAULT_LIMIT_MS,
  ): Promise<readonly T[]> {
    const seen = new Map<string, T>();
    const { promise, resolve, reject } = Promise.withResolvers<readonly T[]>();
    const check = () => {
      const objects = [...seen.values()];
      if (isEnough(objects)) resolve(objects);
    };
    let controller: AbortController | undefined;
    let isOver = false;
    // client-node ends a watch that was silent for 30 s; without a version the next one starts from what is there.
    const follow = async (): Promise<void> => {
      seen.clear();
      const next = await new Watch(config).watch(
        path,
        {},
        (type: string, object: T) => {
          const key = `${object.metadata?.namespace}/${object.metadata?.name}`;
          if (type === 'DELETED') seen.delete(key);
          else if (type === 'ADDED' || type === 'MODIFIED') seen.set(key, object);
          check();
        },
        () => void (isOver || follow().catch(reject)),
      );
      controller = next;
      if (isOver) next.abort();
    };
    await follow();
    const endLimit = limit(limitMs, () => {
      const last = JSON.stringify([...seen.values()].map((object) => ({ ...object, metadata: object.metadata?.name })));
      reject(new Error(`waited ${limitMs} ms for ${what}; last seen: ${last.slice(0, 3000)}`));
    });
    // An empty collection sends no event at all.
    if (isEnough([])) setImmediate(check);
    try {
      return await promise;
    } finally {
      isOver = true;
      endLimit();
      controller?.abort();
    }
  }

  async function clusterUntil(
    namespace: string,
    name: string,
    what: string,
    isEnough: (cluster: MarekvsCluster) => boolean,
    limitMs?: number,
  ): Promise<MarekvsCluster> {
    const find = (objects: readonly MarekvsCluster[]) =>
      objects.find((object) => object.metadata.name === name && isEnough(object));
    const path = `/apis/${GROUP}/${VERSION}/namespaces/${namespace}/${clustersPlural}`;
    const found = find(await until<MarekvsCluster>(what, path, (objects) => find(objects) !== undefined, limitMs));
    if (found === undefined) throw new Error(`${namespace}/${name} was there and is not`);
    return found;
  }

  return {
    config,
    core,
    until,
    clusterUntil,
    healthy: (namespace: string, name: string, nodes: number, limitMs?: number) =>
      clusterUntil(
        namespace,
        name,
        `${namespace}/${name} Healthy with ${nodes} nodes`,
        ({ metadata, status }) =>
          status?.phase === 'Healthy' &&
          status.readyNodes === nodes &&
          status.observedGeneration === metadata.generation,
        limitMs,
      ),
    async createNamespace(name: string): Promise<void> {
      await core.createNamespace({ body: { metadata: { name } } });
    },
    async createCluster(namespace: string, name: string, spec: MarekvsClusterSpec): Promise<void> {
      const body = { apiVersion: `${GROUP}/${VERSION}`, kind: 'MarekvsCluster', metadata: { name, namespace }, spec };
      await custom.createNamespacedCustomObject({ ...own(clustersPlural, namespace), body, fieldValidation: 'Strict' });
    },
    async cluster(namespace: string, name: string): Promise<MarekvsCluster> {
      return custom.getNamespacedCustomObject({ ...own(clustersPlural, namespace), name });
    },
    async clusters(namespace: string): Promise<readonly MarekvsCluster[]> {
      const list: { items: MarekvsCluster[] } = await custom.listNamespacedCustomObject(own(clustersPlural, namespace));
      return list.items;
    },
    async nodes(namespace: string): Promise<readonly MarekvsNode[]> {
      const list: { items: MarekvsNode[] } = await custom.listNamespacedCustomObject(own(nodesPlural, namespace));
      return list.items;
    },
    async patchCluster(namespace: string, name: string, body: object): Promise<void> {
      await custom.patchNamespacedCustomObject({ ...own(clustersPlural, namespace), name, body }, MERGE_PATCH);
    },
    /** Writes to the subresource that `kubectl scale` uses. */
    async scaleCluster(namespace: string, name: string, replicas: number): Promise<void> {
      const body = { spec: { replicas } };
      await custom.patchNamespacedCustomObjectScale({ ...own(clustersPlural, namespace), name, body }, MERGE_PATCH);
    },
    async createNode(metadata: NewMetadata, spec: MarekvsNode['spec']): Promise<void> {
      const body = { apiVersion: `${GROUP}/${VERSION}`, kind: 'MarekvsNode', metadata, spec };
      await custom.createNamespacedCustomObject({ ...own(nodesPlural, metadata.namespace), body });
    },
    async patchNode(namespace: string, name: string, body: object): Promise<void> {
      await custom.patchNamespacedCustomObject({ ...own(nodesPlural, namespace), name, body }, MERGE_PATCH);
    },
    async deleteCluster(namespace: string, name: string): Promise<void> {
      await custom.deleteNamespacedCustomObject({ ...own(clustersPlural, namespace), name });
    },
    async deleteNode(namespace: string, name: string): Promise<void> {
      await custom.deleteNamespacedCustomObject({ ...own(nodesPlural, namespace), name });
    },
  };
}

/** The path of a namespaced collection of our kinds, for `until`. */
export function ownPath(kind: 'marekvsclusters' | 'marekvsnodes', namespace?: string): string {
  const scope = namespace === undefined ? '' : `/namespaces/${namespace}`;
  return `/apis/${GROUP}/${VERSION}${scope}/${kind}`;
}
