// What causes another sizing pass of a cluster, and what does not; and what is remembered about its size.

import type { MarekvsCluster, MarekvsClusterStatus } from '@marekvs/api';
import { loadOf } from '@marekvs/planner';
import type { MemberMetrics } from '@marekvs/store-client';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { nextRate, type OpRate } from '../src/members/op-rate.ts';
import { WATCHED_INTERVAL_MS } from '../src/members/probing-pace.ts';
import { createAutoscaleMemory } from '../src/sizing/autoscale-memory.ts';
import { createLoadWatch } from '../src/sizing/load-watch.ts';

const KEY = 'team/demo';

/** Five nodes that are to carry 1,000 commands per second each. */
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
    // 100 more on one member, seen two of 21 seconds after a rise, may mean 1,200 more on each of five.
    ['one member that serves so much more that all may need more', [[3_000], [3_100, 100]], 'rising'],
    ['one member that serves a little more', [[3_000], [3_050, 33]], undefined],
    ['one that serves more in a cluster that could carry it', [[500], [515, 15]], undefined],
  ] as const;
  for (const [title, rates, call] of rows) {
    it(`${call === undefined ? 'lets' : 'calls for'} a cluster with ${title}${call === undefined ? ' rest' : `: ${call}`}`, () => {
      expect(after(...rates)).to.equal(call);
    });
  }

  it('calls for a pass once a minute where disks decide the size, and never where nothing does', () => {
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
  it('is measured closely from then on, unlike any other load', () => {
    expect(rising(3_100, 100)?.rise).to.not.equal(undefined);
    expect(rising(5_001, 0)).to.include({ rise: undefined });
    expect(rising(3_000, 0)).to.equal(undefined);
  });
});

describe('a rise of the load', () => {
  const SIZE = 3;
  const STEP_MS = 100_000;
  const [LOW, HIGH] = [1_000, 7_300];

  /** Commands that a member has served by then. */
  const servedAt = (ms: number) => Math.round((LOW * ms + (HIGH - LOW) * Math.max(0, ms - STEP_MS)) / 1_000);

  /** Three members asked in turns, and every second from the first sign on.
   *  @returns after how long the whole rise is known, and the load known then */
  function known(phaseMs: number): { readonly afterMs: number; readonly opsPerSecond: number } {
    const memory = createAutoscaleMemory();
    const clock = createManualClock();
    const watch = createLoadWatch(memory, clock);
    const sized = cluster({ targetOpsPerNode: 5_000 }, { autoscale: { size: SIZE } });
    const turn = WATCHED_INTERVAL_MS / SIZE;
    const members = Array.from({ length: SIZE }, (_, index) => ({
      nextMs: phaseMs + index * turn,
      rate: undefined as OpRate | undefined,
    }));
    const startMs = clock.monotonicMs();
    for (let ms = 0; ms < STEP_MS + 60_000; ms += 50, clock.advance(50)) {
      const nowMs = clock.monotonicMs();
      for (const member of members) {
        if (ms < member.nextMs) continue;
        const before = member.rate;
        const metrics = { isFresh: true, commandsTotal: servedAt(ms), housekeepingCommandsTotal: 0 } as MemberMetrics;
        member.rate = nextRate(before, metrics, nowMs);
        const rates = members.map(({ rate }) => rate?.perSecond);
        const total = rates.reduce((sum = Number.NaN, rate = Number.NaN) => sum + rate, 0);
        const isKnown = total !== undefined && !Number.isNaN(total);
        const risen = member.rate === before ? 0 : (member.rate?.risen ?? 0);
        const call = watch.note(KEY, sized, { total: isKnown ? total : undefined, risen });
        if (call === 'rising') for (const other of members) other.nextMs = Math.min(other.nextMs, ms + 50);
        member.nextMs = ms + (memory.measuring(KEY, nowMs) === undefined ? WATCHED_INTERVAL_MS : 1_000);
      }
      const loads = members.map(({ rate }, index) => ({
        name: `demo-${index}`,
        opsPerSecond: rate?.perSecond,
        fromMs: rate?.fromMs ?? 0,
        toMs: rate?.toMs ?? 0,
      }));
      const load = loadOf(loads, nowMs, memory.measuring(KEY, nowMs)?.sinceMs);
      if (load.isSharp && nowMs - startMs >= STEP_MS) return { afterMs: ms - STEP_MS, opsPerSecond: load.opsPerSecond };
    }
    return { afterMs: Number.POSITIVE_INFINITY, opsPerSecond: 0 };
  }

  it('is known in full within 15 s, whenever it comes between two probes', () => {
    const found = Array.from({ length: WATCHED_INTERVAL_MS / 500 }, (_, step) => known(step * 500));
    expect(Math.max(...found.map(({ afterMs }) => afterMs))).to.be.at.most(15_000);
    for (const { opsPerSecond } of found) expect(opsPerSecond).to.be.closeTo(SIZE * HIGH, 5);
  });
});

describe('the memory of a size', () => {
  it('keeps nothing about a cluster that is gone', () => {
    const memory = createAutoscaleMemory();
    memory.level(KEY, 'high');
    memory.measure(KEY, true, 0);
    memory.forget(KEY);
    expect([memory.level(KEY, 'low'), memory.measuring(KEY, 0)]).to.deep.equal([undefined, undefined]);
  });

  const DECISION = { size: 5, since: '2026-01-01T00:00:00Z' };
  const MADE_MS = Date.parse(DECISION.since);
  const at = (ms: number, clockMs = ms) => ({ nowMs: MADE_MS + clockMs, monotonicMs: 1_000_000 + ms });

  it('has the age of a decision when it was first seen, and adds time by its own clock', () => {
    const memory = createAutoscaleMemory();
    expect(memory.seen(KEY, DECISION, false, at(40_000)).decidedForMs).to.equal(40_000);
    expect(memory.seen(KEY, DECISION, false, at(50_000)).decidedForMs).to.equal(50_000);
  });
  it('does not depend on a clock that is set forward or back', () => {
    const memory = createAutoscaleMemory();
    memory.seen(KEY, DECISION, false, at(10_000));
    expect(memory.seen(KEY, DECISION, false, at(20_000, 9_999_999)).decidedForMs).to.equal(20_000);
    expect(memory.seen(KEY, DECISION, false, at(30_000, -9_999_999)).decidedForMs).to.equal(30_000);
    expect(createAutoscaleMemory().seen(KEY, DECISION, false, at(0, -3_600_000)).decidedForMs).to.equal(0);
  });
  it('counts a low load from when it began, and anew after a break or a decision', () => {
    const memory = createAutoscaleMemory();
    const lowFor = (ms: number, isLow: boolean, size = 5) =>
      memory.seen(KEY, { ...DECISION, size }, isLow, at(ms)).lowForMs;
    expect([lowFor(0, true), lowFor(60_000, true)]).to.deep.equal([0, 60_000]);
    expect([lowFor(61_000, false), lowFor(62_000, true), lowFor(70_000, true)]).to.deep.equal([undefined, 0, 8_000]);
    expect([lowFor(80_000, true, 4), lowFor(90_000, true, 4)]).to.deep.equal([0, 10_000]);
  });
  it('counts for how long the result has been the same', () => {
    const memory = createAutoscaleMemory();
    memory.seen(KEY, DECISION, false, at(0));
    memory.found(KEY, 'AtMaxNodes', at(0).monotonicMs);
    memory.found(KEY, 'AtMaxNodes', at(5_000).monotonicMs);
    expect(memory.seen(KEY, DECISION, false, at(9_000)).found).to.deep.equal({ reason: 'AtMaxNodes', forMs: 9_000 });
    memory.found(KEY, 'LoadWithinTarget', at(9_000).monotonicMs);
    expect(memory.seen(KEY, DECISION, false, at(9_500)).found?.forMs).to.equal(500);
  });
});
