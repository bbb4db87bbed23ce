// The rules of sizing, with every line of the worked example, both sides of every limit, and unknown figures.

import { withDefaults } from '@marekvs/api';
import { expect } from 'chai';
import { loadOf, type MemberLoad, roundRate, unevenText } from '../../src/autoscale/load.ts';
import {
  decideSize,
  growsAtPercent,
  type SizingInputs,
  type SizingRules,
  sizingRules,
} from '../../src/autoscale/rules.ts';
import { hold } from '../../src/index.ts';

const NOW_MS = 1_000_000;
/** When the close measurement began. */
const SINCE_MS = NOW_MS - 5_000;
const LONG_MS = 3_600_000;

/** The spec of the worked example. */
const EXAMPLE = { minNodes: 3, maxNodes: 8, targetOpsPerNode: 5_000 };

function rulesOf(
  autoscale: Partial<typeof EXAMPLE> & { targetDiskPercent?: number } = {},
  replicationFactor = 2,
): SizingRules {
  const rules = sizingRules(withDefaults({ image: 'x', replicationFactor, autoscale: { ...EXAMPLE, ...autoscale } }));
  if (rules === undefined) throw new Error('there is an autoscale');
  return rules;
}

const DISK_ONLY: SizingRules = { ...rulesOf({ targetDiskPercent: 80 }), targetOps: undefined };

/** Members that were just measured over five seconds. */
function members(...rates: readonly (number | undefined)[]): readonly MemberLoad[] {
  return rates.map((opsPerSecond, id) => ({ name: `demo-${id}`, opsPerSecond, fromMs: SINCE_MS, toMs: NOW_MS }));
}

const evenly = (ops: number, size: number) =>
  loadOf(members(...Array.from({ length: size }, () => ops / size)), NOW_MS, SINCE_MS);

function inputs(size: number, ops: number, change: Partial<SizingInputs> = {}): SizingInputs {
  return {
    size,
    load: evenly(ops, size),
    disk: { now: undefined, afterRemoval: undefined, fullest: undefined },
    decidedForMs: LONG_MS,
    lowForMs: LONG_MS,
    grownAtPercent: undefined,
    growthHold: undefined,
    shrinkHold: undefined,
    ...change,
  };
}

const disk = (now: number | undefined, afterRemoval = now) => ({ disk: { now, afterRemoval, fullest: 'demo-1' } });

describe('the sizing rules of a cluster', () => {
  it('set the floor to the higher of minNodes and replicationFactor + 1', () => {
    expect(rulesOf().floor).to.equal(3);
    expect(rulesOf({ minNodes: 1 }).floor).to.equal(3);
    expect(rulesOf({ minNodes: 4 }).floor).to.equal(4);
    expect(rulesOf({}, 5).floor).to.equal(6);
  });
  it('set the ceiling to maxNodes, but never below the floor', () => {
    expect(rulesOf().ceiling).to.equal(8);
    expect(rulesOf({ maxNodes: 4 }, 5).ceiling).to.equal(6);
  });
  it('do not exist for a fixed size', () => {
    expect(sizingRules(withDefaults({ image: 'x' }))).to.equal(undefined);
  });
});

describe('the worked example', () => {
  it('goes from 3 to 5 in one step at 22,000 ops/s and a target of 5,000', () => {
    expect(decideSize(rulesOf(), inputs(3, 22_000))).to.include({ size: 5, ideal: 5, reason: 'LoadAboveTarget' });
  });
  it('goes from 5 to 4 after the window at 6,000 ops/s, although the load asks for 2', () => {
    expect(decideSize(rulesOf(), inputs(5, 6_000))).to.include({ size: 4, ideal: 2, reason: 'LoadBelowTarget' });
  });
  it('goes from 4 to 3 after another window, and no further', () => {
    const early = inputs(4, 6_000, { decidedForMs: 299_999 });
    expect(decideSize(rulesOf(), early)).to.include({ size: 4, next: 3, changesInMs: 1 });
    expect(decideSize(rulesOf(), inputs(4, 6_000, { decidedForMs: 300_000, lowForMs: 300_000 })).size).to.equal(3);
    expect(decideSize(rulesOf(), inputs(3, 6_000))).to.include({
      size: 3,
      reason: 'AtMinNodes',
      changesInMs: undefined,
    });
  });
});

describe('growth by load', () => {
  const rows = [
    { ops: 15_000, size: 3, to: 3 },
    { ops: 15_001, size: 3, to: 4 },
    { ops: 20_000, size: 3, to: 4 },
    { ops: 40_000, size: 3, to: 8 },
    { ops: 90_000, size: 3, to: 8 },
    { ops: 40_001, size: 8, to: 8 },
  ];
  for (const { ops, size, to } of rows) {
    it(`is from ${size} to ${to} at ${ops} ops/s`, () => {
      expect(decideSize(rulesOf(), inputs(size, ops)).size).to.equal(to);
    });
  }
  it('waits for the cooldown after a change of size, and says how long', () => {
    const verdict = decideSize(rulesOf(), inputs(3, 22_000, { decidedForMs: 59_999 }));
    expect(verdict).to.include({ size: 3, next: 5, changesInMs: 1 });
    expect(decideSize(rulesOf(), inputs(3, 22_000, { decidedForMs: 60_000 })).size).to.equal(5);
  });
  it('waits until an earlier new member has joined', () => {
    const growthHold = hold('MemberJoining', 'demo-4 joins first');
    expect(decideSize(rulesOf(), inputs(3, 22_000, { growthHold }))).to.deep.include({
      size: 3,
      next: 5,
      hold: growthHold,
    });
  });
  it('is not decided on a rate measured before the sign that called for it, which would include only a part of a rise', () => {
    const load = loadOf(
      members(8_000, 8_000, 8_000).map((member) => ({ ...member, fromMs: SINCE_MS - 1 })),
      NOW_MS,
      SINCE_MS,
    );
    expect(decideSize(rulesOf(), inputs(3, 0, { load }))).to.include({ size: 3, next: 5, needsSharpLoad: true });
  });
  it('reports AtMaxNodes when the load asks for more than the ceiling', () => {
    expect(decideSize(rulesOf(), inputs(8, 40_001))).to.include({ reason: 'AtMaxNodes', ideal: 9 });
    expect(decideSize(rulesOf(), inputs(8, 40_000))).to.include({ reason: 'LoadWithinTarget', ideal: 8 });
  });
  it('raises the size to the floor at once, without load figures or a cooldown', () => {
    const verdict = decideSize(rulesOf({ minNodes: 5 }), inputs(3, 0, { load: evenly(0, 0), decidedForMs: 0 }));
    expect(verdict).to.include({ size: 5, reason: 'BelowMinNodes' });
  });
});

describe('shrinking by load', () => {
  const rows = [
    { title: 'goes below 60 % of the target on those that remain', ops: 11_999, size: 5, to: 4 },
    { title: 'stays at exactly 60 %', ops: 12_000, size: 5, to: 5 },
    { title: 'goes down by one even when nothing is served', ops: 0, size: 8, to: 7 },
    { title: 'never goes below the floor', ops: 0, size: 3, to: 3 },
  ];
  for (const { title, ops, size, to } of rows) {
    it(`${title}: ${size} to ${to} at ${ops} ops/s`, () => {
      expect(decideSize(rulesOf(), inputs(size, ops)).size).to.equal(to);
    });
  }
  it('waits until the load has been low for the whole window', () => {
    expect(decideSize(rulesOf(), inputs(5, 6_000, { lowForMs: 299_000 }))).to.include({ size: 5, changesInMs: 1_000 });
    expect(decideSize(rulesOf(), inputs(5, 6_000, { lowForMs: undefined })).size).to.equal(5);
  });
  it('waits for whatever keeps the cluster from being healthy', () => {
    const shrinkHold = hold('ViewsDisagree', 'they disagree');
    expect(decideSize(rulesOf(), inputs(5, 6_000, { shrinkHold }))).to.deep.include({ size: 5, hold: shrinkHold });
  });
  it('lowers a size above the ceiling one node at a time, once the ceiling is enough for the load', () => {
    expect(decideSize(rulesOf(), inputs(9, 45_000))).to.include({ size: 9, reason: 'AtMaxNodes' });
    expect(decideSize(rulesOf(), inputs(9, 38_000))).to.include({ size: 8, reason: 'AboveMaxNodes' });
  });
});

describe('an unknown rate of a member', () => {
  it('keeps the cluster from shrinking, however little the others serve', () => {
    const load = loadOf(members(0, 0, undefined, 0, 0), NOW_MS, SINCE_MS);
    expect(decideSize(rulesOf(), inputs(5, 0, { load }))).to.include({ size: 5, reason: 'NoLoadSignal' });
  });
  it('does not keep the cluster from growing: the known rates are the least that is served', () => {
    const load = loadOf(members(11_000, 11_000, undefined), NOW_MS, SINCE_MS);
    expect(decideSize(rulesOf(), inputs(3, 0, { load }))).to.include({ size: 5, ideal: 5 });
  });
  it('asks for nothing when the rate of every member is unknown', () => {
    const load = loadOf(members(undefined, undefined, undefined), NOW_MS, SINCE_MS);
    expect(decideSize(rulesOf(), inputs(5, 0, { load }))).to.include({
      size: 5,
      ideal: undefined,
      reason: 'NoLoadSignal',
    });
  });
  for (const rate of [Number.NaN, -1, 60_000_000, Number.POSITIVE_INFINITY]) {
    it(`is a reported rate of ${rate}`, () => {
      expect(loadOf(members(10, rate, 10), NOW_MS, SINCE_MS)).to.deep.include({
        opsPerSecond: 20,
        missing: ['demo-1'],
      });
    });
  }
  it('is any rate measured more than 40 s ago', () => {
    const [first, ...rest] = members(10, 10, 10);
    const at = (toMs: number) =>
      loadOf([{ ...first, name: 'demo-0', opsPerSecond: 10, fromMs: 0, toMs }, ...rest], NOW_MS, SINCE_MS);
    expect(at(NOW_MS - 40_000).missing).to.deep.equal([]);
    expect(at(NOW_MS - 40_001).missing).to.deep.equal(['demo-0']);
  });
});

describe('an uneven load', () => {
  it('names the member that serves it, since more nodes do not help against a hot key', () => {
    expect(unevenText(loadOf(members(20_000, 1_000, 1_000), NOW_MS, SINCE_MS))).to.match(/^demo-0 serves 91 % of it/);
  });
  it('is not reported below twice the mean, with one member, or at next to no load', () => {
    expect(unevenText(loadOf(members(1_900, 1_000, 1_000), NOW_MS, SINCE_MS))).to.equal(undefined);
    expect(unevenText(loadOf(members(1_900), NOW_MS, SINCE_MS))).to.equal(undefined);
    expect(unevenText(loadOf(members(9, 0, 0), NOW_MS, SINCE_MS))).to.equal(undefined);
  });
});

describe('sizing by disks', () => {
  it('adds one node from 10 points below the target', () => {
    expect(decideSize(DISK_ONLY, inputs(3, 0, disk(69.9))).size).to.equal(3);
    expect(decideSize(DISK_ONLY, inputs(3, 0, disk(70)))).to.include({ size: 4, reason: 'DiskAboveTarget' });
  });
  it('adds the next node only when the fullest volume has filled further, since volumes do not shrink', () => {
    expect([growsAtPercent(80, undefined), growsAtPercent(80, 70), growsAtPercent(80, 75)]).to.deep.equal([
      70, 75, 77.5,
    ]);
    expect([growsAtPercent(80, 79), growsAtPercent(80, 90)]).to.deep.equal([81, 92]);
    expect(decideSize(DISK_ONLY, inputs(4, 0, { ...disk(74.9), grownAtPercent: 70 })).size).to.equal(4);
    expect(decideSize(DISK_ONLY, inputs(4, 0, { ...disk(75), grownAtPercent: 70 })).size).to.equal(5);
  });
  it('needs no measured load, and takes the larger of the two sizes when there is one', () => {
    const both = rulesOf({ targetDiskPercent: 80 });
    expect(decideSize(both, inputs(3, 0, disk(70))).size).to.equal(4);
    expect(decideSize(both, inputs(3, 22_000, disk(70)))).to.include({ size: 5, reason: 'LoadAboveTarget' });
  });
  it('keeps a node without which the disks of the others would be too full, however low the load is', () => {
    const both = rulesOf({ targetDiskPercent: 80 });
    expect(decideSize(both, inputs(5, 0, disk(50, 68))).size).to.equal(5);
    expect(decideSize(both, inputs(5, 0, disk(50, 67.9))).size).to.equal(4);
  });
  it('removes a node only below 60 % of the target when no load is configured', () => {
    expect(decideSize(DISK_ONLY, inputs(5, 0, disk(30, 48))).size).to.equal(5);
    expect(decideSize(DISK_ONLY, inputs(5, 0, disk(30, 47.9))).size).to.equal(4);
  });
  it('keeps the size while the fill level of a disk is unknown', () => {
    expect(decideSize(DISK_ONLY, inputs(5, 0, disk(undefined)))).to.include({ size: 5, reason: 'NoLoadSignal' });
  });
});

describe('a rate', () => {
  const rounded = [
    [0, 0],
    [0.99, 0],
    [1, 1],
    [9.4, 9],
    [99.4, 99],
    [994, 990],
    [996, 1_000],
    [3_141.59, 3_100],
    [2_960_000, 3_000_000],
  ] as const;
  for (const [rate, shown] of rounded) {
    it(`of ${rate} is shown as ${shown}`, () => {
      expect(roundRate(rate)).to.equal(shown);
    });
  }
});
