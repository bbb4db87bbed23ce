// A member's mesh port that a test controls, on a real socket. It accepts only messages of an observer: anything else
// fails the test when the member is disposed of.

import { EventEmitter, once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { MemberAddress } from '../../src/address.ts';
import { type Entry, type Heard, hear, say } from './mesh-wire.ts';

/** Called with every message, in order. */
export type MeshScript = (heard: Heard, socket: Socket) => void;

export interface MeshMember extends AsyncDisposable {
  readonly address: MemberAddress;
  /** All messages of all connections. */
  readonly heard: readonly Heard[];
  /** Resolves when the messages so far are enough. */
  until(isEnough: (heard: readonly Heard[]) => boolean): Promise<void>;
  /** Sends bytes that were not asked for on every connection. */
  say(bytes: Uint8Array): void;
  /** Ends every connection at once. */
  hangUp(): void;
  /** Resolves when there is no connection any more. */
  left(): Promise<void>;
}

export const NODE_ID = 3;

export async function meshMember(script: MeshScript): Promise<MeshMember> {
  const heard: Heard[] = [];
  const sockets = new Set<Socket>();
  const events = new EventEmitter();
  let problem: unknown;
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}); // the client closes the connection on purpose in most of these tests
    socket.on('close', () => {
      sockets.delete(socket);
      events.emit('change');
    });
    let waiting: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      try {
        const { heard: more, rest } = hear(Buffer.concat([waiting, chunk]));
        waiting = rest;
        for (const message of more) {
          heard.push(message);
          script(message, socket);
        }
        events.emit('change');
      } catch (error) {
        problem ??= error;
        socket.destroy();
      }
    });
  });
  server.listen(0, '127.0.0.9');
  await once(server, 'listening');
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('no port');
  const until = async (isEnough: () => boolean): Promise<void> => {
    while (!isEnough()) await once(events, 'change');
  };
  const hangUp = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: { host: '127.0.0.9', meshPort: bound.port },
    heard,
    until: (isEnough) => until(() => isEnough(heard)),
    say: (bytes) => {
      for (const socket of sockets) socket.write(bytes);
    },
    hangUp,
    left: () => until(() => sockets.size === 0),
    async [Symbol.asyncDispose]() {
      hangUp();
      server.close();
      await once(server, 'close');
      if (problem !== undefined) throw problem;
    },
  };
}

/** What a member holds. Partitions and buckets that are not named are empty. */
export interface Holdings {
  readonly digests?: ReadonlyMap<number, readonly bigint[]>;
  /** By partition and bucket: `7/255`. */
  readonly entries?: ReadonlyMap<string, readonly Entry[]>;
  /** Stored values by hash, under the key `KEY` and the hash. */
  readonly values?: ReadonlyMap<bigint, Uint8Array>;
  /** Keys by hash. @default made of the hash */
  readonly keyOf?: (hash: bigint) => Uint8Array;
  /** The pages of the partitions of which it is a home. */
  readonly pages?: ReadonlyMap<number, readonly (readonly Pair[])[]>;
}

export type Pair = readonly [key: Uint8Array, value: Uint8Array];

export const KEY = 'secret-key';
export const keyOf = (hash: bigint): Uint8Array => Uint8Array.from(Buffer.from(`${KEY}-${hash}`));

/** Answers like the server: with the buckets that differ, and not at all about what it does not have. */
export function honest(holdings: Holdings = {}): MeshScript {
  const digestsOf = (partition: number): readonly bigint[] =>
    holdings.digests?.get(partition) ?? Array<bigint>(256).fill(0n);
  return (heard, socket) => {
    if (heard.kind === 'ping') socket.write(say.pong(heard.nonce));
    if (heard.kind === 'merkleRoot') socket.write(say.buckets(heard.partition, digestsOf(heard.partition)));
    if (heard.kind === 'merkleBuckets') {
      for (const [bucket, own] of digestsOf(heard.partition).entries()) {
        if (own === heard.digests[bucket]) continue;
        const entries = holdings.entries?.get(`${heard.partition}/${bucket}`) ?? [];
        socket.write(say.bucketKeys(heard.partition, bucket, entries));
      }
    }
    if (heard.kind === 'requestKeys') {
      const records = heard.hashes.flatMap((hash): Pair[] => {
        const value = holdings.values?.get(hash);
        return value === undefined ? [] : [[(holdings.keyOf ?? keyOf)(hash), value]];
      });
      if (records.length > 0) socket.write(say.repairOps(heard.partition, records));
    }
    if (heard.kind === 'bootstrapReq') {
      const pages = holdings.pages?.get(heard.partition);
      if (pages === undefined) return;
      for (const page of pages) socket.write(say.chunk(heard.partition, page));
      socket.write(say.done(heard.partition));
    }
  };
}

/** A member that is honest except for one kind of message. */
export function honestBut(kind: Heard['kind'], script: MeshScript, holdings?: Holdings): MeshScript {
  const otherwise = honest(holdings);
  return (heard, socket) => (heard.kind === kind ? script(heard, socket) : otherwise(heard, socket));
}
