// Members change at random while they are compared: everything that is reported complete was covered, judged by all
// that the members ever held.

import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { requestOf } from './support/driving.ts';
import { Life } from './support/life.ts';

const request = fc.record({
  members: fc.constantFrom([0, 1], [0, 1, 2], [3, 5, 8, 9]),
  replicationFactor: fc.constantFrom(1, 2, 3),
  isOnlyOne: fc.boolean(),
  isKeptFresh: fc.boolean(),
});

/** @param differences how many differences there are at first */
const lives = (differences: fc.Arbitrary<number | undefined>) =>
  fc.tuple(request, fc.integer(), differences).map(([{ members, isOnlyOne, ...rest }, seed, count]) => {
    const sources = isOnlyOne ? members.slice(0, 1) : members;
    return () => new Life(requestOf(members, { ...rest, sources }), seed, count);
  });
const life = lives(fc.constantFrom(undefined, 0, 10));

/** Steps until the comparison is complete, at most so many, checks that claim, and returns whether it was made.
 *  @param fromMs states of the homes count from then on */
function run(one: Life, steps: number, changes: number, failures = 0, fromMs = one.startedAtMs): boolean {
  for (let step = 0; step < steps; step += 1) {
    one.step(changes, failures);
    const { isComplete, coveredAtMs, partitionsDone, partitionsTotal } = one.comparison.figures();
    expect(isComplete).to.equal(coveredAtMs !== undefined);
    if (isComplete) expect(partitionsDone).to.equal(partitionsTotal);
    if (coveredAtMs === undefined) continue;
    expect(one.uncovered(coveredAtMs, fromMs)).to.deep.equal([]);
    return true;
  }
  return false;
}

describe('a comparison of members that change', function () {
  this.timeout(60_000);

  it('is complete only once every record of every source was on every other home', () => {
    let complete = 0;
    fc.assert(
      // Few differences and few changes, and nothing that makes members equal: a missing record stays missing unless it
      // is pushed.
      fc.property(lives(fc.integer({ min: 0, max: 8 })), fc.constantFrom(0, 0.01, 0.05), (start, changes) => {
        complete += run(start(), 1500, changes) ? 1 : 0;
      }),
      { numRuns: 120 },
    );
    expect(complete).to.be.within(15, 110);
  });

  it('is never complete wrongly while it gives way to others, and completes once it no longer has to', () => {
    fc.assert(
      fc.property(life, (start) => {
        const one = start();
        for (let turn = 0; turn < 15; turn += 1) {
          if (run(one, 100, 0.1)) return;
          one.pause();
        }
        one.converge();
        expect(run(one, 12_000, 0)).to.equal(true);
      }),
      { numRuns: 15 },
    );
  });

  it('completes once the members are equal, in a bounded number of questions', () => {
    fc.assert(
      fc.property(life, (start) => {
        const one = start();
        run(one, 400, 0.3);
        one.converge();
        const before = one.questions;
        expect(run(one, 12_000, 0)).to.equal(true);
        expect(one.questions - before).to.be.below(3000);
      }),
      { numRuns: 30 },
    );
  });

  it('is never complete wrongly while questions fail, and completes once they no longer do', () => {
    fc.assert(
      fc.property(life, (start) => {
        const one = start();
        run(one, 1500, 0.2, 0.3);
        expect(one.failures).to.be.above(0);
        one.converge();
        expect(run(one, 12_000, 0)).to.equal(true);
      }),
      { numRuns: 30 },
    );
  });

  it('is right in every later sweep as well', () => {
    let sweeps = 0;
    fc.assert(
      fc.property(life, (start) => {
        const one = start();
        for (let sweep = 0; sweep < 4; sweep += 1) {
          one.converge();
          if (!run(one, 12_000, 0.02, 0, 0)) return;
          const { coveredAtMs = -1 } = one.comparison.figures();
          one.comparison.sweep(one.nowMs);
          sweeps += 1;
          for (let step = 0; step < 300; step += 1) one.step(0.2, 0.05);
          const after = one.comparison.figures().coveredAtMs;
          if (after !== undefined) {
            expect(after).to.be.at.least(coveredAtMs);
            expect(one.uncovered(after, 0)).to.deep.equal([]);
          }
        }
      }),
      { numRuns: 30 },
    );
    expect(sweeps).to.be.above(20);
  });
});
