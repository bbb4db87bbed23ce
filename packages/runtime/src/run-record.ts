// What runs since when, and when each key last succeeded: for a person or a gauge that asks "is it stuck?". Bounded.
import type { Clock } from './clock.ts';

export interface RunRecord {
  started(key: string): void;
  ended(key: string, isSuccess: boolean): void;
  inspect(): {
    readonly running: readonly { readonly key: string; readonly forMs: number }[];
    readonly oldestSuccessAtMs: number | undefined;
    lastSuccessAtMs(key: string): number | undefined;
  };
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
