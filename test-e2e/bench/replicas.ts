// Manages a fleet with one replica, or with several that share it, and measures how long clusters are unmanaged when
// one of them goes.

import { setTimeout as delay } from 'node:timers/promises';
import { SLOTS } from '@marekvs/runtime';
import { limit, type OperatorProcess, type Testbed } from '@marekvs/testbed';
import { round } from '../support/figures.ts';
import { scrape } from '../support/operator-metrics.ts';
import { waitForLine } from './operator-lines.ts';

export interface Failover {
  /** By SIGTERM. */
  readonly plannedSeconds: number;
  /** By SIGKILL. */
  readonly crashSeconds: number;
}

/** The replicas that manage the fleet now. */
export interface Replicas {
  readonly all: readonly OperatorProcess[];
  /** The seconds from the end of one replica until the others have its clusters. Afterwards all run again. */
  failover(): Promise<Failover>;
  stop(): Promise<void>;
}

const CHECK_MS = 100;
const LIMIT_MS = 180_000;
/** A new name for each start, because processes of one name share a log. */
let boots = 0;
const SHARING = ['role', 'role-binding', 'leases'].map((name) => `config/components/sharing/${name}.yaml`);

/** A single replica leads alone, several share in mode `ring`. */
export async function startReplicas(testbed: Testbed, count: number): Promise<Replicas> {
  return count === 1 ? startAlone(testbed) : startRing(testbed, count);
}

async function startAlone(testbed: Testbed): Promise<Replicas> {
  let current = await testbed.startOperator();

  /** Another replica stands by with warm caches, and takes over. */
  async function handOver(end: (one: OperatorProcess) => Promise<unknown>): Promise<number> {
    boots += 1;
    const next = await testbed.startOperator({ name: `operator-standby-${boots}` });
    await waitForLine(next, 'Started all parts', LIMIT_MS);
    const startMs = performance.now();
    await end(current);
    await waitForLine(next, 'Became leader', LIMIT_MS);
    current = next;
    return round((performance.now() - startMs) / 1000, 2);
  }

  return {
    get all() {
      return [current];
    },
    failover: async () => ({
      plannedSeconds: await handOver((one) => one.stop()),
      crashSeconds: await handOver((one) => one.kill()),
    }),
    stop: async () => void (await current.stop()),
  };
}

/** Several that share, one of which can be taken away for a while. */
export interface Ring extends Replicas {
  /** Ends a replica and starts it again. @returns the seconds until the others had its part */
  handOver(ordinal: number, end: (one: OperatorProcess) => Promise<unknown>): Promise<number>;
  /** Freezes a replica until the others have its part. */
  freeze(ordinal: number): Promise<void>;
}

export async function startRing(testbed: Testbed, count: number): Promise<Ring> {
  await testbed.apply(SHARING);
  const start = (ordinal: number): Promise<OperatorProcess> => {
    boots += 1;
    return testbed.startOperator({
      name: `operator-${ordinal}-${boots}`,
      extraArgs: ['--mode=ring'],
      extraEnv: { POD_NAME: `marekvs-operator-${ordinal}`, POD_UID: `uid-${boots}` },
    });
  };
  const all: OperatorProcess[] = [];
  // The first one builds the program that all run.
  for (let ordinal = 0; ordinal < count; ordinal += 1) all.push(await start(ordinal));
  await untilShared(all, count);

  async function handOver(ordinal: number, end: (one: OperatorProcess) => Promise<unknown>): Promise<number> {
    const one = all[ordinal];
    if (one === undefined) throw new RangeError(`no replica ${ordinal}`);
    const startMs = performance.now();
    await end(one);
    const others = all.filter((other) => other !== one);
    await untilShared(others, others.length);
    const seconds = round((performance.now() - startMs) / 1000, 2);
    all[ordinal] = await start(ordinal);
    await untilShared(all, count);
    return seconds;
  }

  async function freeze(ordinal: number): Promise<void> {
    const one = all[ordinal];
    if (one === undefined) throw new RangeError(`no replica ${ordinal}`);
    one.freeze();
    const others = all.filter((other) => other !== one);
    await untilShared(others, others.length);
    one.thaw();
    await untilShared(all, count);
  }

  return {
    all,
    handOver,
    freeze,
    failover: async () => ({
      plannedSeconds: await handOver(0, (one) => one.stop()),
      crashSeconds: await handOver(1, (one) => one.kill()),
    }),
    stop: async () => void (await Promise.all(all.map((one) => one.stop()))),
  };
}

/** Resolves when each has a part, and together they have all slots. */
async function untilShared(all: readonly OperatorProcess[], count: number): Promise<void> {
  let isLate = false;
  const endLimit = limit(LIMIT_MS, () => {
    isLate = true;
  });
  try {
    for (;;) {
      const slots = await Promise.all(all.map(slotsOf));
      if (slots.filter((one) => one > 0).length === count && slots.reduce((sum, one) => sum + one, 0) === SLOTS) return;
      if (isLate) throw new Error(`not shared among ${count}: ${slots.join(', ')} of ${SLOTS} slots`);
      await delay(CHECK_MS);
    }
  } finally {
    endLimit();
  }
}

/** 0 while it does not answer yet. */
async function slotsOf(operator: OperatorProcess): Promise<number> {
  const figures = await scrape(operator).catch(() => undefined);
  return figures?.sum('marekvs_operator_ownership_slots') ?? 0;
}
