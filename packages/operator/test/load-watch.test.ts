// What calls for another look at the size of a cluster, and what does not; and what is remembered of it.

import type { MarekvsCluster, MarekvsClusterStatus } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { createAutoscaleMemory } from '../src/cluster/autoscale-memory.ts';
import { createLoadWatch } from '../src/cluster/load-watch.ts';

const KEY = 'team/demo';

/** Five nodes that shall carry 1,000 commands per second each. */
const cluster = (
  autoscale: object = { targetOpsPerNode: 1_000 },
  status: MarekvsClusterStatus = { autoscale: { size: 5 } },
): Sized => ({ spec: { image: 'x', autoscale: { minNodes: 3, maxNodes: 8, ...autoscale } }, status });

type Sized = Pick<MarekvsCluster, 'spec' | 'status'>;

describe('the watch over a load', () => {
  const after = (...rates: readonly (readonly [total: number | undefined, risen?: number])[]) => {
    const watch = createLoadWatch(createAutoscaleMemory(), createManualClock());
    return rates.map(([total, risen = 0]) => watch.note(KEY, cluster(), { total, risen })).at(-1);
  };
  const rows = [
    ['a load that stays as it is', [[3_000], [3_000]], undefined],
    ['a first load within the target', [[3_000]], undefined],
    ['a load that asks for more', [[3_000], [5_001]], 'high'],
    ['a load that has asked for more before', [[5_001], [5_001]], undefined],
    ['a load that one node less would carry', [[3_000], [2_399]], 'changed'],
    ['a load that is not known any more', [[3_000], [undefined]], 'changed'],
    ['a load that is known again', [[undefined], [3_000]], 'changed'],
    // 100 more on one, seen two of twenty-four seconds after a step, may be 1,200 more on each of five.
    ['one member that serves so much more that all may need more', [[3_000], [3_100, 100]], 'rising'],
    ['one member that serves a little more', [[3_000], [3_050, 33]], undefined],
    ['one that serves more in a cluster that could carry it', [[500], [515, 15]], undefined],
  ] as const;
  for (const [title, rates, call] of rows) {
    it(`${call === undefined ? 'lets' : 'calls for'} a cluster with ${title}${call === undefined ? ' rest' : `: ${call}`}`, () => {
      expect(after(...rates)).to.equal(call);
    });
  }

  it('calls once a minute where disks decide, and never where nothing does', () => {
    const calls = (of: Sized | undefined) => {
      const clock = createManualClock();
      const watch = createLoadWatch(createAutoscaleMemory(), clock);
      return [0, 30_000, 60_000, 90_000, 120_000].filter((ms) => {
        if (ms > 0) clock.advance(30_000);
        return watch.note(KEY, of, { total: 9_999, risen: 0 }) !== undefined;
      });
    };
    expect(calls(cluster({ targetDiskPercent: 80 }))).to.deep.equal([60_000, 120_000]);
    expect(calls(cluster({ targetOpsPerNode: 1_000 }, {}))).to.deep.equal([]);
    expect(calls(undefined)).to.deep.equal([]);
  });
});

describe('a load that may call for more nodes', () => {
  const rising = (total: number, risen: number) => {
    const memory = createAutoscaleMemory();
    const clock = createManualClock();
    createLoadWatch(memory, clock).note(KEY, cluster(), { total, risen });
    return memory.measuring(KEY, clock.monotonicMs());
  };
  it('is measured closely from then on, and no other', () => {
    expect(rising(3_100, 100)?.rise).to.not.equal(undefined);
    expect(rising(5_001, 0)).to.include({ rise: undefined });
    expect(rising(3_000, 0)).to.equal(undefined);
  });
});

describe('the memory of a size', () => {
  it('has nothing left of a cluster that is gone', () => {
    const memory = createAutoscaleMemory();
    memory.level(KEY, 'high');
    memory.measure(KEY, true, 0);
    memory.forget(KEY);
    expect([memory.level(KEY, 'low'), memory.measuring(KEY, 0)]).to.deep.equal([undefined, undefined]);
  });

  const DECISION = { size: 5, since: '2026-01-01T00:00:00Z' };
  const MADE_MS = Date.parse(DECISION.since);
  const at = (ms: number, clockMs = ms) => ({ nowMs: MADE_MS + clockMs, monotonicMs: 1_000_000 + ms });

  it('knows how old a decision was when it was first seen, and counts on by its own clock', () => {
    const memory = createAutoscaleMemory();
    expect(memory.seen(KEY, DECISION, false, at(40_000)).decidedForMs).to.equal(40_000);
    expect(memory.seen(KEY, DECISION, false, at(50_000)).decidedForMs).to.equal(50_000);
  });
  it('is not misled by a clock that is set ahead or back', () => {
    const memory = createAutoscaleMemory();
    memory.seen(KEY, DECISION, false, at(10_000));
    expect(memory.seen(KEY, DECISION, false, at(20_000, 9_999_999)).decidedForMs).to.equal(20_000);
    expect(memory.seen(KEY, DECISION, false, at(30_000, -9_999_999)).decidedForMs).to.equal(30_000);
    expect(createAutoscaleMemory().seen(KEY, DECISION, false, at(0, -3_600_000)).decidedForMs).to.equal(0);
  });
  it('counts a low load from when it began, anew after a break and after a decision', () => {
    const memory = createAutoscaleMemory();
    const lowFor = (ms: number, isLow: boolean, size = 5) =>
      memory.seen(KEY, { ...DECISION, size }, isLow, at(ms)).lowForMs;
    expect([lowFor(0, true), lowFor(60_000, true)]).to.deep.equal([0, 60_000]);
    expect([lowFor(61_000, false), lowFor(62_000, true), lowFor(70_000, true)]).to.deep.equal([undefined, 0, 8_000]);
    expect([lowFor(80_000, true, 4), lowFor(90_000, true, 4)]).to.deep.equal([0, 10_000]);
  });
  it('counts for how long the same was found', () => {
    const memory = createAutoscaleMemory();
    memory.seen(KEY, DECISION, false, at(0));
    memory.found(KEY, 'AtMaxNodes', at(0).monotonicMs);
    memory.found(KEY, 'AtMaxNodes', at(5_000).monotonicMs);
    expect(memory.seen(KEY, DECISION, false, at(9_000)).found).to.deep.equal({ reason: 'AtMaxNodes', forMs: 9_000 });
    memory.found(KEY, 'LoadWithinTarget', at(9_000).monotonicMs);
    expect(memory.seen(KEY, DECISION, false, at(9_500)).found?.forMs).to.equal(500);
  });
});
