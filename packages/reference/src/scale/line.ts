// A straight line through figures, and where it meets a bound. Pure.

export interface Line {
  /** The value without any cluster. */
  readonly base: number;
  /** The increase for each cluster. */
  readonly each: number;
}

/** Least squares of the relative errors, so that a small fleet counts as much as a large one.
 *  @throws RangeError for fewer than two sizes, and for a value that is not above 0 */
export function fitLine(points: readonly (readonly [size: number, value: number])[]): Line {
  if (new Set(points.map(([size]) => size)).size < 2) throw new RangeError('a line takes two sizes');
  if (points.some(([, value]) => !(value > 0))) throw new RangeError('a figure that is not above 0');
  const sum = (of: (size: number, value: number) => number) =>
    points.reduce((total, [size, value]) => total + of(size, value) / value ** 2, 0);
  const [n, x, y, xx, xy] = [
    sum(() => 1),
    sum((size) => size),
    sum((_, value) => value),
    sum((size) => size * size),
    sum((size, value) => size * value),
  ];
  const each = (n * xy - x * y) / (n * xx - x * x);
  return { base: (y - each * x) / n, each };
}

/** How many clusters reach `bound`. */
export function clustersAt({ base, each }: Line, bound: number): number {
  return Math.floor((bound - base) / each);
}
