// Answers: may this status be written now, or would waiting a moment save a write? Urgent news (a phase a person waits
// for, trouble) is written at once, everything else once it has been stable for a moment.

import { STATUS_PACES, type StatusPace } from './paces.ts';

export interface StatusPacer {
  /** Milliseconds to wait before writing; 0 = write now. */
  delayMs(key: string, status: PacedStatus, nowMs: number): number;
  /** Call after a write, and when there is nothing to write. */
  settle(key: string): void;
}

/** The status that would be written. */
export interface PacedStatus {
  readonly pace: StatusPace;
  /** Stays equal while the status says the same. */
  readonly fingerprint: string;
  readonly isUrgent: boolean;
}

export function createStatusPacer(): StatusPacer {
  /** By pace and key. */
  const waiting = new Map<string, { fingerprint: string; firstMs: number; changedMs: number }>();
  return {
    delayMs(key, { pace, fingerprint, isUrgent }, nowMs) {
      if (isUrgent) return 0;
      const id = `${pace} ${key}`;
      const known = waiting.get(id);
      const entry = known ?? { fingerprint, firstMs: nowMs, changedMs: nowMs };
      if (entry.fingerprint !== fingerprint) {
        entry.fingerprint = fingerprint;
        entry.changedMs = nowMs;
      }
      waiting.set(id, entry);
      const { stillMs, longestMs } = STATUS_PACES[pace];
      const dueMs = Math.min(entry.changedMs + stillMs, entry.firstMs + longestMs);
      return Math.max(0, dueMs - nowMs);
    },
    settle(key) {
      for (const pace of Object.keys(STATUS_PACES)) waiting.delete(`${pace} ${key}`);
    },
  };
}
