// Answers: since when is a load measured closely, because it may call for more nodes? A rate is measured over seconds, and for as long
// as it has the time before a step in it, it says less than is true: a size decided on it would be too small, and the cooldown would
// follow before it is put right.

/** Monotonic milliseconds. */
export interface Measuring {
  /** When the first sign came. */
  readonly beganMs: number;
  /** When the last one came: what was measured before it does not count. */
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** Long enough for a whole window of the rates after the last sign, and for what follows from it. */
const MEASURING_MS = 20_000;
/** A load that goes on rising for longer is decided on as it is. */
const RISING_MS = 10_000;

/** After a sign that more nodes may be needed. @param isRising the load is still on its way up */
export function nextMeasuring(before: Measuring | undefined, isRising: boolean, nowMs: number): Measuring {
  const untilMs = nowMs + MEASURING_MS;
  if (before === undefined || before.untilMs <= nowMs) return { beganMs: nowMs, sinceMs: nowMs, untilMs };
  const isOnItsWay = isRising && nowMs - before.beganMs < RISING_MS;
  return { ...before, sinceMs: isOnItsWay ? nowMs : before.sinceMs, untilMs };
}
