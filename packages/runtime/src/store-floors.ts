// Reading our own writes: the reconcile of a key waits until the caches have seen what it wrote.
// In memory only; after a restart the first list is newer than anything written before.
import type { ReadonlyStore } from './store.ts';

/** What one kind's cache must have seen before an owner's next pass. */
export class OwnWriteFloors {
  /** Notes a write made in the pass of `ownerKey` (default: of the object itself). */
  wrote(_resource: string, _objectKey: string, _resourceVersion: string, _ownerKey?: string): void {
    throw new Error('not yet');
  }

  /** True while a cache has not seen a write of this owner; forgets what has been seen. */
  behind(_stores: ReadonlyMap<string, Pick<ReadonlyStore<unknown>, 'isBehind'>>, _ownerKey: string): boolean {
    throw new Error('not yet');
  }
}
