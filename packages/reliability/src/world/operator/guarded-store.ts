// The command ports of members as one process of the operator reaches them: when it dies, none of its pending calls
// settles.

import { createNetworkStoreClient, type KubeWorld } from '@marekvs/simulator';
import type { StoreClient } from '@marekvs/store-client';

/** Only a living process reaches members. */
export function createGuardedStore(world: KubeWorld, isAlive: () => boolean): StoreClient {
  const inner = createNetworkStoreClient(world.network, { onSettled: () => world.loop.touch() });
  const guard =
    <A extends readonly unknown[], R>(call: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> =>
      isAlive() ? call(...args) : new Promise<R>(() => {});
  return {
    drain: guard(inner.drain),
    metrics: guard(inner.metrics),
    nodes: guard(inner.nodes),
    clusterInfo: guard(inner.clusterInfo),
    glance: guard(inner.glance),
    poll: guard(inner.poll),
    session: guard(async (...args: Parameters<StoreClient['session']>) => {
      const session = await inner.session(...args);
      return {
        commands: guard((...list: Parameters<typeof session.commands>) => session.commands(...list)),
        close: () => session.close(),
        [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
      };
    }),
  };
}
