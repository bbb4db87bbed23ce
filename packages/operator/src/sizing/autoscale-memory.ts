// Remembers for a cluster that is sized by load: since when its size has been in force and its load has been low, and
// what the passes found. A cache: after a restart the clock gives the age of the stored decision, and everything else
// starts anew.

import type { MarekvsClusterStatus, Reason } from '@marekvs/api';
import { type AutoscaleSeen, type Measuring, nextMeasuring } from '@marekvs/planner';
import type { Moment } from '../operations/operation-memory.ts';

export interface AutoscaleMemory {
  /** Records whether one node less would do now (`isLow`). Returns for how long the size has been in force, for how
   *  long one node less would have done, and what was found. */
  seen(
    key: string,
    decision: MarekvsClusterStatus['autoscale'],
    isLow: boolean,
    now: Moment,
  ): Pick<AutoscaleSeen, 'decidedForMs' | 'lowForMs' | 'found'>;
  /** Records how the load compares with the size. @returns the level before; undefined the first time */
  level(key: string, level: LoadLevel): LoadLevel | undefined;
  /** Records the reason that a pass has found, or that it found none. */
  found(key: string, reason: Reason | undefined, monotonicMs: number): void;
  /** Has the load measured closely for a while. @param isRising the load is still on its way up */
  measure(key: string, isRising: boolean, monotonicMs: number): void;
  /** Since when and until when the load is measured closely; undefined while it is not. */
  measuring(key: string, monotonicMs: number): Measuring | undefined;
  forget(key: string): void;
}

export type LoadLevel = 'unknown' | 'high' | 'within' | 'low';

interface Memory {
  /** Identifies the decision in force, by its size and time. */
  decision: string;
  /** Monotonic time of the decision, as near as it is known. */
  decidedAtMs: number;
  lowSinceMs: number | undefined;
  found: { readonly reason: Reason; readonly sinceMs: number } | undefined;
}

export function createAutoscaleMemory(): AutoscaleMemory {
  const known = new Map<string, Memory>();
  const measured = new Map<string, Measuring>();
  const levels = new Map<string, LoadLevel>();

  function memoryOf(key: string, decision: MarekvsClusterStatus['autoscale'], now: Moment): Memory {
    const identity = `${decision?.size} ${decision?.since}`;
    const memory = known.get(key);
    if (memory?.decision === identity) return memory;
    // The wall clock is read once: setting it later neither ends a wait nor makes it longer.
    const ageMs = Math.max(0, now.nowMs - Date.parse(decision?.since ?? ''));
    const fresh: Memory = {
      decision: identity,
      decidedAtMs: now.monotonicMs - (Number.isNaN(ageMs) ? 0 : ageMs),
      // A load that is low for one size may not be low for another.
      lowSinceMs: undefined,
      found: memory?.found,
    };
    known.set(key, fresh);
    return fresh;
  }

  return {
    seen(key, decision, isLow, now) {
      const memory = memoryOf(key, decision, now);
      memory.lowSinceMs = isLow ? (memory.lowSinceMs ?? now.monotonicMs) : undefined;
      const { found, lowSinceMs, decidedAtMs } = memory;
      return {
        decidedForMs: now.monotonicMs - decidedAtMs,
        lowForMs: lowSinceMs === undefined ? undefined : now.monotonicMs - lowSinceMs,
        found: found === undefined ? undefined : { reason: found.reason, forMs: now.monotonicMs - found.sinceMs },
      };
    },
    level(key, level) {
      const before = levels.get(key);
      levels.set(key, level);
      return before;
    },
    found(key, reason, monotonicMs) {
      const memory = known.get(key);
      if (memory === undefined || memory.found?.reason === reason) return;
      memory.found = reason === undefined ? undefined : { reason, sinceMs: monotonicMs };
    },
    measure: (key, isRising, monotonicMs) =>
      void measured.set(key, nextMeasuring(measured.get(key), isRising, monotonicMs)),
    measuring(key, monotonicMs) {
      const measuring = measured.get(key);
      if (measuring === undefined || measuring.untilMs > monotonicMs) return measuring;
      measured.delete(key);
      return undefined;
    },
    forget(key) {
      known.delete(key);
      measured.delete(key);
      levels.delete(key);
    },
  };
}
