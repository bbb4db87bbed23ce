// A writer with a ledger: clients that note every write the cluster acknowledged, and read each one on every home
// afterwards. They use the members behind the client Service, leave a member that no longer serves, and connect again
// when a connection ends. Those that know homes write each key to its first home, like clients of a Redis Cluster.

import { setTimeout as delay } from 'node:timers/promises';
import type { StoreCommand } from '@marekvs/store-client';
import type { Testbed } from '@marekvs/testbed';
import { type Copy, membersOf, readHomes } from './data.ts';
import { eventually } from './eventually.ts';
import { type FirstHomes, followFirstHomes } from './first-homes.ts';
import { createEntries, type Entries, type PendingWrite } from './ledger-entries.ts';
import { type ReadBack, type ReadBackCount, startReadBack } from './read-back.ts';
import { followServing, type Serving } from './serving.ts';
import { createSessions } from './sessions.ts';
import type { World } from './world.ts';

export interface LedgerOptions {
  readonly namespace: string;
  readonly name: string;
  /** Default 2. */
  readonly replicationFactor?: number;
  /** Writes per second of all clients, half of them to keys that are written again and again; default 200. */
  readonly perSecond?: number;
  /** Of all keys; two ledgers of one cluster need different ones. Default none. */
  readonly prefix?: string;
  /** Default 4. */
  readonly clients?: number;
  /** How many of them know homes; default none. */
  readonly knowing?: number;
  /** Every acknowledged write is read at the first home of its key a second later. */
  readonly isReadBack?: boolean;
}

export interface Ledger {
  /** Writes acknowledged so far. */
  acknowledged(): number;
  /** The longest time between two acknowledged writes of any clients, in milliseconds. */
  longestGapMs(): number;
  /** Lets every client finish what it has sent. Idempotent. @returns a summary in one line for a person */
  stop(): Promise<string>;
  /** What was read a second after it was acknowledged, of clients that know homes and of those that do not. Stops the
   *  writer first. Zeros when nothing is read back. */
  reads(): Promise<{ readonly knowing: ReadBackCount; readonly unknowing: ReadBackCount }>;
  /** Every acknowledged write is on every home, with its value or one that was sent later. Stops the writer first.
   *  @param ids of the members that there are now
   *  @param copies how many of them are homes of a key; default: what it was started with
   *  @throws Error with how many are nowhere, how many lack a copy, and some of them by key, home and time */
  check(ids: readonly number[], limitMs?: number, copies?: number): Promise<void>;
}

const BEAT_MS = 100;
const COMMAND_LIMIT_MS = 3000;
const NAMED = 8;

/** Starts writing; resolves after the first acknowledged write of each client. */
export async function startLedger({ watching, testbed }: World, options: LedgerOptions): Promise<Ledger> {
  const { namespace, name, replicationFactor = 2, perSecond = 200, clients = 4, prefix = '', knowing = 0 } = options;
  const serving = await followServing(watching, namespace, name);
  const homes = knowing > 0 || options.isReadBack === true ? followFirstHomes(serving) : undefined;
  const readBacks =
    options.isReadBack === true && homes !== undefined ? [homes, homes].map((one) => startReadBack(one, serving)) : [];
  const stopped = new AbortController();
  const entries = createEntries(prefix);
  const perBeat = Math.max(1, Math.round((perSecond * BEAT_MS) / 1000 / clients / 2));
  const writers = Array.from({ length: clients }, (_, index) => {
    const knows = index < knowing;
    const kind = { homes: knows ? homes : undefined, readBack: readBacks[knows ? 0 : 1] };
    return startWriter({ index, serving, entries, perBeat, ...kind, signal: stopped.signal });
  });
  const ended = Promise.all(writers.map((writer) => writer.ended));
  let summary: Promise<string> | undefined;
  const ledger: Ledger = {
    acknowledged: () => entries.acknowledged(),
    longestGapMs: () => entries.longestGapMs(),
    stop() {
      summary ??= finish();
      return summary;
    },
    async reads() {
      await ledger.stop();
      const [known = NOTHING_READ, unknown = NOTHING_READ] = await Promise.all(readBacks.map((one) => one.stop()));
      return { knowing: known, unknowing: unknown };
    },
    async check(ids, limitMs, copies = replicationFactor) {
      await ledger.stop();
      await checkCopies(testbed, { namespace, name, ids, copies, entries, limitMs });
    },
  };

  async function finish(): Promise<string> {
    stopped.abort();
    await ended;
    await Promise.all(readBacks.map((one) => one.stop()));
    await homes?.stop();
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

export interface CopiesToCheck {
  readonly namespace: string;
  readonly name: string;
  readonly ids: readonly number[];
  readonly copies: number;
  readonly entries: Entries;
  readonly limitMs?: number | undefined;
}

/** Resolves when every acknowledged write is on every home. @throws LostWritesError */
export async function checkCopies(testbed: Testbed, options: CopiesToCheck): Promise<void> {
  const { namespace, name, ids, copies, entries, limitMs } = options;
  let wrong: readonly Copy[] = [];
  let all: readonly Copy[] = [];
  const look = async (): Promise<boolean> => {
    all = await readHomes(membersOf(testbed.kubelet, namespace, name), ids, entries.acknowledgedKeys(), copies);
    wrong = all.filter((copy) => !entries.isGood(copy));
    return wrong.length === 0;
  };
  await eventually('every acknowledged write is on all homes', look, limitMs).catch((cause: unknown) => {
    throw new LostWritesError(entries, all, wrong, cause);
  });
}

const NOTHING_READ: ReadBackCount = { read: 0, empty: 0, stale: 0, early: 0, unanswered: 0 };

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
  /** Undefined: it knows no homes, and writes everything through one member. */
  readonly homes: FirstHomes | undefined;
  readonly readBack: ReadBack | undefined;
  readonly signal: AbortSignal;
}

function startWriter({ index, serving, entries, perBeat, homes, readBack, signal }: WriterOptions): Writer {
  const client = entries.client(index, perBeat);
  const sessions = createSessions(COMMAND_LIMIT_MS);
  let entry: string | undefined;
  let turn = index;
  let written = false;

  /** If the member is just leaving, or there is none, the next one is tried a moment later. */
  function entryNow(): string | undefined {
    if (entry !== undefined && serving.has(entry)) return entry;
    const addresses = serving.addresses();
    entry = addresses[turn % addresses.length];
    turn += 1;
    return entry;
  }

  async function writeAt(host: string, writes: readonly PendingWrite[]): Promise<void> {
    try {
      const replies = await sessions.commands(
        host,
        writes.map(({ key, value }): StoreCommand => ['SET', key, value]),
      );
      for (const [at, write] of writes.entries()) settle(write, replies[at] === 'OK');
      written ||= replies.includes('OK');
    } catch {
      for (const write of writes) write.settle('unknown');
      entry = undefined;
    }
  }

  function settle(write: PendingWrite, isOk: boolean): void {
    write.settle(isOk ? 'acknowledged' : 'refused');
    if (isOk) readBack?.acknowledged(write.key, write.value);
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const nextMs = performance.now() + BEAT_MS;
      const host = entryNow();
      if (host !== undefined) {
        const byHome = Map.groupBy(client.next(), ({ key }) => homes?.of(key) ?? host);
        await sessions.keep((one) => one === host || homes?.has(one) === true);
        await Promise.all([...byHome].map(([home, writes]) => writeAt(home, writes)));
      }
      await delay(Math.max(0, nextMs - performance.now()));
    }
    await sessions.keep(() => false);
  }

  return { ended: run(), hasWritten: () => written, reconnects: () => Math.max(0, sessions.opened() - 1) };
}

/** Some copies stayed missing or old. */
export class LostWritesError extends Error {
  override readonly name = 'LostWritesError';
  /** Acknowledged writes that are on none of their homes. */
  readonly lost: number;

  constructor(entries: Entries, all: readonly Copy[], wrong: readonly Copy[], cause: unknown) {
    const goodSomewhere = new Set(all.filter((copy) => entries.isGood(copy)).map(({ name }) => name));
    const lost = new Set(wrong.map(({ name }) => name).filter((name) => !goodSomewhere.has(name)));
    const named = [...wrong].sort((a, b) => Number(lost.has(b.name)) - Number(lost.has(a.name))).slice(0, NAMED);
    super(
      `${lost.size} acknowledged writes are on no home, ${wrong.length} of ${all.length} copies are missing or old: ` +
        named.map((copy) => entries.explain(copy)).join('; '),
      { cause },
    );
    this.lost = lost.size;
  }
}
