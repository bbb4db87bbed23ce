// Waits for whole collections: the predicate always sees a complete list, so that a test can also wait for "it is gone"
// and "there are exactly three". The list and its changes are one watch (sendInitialEvents).

import { type KubeConfig, Watch } from '@kubernetes/client-node';
import type { MarekvsCluster, MarekvsNode } from '@marekvs/api';
import { limit } from '@marekvs/testbed';
import { corePath, groupPath, ownPath } from './paths.ts';
import type { ClaimSeen, EventSeen, PodSeen, Seen } from './seen.ts';

/** The same limit as in eventually.ts, for the same reason. */
const DEFAULT_LIMIT_MS = 60_000;
const LONGEST_MESSAGE = 6_000;
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

export type Watching = ReturnType<typeof createWatching>;

export interface Following {
  stop(): void;
}

export function createWatching(config: KubeConfig) {
  /** Gives the complete list of a collection, and again after each change of it, until stopped.
   *  @param onEnd the watch cannot go on */
  async function follow<T extends Seen>(
    path: string,
    onList: (objects: readonly T[]) => void,
    onEnd: (err: unknown) => void = () => undefined,
  ): Promise<Following> {
    let isOver = false;
    let controller: AbortController | undefined;
    const begin = async (): Promise<void> => {
      const mine = new Map<string, T>();
      let isComplete = false;
      const next = await new Watch(config).watch(
        path,
        { sendInitialEvents: true, allowWatchBookmarks: true, resourceVersionMatch: 'NotOlderThan' },
        (type: string, object: T) => {
          if (isOver) return;
          if (type === 'BOOKMARK') isComplete ||= object.metadata.annotations?.[INITIAL_EVENTS_END] === 'true';
          else if (type === 'DELETED') mine.delete(object.metadata.uid);
          else mine.set(object.metadata.uid, object);
          if (isComplete) onList([...mine.values()]);
        },
        // client-node ends a watch that was silent for 30 s.
        () => void (isOver || begin().catch(onEnd)),
      );
      controller = next;
      if (isOver) next.abort();
    };
    await begin();
    return {
      stop() {
        isOver = true;
        controller?.abort();
      },
    };
  }

  /** Follows a collection until its complete list satisfies `isEnough`, and gives that list.
   *  @throws Error after `limitMs`, naming what was waited for and what was there last */
  async function until<T extends Seen>(
    what: string,
    path: string,
    isEnough: (objects: readonly T[]) => boolean,
    limitMs = DEFAULT_LIMIT_MS,
  ): Promise<readonly T[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly T[]>();
    let seen: readonly T[] = [];
    const onList = (objects: readonly T[]): void => {
      seen = objects;
      if (isEnough(objects)) resolve(objects);
    };
    const following = await follow(path, onList, reject);
    const endLimit = limit(limitMs, () => {
      const last = JSON.stringify(seen.map(inShort)).slice(0, LONGEST_MESSAGE);
      reject(new Error(`waited ${limitMs / 1000} s for: ${what}; last seen: ${last}`));
    });
    try {
      return await promise;
    } finally {
      endLimit();
      following.stop();
    }
  }

  /** Waits for one object of a collection. */
  async function one<T extends Seen>(
    what: string,
    path: string,
    name: string,
    isEnough: (object: T) => boolean,
    limitMs?: number,
  ): Promise<T> {
    const find = (objects: readonly T[]) => objects.find((object) => object.metadata.name === name && isEnough(object));
    const found = find(await until<T>(what, path, (objects) => find(objects) !== undefined, limitMs));
    if (found === undefined) throw new Error(`${name} was there and is not`);
    return found;
  }

  return {
    follow,
    until,
    one,
    pod: (namespace: string, name: string, what: string, isEnough: (pod: PodSeen) => boolean, limitMs?: number) =>
      one(what, corePath(namespace, 'pods'), name, isEnough, limitMs),
    pods: (namespace: string, what: string, isEnough: (pods: readonly PodSeen[]) => boolean, limitMs?: number) =>
      until(what, corePath(namespace, 'pods'), isEnough, limitMs),
    claims: (namespace: string, what: string, isEnough: (claims: readonly ClaimSeen[]) => boolean, limitMs?: number) =>
      until(what, corePath(namespace, 'persistentvolumeclaims'), isEnough, limitMs),
    node: (namespace: string, name: string, what: string, isEnough: (node: MarekvsNode) => boolean, limitMs?: number) =>
      one(what, ownPath(namespace, 'marekvsnodes'), name, isEnough, limitMs),
    nodes: (namespace: string, what: string, isEnough: (nodes: readonly MarekvsNode[]) => boolean, limitMs?: number) =>
      until(what, ownPath(namespace, 'marekvsnodes'), isEnough, limitMs),
    cluster: (
      namespace: string,
      name: string,
      what: string,
      isEnough: (cluster: MarekvsCluster) => boolean,
      limitMs?: number,
    ) => one(what, ownPath(namespace, 'marekvsclusters'), name, isEnough, limitMs),
    clusters: (
      namespace: string,
      what: string,
      isEnough: (clusters: readonly MarekvsCluster[]) => boolean,
      limitMs?: number,
    ) => until(what, ownPath(namespace, 'marekvsclusters'), isEnough, limitMs),
    event: async (namespace: string, what: string, isIt: (event: EventSeen) => boolean, limitMs?: number) => {
      const path = groupPath('events.k8s.io', namespace, 'events');
      const events = await until<EventSeen>(what, path, (all) => all.some(isIt), limitMs);
      return events.filter(isIt);
    },
  };
}

/** The parts of an object that explain why a wait for it failed. */
function inShort(object: Seen): object {
  const {
    metadata,
    spec: _spec,
    apiVersion: _version,
    kind: _kind,
    ...rest
  } = { spec: 0, apiVersion: 0, kind: 0, ...object };
  const { name, uid, deletionTimestamp, labels } = metadata;
  return { name, uid, deletionTimestamp, labels, ...rest };
}
