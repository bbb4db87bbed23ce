// The facts kept about the member of one Pod: one life of its process after the other, without our own connection to
// its mesh.

import type { MemberMetrics } from '@marekvs/store-client';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { line, views } from '../../planner/test/support/builders.ts';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { createFactsKeeper, type ShownView, type WatchedProbe } from '../src/members/facts-keeper.ts';

const FIGURES = {
  isFresh: true,
  upSeconds: 100,
  rejoinActive: 0,
  meshPeers: 2,
  clusterMembers: 3,
  ownedPartitions: 2_768,
  diskTotalBytes: 10,
  diskAvailBytes: 9,
  dbTotalBytes: 1,
  diskWriteStopped: 0,
};

function rig(nodeId: number | undefined = 1) {
  const clock = createManualClock();
  const keeper = createFactsKeeper(nodeId, 'pod-uid-1', () => clock.monotonicMs());
  const view = (generation = line(1).generation): ShownView => ({
    view: [line(0), line(1, { generation }), line(2)],
    digest: 'three',
    atMs: clock.monotonicMs(),
  });
  const add = (probing: WatchedProbe, change: Partial<typeof FIGURES> = {}, shown: ShownView | undefined = view()) =>
    keeper.add(probing, { ...FIGURES, ...change } as MemberMetrics, shown, 1_000);
  return {
    clock,
    keeper,
    view,
    add,
    /** One whole probe. */
    probed(change: Partial<typeof FIGURES> = {}, shown?: ShownView | undefined) {
      const probing = keeper.probe();
      probing.figuresAsked();
      probing.listAsked();
      add(probing, change, shown);
      clock.advance(1_000);
    },
    facts() {
      const facts = keeper.facts();
      if (facts === undefined) throw new Error('no facts');
      return facts;
    },
  };
}

describe('the facts about a member', () => {
  it('do not exist before its first figures, nor for a Pod whose name has no node id', () => {
    expect(rig().keeper.facts()).to.equal(undefined);
    const nameless = createFactsKeeper(undefined, 'pod', () => 0);
    nameless.add(nameless.probe(), FIGURES as MemberMetrics, undefined, 1_000);
    expect(nameless.facts()).to.equal(undefined);
  });
  it('name the process and the member they are about, and have its figures under the names of the planner', () => {
    const { probed, facts } = rig();
    probed();
    expect(facts()).to.deep.include({
      nodeId: 1,
      podUid: 'pod-uid-1',
      generation: line(1).generation,
      intervalMs: 1_000,
    });
    expect(facts().last.figures).to.deep.equal({
      isFresh: true,
      upSeconds: 100,
      rejoinActive: 0,
      meshPeers: 2,
      members: 3,
      ownedPartitions: 2_768,
      diskTotalBytes: 10,
      diskAvailBytes: 9,
      dbBytes: 1,
      writeStopped: 0,
    });
  });
  it('do not change once they were returned', () => {
    const { probed, facts } = rig();
    probed();
    const given = facts();
    const copy = structuredClone(given);
    probed({ diskAvailBytes: 8 });
    expect(given).to.deep.equal(copy);
    expect(facts()).to.not.equal(given);
  });

  describe('begin anew', () => {
    const shownFor = (r: ReturnType<typeof rig>) => r.clock.monotonicMs() - (r.facts().shownSinceMs ?? Number.NaN);

    it('with another generation, also one that came without figures', () => {
      const r = rig();
      r.probed();
      r.probed();
      expect(shownFor(r)).to.equal(2_000);
      r.probed({}, r.view(7));
      expect([shownFor(r), r.facts().generation]).to.deep.equal([1_000, 7]);
      r.keeper.shown(r.view(8).view);
      expect(r.keeper.facts()).to.equal(undefined);
    });
    it('with an uptime that went back, and keep the generation that comes with it', () => {
      const r = rig();
      r.probed();
      r.probed({ upSeconds: 99 });
      expect([shownFor(r), r.facts().generation]).to.deep.equal([1_000, line(1).generation]);
    });
    it('with the birth of another process when no list tells lives apart, as behind a closed door', () => {
      const r = rig();
      const sealed = (upSeconds: number) => {
        const probing = r.keeper.probe();
        probing.figuresAsked();
        r.keeper.add(probing, { ...FIGURES, upSeconds } as MemberMetrics, undefined, 1_000);
        return r.facts().bornAtMs;
      };
      const bornMs = sealed(5);
      r.clock.advance(1_000);
      expect(sealed(6)).to.equal(bornMs);
      r.clock.advance(2_000);
      expect(sealed(1)).to.equal(r.clock.monotonicMs() - 1_000);
      expect(r.facts().generation).to.equal(undefined);
    });
    it('without a generation while a restarted member joins', () => {
      const r = rig();
      r.probed();
      const probing = r.keeper.probe();
      probing.figuresAsked();
      r.keeper.add(probing, { ...FIGURES, upSeconds: 1 } as MemberMetrics, undefined, 1_000);
      expect([r.facts().generation, r.facts().shownSinceMs]).to.deep.equal([undefined, undefined]);
    });
    it('when another process has answered at its address', () => {
      const r = rig();
      r.probed();
      r.keeper.restart();
      expect(r.keeper.facts()).to.equal(undefined);
      r.probed();
      expect(shownFor(r)).to.equal(1_000);
    });
    it('not with a list in which the member itself is missing', () => {
      const r = rig();
      r.probed();
      r.keeper.shown([line(0), line(2)]);
      expect(r.facts().generation).to.equal(line(1).generation);
    });
  });
});

describe('the times of a probe', () => {
  it('are those at which the figures were asked for, and the list', () => {
    const { clock, keeper, add, facts } = rig();
    const probing = keeper.probe();
    clock.advance(300);
    probing.figuresAsked();
    const askedMs = clock.monotonicMs();
    clock.advance(200);
    probing.listAsked();
    expect(probing.viewAtMs()).to.equal(askedMs + 200);
    add(probing);
    expect(facts().last.atMs).to.equal(askedMs);
  });
  it('are that of its begin as long as nothing was asked', () => {
    const { clock, keeper, add, facts } = rig();
    const beganMs = clock.monotonicMs();
    const probing = keeper.probe();
    clock.advance(300);
    add(probing);
    expect([probing.viewAtMs(), facts().last.atMs]).to.deep.equal([beganMs, beganMs]);
  });
});

describe('the operator as an observer in the mesh of a member', () => {
  it('is uncertain in the figures until 5 s after it connected or left, and certain before and after', () => {
    const { clock, keeper, probed, facts } = rig();
    const observer = (advanceMs: number, meshPeers: number) => {
      clock.advance(advanceMs);
      probed({ meshPeers });
      return [facts().last.observer, facts().meshPeers];
    };
    expect(observer(0, 2)).to.deep.equal(['none', 2]);
    const gone = keeper.observe();
    expect(observer(0, 2)).to.deep.equal(['changing', 2]);
    expect(observer(2_999, 3)).to.deep.equal(['changing', 2]);
    expect(observer(1, 3), 'the look before took a second').to.deep.equal(['counted', 2]);
    gone();
    gone();
    expect(observer(0, 3)).to.deep.equal(['changing', 2]);
    expect(observer(4_000, 2)).to.deep.equal(['none', 2]);
  });
  it('counts as one for as long as one of two connections is open', () => {
    const { clock, keeper, probed, facts } = rig();
    const first = keeper.observe();
    const second = keeper.observe();
    first();
    clock.advance(5_000);
    probed({ meshPeers: 3 });
    expect(facts().last.observer).to.equal('counted');
    second();
    clock.advance(5_000);
    probed();
    expect(facts().last.observer).to.equal('none');
  });
  it('does not hide a missing member: with one connection fewer the mesh is incomplete', () => {
    const { clock, keeper, probed, facts } = rig();
    keeper.observe();
    clock.advance(5_000);
    probed({ meshPeers: 2 });
    expect(facts().meshPeers).to.equal(views(3).length - 2);
  });
});
