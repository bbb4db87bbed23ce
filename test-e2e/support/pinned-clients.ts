// Clients that never leave a member by themselves, as the pools of most libraries do not at their defaults: they write
// until it closes their connection, and only then connect elsewhere. Half of the connections belong to clients that
// know homes, which have one to every member and learn homes anew only when one of these was closed.

import { setTimeout as delay } from 'node:timers/promises';
import { createStoreClient, type StoreCommand, StoreUnreachableError } from '@marekvs/store-client';
import { eventually } from './eventually.ts';
import { shownIn } from './first-homes.ts';
import { checkCopies, LostWritesError } from './ledger.ts';
import { type ClientEntries, createEntries, type PendingWrite } from './ledger-entries.ts';
import { followServing, type Serving } from './serving.ts';
import { createSessions, type Sessions } from './sessions.ts';
import type { World } from './world.ts';

export interface PinnedOptions {
  readonly namespace: string;
  readonly name: string;
  /** An even number. */
  readonly perMember: number;
  /** Writes per second of all of them. */
  readonly perSecond: number;
}

export interface PinnedClients {
  /** Lets every client finish what it has sent. Idempotent. @returns a summary in one line for a person */
  stop(): Promise<string>;
  /** What clients saw other than a closed connection, and how often. */
  errors(): ReadonlyMap<string, number>;
  /** Acknowledged writes that none of their homes has; 0 once every home has every one. Stops the clients first.
   *  @param ids of the members that there are now */
  lost(ids: readonly number[]): Promise<number>;
}

const BEAT_MS = 500;
const COMMAND_LIMIT_MS = 3_000;
const REPLICATION_FACTOR = 2;

/** Resolves when every connection has written. */
export async function startPinnedClients(
  { watching, testbed }: World,
  { namespace, name, perMember, perSecond }: PinnedOptions,
): Promise<PinnedClients> {
  const serving = await followServing(watching, namespace, name);
  const members = await eventually('somebody serves', () => {
    const addresses = serving.addresses();
    return addresses.length > 0 && addresses;
  });
  const entries = createEntries('pinned-');
  const stopped = new AbortController();
  const errors = new Map<string, number>();
  let closed = 0;
  const pools = perMember / 2;
  const pinnedTo = members.flatMap((member) => Array.from({ length: pools }, () => member));
  // Each connection writes the same number of keys: a pool of `members.length` connections that many times as many.
  const perConnection = Math.max(1, Math.round((perSecond * BEAT_MS) / 1000 / (2 * pinnedTo.length) / 2));
  const shared = { serving, signal: stopped.signal, failed };
  const clients = [
    ...pinnedTo.map((member, at) => startPlain(member, entries.client(at, perConnection), shared)),
    ...Array.from({ length: pools }, (_, at) =>
      startPool(members, entries.client(pinnedTo.length + at, perConnection * members.length), shared),
    ),
  ];
  let summary: Promise<string> | undefined;

  /** A closed connection is what a client without a member to write to has to expect. */
  function failed(error: unknown): void {
    if (error instanceof StoreUnreachableError && (error.reason === 'closed' || error.reason === 'reset')) closed += 1;
    else {
      const what = error instanceof StoreUnreachableError ? error.reason : String(error);
      errors.set(what, (errors.get(what) ?? 0) + 1);
    }
  }

  async function finish(): Promise<string> {
    stopped.abort();
    await Promise.all(clients.map(({ ended }) => ended));
    serving.stop();
    const others = [...errors].map(([what, count]) => `${count} x ${what}`).join(', ');
    return `${entries.describe()}, ${closed} connections closed, other errors: ${others || 'none'}`;
  }

  const pinned: PinnedClients = {
    stop() {
      summary ??= finish();
      return summary;
    },
    errors: () => errors,
    async lost(ids) {
      await pinned.stop();
      try {
        await checkCopies(testbed, { namespace, name, ids, copies: REPLICATION_FACTOR, entries });
        return 0;
      } catch (error) {
        if (error instanceof LostWritesError) return error.lost;
        throw error;
      }
    },
  };
  try {
    await eventually('every connection has written', () => clients.every(({ hasWritten }) => hasWritten()));
    return pinned;
  } catch (error) {
    await pinned.stop();
    throw error;
  }
}

interface Client {
  /** Never rejects. */
  readonly ended: Promise<void>;
  /** On each of its connections. */
  hasWritten(): boolean;
}

interface Shared {
  readonly serving: Serving;
  readonly signal: AbortSignal;
  readonly failed: (error: unknown) => void;
}

/** One connection, whatever the key. */
function startPlain(member: string, entries: ClientEntries, shared: Shared): Client {
  const sessions = createSessions(COMMAND_LIMIT_MS);
  let host: string | undefined = member;
  let hasWritten = false;
  const beat = async (turn: number): Promise<void> => {
    const addresses = shared.serving.addresses();
    host ??= addresses[turn % addresses.length];
    if (host === undefined) return;
    const isSent = await send(sessions, host, entries.next(), shared.failed);
    hasWritten ||= isSent;
    if (!isSent) host = undefined;
  };
  return { ended: repeat(beat, sessions, shared.signal), hasWritten: () => hasWritten };
}

/** A connection to every member, each for the keys of which that was the first home when the client last asked. */
function startPool(members: readonly string[], entries: ClientEntries, shared: Shared): Client {
  const store = createStoreClient({ timeoutMs: COMMAND_LIMIT_MS });
  const sessions = createSessions(COMMAND_LIMIT_MS);
  const written = new Set<string>();
  let homes: ReturnType<typeof shownIn> | undefined;
  const beat = async (turn: number): Promise<void> => {
    const addresses = shared.serving.addresses();
    const entry = addresses[turn % addresses.length];
    if (entry === undefined) return;
    homes ??= await store.nodes({ host: entry }).then(shownIn, (error: unknown) => void shared.failed(error));
    if (homes === undefined) return;
    const known = homes;
    const byHome = Map.groupBy(entries.next(), ({ key }) => known.of(key) ?? entry);
    const sent = [...byHome].map(async ([home, writes]) => {
      if (await send(sessions, home, writes, shared.failed)) written.add(home);
      else homes = undefined;
    });
    await Promise.all(sent);
  };
  return {
    ended: repeat(beat, sessions, shared.signal),
    hasWritten: () => members.every((member) => written.has(member)),
  };
}

/** False once the connection is gone. */
async function send(
  sessions: Sessions,
  host: string,
  writes: readonly PendingWrite[],
  failed: (error: unknown) => void,
): Promise<boolean> {
  try {
    const commands = writes.map(({ key, value }): StoreCommand => ['SET', key, value]);
    const replies = await sessions.commands(host, commands);
    for (const [at, write] of writes.entries()) {
      const reply = replies[at];
      write.settle(reply === 'OK' ? 'acknowledged' : 'refused');
      if (reply !== 'OK') failed(reply);
    }
    return true;
  } catch (error) {
    for (const write of writes) write.settle('unknown');
    failed(error);
    return false;
  }
}

async function repeat(beat: (turn: number) => Promise<void>, sessions: Sessions, signal: AbortSignal): Promise<void> {
  for (let turn = 0; !signal.aborted; turn += 1) {
    const nextMs = performance.now() + BEAT_MS;
    await beat(turn);
    await delay(Math.max(0, nextMs - performance.now()));
  }
  await sessions.keep(() => false);
}
