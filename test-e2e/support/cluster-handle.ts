// One cluster of a journey, with what a person can do to it, so that journeys read like stories.

import { type MarekvsCluster, type MarekvsClusterSpec, type MarekvsNode, pvcName } from '@marekvs/api';
import type { PodState } from '@marekvs/testbed';
import { eventually } from './eventually.ts';
import { type Ledger, type LedgerOptions, startLedger } from './ledger.ts';
import { corePath, ownPath } from './paths.ts';
import { followRemovals, type RemovalLog } from './removal-log.ts';
import type { PodSeen } from './seen.ts';
import { plainSpec } from './specs.ts';
import type { World } from './world.ts';

export interface ClusterHandle {
  readonly namespace: string;
  readonly name: string;
  /** Creates the namespace and the cluster, and waits until it is Healthy. */
  create(nodes: number, more?: Partial<MarekvsClusterSpec>): Promise<void>;
  edit(spec: object): Promise<void>;
  /** Sends the same request as `kubectl scale`. */
  scale(nodes: number): Promise<void>;
  /** Healthy with so many ready nodes. @param limitMs default 60 s */
  healthy(nodes: number, limitMs?: number): Promise<MarekvsCluster>;
  /** Resolves with the cluster once the predicate is true. */
  says(what: string, isIt: (seen: MarekvsCluster) => boolean, limitMs?: number): Promise<MarekvsCluster>;
  nodeNames(): Promise<readonly string[]>;
  /** Ids of its nodes, ascending. */
  ids(): Promise<readonly number[]>;
  node(id: number, what: string, isIt?: (node: MarekvsNode) => boolean, limitMs?: number): Promise<MarekvsNode>;
  pod(id: number, what: string, isIt?: (pod: PodSeen) => boolean, limitMs?: number): Promise<PodSeen>;
  /** Its Pods, as the kubelet of the testbed knows them. */
  runningPods(): readonly PodState[];
  /** The UIDs of its running Pods by their names. */
  podUids(): ReadonlyMap<string, string>;
  /** Pod, UID and restarts of each, sorted: equal as long as no process has ended. */
  lives(): readonly string[];
  /** UID of the volume claim of an id; undefined when there is none. */
  volumeUid(id: number): Promise<string | undefined>;
  untilNoVolume(id: number): Promise<void>;
  /** Resolves when neither the cluster nor one of its nodes or Pods is left; volumes may be. */
  untilGone(limitMs?: number): Promise<void>;
  log(): Promise<RemovalLog>;
  ledger(options?: Partial<LedgerOptions>): Promise<Ledger>;
  /** A ledger of so many acknowledged writes; nobody writes any more when it resolves. */
  writtenLedger(writes?: number): Promise<Ledger>;
}

export function clusterHandle(world: () => World, namespace: string, name = 'demo'): ClusterHandle {
  const handle: ClusterHandle = {
    namespace,
    name,
    async create(nodes, more = {}) {
      const { kube } = world();
      await kube.createNamespace(namespace);
      await kube.createCluster(namespace, name, plainSpec(nodes, more));
      await handle.healthy(nodes);
    },
    edit: (spec) => world().kube.patchCluster(namespace, name, { spec }),
    scale: (nodes) => world().kube.scaleCluster(namespace, name, nodes),
    healthy: (nodes, limitMs = 60_000) => world().kube.healthy(namespace, name, nodes, limitMs),
    says: (what, isIt, limitMs) => world().watching.cluster(namespace, name, what, isIt, limitMs),
    async nodeNames() {
      return (await handle.ids()).map((id) => `${name}-${id}`);
    },
    async ids() {
      const nodes = await world().kube.nodes(namespace);
      return nodes
        .filter(({ spec }) => spec.clusterName === name)
        .map(({ spec }) => spec.nodeId)
        .sort((a, b) => a - b);
    },
    node: (id, what, isIt = () => true, limitMs) =>
      world().watching.node(namespace, `${name}-${id}`, what, isIt, limitMs),
    pod: (id, what, isIt = () => true, limitMs) =>
      world().watching.pod(namespace, `${name}-${id}`, what, isIt, limitMs),
    runningPods: () =>
      world()
        .testbed.kubelet.pods()
        .filter(({ key }) => key.startsWith(`${namespace}/${name}-`)),
    podUids: () => new Map(handle.runningPods().map(({ key, uid }) => [key, uid])),
    lives: () =>
      handle
        .runningPods()
        .map(({ key, uid, restartCount }) => `${key} ${uid} ${restartCount}`)
        .sort(),
    async volumeUid(id) {
      const { items } = await world().kube.core.listNamespacedPersistentVolumeClaim({ namespace });
      return items.find(({ metadata }) => metadata?.name === pvcName(name, id))?.metadata?.uid;
    },
    async untilNoVolume(id) {
      await world().watching.claims(namespace, `no volume of ${name}-${id}`, (claims) =>
        claims.every(({ metadata }) => metadata.name !== pvcName(name, id)),
      );
    },
    async untilGone(limitMs = 60_000) {
      const paths = [
        ownPath(namespace, 'marekvsclusters'),
        ownPath(namespace, 'marekvsnodes'),
        corePath(namespace, 'pods'),
      ];
      const { watching } = world();
      await Promise.all(
        paths.map((path) => watching.until(`nothing in ${path}`, path, (all) => all.length === 0, limitMs)),
      );
    },
    log: () => followRemovals(world(), namespace, name),
    ledger: (options = {}) => startLedger(world(), { namespace, name, ...options }),
    async writtenLedger(writes = 600) {
      const ledger = await handle.ledger({ perSecond: 600 });
      await eventually(`${writes} acknowledged writes`, () => ledger.acknowledged() >= writes);
      await ledger.stop();
      return ledger;
    },
  };
  return handle;
}
