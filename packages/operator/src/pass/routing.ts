// Answers: which keys are to be reconciled after a change? Events only trigger passes, and carry nothing into them.

import { ANNOTATIONS, type ClusterRef, LABELS, nodeName } from '@marekvs/api';
import { type AddOptions, type Change, keyOf } from '@marekvs/runtime';
import type { CacheHandlers, Caches } from '../caches/caches.ts';
import { BY_OWNER, BY_UID, namedUids, ownedBy } from '../caches/indexes.ts';
import type { PodView } from '../caches/pod-view.ts';
import type { ChildView, ClusterView, NodeView, RevisionView } from '../caches/views.ts';
import type { VolumeView } from '../caches/volume-view.ts';

export interface Routes extends CacheHandlers {
  /** A member's answer changed in meaning: reconciles the cluster and every one of its nodes. */
  answers(clusterKey: string): void;
  /** A drain of a host has begun or ended: reconciles the clusters with Pods there. */
  host(name: string): void;
  /** It has changed whether drained hosts are known: reconciles the clusters that replace members on a drain. */
  drains(): void;
  /** Reconciles everything of these clusters at low priority, after ownership was gained. */
  everything(isMeant: (clusterKey: string) => boolean): void;
}

type Enqueue = (key: string, options?: AddOptions) => void;

/** @param caches a function, because the caches are created with these handlers */
export function createRoutes(caches: () => Caches, cluster: Enqueue, node: Enqueue): Routes {
  const nodesOfCluster = (of: ClusterRef, options?: AddOptions): void => {
    for (const view of caches().nodes.store.byIndex(BY_OWNER, ownedBy(of))) node(keyOf(view), options);
  };
  const nodesOfClusterKey = (key: string): void => {
    const view = caches().clusters.store.get(key);
    if (view !== undefined) nodesOfCluster(view);
  };

  /** The clusters that a node names, or has named, when that has changed: one that it is not of shows it. What else
   *  becomes of it is nothing to such a cluster, and does not wake it. */
  const namedIn = ({ previous, current }: Change<NodeView>): readonly string[] => {
    const namedBy = (view: NodeView | undefined) => (view === undefined ? [] : namedUids(view.owner));
    const [before, now] = [namedBy(previous), namedBy(current)];
    const isSame = previous?.owner.kind === current?.owner.kind && before.join() === now.join();
    const uids = isSame ? [] : [...new Set([...before, ...now])];
    const named = uids.flatMap((uid) => [...caches().clusters.store.byIndex(BY_UID, uid)]);
    return named.map(keyOf);
  };

  return {
    cluster(change: Change<ClusterView>) {
      cluster(change.key, gently(change));
      const view = change.current ?? change.previous;
      if (view === undefined || !concernsNodes(change)) return;
      nodesOfCluster(view, gently(change));
    },
    node(change: Change<NodeView>) {
      node(change.key, gently(change));
      const view = change.current ?? change.previous;
      if (view === undefined) return;
      const own = `${view.namespace}/${view.object.spec.clusterName}`;
      cluster(own, gently(change));
      for (const key of namedIn(change)) if (key !== own) cluster(key, { priority: 'low' });
    },
    pod(change: Change<PodView>) {
      node(change.key, gently(change));
      const clusterKey = labelledCluster(change);
      if (clusterKey === undefined) return;
      cluster(clusterKey, gently(change));
      // A member that came back or went may let another one start.
      if (!change.initial && change.previous?.isReady !== change.current?.isReady) nodesOfClusterKey(clusterKey);
    },
    volume(change: Change<VolumeView>) {
      const view = change.current ?? change.previous;
      if (view?.clusterName === undefined) return;
      cluster(`${view.namespace}/${view.clusterName}`, gently(change));
      if (view.nodeId !== undefined)
        node(`${view.namespace}/${nodeName(view.clusterName, view.nodeId)}`, gently(change));
    },
    child(change: Change<ChildView>) {
      const clusterKey = labelledCluster(change);
      if (clusterKey !== undefined && !change.own) cluster(clusterKey, gently(change));
    },
    revision(change: Change<RevisionView>) {
      const sentinelOf = (change.current ?? change.previous)?.sentinelOf;
      if (sentinelOf !== undefined && !change.own) cluster(sentinelOf, gently(change));
      const owner = (change.current ?? change.previous)?.owner;
      if (owner === undefined || change.own) return;
      if (caches().clusters.store.get(keyOf(owner))?.uid === owner.uid) cluster(keyOf(owner), gently(change));
    },
    answers(clusterKey) {
      cluster(clusterKey);
      nodesOfClusterKey(clusterKey);
    },
    host(name) {
      const there = [...caches().pods.store.values()].filter(({ hostName }) => hostName === name);
      for (const key of new Set(there.map(({ namespace, labels }) => `${namespace}/${labels[LABELS.cluster] ?? ''}`)))
        cluster(key);
    },
    drains() {
      for (const { namespace, name, object } of caches().clusters.store.values())
        if (object.spec.hosts?.replaceOnDrain === true) cluster(`${namespace}/${name}`);
    },
    everything(isMeant) {
      for (const { namespace, name } of caches().clusters.store.values())
        if (isMeant(`${namespace}/${name}`)) cluster(`${namespace}/${name}`, { priority: 'low' });
      for (const { namespace, name, object } of caches().nodes.store.values())
        if (isMeant(`${namespace}/${object.spec.clusterName}`)) node(`${namespace}/${name}`, { priority: 'low' });
    },
  };
}

/** Objects of the first list did not change now, and must not delay those that do. */
function gently(change: { readonly initial: boolean }): AddOptions {
  return change.initial ? { priority: 'low' } : {};
}

/** The facts of a cluster that its nodes depend on: that it exists, is paused, formed or released, the password, what
 *  becomes of volumes, the progress of a removal, and whether members may start one by one after an outage. */
function concernsNodes({ previous, current }: Change<ClusterView>): boolean {
  const facts = (view: ClusterView | undefined) =>
    view === undefined
      ? 'gone'
      : [
          view.object.metadata.deletionTimestamp,
          view.object.spec.paused === true,
          view.object.spec.auth?.secretRef.name,
          view.object.spec.auth?.secretRef.key,
          view.object.status?.formed?.clusterId,
          view.object.status?.release?.phase,
          view.object.status?.release?.statefulSetUID,
          view.object.spec.volumeRetention?.whenDeleted,
          view.object.spec.deletionProtection,
          view.object.metadata.annotations?.[ANNOTATIONS.startAfterOutage],
          ...removalFacts(view),
        ].join();
  return facts(previous) !== facts(current);
}

function removalFacts({ object }: ClusterView): readonly (string | undefined)[] {
  const operation = object.status?.operation;
  return [operation?.id, operation?.phase, operation?.proof?.pre?.at, operation?.blocked?.reason];
}

/** The cluster by the label, or by the label before when it was removed. */
function labelledCluster(change: {
  readonly previous: { readonly namespace: string; readonly labels: Readonly<Record<string, string>> } | undefined;
  readonly current: { readonly namespace: string; readonly labels: Readonly<Record<string, string>> } | undefined;
}): string | undefined {
  for (const view of [change.current, change.previous]) {
    const name = view?.labels[LABELS.cluster];
    if (view !== undefined && name !== undefined) return `${view.namespace}/${name}`;
  }
  return undefined;
}
