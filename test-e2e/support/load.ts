// Clients of a cluster: a steady number of commands per second over RESP, spread over members, on loopback only.

import { setTimeout as delay } from 'node:timers/promises';
import type { StoreCommand } from '@marekvs/store-client';
import { patientStore } from './patient-store.ts';

export interface Load {
  /** Resolves after so long, while the load goes on. */
  runFor(ms: number): Promise<void>;
  /** How many commands were carried out between these times of performance.now(), without and with those that were
   *  under way at either end. */
  carriedOut(fromMs: number, toMs: number): { readonly atLeast: number; readonly atMost: number };
  /** Ends the load. @returns the commands per second that were answered */
  stop(): Promise<number>;
}

const BEAT_MS = 100;

/** @param addresses of the members; @param perSecond commands per second in all; @param verb the command */
export async function startLoad(
  addresses: readonly string[],
  perSecond: number,
  verb: 'SET' | 'GET' = 'SET',
): Promise<Load> {
  const stopped = new AbortController();
  const startedMs = performance.now();
  let answered = 0;
  const batches: { readonly sentMs: number; readonly answeredMs: number; readonly count: number }[] = [];
  const perBeat = Math.round((perSecond * BEAT_MS) / 1000 / addresses.length);
  const work = addresses.map(async (host, index) => {
    await using session = await patientStore.session({ host });
    for (let beat = 0; !stopped.signal.aborted; beat += 1) {
      const dueMs = startedMs + beat * BEAT_MS;
      await delay(Math.max(0, dueMs - performance.now()));
      const commands = Array.from({ length: perBeat }, (_, i): StoreCommand => {
        const key = `load-${index}-${i}`;
        return verb === 'SET' ? ['SET', key, String(beat)] : ['GET', key];
      });
      const sentMs = performance.now();
      // Not `answered += await …`, which would add to the sum from before the wait and lose what others count.
      const { length } = await session.commands(commands);
      answered += length;
      batches.push({ sentMs, answeredMs: performance.now(), count: length });
    }
  });
  const failed = Promise.all(work);
  failed.catch(() => stopped.abort());
  return {
    async runFor(ms) {
      await Promise.race([delay(ms), failed]);
    },
    carriedOut(fromMs, toMs) {
      const sum = (some: typeof batches): number => some.reduce((count, batch) => count + batch.count, 0);
      return {
        atLeast: sum(batches.filter(({ sentMs, answeredMs }) => sentMs >= fromMs && answeredMs <= toMs)),
        atMost: sum(batches.filter(({ sentMs, answeredMs }) => answeredMs >= fromMs && sentMs <= toMs)),
      };
    },
    async stop() {
      stopped.abort();
      await failed;
      return (answered * 1000) / (performance.now() - startedMs);
    },
  };
}
