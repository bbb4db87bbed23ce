// The cache of one kind: objects by key, named indexes, and the rules by which an older version never replaces a newer one.
// Who feeds it (list, watch, our own writes) is reflector.ts; it does no I/O.

/** The least a cached value has: whose version of which object it is. */
export interface Identified {
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** One difference between the cache before and after. A delete and re-creation under the same name is two changes. */
export interface Change<V> {
  readonly type: 'added' | 'updated' | 'deleted';
  readonly key: string;
  readonly previous: V | undefined;
  readonly current: V | undefined;
  /** Part of the very first list: nothing happened, we only did not know it yet. */
  readonly initial: boolean;
  /** Caused by the answer to a write of this process. */
  readonly own: boolean;
}

export interface ReadonlyStore<V> {
  /** @param key `namespace/name`, or `name` for cluster scope (keyOf) */
  get(key: string): V | undefined;
  values(): Iterable<V>;
  /** The values that the named index files under `value`. @throws Error when there is no such index */
  byIndex(index: string, value: string): readonly V[];
  readonly size: number;
  /** The first consistent list is complete. Before that, absence means nothing. */
  readonly hasSynced: boolean;
  /** How far the cache has followed the API server; undefined before the first list. Of several namespaces: the least. */
  readonly resourceVersion: string | undefined;
  /** True while the cache has not yet seen what was written to `key` with `floorResourceVersion`. */
  isBehind(key: string, floorResourceVersion: string): boolean;
}
