// How long to wait after the n-th failure in a row.

export interface BackoffOptions {
  /** Before the second try, in milliseconds. @default 50 */
  readonly baseMs?: number;
  /** Never more than this before jitter, in milliseconds. @default 300000 (5 min) */
  readonly maxMs?: number;
  /** Share of the delay that is random, 0..1: 0.2 means 80..100 % of the nominal delay. @default 0.2 */
  readonly jitter?: number;
  /** Uniform in [0, 1). @default Math.random */
  readonly random?: () => number;
}

/** @returns the delay in milliseconds for a number of failures in a row, 1 or more: base × 2^(failures−1) up to the
 *  maximum, less the jitter. */
export function createBackoff(options: BackoffOptions = {}): (failures: number) => number {
  const { baseMs = 50, maxMs = 300_000, jitter = 0.2, random = Math.random } = options;
  return (failures) => {
    const nominalMs = Math.min(maxMs, baseMs * 2 ** Math.min(failures - 1, 40));
    return nominalMs * (1 - jitter * random());
  };
}
