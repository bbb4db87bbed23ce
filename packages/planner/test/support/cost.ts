// What a pure function of a large input costs: judged by how often it reads the input, which grows when it goes through
// a list once more than it has to and is the same on every machine. The time is printed only, since the machine does
// other work at the same time.

import { expect } from 'chai';
import { it } from 'mocha';

export interface Costs<I extends object, R> {
  /** Of properties, entries and lengths, in the first call. */
  readonly mostReads: number;
  readonly run: (input: I) => R;
  readonly inputOf: () => I;
  /** False if the function went another way than the title says. */
  readonly isReached: (result: R) => boolean;
}

/** A test that such a function gets by with so many reads. Its title says how many there were, and the time. */
export function itReads<I extends object, R>(title: string, { mostReads, run, inputOf, isReached }: Costs<I, R>): void {
  it(`${title} with at most ${mostReads} reads`, function () {
    const counted = countReads(inputOf());
    expect(isReached(run(counted.input))).to.equal(true);
    const reads = counted.reads();
    if (this.test) this.test.title += ` (${reads}, ${undisturbedMs(run, inputOf).toFixed(3)} ms)`;
    expect(reads).to.be.within(1, mostReads);
  });
}

function countReads<I extends object>(original: I): { readonly input: I; reads(): number } {
  const proxies = new WeakMap<object, object>();
  let reads = 0;
  const wrap = <T>(value: T): T => {
    if (typeof value !== 'object' || value === null) return value;
    const known = proxies.get(value);
    // The proxy made for a value has the type of the value.
    if (known !== undefined) return known as T & object;
    const isCollection = value instanceof Map || value instanceof Set;
    const proxy = new Proxy(value, {
      get(target, property) {
        reads += 1;
        if (!isCollection) return wrap(Reflect.get(target, property));
        const inner: unknown = Reflect.get(target, property, target);
        // Methods of collections refuse a proxy as their receiver.
        return typeof inner === 'function' ? inner.bind(target) : inner;
      },
    });
    proxies.set(value, proxy);
    return proxy;
  };
  return { input: wrap(original), reads: () => reads };
}

const RUNS = 100;

/** @returns the tenth percentile of warm runs, without the creation of their input */
function undisturbedMs<I>(run: (input: I) => unknown, inputOf: () => I): number {
  for (let i = 0; i < RUNS; i += 1) run(inputOf());
  const times = Array.from({ length: RUNS }, () => {
    const input = inputOf();
    const startMs = performance.now();
    run(input);
    return performance.now() - startMs;
  });
  return times.sort((a, b) => a - b)[RUNS / 10] ?? Number.NaN;
}
