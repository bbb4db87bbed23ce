// Stands for a Service, as kube-proxy makes it: a connection goes to one of the ready endpoints of this moment and
// stays there until either side ends it. A change of the endpoints is known a moment later. Without any, it is refused.

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { groupPath } from './paths.ts';
import type { Seen } from './seen.ts';
import type { Watching } from './watching.ts';

export interface ServiceFront {
  readonly host: string;
  readonly port: number;
  /** Addresses that new connections go to now. */
  endpoints(): readonly string[];
  close(): Promise<void>;
}

interface EndpointSliceSeen extends Seen {
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[] | null;
  readonly endpoints?:
    | readonly { readonly addresses: readonly string[]; readonly conditions?: { readonly ready?: boolean } }[]
    | null;
}

/** What a node takes to learn of a change. */
const LEARNED_AFTER_MS = 300;

/** @param service of the first port
 *  @param host address of the front, of 127.0.0.0/8 */
export async function startServiceFront(
  watching: Watching,
  {
    namespace,
    service,
    port,
    host = '127.0.0.1',
  }: {
    readonly namespace: string;
    readonly service: string;
    readonly port: number;
    readonly host?: string;
  },
): Promise<ServiceFront> {
  let ready: readonly string[] = [];
  let turn = 0;
  const sockets = new Set<Socket>();
  const path = `${groupPath('discovery.k8s.io', namespace, 'endpointslices')}?labelSelector=kubernetes.io%2Fservice-name%3D${service}`;
  const following = await watching.follow<EndpointSliceSeen>(path, (slices) => {
    const next = slices.flatMap(({ endpoints }) =>
      (endpoints ?? []).flatMap(({ addresses, conditions }) => (conditions?.ready === false ? [] : addresses)),
    );
    void delay(LEARNED_AFTER_MS).then(() => {
      ready = next;
    });
  });
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const address = ready[turn % Math.max(1, ready.length)];
    turn += 1;
    if (address === undefined) return void client.resetAndDestroy();
    const member = connect({ host: address, port, allowHalfOpen: true });
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
  server.listen(0, host);
  await once(server, 'listening');
  const listening = server.address();
  if (listening === null || typeof listening === 'string') throw new Error('the front has no port');
  return {
    host,
    port: listening.port,
    endpoints: () => ready,
    async close() {
      following.stop();
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
