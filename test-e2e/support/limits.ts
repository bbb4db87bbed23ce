// Compares measured counts with their limits; a failure shows all figures.

import { expect } from 'chai';
import { type Figure, renderFigures } from '../bench/figure.ts';

/** Counts are the same on every machine, so their limits are exact. Times, CPU and memory depend on the machine: here
 *  they are printed, and `npm run bench:api` compares them with their limits on a quiet one. */
const COUNTED_UNITS: ReadonlySet<string> = new Set(['', '/min']);

function isWithin({ value, limit, unit }: Figure): boolean {
  return value <= limit || !COUNTED_UNITS.has(unit);
}

/** Prints the figures, and fails when a count is above what is allowed. */
export function expectWithinLimits(...figures: readonly (readonly Figure[])[]): void {
  const all = figures.flat();
  const table = renderFigures(all);
  process.stdout.write(`${table}\n`);
  expect(
    all.filter((figure) => !isWithin(figure)).map(({ name }) => name),
    table,
  ).to.deep.equal([]);
}
