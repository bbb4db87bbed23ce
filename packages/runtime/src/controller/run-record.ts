// Which passes run since when, and when each key last succeeded: answers "is it stuck?". Bounded in size.
import type { Clock } from '../time/clock.ts';

export interface RunRecord {
  started(key: string): void;
  ended(key: string, isSuccess: boolean): void;
  inspect(): RunInspection;
}

export interface RunInspection {
  /** The passes that run now, longest first. */
  readonly running: readonly { readonly key: string; readonly forMs: number }[];
  /** Wall clock of the last successful pass of a key; undefined when it is not among the last 10,000 keys. */
  lastSuccessAtMs(key: string): number | undefined;
  /** Of the keys remembered, the one whose success is longest ago. */
  readonly oldestSuccessAtMs: number | undefined;
}

const MAX_KEYS = 10_000;

export function createRunRecord(clock: Clock, maxKeys = MAX_KEYS): RunRecord {
  const startedAt = new Map<string, number>();
  /** In order of success: the first entry is the longest ago, and the first to be forgotten. */
  const succeededAt = new Map<string, number>();
  return {
    started(key) {
      startedAt.set(key, clock.steadyMs());
    },
    ended(key, isSuccess) {
      startedAt.delete(key);
      if (!isSuccess) return;
      succeededAt.delete(key);
      succeededAt.set(key, clock.nowMs());
      if (succeededAt.size > maxKeys) succeededAt.delete(succeededAt.keys().next().value ?? '');
    },
    inspect() {
      const nowMs = clock.steadyMs();
      return {
        running: [...startedAt].map(([key, atMs]) => ({ key, forMs: nowMs - atMs })),
        oldestSuccessAtMs: succeededAt.values().next().value,
        lastSuccessAtMs: (key) => succeededAt.get(key),
      };
    },
  };
}
