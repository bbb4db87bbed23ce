// What the events of a stream change: a state that is still being collected, or the store that follows from a version
// on. A version that the watch goes back to without a reason ends the stream.

import type { WatchEvent } from '../client/list-watch.ts';
import { type KubeObject, keyOf } from '../objects/kinds.ts';
import { isOlder } from '../objects/resource-version.ts';
import { RegressedError } from './reflector-ends.ts';
import type { Identified, Scope, Store } from './store.ts';

/** What is cached of an object, and whether it is cached at all. */
export interface Projected<V> {
  readonly v: V;
  readonly isKept: boolean;
}

/** Undefined when the object cannot be projected: what is cached of it stays as it is. */
type Project<V> = (o: KubeObject) => Projected<V> | undefined;

type StateEvent = Exclude<WatchEvent, { type: 'ERROR' }>;

/** Collects an event before the end bookmark: readers do not see this state yet. */
export function collect<V>(initial: Map<string, V>, event: StateEvent, project: Project<V>): void {
  if (event.type === 'BOOKMARK') return;
  const key = keyOf(event.object.metadata);
  const projected = event.type === 'DELETED' ? undefined : project(event.object);
  if (event.type === 'DELETED' || projected?.isKept === false) initial.delete(key);
  else if (projected !== undefined) initial.set(key, projected.v);
}

/** Where the store is in the history of a scope. */
interface Position {
  /** The version from which the watch resumes; undefined = everything has to be read again. */
  readonly version: string | undefined;
  lose(): void;
  /** The whole state was read, as of this version. */
  set(version: string): void;
  /** An event of the watch. @throws RegressedError */
  follow(event: StateEvent): void;
}

export function createPosition<V extends Identified>(store: Store<V>, scope: Scope, project: Project<V>): Position {
  let version: string | undefined;

  /** Whether a late event adds nothing to the cache (F7) and is ignored. One that does not fit causes a full list. */
  function isKnown(event: StateEvent): boolean {
    const cached = store.get(keyOf(event.object.metadata));
    if (cached === undefined) return event.type === 'DELETED';
    return !isOlder(cached.resourceVersion, event.object.metadata.resourceVersion);
  }

  return {
    get version() {
      return version;
    },
    lose() {
      version = undefined;
    },
    set(whole) {
      version = whole;
    },
    follow(event) {
      const { metadata } = event.object;
      const isLate = version !== undefined && isOlder(metadata.resourceVersion, version);
      if (event.type === 'BOOKMARK') {
        if (isLate) throw new RegressedError(version, metadata.resourceVersion);
      } else {
        if (isLate && !isKnown(event)) throw new RegressedError(version, metadata.resourceVersion);
        // A DELETED event shows the last state, which may be one that is not kept, or cannot be projected.
        const projected = event.type === 'DELETED' ? undefined : project(event.object);
        // A changed object may no longer be kept.
        if (event.type === 'DELETED' || projected?.isKept === false) store.remove(metadata);
        else if (projected !== undefined) store.upsert(projected.v);
      }
      if (isLate) return;
      version = metadata.resourceVersion;
      store.advance(scope, version);
    },
  };
}
