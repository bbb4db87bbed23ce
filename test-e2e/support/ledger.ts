// A writer with a ledger: clients of a cluster that note every write the cluster acknowledged, and afterwards look for each on every
// home. They use what the client Service gives them, leave a member that serves no more, and connect again when a connection ends.

import { setTimeout as delay } from 'node:timers/promises';
import { createStoreClient, type StoreCommand, type StoreSession } from '@marekvs/store-client';
import { type Copy, membersOf, readHomes } from './data.ts';
import { eventually } from './eventually.ts';
import { createEntries, type Entries } from './ledger-entries.ts';
import { followServing, type Serving } from './serving.ts';
import type { World } from './world.ts';

export interface LedgerOptions {
  readonly namespace: string;
  readonly name: string;
  /** Default 2. */
  readonly replicationFactor?: number;
  /** Writes per second of all clients, half of them to keys that are written again and again; default 200. */
  readonly perSecond?: number;
  /** Of all keys; two ledgers of one cluster need two. Default none. */
  readonly prefix?: string;
  /** Default 4. */
  readonly clients?: number;
}

export interface Ledger {
  /** Writes acknowledged so far. */
  acknowledged(): number;
  /** Lets every client finish what it has sent. Idempotent. @returns what it was like, in one line for a person */
  stop(): Promise<string>;
  /** Every acknowledged write is on every home, with its value or one that was sent later. Stops the writer first.
   *  @param ids of the members that there are now
   *  @throws Error with how many are nowhere, how many lack a copy, and some of them by key, home and time */
  check(ids: readonly number[], limitMs?: number): Promise<void>;
}

const BEAT_MS = 100;
const COMMAND_LIMIT_MS = 3000;
const NAMED = 8;

/** Starts writing; resolves after the first acknowledged write of each client. */
export async function startLedger({ watching, testbed }: World, options: LedgerOptions): Promise<Ledger> {
  const { namespace, name, replicationFactor = 2, perSecond = 200, clients = 4, prefix = '' } = options;
  const serving = await followServing(watching, namespace, name);
  const stopped = new AbortController();
  const entries = createEntries(prefix);
  const perBeat = Math.max(1, Math.round((perSecond * BEAT_MS) / 1000 / clients / 2));
  const writers = Array.from({ length: clients }, (_, index) =>
    startWriter({ index, serving, entries, perBeat, signal: stopped.signal }),
  );
  const ended = Promise.all(writers.map((writer) => writer.ended));
  let summary: Promise<string> | undefined;
  const ledger: Ledger = {
    acknowledged: () => entries.acknowledged(),
    stop() {
      summary ??= finish();
      return summary;
    },
    async check(ids, limitMs) {
      await ledger.stop();
      let wrong: readonly Copy[] = [];
      let all: readonly Copy[] = [];
      const look = async (): Promise<boolean> => {
        const members = membersOf(testbed.kubelet, namespace, name);
        all = await readHomes(members, ids, entries.acknowledgedKeys(), replicationFactor);
        wrong = all.filter((copy) => !entries.isGood(copy));
        return wrong.length === 0;
      };
      await eventually('every acknowledged write is on all homes', look, limitMs).catch((cause: unknown) => {
        throw new Error(describeLoss(entries, all, wrong), { cause });
      });
    },
  };

  async function finish(): Promise<string> {
    stopped.abort();
    await ended;
    serving.stop();
    const reconnects = writers.reduce((sum, writer) => sum + writer.reconnects(), 0);
    return `${entries.describe()}, ${reconnects} reconnections`;
  }

  try {
    await eventually('every client has written', () => writers.every((writer) => writer.hasWritten()), 30_000);
    return ledger;
  } catch (err) {
    await ledger.stop();
    throw err;
  }
}

interface Writer {
  /** Never rejects: a client outlives every failure of the cluster. */
  readonly ended: Promise<void>;
  hasWritten(): boolean;
  reconnects(): number;
}

interface WriterOptions {
  readonly index: number;
  readonly serving: Serving;
  readonly entries: Entries;
  /** Writes of each kind in one beat. */
  readonly perBeat: number;
  readonly signal: AbortSignal;
}

function startWriter({ index, serving, entries, perBeat, signal }: WriterOptions): Writer {
  const store = createStoreClient({ timeoutMs: COMMAND_LIMIT_MS });
  const client = entries.client(index, perBeat);
  let connections = 0;
  let written = false;

  async function useMember(host: string): Promise<void> {
    await using session = await store.session({ host });
    connections += 1;
    while (!signal.aborted && serving.has(host)) {
      const nextMs = performance.now() + BEAT_MS;
      written = (await writeOnce(session)) || written;
      await delay(Math.max(0, nextMs - performance.now()));
    }
  }

  async function writeOnce(session: StoreSession): Promise<boolean> {
    const writes = client.next();
    try {
      const replies = await session.commands(writes.map(({ key, value }): StoreCommand => ['SET', key, value]));
      for (const [at, write] of writes.entries()) write.settle(replies[at] === 'OK' ? 'acknowledged' : 'refused');
      return replies.includes('OK');
    } catch (err) {
      for (const write of writes) write.settle('unknown');
      throw err;
    }
  }

  async function run(): Promise<void> {
    for (let turn = index; !signal.aborted; turn += 1) {
      const addresses = serving.addresses();
      const host = addresses[turn % addresses.length];
      // A member that is just going, or nobody there at all: the next one, a moment later.
      if (host !== undefined) await useMember(host).catch(() => undefined);
      if (!signal.aborted) await delay(BEAT_MS);
    }
  }

  return { ended: run(), hasWritten: () => written, reconnects: () => Math.max(0, connections - 1) };
}

function describeLoss(entries: Entries, all: readonly Copy[], wrong: readonly Copy[]): string {
  const goodSomewhere = new Set(all.filter((copy) => entries.isGood(copy)).map(({ name }) => name));
  const lost = new Set(wrong.map(({ name }) => name).filter((name) => !goodSomewhere.has(name)));
  const named = [...wrong].sort((a, b) => Number(lost.has(b.name)) - Number(lost.has(a.name))).slice(0, NAMED);
  return (
    `${lost.size} acknowledged writes are on no home, ${wrong.length} of ${all.length} copies are missing or old: ` +
    named.map((copy) => entries.explain(copy)).join('; ')
  );
}
