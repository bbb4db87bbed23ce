// A client's connections, one per member, opened when needed and closed when a command fails.

import { createStoreClient, type StoreCommand, type StoreSession } from '@marekvs/store-client';

export interface Sessions {
  /** Carries out these commands at one member, in order. @throws the error of the member or its connection, which is
   *  closed then */
  commands(host: string, list: readonly StoreCommand[]): ReturnType<StoreSession['commands']>;
  /** Closes the connections that are not needed any more. */
  keep(isNeeded: (host: string) => boolean): Promise<void>;
  /** Connections opened so far. */
  opened(): number;
}

export function createSessions(timeoutMs: number): Sessions {
  const store = createStoreClient({ timeoutMs });
  const open = new Map<string, StoreSession>();
  let opened = 0;

  async function close(host: string): Promise<void> {
    const session = open.get(host);
    open.delete(host);
    await session?.[Symbol.asyncDispose]();
  }

  return {
    async commands(host, list) {
      let session = open.get(host);
      if (session === undefined) {
        session = await store.session({ host });
        opened += 1;
        open.set(host, session);
      }
      try {
        return await session.commands(list);
      } catch (err) {
        await close(host);
        throw err;
      }
    },
    async keep(isNeeded) {
      await Promise.all([...open.keys()].filter((host) => !isNeeded(host)).map(close));
    },
    opened: () => opened,
  };
}
