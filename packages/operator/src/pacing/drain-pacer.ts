// Limits how often a member is sent the same request: to leave, or to take another password. A pace, not a decision:
// sending it twice does no harm.

export interface DrainPacer {
  /** True at most once per interval for a Pod and request. The caller then sends the request. */
  mayAsk(member: string, intervalMs: number, nowMs: number): boolean;
}

/** A bound on memory: more members never leave at once. */
const MAX_REMEMBERED = 1_000;

export function createDrainPacer(): DrainPacer {
  const asked = new Map<string, number>();
  return {
    mayAsk(member, intervalMs, nowMs) {
      const atMs = asked.get(member);
      if (atMs !== undefined && nowMs - atMs < intervalMs) return false;
      if (asked.size >= MAX_REMEMBERED) asked.clear();
      asked.set(member, nowMs);
      return true;
    },
  };
}
