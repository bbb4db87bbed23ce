// A client that tells the caches what it wrote, so that no controller can forget to: the next pass of the key reads its own writes.
import { isStatus, type KubeClient } from './client.ts';
import { type Kind, type KubeObject, keyOf, resourceOf, type Stored } from './kinds.ts';
import type { Reflector } from './reflector.ts';
import type { OwnWriteFloors } from './store-floors.ts';

type Observer = Pick<Reflector<unknown>, 'resource' | 'observe' | 'observeDelete'>;

export interface ObservingOptions {
  readonly reflectors: readonly Observer[];
  readonly floors: OwnWriteFloors;
  /** Whose pass writes: the key that waits until the caches have seen it. Undefined: the written object's own. */
  readonly ownerKey?: string | undefined;
}

/** Cheap enough to make one for each pass. Reads go through unchanged; kinds without a cache too. */
export function createObservingClient(client: KubeClient, opts: ObservingOptions): KubeClient {
  const byResource = new Map(opts.reflectors.map((reflector) => [reflector.resource, reflector]));

  async function observed<T extends KubeObject>(kind: Kind<T>, write: Promise<Stored<T>>): Promise<Stored<T>> {
    const object = await write;
    const resource = resourceOf(kind);
    byResource.get(resource)?.observe(object);
    opts.floors.wrote(resource, keyOf(object.metadata), object.metadata.resourceVersion, opts.ownerKey);
    return object;
  }

  return {
    get: client.get,
    list: client.list,
    create: (kind, object, call) => observed(kind, client.create(kind, object, call)),
    update: (kind, object, call) => observed(kind, client.update(kind, object, call)),
    updateStatus: (kind, object, call) => observed(kind, client.updateStatus(kind, object, call)),
    patch: (kind, ref, patch, precondition, call) => observed(kind, client.patch(kind, ref, patch, precondition, call)),
    patchStatus: (kind, ref, patch, precondition, call) =>
      observed(kind, client.patchStatus(kind, ref, patch, precondition, call)),
    apply: (kind, object, call) => observed(kind, client.apply(kind, object, call)),
    async delete(kind, ref, precondition, call) {
      const answer = await client.delete(kind, ref, precondition, call);
      const resource = resourceOf(kind);
      byResource.get(resource)?.observeDelete({ ...ref, uid: precondition.uid }, answer);
      if (!isStatus(answer)) {
        opts.floors.wrote(resource, keyOf(ref), answer.metadata.resourceVersion, opts.ownerKey);
      }
      return answer;
    },
  };
}
