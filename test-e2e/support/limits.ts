// Holds measured figures to their limits; a failure shows all of them.

import { expect } from 'chai';
import { type Figure, renderFigures } from '../bench/figure.ts';

/** Counts are held to their limit exactly. What the machine's other work moves (times, CPU, memory) may be twice as much here,
 *  so that the gate fails for a reason; `npm run bench:api` holds everything to the limit itself. */
const MACHINE_SLACK = 2;
const COUNTED_UNITS: ReadonlySet<string> = new Set(['', '/min']);

function isWithin({ value, limit, unit }: Figure): boolean {
  return value <= (COUNTED_UNITS.has(unit) ? limit : limit * MACHINE_SLACK);
}

/** Prints the figures, and fails when one of them is above what is allowed. */
export function expectWithinLimits(...figures: readonly (readonly Figure[])[]): void {
  const all = figures.flat();
  const table = renderFigures(all);
  process.stdout.write(`${table}\n`);
  expect(
    all.filter((figure) => !isWithin(figure)).map(({ name }) => name),
    table,
  ).to.deep.equal([]);
}
