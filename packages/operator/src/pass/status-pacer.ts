// Answers: may this status be written now, or would waiting a moment save a write? Urgent news (a phase a person waits
// for, trouble) is written at once, everything else once it has been stable for a moment.

export interface StatusPacer {
  /** Milliseconds to wait before writing; 0 = write now. `fingerprint` stands for the status that would be written. */
  delayMs(key: string, fingerprint: string, isUrgent: boolean, nowMs: number): number;
  /** Call after a write, and when there is nothing to write. */
  settle(key: string): void;
}

/** A change has to be stable for this long… */
export const STILL_MS = 1_000;
/** …but is never delayed for longer than this. */
export const LONGEST_DELAY_MS = 4_000;

/** @param stillMs how long a status has to stay unchanged; @param longestMs how long it is delayed at most */
export function createStatusPacer(stillMs = STILL_MS, longestMs = LONGEST_DELAY_MS): StatusPacer {
  const waiting = new Map<string, { fingerprint: string; firstMs: number; changedMs: number }>();
  return {
    delayMs(key, fingerprint, isUrgent, nowMs) {
      if (isUrgent) return 0;
      const known = waiting.get(key);
      const entry = known ?? { fingerprint, firstMs: nowMs, changedMs: nowMs };
      if (entry.fingerprint !== fingerprint) {
        entry.fingerprint = fingerprint;
        entry.changedMs = nowMs;
      }
      waiting.set(key, entry);
      const dueMs = Math.min(entry.changedMs + stillMs, entry.firstMs + longestMs);
      return Math.max(0, dueMs - nowMs);
    },
    settle: (key) => void waiting.delete(key),
  };
}
