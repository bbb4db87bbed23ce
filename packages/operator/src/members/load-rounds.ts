// Every few seconds one timer asks members of all clusters that are sized by load, in turns and at the same time,
// whether clients have sent them anything. A single question costs four times what it costs among a hundred, since code
// and data have left the processor's caches by then (docs/decisions/asking-members.md). The caller uses the
// answers.

import type { Clock, Timer } from '@marekvs/runtime';
import { createBoundedWork } from '../background/bounded-work.ts';
import { isInRound, untilRound } from './probing-pace.ts';

export interface LoadRounds {
  /** Includes the cluster in the rounds; idempotent. */
  add(clusterKey: string): void;
  /** Takes the cluster out of the rounds; idempotent. */
  drop(clusterKey: string): void;
  /** Runs until aborted, and until no question is under way. */
  run(signal: AbortSignal): Promise<void>;
}

export interface LoadRoundsOptions<T> {
  readonly clock: Clock;
  /** The members of a cluster, always in the same order. */
  readonly members: (clusterKey: string) => readonly T[];
  /** Asks one member and stores the answer. Rejects only for an abort. Undefined: there is nothing to ask this
   *  member. */
  readonly ask: (member: T, signal: AbortSignal) => Promise<void> | undefined;
}

/** So many at once are as good as all at once, and leave sockets to others. */
const MAX_IN_FLIGHT = 16;

export function createLoadRounds<T>({ clock, members, ask }: LoadRoundsOptions<T>): LoadRounds {
  const clusters = new Set<string>();
  const asking = createBoundedWork<T>(MAX_IN_FLIGHT, ask);
  let timer: Timer | undefined;
  let isRunning = false;

  function arm(): void {
    if (timer !== undefined || !isRunning || clusters.size === 0) return;
    timer = clock.after(untilRound(clock.monotonicMs()), () => {
      timer = undefined;
      goAround(clock.monotonicMs());
      arm();
    });
  }

  function goAround(nowMs: number): void {
    for (const clusterKey of clusters) {
      const all = members(clusterKey);
      for (const [index, member] of all.entries()) if (isInRound(nowMs, index, all.length)) asking.add(member);
    }
  }

  return {
    add(clusterKey) {
      clusters.add(clusterKey);
      arm();
    },
    drop(clusterKey) {
      clusters.delete(clusterKey);
      if (clusters.size > 0) return;
      timer?.cancel();
      timer = undefined;
    },
    async run(signal) {
      isRunning = true;
      arm();
      await asking.run(signal);
      isRunning = false;
      timer?.cancel();
      timer = undefined;
    },
  };
}
