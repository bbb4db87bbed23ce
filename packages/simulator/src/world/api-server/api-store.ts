// The objects that the API server in memory holds: under one sequence of versions, with the history of all changes, and
// told to whoever listens. api-server.ts decides what is stored.

import { mustKnow } from './api-checks.ts';
import { type ApiKind, resourceOfKind } from './api-kinds.ts';
import { type ApiObject, apiKey } from './api-object.ts';

/** One stored change. `object` of a deletion is the last state under the version of the deletion. */
export interface ApiEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resource: string;
  readonly object: ApiObject;
  readonly previous: ApiObject | undefined;
  readonly version: number;
}

export class ApiStore {
  readonly #objects = new Map<string, Map<string, ApiObject>>();
  readonly #listeners = new Set<(event: ApiEvent) => void>();
  readonly #history: ApiEvent[] = [];
  #version = 1;

  /** The version of the last change. */
  get version(): number {
    return this.#version;
  }

  /** Every change since the beginning, oldest first. */
  get history(): readonly ApiEvent[] {
    return this.#history;
  }

  /** Calls `listener` for every change, after it is stored and before the writer has its answer. */
  onEvent(listener: (event: ApiEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The objects of a kind, by their key. */
  of(resource: string): ReadonlyMap<string, ApiObject> {
    return this.#of(resource);
  }

  *everything(): Iterable<readonly [resource: string, object: ApiObject]> {
    for (const [resource, objects] of this.#objects) for (const object of objects.values()) yield [resource, object];
  }

  put(kind: ApiKind, object: ApiObject, previous: ApiObject | undefined): ApiObject {
    this.#version += 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
    const resource = resourceOfKind(kind);
    this.#of(resource).set(apiKey(stored.metadata), stored);
    this.#tell({
      type: previous === undefined ? 'ADDED' : 'MODIFIED',
      resource,
      object: stored,
      previous,
      version: this.#version,
    });
    return stored;
  }

  drop(kind: ApiKind, object: ApiObject): ApiObject {
    this.#version += 1;
    const resource = resourceOfKind(kind);
    const key = apiKey(object.metadata);
    const previous = this.#of(resource).get(key);
    this.#of(resource).delete(key);
    const last = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
    this.#tell({ type: 'DELETED', resource, object: last, previous, version: this.#version });
    return last;
  }

  #of(resource: string): Map<string, ApiObject> {
    const known = this.#objects.get(resource);
    if (known !== undefined) return known;
    mustKnow(resource);
    const created = new Map<string, ApiObject>();
    this.#objects.set(resource, created);
    return created;
  }

  #tell(event: ApiEvent): void {
    this.#history.push(event);
    for (const listener of [...this.#listeners]) listener(event);
  }
}
