// The cache of one kind: objects by key, named indexes, and the rules by which an older version never replaces a newer
// one. reflector.ts feeds it (list, watch, our own writes). No I/O.
import { keyOf } from '../objects/kinds.ts';
import { compareResourceVersions, isOlder } from '../objects/resource-version.ts';
import { createIndexes, type IndexFunctions } from './store-indexes.ts';

/** What every cached value has: the identity and version of its object. */
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
  /** Part of the very first list: nothing has happened to the object, it was only unknown before. */
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
  /** How far the cache has followed the API server; undefined before the first list. Of several namespaces: the
   *  least. */
  readonly resourceVersion: string | undefined;
}

type Deleted = Omit<Identified, 'uid'> & { readonly uid?: string | undefined };

/** The scope of a list or watch: one namespace, or `''` for everything. */
export type Scope = string;

/** What became of an event: `older` = the cache has something newer, or the event is out of scope; nothing changed. */
export type Verdict = 'applied' | 'same' | 'older';

export interface Store<V extends Identified> extends ReadonlyStore<V> {
  /** An ADDED or MODIFIED event. */
  upsert(v: V): Verdict;
  /** A DELETED event, with the version of the deletion. */
  remove(deleted: Deleted): Verdict;
  /** Everything of this scope up to `resourceVersion` has been seen. Never goes back; only `replace` may. */
  advance(scope: Scope, resourceVersion: string): void;
  progressOf(scope: Scope): string | undefined;
  /** Applies a consistent list. Emits only differences, after all of them are in place. Our own writes that are newer
   *  than the list stay. A list older than what was seen before means that the API server was restored from a backup:
   *  then the list overrides everything (F59). */
  replace(scope: Scope, next: ReadonlyMap<string, V>, resourceVersion: string): void;
  /** Applies the answer to our own write, if it is newer and the object is not known to be deleted since. */
  observe(v: V): void;
  /** Applies the answer to our own delete: removes the object, and ignores its uid until the watch confirms. */
  observeGone(key: string, uid: string): void;
  /** Removes the unwanted values without emitting a change. */
  drop(isUnwanted: (v: V) => boolean): void;
  /** Adds a namespace, which has not been listed yet. */
  join(scope: Scope): void;
  /** Removes a namespace and its values without emitting a change. Events of it that arrive later are dropped. */
  leave(scope: Scope): void;
}

export interface StoreOptions<V> {
  readonly scopes: readonly Scope[];
  readonly indexes?: IndexFunctions<V> | undefined;
  /** Called after the change is in the store. Must not throw. */
  readonly emit: (change: Change<V>) => void;
}

export function createStore<V extends Identified>(opts: StoreOptions<V>): Store<V> {
  const byKey = new Map<string, V>();
  const indexes = createIndexes<V>(opts.indexes ?? {});
  const progress = new Map<Scope, string>();
  /** Key to uid of the objects that we deleted and whose deletion the watch has not confirmed. */
  const tombstones = new Map<string, string>();
  const scopes = new Set(opts.scopes);
  const isWide = scopes.has('');

  const scopeOf = (namespace: string): Scope | undefined =>
    isWide ? '' : scopes.has(namespace) ? namespace : undefined;

  function put(key: string, current: V | undefined, own: boolean, initial = false): Change<V>[] {
    const previous = byKey.get(key);
    indexes.put(key, previous, current);
    if (current === undefined) byKey.delete(key);
    else byKey.set(key, current);
    const change = (type: Change<V>['type'], before: V | undefined, after: V | undefined): Change<V> => ({
      type,
      key,
      previous: before,
      current: after,
      initial,
      own,
    });
    if (previous === undefined) return current === undefined ? [] : [change('added', undefined, current)];
    if (current === undefined) return [change('deleted', previous, undefined)];
    if (previous.uid === current.uid) return [change('updated', previous, current)];
    return [change('deleted', previous, undefined), change('added', undefined, current)];
  }

  function emit(changes: readonly Change<V>[]): void {
    for (const change of changes) opts.emit(change);
  }

  function upsert(v: V): Verdict {
    const key = keyOf(v);
    if (scopeOf(v.namespace ?? '') === undefined) return 'older';
    if (tombstones.get(key) === v.uid) return 'older';
    const cached = byKey.get(key);
    if (cached !== undefined) {
      if (isOlder(v.resourceVersion, cached.resourceVersion)) return 'older';
      if (v.resourceVersion === cached.resourceVersion && v.uid === cached.uid) return 'same';
    }
    tombstones.delete(key);
    emit(put(key, v, false));
    return 'applied';
  }

  function remove(deleted: Deleted): Verdict {
    const key = keyOf(deleted);
    if (tombstones.get(key) === deleted.uid) tombstones.delete(key);
    const cached = byKey.get(key);
    if (cached === undefined) return 'same';
    if (isOlder(deleted.resourceVersion, cached.resourceVersion)) return 'older';
    emit(put(key, undefined, false));
    return 'applied';
  }

  function replace(scope: Scope, next: ReadonlyMap<string, V>, resourceVersion: string): void {
    if (!scopes.has(scope)) return;
    const before = progress.get(scope);
    const restored = before !== undefined && isOlder(resourceVersion, before);
    const changes: Change<V>[] = [];
    const isNewerThanList = (v: V): boolean => !restored && isOlder(resourceVersion, v.resourceVersion);
    for (const [key, cached] of byKey) {
      if (scope !== '' && cached.namespace !== scope) continue;
      if (!next.has(key) && !isNewerThanList(cached)) changes.push(...put(key, undefined, false));
    }
    for (const [key, uid] of tombstones) {
      if (scope !== '' && !key.startsWith(`${scope}/`)) continue;
      if (restored || next.get(key)?.uid !== uid) tombstones.delete(key);
    }
    for (const [key, listed] of next) {
      if (tombstones.has(key)) continue;
      const cached = byKey.get(key);
      if (cached !== undefined) {
        if (isNewerThanList(cached)) continue;
        if (cached.uid === listed.uid && cached.resourceVersion === listed.resourceVersion) continue;
      }
      changes.push(...put(key, listed, false, before === undefined));
    }
    progress.set(scope, resourceVersion);
    emit(changes);
  }

  function observe(v: V): void {
    const scope = scopeOf(v.namespace ?? '');
    const key = keyOf(v);
    if (scope === undefined || tombstones.get(key) === v.uid) return;
    const cached = byKey.get(key);
    if (cached === undefined) {
      // Every event up to the progress was seen: an object written before that and absent now was deleted again. With
      // unordered versions it may have been deleted, and then nothing would ever remove it.
      const seen = progress.get(scope);
      if (seen !== undefined && !isOlder(seen, v.resourceVersion)) return;
    } else {
      const order = compareResourceVersions(v.resourceVersion, cached.resourceVersion);
      // Without an order the watch decides: a late answer must not undo a newer event for good.
      if (order === undefined || order <= 0) return;
    }
    tombstones.delete(key);
    emit(put(key, v, true));
  }

  function observeGone(key: string, uid: string): void {
    if (byKey.get(key)?.uid !== uid) return;
    tombstones.set(key, uid);
    emit(put(key, undefined, true));
  }

  function drop(isUnwanted: (v: V) => boolean): void {
    for (const [key, v] of byKey) {
      if (!isUnwanted(v)) continue;
      put(key, undefined, false);
      tombstones.delete(key);
    }
  }

  return {
    get: (key) => byKey.get(key),
    values: () => byKey.values(),
    byIndex(index, value) {
      const found: V[] = [];
      for (const key of indexes.keys(index, value)) {
        const v = byKey.get(key);
        if (v !== undefined) found.push(v);
      }
      return found;
    },
    get size() {
      return byKey.size;
    },
    get hasSynced() {
      return progress.size === scopes.size;
    },
    get resourceVersion() {
      return progress.size === scopes.size ? least([...progress.values()]) : undefined;
    },
    upsert,
    remove,
    advance(scope, resourceVersion) {
      const seen = progress.get(scope);
      if (!scopes.has(scope)) return;
      if (seen === undefined || !isOlder(resourceVersion, seen)) progress.set(scope, resourceVersion);
    },
    progressOf: (scope) => progress.get(scope),
    replace,
    observe,
    observeGone,
    drop,
    join: (scope) => void scopes.add(scope),
    leave(scope) {
      scopes.delete(scope);
      progress.delete(scope);
      drop(({ namespace }) => namespace === scope);
      for (const key of tombstones.keys()) if (key.startsWith(`${scope}/`)) tombstones.delete(key);
    },
  };
}

function least(versions: readonly string[]): string | undefined {
  return versions.reduce<string | undefined>((a, b) => (a === undefined || isOlder(b, a) ? b : a), undefined);
}
