// Time that never goes back and counts a suspend, of one clock that is fine and cheap and stands still
// meanwhile, and one that is neither.

/** Between two reads of the coarse clock, on the fine one: it moves in steps of 10 ms, and costs a file to read. */
const CHECK_MS = 1;

/** Milliseconds since this call. @param fineMs stands still while the machine is suspended @param coarseMs counts
 *  that */
export function createMonotonic(fineMs: () => number, coarseMs: () => number): () => number {
  const fineStartMs = fineMs();
  const coarseStartMs = coarseMs();
  let readAtMs = 0;
  let suspendedMs = 0;

  return () => {
    const passedMs = fineMs() - fineStartMs;
    if (passedMs - readAtMs >= CHECK_MS) {
      readAtMs = passedMs;
      suspendedMs = Math.max(suspendedMs, coarseMs() - coarseStartMs - passedMs);
    }
    return passedMs + suspendedMs;
  };
}
