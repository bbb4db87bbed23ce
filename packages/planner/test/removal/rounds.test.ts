// How many rounds went by without repairs, without commits, without a change of membership; and how many a proof needs.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { idleRounds, type ProofRules, quietRounds, requiredRounds, settledRounds } from '../../src/index.ts';
import type { MemberHistory } from '../../src/removal/sample.ts';
import { line, MONOTONIC_MS } from '../support/builders.ts';
import { type Difference, histories, history } from '../support/histories.ts';

const IDS = [0, 1, 2];
const quiet = (list: readonly MemberHistory[], nowMs = MONOTONIC_MS) => quietRounds(IDS, list, nowMs);
const idle = (list: readonly MemberHistory[]) => idleRounds(IDS, list, MONOTONIC_MS);
const settled = (list: readonly MemberHistory[]) => settledRounds(IDS, list, MONOTONIC_MS);
const withMember = (differs: Difference) => histories(IDS, {}, { 1: differs });

const rules = (change: Partial<ProofRules> = {}): ProofRules => ({
  tier: 'Strict',
  audited: true,
  replicationFactor: 2,
  bounds: new Map(),
  isDead: false,
  ...change,
});

describe('the rounds a proof needs', () => {
  const table: readonly [string, Partial<ProofRules>, number][] = [
    ['3 in Strict', {}, 3],
    ['3 with three homes', { replicationFactor: 3 }, 3],
    ['4 with four homes', { replicationFactor: 4 }, 4],
    ['5 in Bounded', { tier: 'Bounded' }, 5],
    ['5 in Bounded with four homes', { tier: 'Bounded', replicationFactor: 4 }, 5],
    ['6 without test keys', { audited: false }, 6],
    ['6 when the target is dead', { isDead: true }, 6],
    ['6, not 12, when it is dead and there are no test keys', { isDead: true, audited: false }, 6],
    ['8 with four homes and no test keys', { replicationFactor: 4, audited: false }, 8],
    ['10 in Bounded without test keys', { tier: 'Bounded', audited: false }, 10],
  ];
  for (const [title, change, rounds] of table)
    it(`are ${title}`, () => {
      expect(requiredRounds(rules(change))).to.equal(rounds);
    });
});

describe('quiet rounds', () => {
  it('are the complete ones of the whole history when nobody repaired: one less than begun', () => {
    expect(quiet(histories(IDS))).to.equal(9);
  });
  it('count from the last repair of any member', () => {
    expect(quiet(withMember((agoMs) => ({ repairs: agoMs > 18_000 ? 36 : 37 })))).to.equal(2);
    expect(quiet(withMember((agoMs) => ({ repairs: agoMs > 19_000 ? 36 : 37 })))).to.equal(3);
  });
  it('are 0 right after a repair, and not unknown', () => {
    expect(quiet(withMember((agoMs) => ({ repairs: agoMs > 0 ? 36 : 37 })))).to.equal(0);
  });
  it('are not known of a member without a history, or with one sample', () => {
    expect(quiet(histories([0, 2]))).to.equal(undefined);
    expect(quiet([history(0), history(1, { count: 1 }), history(2)])).to.equal(undefined);
    expect(quiet([history(0), history(1, { count: 2 }), history(2)])).to.equal(0);
  });
  it('are known while the newest sample is two intervals old, and not a millisecond later', () => {
    expect(quiet(histories(IDS), MONOTONIC_MS + 2_000)).to.equal(9);
    expect(quiet(histories(IDS), MONOTONIC_MS + 2_001)).to.equal(undefined);
  });
  it('count from a gap on, and are not known when the newest sample has no figure', () => {
    expect(quiet(withMember((agoMs) => ({ isContinuous: agoMs !== 19_000 })))).to.equal(3);
    expect(quiet(withMember((agoMs) => (agoMs === 0 ? { repairs: undefined } : {})))).to.equal(undefined);
  });
  it('never reach across a figure that was missing: unknown is not zero', () => {
    expect(quiet(withMember((agoMs) => (agoMs === 20_000 ? { repairs: undefined } : {})))).to.equal(3);
    expect(quiet(withMember((agoMs) => (agoMs === 20_000 ? { rounds: undefined } : {})))).to.equal(3);
    expect(quiet(withMember((agoMs) => (agoMs === 20_000 ? { upSeconds: undefined } : {})))).to.equal(3);
    expect(quiet(withMember((agoMs) => (agoMs === 20_000 ? { isFresh: false } : {})))).to.equal(3);
  });
  it('never reach across a restart between two samples', () => {
    expect(quiet(withMember((agoMs) => (agoMs > 19_000 ? { upSeconds: 9_000 - agoMs / 1_000 } : {})))).to.equal(3);
    expect(quiet(withMember((agoMs) => (agoMs > 19_000 ? { rounds: 2_000 } : {})))).to.equal(3);
  });
  it('belong to the life of a member that spoke last', () => {
    const before = history(1, { podUid: 'pod-uid-old', endMs: MONOTONIC_MS - 30_000 });
    expect(quiet([...histories(IDS), before])).to.equal(9);
    expect(quiet([before, ...histories(IDS)])).to.equal(9);
  });
});

describe('idle rounds', () => {
  for (const counter of ['repairs', 'digestScans', 'bootstraps', 'bootstrapBytes'] as const) {
    it(`count from the last change of ${counter}, and not at all without that figure`, () => {
      expect(idle(withMember((agoMs) => (agoMs > 19_000 ? { [counter]: 1 } : {})))).to.equal(3);
      expect(idle(withMember(() => ({ [counter]: undefined })))).to.equal(undefined);
    });
  }
  it('do not mind digest scans when only quiet is asked for', () => {
    expect(quiet(withMember((agoMs) => ({ digestScans: 5_000 - agoMs })))).to.equal(9);
  });
});

describe('settled rounds', () => {
  const three = IDS.map((id) => line(id));
  const four = [...three, line(3)];
  const all = (differs: Difference) => histories(IDS, { view: three }, { 0: differs, 1: differs, 2: differs });

  it('are those begun since any member showed another list', () => {
    expect(settled(histories(IDS))).to.equal(10);
    expect(settled(withMember((agoMs) => (agoMs > 19_000 ? { view: four } : {})))).to.equal(4);
    expect(settled(withMember((agoMs) => (agoMs > 18_000 ? { view: four } : {})))).to.equal(3);
  });
  it('count a restarted member as a change, and a leaving one not', () => {
    const restarted = [line(0), line(1, { generation: 5 }), line(2)];
    const leaving = [line(0), line(1), line(2, { hasPrimaries: false })];
    expect(settled(all((agoMs) => (agoMs > 12_000 ? { view: restarted } : {})))).to.equal(2);
    expect(settled(all((agoMs) => (agoMs > 12_000 ? { view: leaving } : {})))).to.equal(10);
  });
  it('are 0 while the members show different lists, and not known while one shows none', () => {
    expect(settled(withMember((agoMs) => (agoMs === 0 ? { view: four } : {})))).to.equal(0);
    expect(settled(withMember((agoMs) => (agoMs === 0 ? { view: undefined } : {})))).to.equal(undefined);
  });
  it('take a list for 8 s, and not for longer, when it is not read again', () => {
    const read = (ageMs: number) => withMember((agoMs) => ({ viewAtMs: MONOTONIC_MS - agoMs - ageMs }));
    expect(settled(read(8_000))).to.equal(10);
    expect(settled(read(8_001))).to.equal(undefined);
  });
  it('take a list for four intervals when the pace is slow, or was', () => {
    const slow = (ageMs: number) =>
      IDS.map((id) =>
        history(id, { ids: IDS, intervalMs: 30_000, differs: (agoMs) => ({ viewAtMs: MONOTONIC_MS - agoMs - ageMs }) }),
      );
    expect(settled(slow(120_000))).to.equal(295);
    expect(settled(slow(120_001))).to.equal(undefined);
  });
});
