// Arithmetic of measurements.

/** The value at a fraction (0..1) of the sorted samples, nearest rank. @throws RangeError for no samples */
export function percentile(samples: readonly number[], fraction: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(fraction * sorted.length) - 1)];
  if (value === undefined) throw new RangeError('percentile of no samples');
  return value;
}

export function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}
