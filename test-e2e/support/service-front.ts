// Stands for the client Service, as kube-proxy makes it: a connection goes to one of the members that are ready and
// serve at this moment, and stays there until either side ends it. A change of these is known a moment later. Without
// any, it is refused.

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { MEMBER_PORTS } from '@marekvs/api';
import type { Serving } from './serving.ts';

export interface ServiceFront {
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
}

/** What a host takes to learn of a change. */
const LEARNED_AFTER_MS = 300;

export async function startServiceFront(serving: Serving): Promise<ServiceFront> {
  let known = serving.addresses();
  let turn = 0;
  const sockets = new Set<Socket>();
  const learning = setInterval(() => {
    known = serving.addresses();
  }, LEARNED_AFTER_MS);
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const address = known[turn % Math.max(1, known.length)];
    turn += 1;
    if (address === undefined) return void client.resetAndDestroy();
    const member = connect({ host: address, port: MEMBER_PORTS.resp, allowHalfOpen: true });
    for (const [one, other] of [
      [client, member],
      [member, client],
    ] as const) {
      sockets.add(one);
      one.setNoDelay(true);
      one.pipe(other);
      one.once('error', () => other.resetAndDestroy());
      one.once('close', () => sockets.delete(one));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const listening = server.address();
  if (listening === null || typeof listening === 'string') throw new Error('the front has no port');
  return {
    host: listening.address,
    port: listening.port,
    async close() {
      clearInterval(learning);
      serving.stop();
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
