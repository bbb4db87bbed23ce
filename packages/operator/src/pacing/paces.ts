// How long the operator waits for what. Passes, writes and questions in the background have their figures here; those
// of the probes are in members/probing-pace.ts, those of turns in operations/turn-places.ts.

/** Before a status is written that is not urgent: how long it has to stay the same, and how long it waits at most. */
export const STATUS_PACES = {
  cluster: { stillMs: 1_000, longestMs: 4_000 },
  /** The record of an operation comes first: the rest is written with its next change. */
  operation: { stillMs: 8_000, longestMs: 15_000 },
  /** A member's turn of a rolling update is usually over by then, and the next one begins with a write anyway. */
  turn: { stillMs: 20_000, longestMs: 20_000 },
  /** One status for all steps of a starting node is enough. Readiness comes within 2 s of a join. */
  node: { stillMs: 2_500, longestMs: 8_000 },
  /** The proof, the end of the Pod and the others noticing take a few seconds each: only what lasts longer is told. */
  departing: { stillMs: 10_000, longestMs: 10_000 },
  /** Every node's status has the number of members, and one change of size is often followed by another. */
  lazy: { stillMs: 20_000, longestMs: 60_000 },
} as const;
export type StatusPace = keyof typeof STATUS_PACES;

/** Between tries of what is refused: at first, and at most. */
export const BACKOFFS = {
  /** A raised quota causes no event that we watch (F53). */
  write: { firstMs: 1_000, longestMs: 30_000 },
  /** Neither does a changed class. */
  claimChange: { firstMs: 15_000, longestMs: 300_000 },
  /** Caches mostly follow within a moment. Behind a watch that is held up each try reads live. */
  record: { firstMs: 250, longestMs: 8_000 },
} as const;
export type Backoff = keyof typeof BACKOFFS;

/** Milliseconds until the next try: each refusal in a row doubles the wait.
 *  @param refusals in a row, from 1 */
export function backoffMs(of: Backoff, refusals: number): number {
  const { firstMs, longestMs } = BACKOFFS[of];
  return Math.min(longestMs, firstMs * 2 ** (refusals - 1));
}

/** After a step the next pass comes no later than this, should its own write cause no event. */
export const STEP_INTERVAL_MS = 1_000;
/** After a live read has shown that the caches were stale; it has updated them. */
export const STALE_MS = 1_000;
/** Between two passes while the load is measured closely. */
export const MEASURING_INTERVAL_MS = 1_000;
/** Refused writes and taken names are tried again after this time even if nothing changes: no event of ours tells that
 *  a quota was raised, or that a foreign object is gone. */
export const REFUSED_RETRY_MS = 15_000;

/** A question in the background is given up after this time… */
export const ASK_LIMIT_MS = 5_000;
/** …and asked again this long after it got no answer. */
export const FAILED_MS = 5_000;
/** What the operator may not read or make is rarely granted soon, and a grant causes no event that we watch. */
export const FORBIDDEN_MS = 600_000;
