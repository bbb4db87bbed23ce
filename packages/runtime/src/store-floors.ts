// Reading our own writes: the reconcile of a key waits until the caches have seen what it wrote.
// In memory only; after a restart the first list is newer than anything written before.
import type { ReadonlyStore } from './store.ts';

type Floors = Map<string, { readonly resource: string; readonly objectKey: string; readonly resourceVersion: string }>;

/** What the caches must have seen before an owner's next pass. Normally nothing, since the answer of a write is put into the cache at once. */
export class OwnWriteFloors {
  readonly #byOwner = new Map<string, Floors>();

  /** Notes a write made in the pass of `ownerKey` (default: of the object itself). The last write to an object counts.
   *  @param resource as `resourceOf(kind)` says it */
  wrote(resource: string, objectKey: string, resourceVersion: string, ownerKey: string = objectKey): void {
    let floors = this.#byOwner.get(ownerKey);
    if (floors === undefined) {
      floors = new Map();
      this.#byOwner.set(ownerKey, floors);
    }
    floors.set(`${resource} ${objectKey}`, { resource, objectKey, resourceVersion });
  }

  /** True while a cache has not seen a write of this owner; forgets what has been seen. A resource without a cache is not waited for. */
  behind(stores: ReadonlyMap<string, Pick<ReadonlyStore<unknown>, 'isBehind'>>, ownerKey: string): boolean {
    const floors = this.#byOwner.get(ownerKey);
    if (floors === undefined) return false;
    for (const [id, floor] of floors) {
      if (stores.get(floor.resource)?.isBehind(floor.objectKey, floor.resourceVersion) === true) return true;
      floors.delete(id);
    }
    this.#byOwner.delete(ownerKey);
    return false;
  }

  /** Drops every floor of a resource: its versions went back since the API server was restored from a backup (F59). */
  forget(resource: string): void {
    for (const [ownerKey, floors] of this.#byOwner) {
      for (const [id, floor] of floors) if (floor.resource === resource) floors.delete(id);
      if (floors.size === 0) this.#byOwner.delete(ownerKey);
    }
  }

  /** Owners that are waited for; a gauge. */
  get size(): number {
    return this.#byOwner.size;
  }
}
