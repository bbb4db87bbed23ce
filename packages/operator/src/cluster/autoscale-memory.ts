// Remembers of a cluster that is sized by load since when something has been so: the size that is in force, a load that
// is low, and what was found. A cache: after a restart the stored decision has the age that the clock gives it, and
// everything else begins anew.

import type { MarekvsClusterStatus, Reason } from '@marekvs/api';
import { type AutoscaleSeen, type Measuring, nextMeasuring } from '@marekvs/planner';
import type { Moment } from './operation-memory.ts';

export interface AutoscaleMemory {
  /** For how long the size has been this one, and one node less would have done. Takes in whether it would now. */
  seen(
    key: string,
    decision: MarekvsClusterStatus['autoscale'],
    isLow: boolean,
    now: Moment,
  ): Pick<AutoscaleSeen, 'decidedForMs' | 'lowForMs' | 'found'>;
  /** Takes in how the load stands to the size. @returns how it stood before; undefined the first time */
  level(key: string, level: LoadLevel): LoadLevel | undefined;
  /** What a pass has found. */
  found(key: string, reason: Reason | undefined, monotonicMs: number): void;
  /** The load is to be measured closely for a while. @param isRising it is still on its way up */
  measure(key: string, isRising: boolean, monotonicMs: number): void;
  /** Since when it is, and until when; undefined while it is not. */
  measuring(key: string, monotonicMs: number): Measuring | undefined;
  forget(key: string): void;
}

export type LoadLevel = 'unknown' | 'high' | 'within' | 'low';

interface Memory {
  /** The decision that is in force: its size and time. */
  decision: string;
  /** Monotonic: when it was made, as near as that is known. */
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
    // The clock is asked once: one that is set later on neither ends a wait nor makes it longer.
    const ageMs = Math.max(0, now.nowMs - Date.parse(decision?.since ?? ''));
    const fresh: Memory = {
      decision: identity,
      decidedAtMs: now.monotonicMs - (Number.isNaN(ageMs) ? 0 : ageMs),
      // What is low for one size is not yet low for another.
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
