// Answers: since when is a load measured closely, because it may call for more nodes? A rate is measured over seconds.
// As long as that includes time before a step in the load, the rate is too low: a size decided on it would be too
// small, and the cooldown would delay the correction.

/** Monotonic milliseconds. */
export interface Measuring {
  /** When the last sign came: what was measured before it does not count. */
  readonly sinceMs: number;
  readonly untilMs: number;
  /** When the load began to rise, and when it was last seen rising; undefined while it has not risen since measuring
   *  began. */
  readonly rise: { readonly fromMs: number; readonly toMs: number } | undefined;
}

/** Long enough for a whole window of the rates after the last sign, and for what follows from it. */
const MEASURING_MS = 20_000;
/** Two signs this close are of the same rise… */
const SAME_RISE_MS = 3_000;
/** …and one that goes on for longer is decided on as it is. */
const LONG_RISE_MS = 10_000;
/** After a sign the others are asked at once. Signs in their first answers are of the same step, now over. */
const SAME_SIGN_MS = 500;

/** After a sign that more nodes may be needed. @param isRising the load is still on its way up */
export function nextMeasuring(before: Measuring | undefined, isRising: boolean, nowMs: number): Measuring {
  const running = before !== undefined && before.untilMs > nowMs ? before : undefined;
  const rise = isRising ? nextRise(running?.rise, nowMs) : running?.rise;
  const isSameSign = running?.rise !== undefined && nowMs - running.sinceMs <= SAME_SIGN_MS;
  const isStillRising = isRising && rise !== undefined && nowMs - rise.fromMs < LONG_RISE_MS;
  const isNew = running === undefined || (isStillRising && !isSameSign);
  return { sinceMs: isNew ? nowMs : running.sinceMs, untilMs: nowMs + MEASURING_MS, rise };
}

function nextRise(before: Measuring['rise'], nowMs: number): Measuring['rise'] {
  const isSame = before !== undefined && nowMs - before.toMs <= SAME_RISE_MS;
  return { fromMs: isSame ? before.fromMs : nowMs, toMs: nowMs };
}
