// Combines the requeue delays of several plans.

/** The shortest of these delays; undefined when none is known. */
export function soonest(...delays: readonly (number | undefined)[]): number | undefined {
  const known = delays.filter((delay) => delay !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
