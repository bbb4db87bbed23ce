// Reads every acknowledged write at the first home of its key a second later. A home answers only from its own store
// (docs/design/server.md#reads), so a client would have got the same answer.

import { setTimeout as delay } from 'node:timers/promises';
import type { StoreCommand } from '@marekvs/store-client';
import { textOf } from './data.ts';
import type { FirstHomes } from './first-homes.ts';
import type { Serving } from './serving.ts';
import { createSessions } from './sessions.ts';

export interface ReadBack {
  acknowledged(key: string, value: string): void;
  /** Reads what is due and ends. Idempotent. */
  stop(): Promise<ReadBackCount>;
}

export interface ReadBackCount {
  readonly read: number;
  /** How often a home behind the client Service did not have the key. */
  readonly empty: number;
  /** How often it had an older value than the acknowledged one. */
  readonly stale: number;
  /** How often either happened at a member outside of the client Service: it shows itself as a home as soon as it is
   *  Active, with what its volume has (docs/design/server.md#returning). */
  readonly early: number;
  /** How often there was no answer, because the member was leaving or had left. */
  readonly unanswered: number;
}

const AFTER_MS = 1_000;
const BEAT_MS = 100;
const LIMIT_MS = 3_000;

interface Due {
  readonly key: string;
  readonly value: string;
  readonly atMs: number;
}

export function startReadBack(homes: FirstHomes, serving: Serving): ReadBack {
  const sessions = createSessions(LIMIT_MS);
  const stopped = new AbortController();
  const count = { read: 0, empty: 0, stale: 0, early: 0, unanswered: 0 };
  const waiting: Due[] = [];

  /** In the order in which they were acknowledged. */
  function takeDue(): readonly Due[] {
    const nowMs = performance.now();
    const left = waiting.findIndex(({ atMs }) => atMs > nowMs);
    return waiting.splice(0, left === -1 ? waiting.length : left);
  }

  async function readAt(host: string | undefined, due: readonly Due[]): Promise<void> {
    const isLetIn = host !== undefined && serving.has(host);
    const questions = due.map(({ key }): StoreCommand => ['GET', key]);
    const values = host === undefined ? undefined : await sessions.commands(host, questions).catch(() => undefined);
    if (values === undefined) {
      count.unanswered += due.length;
      return;
    }
    for (const [at, { value }] of due.entries()) {
      const found = textOf(values[at]);
      count.read += 1;
      if (found !== undefined && Number(found) >= Number(value)) continue;
      if (isLetIn) count[found === undefined ? 'empty' : 'stale'] += 1;
      else count.early += 1;
    }
  }

  async function run(): Promise<void> {
    while (!stopped.signal.aborted || waiting.length > 0) {
      const nextMs = performance.now() + BEAT_MS;
      const byHome = Map.groupBy(takeDue(), ({ key }) => homes.of(key));
      await sessions.keep(homes.has);
      await Promise.all([...byHome].map(([host, due]) => readAt(host, due)));
      await delay(Math.max(0, nextMs - performance.now()));
    }
    await sessions.keep(() => false);
  }
  const ended = run();
  return {
    acknowledged: (key, value) => void waiting.push({ key, value, atMs: performance.now() + AFTER_MS }),
    async stop() {
      stopped.abort();
      await ended;
      return { ...count };
    },
  };
}
