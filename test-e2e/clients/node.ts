// The client program of the libraries for Node. One argument: a ClientTask.

import { createClient, createCluster } from '@redis/client';
import { Cluster, Redis } from 'ioredis';
import { Redis as Valkey, Cluster as ValkeyCluster } from 'iovalkey';
import { type ClientTask, type KeyValueClient, run } from './workload.ts';

const task = JSON.parse(process.argv[2] ?? '') as ClientTask;
await run(task, clientOf(task));

function clientOf(of: ClientTask): KeyValueClient {
  switch (of.library) {
    case 'ioredis':
      return ofIoredis(of.mode === 'plain' ? new Redis(address(of)) : new Cluster([address(of)], homesOf(of)));
    case 'iovalkey':
      return ofIoredis(of.mode === 'plain' ? new Valkey(address(of)) : new ValkeyCluster([address(of)], homesOf(of)));
    case 'node-redis':
      return of.mode === 'plain' ? nodeRedis(of, 3) : nodeRedisCluster(of, 3);
    case 'node-redis-resp2':
      return of.mode === 'plain' ? nodeRedis(of, 2) : nodeRedisCluster(of, 2);
    default:
      throw new Error(`no library ${of.library}`);
  }
}

function address({ host, port, password }: ClientTask) {
  return { host, port, ...(password === undefined ? {} : { password }) };
}

/** docs/operations/connecting.md: homes are asked for every two seconds, since this server never says MOVED. */
function homesOf({ settings, password }: ClientTask) {
  return {
    ...(password === undefined ? {} : { redisOptions: { password } }),
    ...(settings === 'documented' ? { slotsRefreshInterval: 2_000 } : {}),
  };
}

interface LikeIoredis {
  on(event: 'error', listener: () => void): unknown;
  set(key: string, value: string): Promise<unknown>;
  get(key: string): Promise<string | null>;
}

function ofIoredis(client: LikeIoredis): KeyValueClient {
  // Operations that fail are counted where they fail.
  client.on('error', () => undefined);
  return {
    set: (key, value) => client.set(key, value),
    get: (key) => client.get(key),
  };
}

function nodeRedis({ host, port, password }: ClientTask, RESP: 2 | 3): KeyValueClient {
  const client = createClient({ RESP, socket: { host, port }, ...(password === undefined ? {} : { password }) });
  client.on('error', () => undefined);
  // Never ends while it is refused.
  client.connect().catch(() => undefined);
  return {
    set: (key, value) => client.set(key, value),
    get: (key) => client.get(key),
  };
}

function nodeRedisCluster(of: ClientTask, RESP: 2 | 3): KeyValueClient {
  const { host, port, password, settings } = of;
  const client = createCluster({
    RESP,
    rootNodes: [{ socket: { host, port }, ...(password === undefined ? {} : { password }) }],
    ...(password === undefined ? {} : { defaults: { password } }),
    // docs/operations/connecting.md: homes are asked for again half a second after a member has closed a connection.
    ...(settings === 'documented' ? { topologyRefreshOnReconnectionAttemptStrategy: 500 } : {}),
  });
  client.on('error', () => undefined);
  // Never ends while it is refused.
  client.connect().catch(() => undefined);
  return {
    set: (key, value) => client.set(key, value),
    get: (key) => client.get(key),
  };
}
