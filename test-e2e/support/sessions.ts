// A client's connections, one per member: opened when they are needed, and given up when one fails.

import { createStoreClient, type StoreCommand, type StoreSession } from '@marekvs/store-client';

export interface Sessions {
  /** Carries these out at one member, in order. @throws what the member or its connection answered; the
   *  connection is closed then */
  commands(host: string, list: readonly StoreCommand[]): ReturnType<StoreSession['commands']>;
  /** Leaves those that nobody needs any more. */
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
