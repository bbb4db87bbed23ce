// The facts kept about the member of one Pod: one life of its process after the other, corrected for own connections.

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
  connectedClients: 0,
  connectionsAccepted: 40,
  netInputBytes: 900,
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
    /** A probe that asks for figures first, and for the list afterwards. */
    ordered(change: Partial<typeof FIGURES> = {}, shown?: ShownView | undefined) {
      const probing = keeper.probe();
      probing.figuresAsked();
      probing.figuresRead();
      probing.respAsked()(false);
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
    const { ordered, facts } = rig();
    ordered();
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
      clients: 0,
      accepted: 40,
      inputBytes: 900,
      diskTotalBytes: 10,
      diskAvailBytes: 9,
      dbBytes: 1,
      writeStopped: 0,
    });
  });
  it('do not change once they were returned', () => {
    const { ordered, facts } = rig();
    ordered();
    const given = facts();
    const copy = structuredClone(given);
    ordered({ connectionsAccepted: 99 });
    expect(given).to.deep.equal(copy);
    expect(facts()).to.not.equal(given);
  });

  describe('begin anew', () => {
    const aloneFor = (r: ReturnType<typeof rig>) => r.clock.monotonicMs() - (r.facts().aloneSinceMs ?? Number.NaN);

    it('with another generation, also one that came without figures', () => {
      const r = rig();
      r.ordered();
      r.ordered({ connectionsAccepted: 41 });
      expect(aloneFor(r)).to.equal(2_000);
      r.ordered({ connectionsAccepted: 42 }, r.view(7));
      expect([aloneFor(r), r.facts().generation]).to.deep.equal([1_000, 7]);
      r.keeper.shown(r.view(8).view);
      expect(r.keeper.facts()).to.equal(undefined);
    });
    it('with an uptime that went back, and keep the generation that comes with it', () => {
      const r = rig();
      r.ordered();
      r.ordered({ connectionsAccepted: 41, upSeconds: 99 });
      expect([aloneFor(r), r.facts().generation]).to.deep.equal([1_000, line(1).generation]);
    });
    it('without a generation while a restarted member joins', () => {
      const r = rig();
      r.ordered();
      const probing = r.keeper.probe();
      probing.figuresAsked();
      r.keeper.add(probing, { ...FIGURES, upSeconds: 1 } as MemberMetrics, undefined, 1_000);
      expect([r.facts().generation, r.facts().shownSinceMs]).to.deep.equal([undefined, undefined]);
    });
    it('when another process has answered at its address', () => {
      const r = rig();
      r.ordered();
      r.keeper.restart();
      expect(r.keeper.facts()).to.equal(undefined);
      r.ordered();
      expect(aloneFor(r)).to.equal(1_000);
    });
    it('not with a list in which the member itself is missing', () => {
      const r = rig();
      r.ordered();
      r.keeper.shown([line(0), line(2)]);
      expect(r.facts().generation).to.equal(line(1).generation);
    });
  });
});

describe('the operator’s own connections in the figures of a member', () => {
  it('are counted from the figures asked for before to those asked for now, so that they do not count as foreign', () => {
    const { ordered, facts } = rig();
    ordered();
    expect(facts().last.own).to.deep.equal({ opened: 0, failed: 0, isUnderWay: false, observer: 'none' });
    ordered({ connectionsAccepted: 41, netInputBytes: 950 });
    expect(facts().last.own.opened).to.equal(1);
    expect(facts().aloneSinceMs).to.equal(facts().last.atMs - 1_000);
    ordered({ connectionsAccepted: 43, netInputBytes: 990 });
    expect(facts().aloneSinceMs, 'one was not ours').to.equal(facts().last.atMs);
  });
  it('are under way when one is open as the figures are asked for, or opens before they are read', () => {
    const { keeper, add, facts } = rig();
    const open = keeper.probe();
    const done = open.respAsked();
    open.figuresAsked();
    done(false);
    add(open);
    expect(facts().last.own.isUnderWay).to.equal(true);
    const between = keeper.probe();
    between.figuresAsked();
    const later = keeper.probe().respAsked();
    later(false);
    between.figuresRead();
    add(between);
    expect(facts().last.own.isUnderWay).to.equal(true);
    const after = keeper.probe();
    after.figuresAsked();
    after.figuresRead();
    add(after);
    expect(facts().last.own).to.deep.include({ opened: 2, isUnderWay: false });
  });
  it('count as under way in a probe for which it is unknown when the figures were asked for', () => {
    const { keeper, add, facts } = rig();
    add(keeper.probe());
    expect(facts().last.own.isUnderWay).to.equal(true);
    expect(facts().aloneSinceMs).to.equal(undefined);
  });
  it('end once, and fail once, however often that is reported', () => {
    const { keeper, add, facts } = rig();
    const done = keeper.probe().respAsked();
    for (const hasFailed of [true, true, false]) done(hasFailed);
    const probing = keeper.probe();
    probing.figuresAsked();
    probing.figuresRead();
    add(probing);
    expect(facts().last.own).to.deep.include({ opened: 1, failed: 1, isUnderWay: false });
  });
  it('come with the time at which the figures were asked for, and the list with its own', () => {
    const { clock, keeper, add, facts } = rig();
    const probing = keeper.probe();
    clock.advance(300);
    probing.figuresAsked();
    const askedMs = clock.monotonicMs();
    clock.advance(200);
    probing.respAsked();
    expect(probing.viewAtMs()).to.equal(askedMs + 200);
    add(probing);
    expect(facts().last.atMs).to.equal(askedMs);
  });
});

describe('the operator as an observer in the mesh of a member', () => {
  it('is uncertain in the figures until 5 s after it connected or left, and certain before and after', () => {
    const { clock, keeper, ordered, facts } = rig();
    const observer = (advanceMs: number, meshPeers: number) => {
      clock.advance(advanceMs);
      ordered({ meshPeers });
      return [facts().last.own.observer, facts().meshPeers];
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
    const { clock, keeper, ordered, facts } = rig();
    const first = keeper.observe();
    const second = keeper.observe();
    first();
    clock.advance(5_000);
    ordered({ meshPeers: 3 });
    expect(facts().last.own.observer).to.equal('counted');
    second();
    clock.advance(5_000);
    ordered();
    expect(facts().last.own.observer).to.equal('none');
  });
  it('does not hide a missing member: with one connection fewer the mesh is incomplete', () => {
    const { clock, keeper, ordered, facts } = rig();
    keeper.observe();
    clock.advance(5_000);
    ordered({ meshPeers: 2 });
    expect(facts().meshPeers).to.equal(views(3).length - 2);
  });
});
