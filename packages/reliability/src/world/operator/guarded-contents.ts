// The mesh ports of members as one process of the operator reaches them: when it dies its connections end, and none of
// its pending calls settles.

import { createNetworkContentClient, type KubeWorld } from '@marekvs/simulator';
import type { ContentClient, ContentReader } from '@marekvs/store-client';

export interface GuardedContents {
  readonly client: ContentClient;
  /** The process has died. */
  hangUp(): void;
}

export function createGuardedContents(
  { network, loop }: Pick<KubeWorld, 'network' | 'loop'>,
  isAlive: () => boolean,
): GuardedContents {
  // Promises are checked only when one settles, since a comparison gets thousands of answers.
  const inner = createNetworkContentClient(network, { onSettled: () => loop.touch() });
  const open = new Set<ContentReader>();

  /** Never settles once the process is dead. */
  function whileAlive<T>(call: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (!isAlive()) return;
      call().then(
        (value) => {
          if (isAlive()) resolve(value);
        },
        (error: unknown) => {
          if (isAlive()) reject(error);
        },
      );
    });
  }

  return {
    client: {
      open: (address, options) =>
        whileAlive(async () => {
          const reader = await inner.open(address, options);
          if (!isAlive()) reader.close();
          open.add(reader);
          return {
            digests: (...args) => whileAlive(() => reader.digests(...args)),
            entries: (...args) => whileAlive(() => reader.entries(...args)),
            records: (...args) => whileAlive(() => reader.records(...args)),
            stream: (...args) => whileAlive(() => reader.stream(...args)),
            close() {
              open.delete(reader);
              reader.close();
            },
          };
        }),
    },
    hangUp() {
      for (const reader of open) reader.close();
      open.clear();
    },
  };
}
