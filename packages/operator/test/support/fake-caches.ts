// The operator's caches over the API server in memory: like the real ones, they have only what carries the operator's
// label, and the answer to an own write at once.

import { LABELS, MANAGED_BY } from '@marekvs/api';
import { type Change, type Identified, keyOf, type Reflector } from '@marekvs/runtime';
import type { CacheHandlers, Caches } from '../../src/caches/caches.ts';
import { CLUSTER_INDEXES, NODE_INDEXES, REVISION_INDEXES, VOLUME_INDEXES } from '../../src/caches/indexes.ts';
import { toPodView } from '../../src/caches/pod-view.ts';
import * as views from '../../src/caches/views.ts';
import { toVolumeView } from '../../src/caches/volume-view.ts';
import type { Any, createFakeApi } from './fake-api.ts';

/** @param held resources whose caches at present learn only of the operator's own reads and writes */
export function createFakeCaches(
  api: ReturnType<typeof createFakeApi>,
  handlers: CacheHandlers,
  held: ReadonlySet<string> = new Set(),
): Caches {
  function cacheOf<V extends Identified>(
    resource: string,
    project: (object: Any) => V,
    onChange: (change: Change<V>) => void,
    indexes: Readonly<Record<string, (view: V) => readonly string[]>> = {},
  ): Reflector<V> {
    const values = new Map<string, V>();
    const isOurs = (object: Any) =>
      resource.endsWith('.marekvs.io') || object.metadata.labels?.[LABELS.managedBy] === MANAGED_BY;

    function take(object: Any, isGone: boolean, own: boolean): void {
      const next = project(object);
      const key = keyOf(next);
      const previous = values.get(key);
      if (isGone ? previous?.uid !== next.uid : isKnown(previous, next)) return;
      if (isGone) values.delete(key);
      else values.set(key, next);
      const type = isGone ? 'deleted' : previous === undefined ? 'added' : 'updated';
      onChange({ type, key, previous, current: isGone ? undefined : next, initial: false, own });
    }

    const seen = new Set<string>();
    api.watch(resource, (object, isGone) => {
      if (held.has(resource)) return;
      const { uid } = object.metadata;
      const wasOurs = seen.has(uid);
      const isLeaving = isGone || !isOurs(object);
      if (isLeaving && !wasOurs) return;
      if (isLeaving) seen.delete(uid);
      else seen.add(uid);
      take(object, isLeaving, false);
    });

    return {
      name: resource,
      resource,
      store: {
        get: (key) => values.get(key),
        values: () => values.values(),
        byIndex: (name, value) => [...values.values()].filter((entry) => indexes[name]?.(entry).includes(value)),
        get size() {
          return values.size;
        },
        hasSynced: true,
        resourceVersion: undefined,
      },
      run: async () => {},
      synced: Promise.resolve(),
      problem: undefined,
      observe: (object) => take(object as Any, false, true),
      observeDelete(ref, answer) {
        const live = values.get(keyOf(ref));
        if (answer !== undefined && answer.kind !== 'Status') take(answer as Any, false, true);
        else if (live?.uid === ref.uid) values.delete(keyOf(ref));
      },
      relist: async () => {},
      drop: () => {},
      join: async () => {},
      leave: () => {},
      lastSeenAgeMs: () => 0,
    };
  }

  // The server keeps every kind in one map; here each gets the type its resource says.
  return {
    clusters: cacheOf(
      'marekvsclusters.marekvs.io',
      (o) => views.toClusterView(o as never),
      handlers.cluster,
      CLUSTER_INDEXES,
    ),
    nodes: cacheOf('marekvsnodes.marekvs.io', (o) => views.toNodeView(o as never), handlers.node, NODE_INDEXES),
    pods: cacheOf('pods', (o) => toPodView(o as never), handlers.pod),
    volumes: cacheOf('persistentvolumeclaims', (o) => toVolumeView(o as never), handlers.volume, VOLUME_INDEXES),
    services: cacheOf('services', views.toChildView, handlers.child),
    budgets: cacheOf('poddisruptionbudgets.policy', views.toChildView, handlers.child),
    policies: cacheOf('networkpolicies.networking.k8s.io', views.toChildView, handlers.child),
    revisions: cacheOf(
      'controllerrevisions.apps',
      (o) => views.toRevisionView(o as never),
      handlers.revision,
      REVISION_INDEXES,
    ),
  };
}

function isKnown(previous: Identified | undefined, next: Identified): boolean {
  return previous !== undefined && Number(previous.resourceVersion) >= Number(next.resourceVersion);
}
