// Holds measured figures to their limits; a failure shows all of them.

import { expect } from 'chai';
import { type Figure, renderFigures } from '../bench/figure.ts';

/** Prints the figures, and fails when one of them is above its limit. */
export function expectWithinLimits(...figures: readonly (readonly Figure[])[]): void {
  const all = figures.flat();
  const table = renderFigures(all);
  process.stdout.write(`${table}\n`);
  expect(
    all.filter(({ value, limit }) => !(value <= limit)).map(({ name }) => name),
    table,
  ).to.deep.equal([]);
}
