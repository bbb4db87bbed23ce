// Repeatable random numbers: mulberry32.

export interface SeededRandom {
  /** Uniform in [0, 1). */
  (): number;
  /** As if it had been called `count` times. */
  skip(count: number): void;
}

const STEP = 0x6d2b79f5;

export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const draw = (): number => {
    state = (state + STEP) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return Object.assign(draw, {
    skip(count: number): void {
      state = (state + Math.imul(STEP, count)) >>> 0;
    },
  });
}
