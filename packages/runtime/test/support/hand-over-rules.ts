import type { Bounds } from './hand-over-model.ts';

/** Mode `static`: a replica may start by each of these counts that its number is below. */
export function among(...counts: readonly number[]): Bounds['rules'] {
  return (ordinal) => counts.filter((count) => count > ordinal).map((count) => ({ kind: 'static', count }));
}
