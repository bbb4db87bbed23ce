// The queue against a naive one: after any sequence of commands both agree on what is ready, delayed, running and
// startable.
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { createQueue } from '../src/queue/queue.ts';
import { createManualClock } from './support/manual-clock.ts';
import { NaiveQueue } from './support/naive-queue.ts';

type Step =
  | { readonly kind: 'add'; readonly key: string; readonly afterMs: number; readonly priority: 'high' | 'low' }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'take' }
  | { readonly kind: 'end'; readonly index: number; readonly isSuccess: boolean };

const key = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 0, max: 5 })).map(([ns, n]) => `${ns}/${n}`);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      key,
      afterMs: fc.constantFrom(0, 0, 0, 10, 300, 5000),
      priority: fc.constantFrom('high' as const, 'low' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(1, 50, 199, 200, 3000, 20_000) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('take' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('end' as const), index: fc.nat(15), isSuccess: fc.boolean() }),
  },
);
const groupOf = (one: string): string => one.slice(0, 1);

describe('work queue, against a naive one', () => {
  it('agrees on ready, delayed, running and startable keys after every step', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.constantFrom(1, 2, 4, 8), (steps, concurrency) => {
        const clock = createManualClock();
        const backoff = { baseMs: 50, maxMs: 300_000, jitter: 0 };
        const queue = createQueue({ clock, concurrency, minIntervalMs: 200, failingIntervalMs: 2000, backoff });
        const naive = new NaiveQueue(concurrency, 200, 2000);
        const running: string[] = [];
        for (const one of steps) {
          const nowMs = clock.steadyMs();
          if (one.kind === 'add') {
            queue.add(one.key, one);
            naive.add(one.key, nowMs, one.afterMs);
          } else if (one.kind === 'pass') {
            clock.advance(one.ms);
          } else if (one.kind === 'take') {
            const startable = naive.startable(nowMs, groupOf);
            const taken = queue.take();
            if (startable.length === 0) expect(taken).to.equal(undefined);
            else expect(startable).to.include(taken?.key);
            if (taken === undefined) continue;
            expect(taken.failures).to.equal(naive.failures(taken.key));
            naive.start(taken.key, nowMs);
            running.push(taken.key);
          } else {
            const [ended] = running.splice(one.index % Math.max(1, running.length), 1);
            if (ended === undefined) continue;
            if (one.isSuccess) queue.done(ended);
            else queue.retry(ended);
            naive.end(ended, nowMs, one.isSuccess, 50, 300_000);
          }
          const stats = queue.stats();
          const now = clock.steadyMs();
          expect(stats.high + stats.low).to.equal(naive.ready(now).length);
          expect(stats.delayed).to.equal(naive.delayed(now).length);
          expect(stats.running).to.equal(naive.running().length);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('starts every key in the end and then has none', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const clock = createManualClock();
        const queue = createQueue({ clock, concurrency: 2 });
        const wanted = new Set<string>();
        for (const one of steps) {
          if (one.kind !== 'add') continue;
          queue.add(one.key, one);
          wanted.add(one.key);
        }
        for (let left = 1000; wanted.size > 0 && left > 0; left--) {
          const taken = queue.take();
          if (taken === undefined) {
            clock.advance(100);
            continue;
          }
          wanted.delete(taken.key);
          queue.done(taken.key);
        }
        expect([...wanted]).to.deep.equal([]);
        clock.advance(10_000);
        queue.add('z/last');
        queue.take();
        queue.done('z/last');
        expect(queue.size, 'only the last one, within its interval').to.equal(1);
      }),
      { numRuns: 100 },
    );
  });
});
