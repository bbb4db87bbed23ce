// Proof before a removal: what is needed, to the sample, and everything that voids it.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { CheckName, Evidence, NodeRecord } from '../../src/index.ts';
import type { MemberSample } from '../../src/removal/sample.ts';
import { joining, MONOTONIC_MS, NOW_MS, notAsked, silent, views, withNode } from '../support/builders.ts';
import { audit, drained, histories, nodesShowing } from '../support/histories.ts';
import { ALL, BOUNDED, JUST_MS, pre, preInput, STRICT } from '../support/proofs.ts';

const nodes = nodesShowing(ALL, drained(ALL, 4));
const checkOf = ({ checks }: Evidence, name: CheckName) => checks.find((check) => check.name === name);
const waiting = 'demo-4: waiting for 3 quiet rounds of anti-entropy on every member';

describe('the proof before a removal', () => {
  it('is there after three complete quiet rounds of every member, with every check named', () => {
    const evidence = pre();
    expect(evidence.isProven).to.equal(true);
    expect(evidence.missing).to.equal(undefined);
    expect(evidence.flatRounds).to.equal(3);
    expect(evidence.checks.map(({ name, value }) => `${name}: ${value}`)).to.deep.equal([
      'membersAnswer: 5 members',
      'viewsAgree: 0,1,2,3,4 on every member',
      'noPrimaries: none on demo-4',
      'noClients: 0 clients',
      'inputFlat: no input',
      'placement: as computed for 5 members',
      'meshComplete: 4 connections each',
      'writesAllowed: on every member',
      'noRejoin: on any member',
      'canaries: 3 test keys on every home',
      'quietRounds: 3 quiet rounds, 3 needed',
    ]);
    expect(Object.keys(evidence.generations)).to.deep.equal(['0', '1', '2', '3', '4']);
    expect(evidence.topologyHash).to.match(/^[0-9a-f]{16}$/);
  });

  it('is not there one sample earlier, and says so in words that stand still', () => {
    const early = pre({ sinceMs: JUST_MS - 1_000 });
    expect(early.isProven).to.equal(false);
    expect(checkOf(early, 'quietRounds')?.value).to.equal('2 of 3 quiet rounds');
    expect(early.missing).to.deep.equal({ reason: 'WaitingForProof', message: waiting, needsPerson: false });
    expect(pre({ sinceMs: 7_000 }).missing).to.deep.equal(early.missing);
  });

  it('needs four quiet rounds with four homes, and six without test keys', () => {
    const change = { rules: { ...STRICT, audited: false }, audit: undefined };
    expect(pre({ sinceMs: 36_000 }, change).isProven).to.equal(false);
    expect(pre({ sinceMs: 37_000 }, change).isProven).to.equal(true);
    expect(pre({ sinceMs: 37_000 }, change).checks.map((check) => check.name)).not.to.include('canaries');
    const rules = { ...STRICT, replicationFactor: 4 };
    const report = audit('readBefore', nodes);
    const four = { rules, audit: { ...report, request: { ...report.request, replicationFactor: 4 } } };
    const run = { replicationFactor: 4 };
    expect(pre({ sinceMs: 24_000, run }, four).isProven).to.equal(false);
    expect(pre({ sinceMs: 25_000, run }, four).isProven).to.equal(true);
  });

  it('counts from the last byte that came in to the target, too', () => {
    const input = (lastMs: number) =>
      pre({ sinceMs: 40_000, differs: { 4: (agoMs) => ({ inputBytes: agoMs > lastMs ? 1 : 2 }) } });
    expect(input(19_000).flatRounds).to.equal(3);
    expect(input(18_000).flatRounds).to.equal(2);
  });

  it('holds with 517 partitions behind a gate that does not move (marekvs.md 11)', () => {
    expect(pre({ differs: { 2: () => ({ gatePartitions: 579 }) } }).isProven).to.equal(true);
  });

  describe('with idle rounds before the isolation', () => {
    const idle = (sinceMs: number, idleRoundsBefore: number, change = {}) =>
      pre({ sinceMs }, { idleRoundsBefore, ...change });
    it('needs two more rounds begun on every member, not three complete ones', () => {
      expect(idle(6_000, 3).isProven).to.equal(false);
      expect(idle(7_000, 3).isProven).to.equal(true);
      expect(checkOf(idle(7_000, 3), 'quietRounds')?.value).to.equal('3 idle rounds before, 2 of 2 rounds since');
      expect(idle(6_000, 3).missing?.message).to.equal(waiting.replace('3', '2'));
    });
    it('takes no fewer idle rounds than the rounds it would need', () => {
      expect(idle(7_000, 2).isProven).to.equal(false);
      expect(idle(7_000, Number.NaN).isProven).to.equal(false);
    });
    it('is voided by a repair afterwards', () => {
      const differs = { 0: (agoMs: number) => ({ repairs: agoMs > 5_000 ? 36 : 37 }) };
      expect(pre({ sinceMs: 13_000, differs }, { idleRoundsBefore: 9 }).isProven).to.equal(false);
    });
    it('does not count when Bounded', () => {
      expect(idle(7_000, 9, { rules: BOUNDED }).isProven).to.equal(false);
    });
  });

  describe('is voided', () => {
    const moves: readonly (readonly [string, Partial<MemberSample>])[] = [
      ['a repair', { repairs: 36 }],
      ['a bootstrap', { bootstraps: 1 }],
      ['a byte of a bootstrap sent', { bootstrapBytes: 1 }],
      ['a gate that moves', { gatePartitions: 518 }],
      ['a dropped record', { droppedRecords: 2 }],
      ['a connection that timed out', { connTimeouts: 0 }],
      ['a rejoin', { rejoinActive: 1 }],
      ['a write stop', { writeStopped: 1 }],
      ['a mesh connection fewer', { meshPeers: 3 }],
      ['bytes under way', { inflightBytes: 1 }],
      ['another number of members', { members: 6 }],
      ['another number of partitions', { ownedPartitions: 0 }],
      ['statistics that are not there yet', { isFresh: false }],
      ['another placement', { viewDigest: 'another' }],
      ['another list', { view: views(5) }],
      ['no list', { view: undefined }],
      ['a restart between two samples', { upSeconds: 9_999 }],
      ['a counter of rounds that fell', { rounds: 9_999 }],
    ];
    for (const [title, change] of moves) {
      it(`by ${title} on one member, if only in the oldest sample that counts`, () => {
        const at = (ms: number) => pre({ sinceMs: 31_000, differs: { 1: (agoMs) => (agoMs >= ms ? change : {}) } });
        expect(at(20_000).flatRounds).to.equal(3);
        expect(at(19_000).flatRounds).to.equal(2);
        expect(at(19_000).isProven).to.equal(false);
      });
    }
    it('by a gap of three intervals anywhere in the window; one of two is none', () => {
      const gap = (intervals: number) =>
        pre({ differs: { 3: (agoMs) => ({ isContinuous: agoMs !== 10_000 || intervals <= 2 }) } }).isProven;
      expect([gap(2), gap(3)]).to.deep.equal([true, false]);
    });
    it('by the age of the newest sample: two intervals are fine, three are not', () => {
      const late = (ms: number) => pre({}, { monotonicMs: MONOTONIC_MS + ms });
      expect(late(2_000).isProven).to.equal(true);
      expect(late(3_000).missing).to.deep.include({
        reason: 'MemberSilent',
        message: 'demo-0 has given no recent answer',
      });
    });
    it('by any figure that is missing now, and names it', () => {
      for (const figure of [
        'repairs',
        'rounds',
        'bootstraps',
        'inflightBytes',
        'writeStopped',
        'connTimeouts',
      ] as const) {
        const evidence = pre({ differs: { 1: (agoMs) => (agoMs === 0 ? { [figure]: undefined } : {}) } });
        expect(evidence.isProven).to.equal(false);
        expect(evidence.missing?.message).to.equal(`demo-1 gives no figure for ${figure}`);
      }
    });
    it('by any figure that was missing in the window', () => {
      for (const figure of ['repairs', 'gatePartitions', 'meshPeers', 'members', 'inflightBytes'] as const) {
        const evidence = pre({ differs: { 1: (agoMs) => (agoMs === 9_000 ? { [figure]: undefined } : {}) } });
        expect(evidence.isProven).to.equal(false);
      }
    });
  });

  describe('names who is missing', () => {
    const answered = (answer: NodeRecord['answer']) => pre({}, { nodes: withNode(nodes, 1, { answer }) }).missing;
    it('by a silent member with the time of day since when', () => {
      const sinceMs = Date.UTC(2026, 0, 1, 14, 3, 12, 900);
      expect(answered({ kind: 'silent', sinceMs, error: 'timed out', isInvalid: false })).to.deep.equal({
        reason: 'MemberSilent',
        message: 'demo-1 has not answered since 14:03:12',
        needsPerson: false,
      });
    });
    it('by one that is joining, was not asked, or has no Pod', () => {
      expect(answered(joining)?.reason).to.equal('MemberNotActive');
      expect(answered(notAsked)?.reason).to.equal('NotObserved');
      expect(pre({}, { nodes: withNode(nodes, 1, { pod: undefined }) }).missing?.reason).to.equal('PodMissing');
    });
    it('by one whose Pod is not ready or is ending: its process is down before its answers are old', () => {
      const down = (id: number, change: object) => {
        const own = nodes[id]?.pod;
        if (own === undefined) throw new Error('no Pod');
        return pre({}, { nodes: withNode(nodes, id, { pod: { ...own, ...change } }) });
      };
      expect(down(1, { isReady: false }).missing).to.include({
        reason: 'MemberNotActive',
        message: 'the Pod of demo-1 is not ready',
      });
      expect(down(1, { isTerminating: true }).missing?.message).to.equal('the Pod of demo-1 is ending');
      expect(down(4, { isReady: false }).isProven, 'the target need not serve').to.equal(true);
    });
    it('by a silent target: nothing is proven without its answer', () => {
      const list = withNode(nodes, 4, { answer: { ...silent } });
      expect(pre({}, { nodes: list }).missing?.message).to.match(/^demo-4 has not answered since/);
    });
    it('by a Pod that took the place of the one that spoke', () => {
      const pod = nodes[1]?.pod;
      if (pod === undefined) throw new Error('no Pod');
      expect(pre({}, { nodes: withNode(nodes, 1, { pod: { ...pod, uid: 'new' } }) }).isProven).to.equal(false);
    });
    it('by members that show different lists', () => {
      const evidence = pre({ differs: { 1: () => ({ view: views(4) }) } });
      expect(evidence.missing).to.deep.include({
        reason: 'ViewsDisagree',
        message: 'demo-0 shows 0,1,2,3,4, demo-1 shows 0,1,2,3',
      });
      expect([evidence.topologyHash, evidence.generations]).to.deep.equal(['', {}]);
    });
    it('by one list that is not the expected one on every member', () => {
      const view = drained([...ALL, 9], 4);
      const run = { view, ids: ALL };
      expect(pre({ run }).missing?.message).to.equal('every member shows 0,1,2,3,4,9 instead of 0,1,2,3,4');
    });
    it('by a life that is not the one that spoke', () => {
      const list = preInput();
      const other = list.histories.map((entry) => (entry.nodeId === 2 ? { ...entry, generation: 7 } : entry));
      expect(pre({}, { histories: other }).missing?.message).to.equal('demo-2 shows another life of itself');
    });
    it('by a placement that differs although the lists are equal', () => {
      const evidence = pre({ differs: { 3: () => ({ viewDigest: 'other' }) } });
      expect(evidence.missing?.message).to.equal('demo-0 and demo-3 place partitions differently');
    });
    it('by a mesh, a disk, a rejoin, and partitions that are not as computed', () => {
      const one = (change: Partial<MemberSample>) => pre({ differs: { 2: () => change } }).missing;
      expect(one({ meshPeers: 3 })).to.deep.include({
        reason: 'MeshIncomplete',
        message: 'demo-2 has 3 of 4 mesh connections',
      });
      expect(one({ writeStopped: 1 })).to.deep.include({ reason: 'DiskFull', needsPerson: true });
      expect(one({ rejoinActive: 1 })?.reason).to.equal('MemberNotActive');
      expect(one({ members: 4 })?.message).to.equal('demo-2 counts 4 members instead of 5');
      expect(one({ ownedPartitions: 1 })?.message).to.match(/^demo-2 homes 1 partitions, 1\d{3} follow from 5 members/);
    });
    it('by more mesh connections than members nothing', () => {
      expect(pre({ differs: { 2: () => ({ meshPeers: 5 }) } }).isProven).to.equal(true);
    });
  });

  describe('and its test keys', () => {
    const read = (change: Parameters<typeof audit>[2]) => pre({}, { audit: audit('readBefore', nodes, change) });
    it('waits for a missing one with partition and home, however quiet the counters are (marekvs.md 11)', () => {
      const evidence = read({
        state: 'incomplete',
        doneAtMs: undefined,
        missing: [{ partition: 17, nodeId: 2 }],
        missingCount: 812,
      });
      expect(evidence.flatRounds).to.equal(3);
      expect(evidence.isProven).to.equal(false);
      expect(evidence.missing).to.deep.equal({
        reason: 'CanaryMissing',
        message: 'demo-4: the test key of partition 17 is missing on demo-2',
        needsPerson: false,
      });
      expect(checkOf(evidence, 'canaries')?.value).to.equal('812 of 3 missing');
    });
    it('waits while they are read, and says what kept them from being read', () => {
      expect(pre({}, { audit: undefined }).missing?.reason).to.equal('WaitingForProof');
      expect(read({ state: 'running', doneAtMs: undefined }).missing?.reason).to.equal('WaitingForProof');
      expect(read({ state: 'incomplete', doneAtMs: undefined, error: 'demo-3: timed out' }).missing?.message).to.equal(
        'demo-4: its test keys could not be read: demo-3: timed out',
      );
    });
    it('takes no report about another target, other homes, another kind, no keys or other processes', () => {
      const good = audit('readBefore', nodes);
      const of = (request: Partial<typeof good.request>) =>
        pre({}, { audit: { ...good, request: { ...good.request, ...request } } }).isProven;
      expect(of({})).to.equal(true);
      expect(of({ targetId: 3 })).to.equal(false);
      expect(of({ replicationFactor: 3 })).to.equal(false);
      expect(of({ kind: 'readAfter' })).to.equal(false);
      expect(of({ partitions: [] })).to.equal(false);
      expect(of({ members: good.request.members.slice(1) })).to.equal(false);
      expect(of({ members: good.request.members.map((member) => ({ ...member, podUid: 'before' })) })).to.equal(false);
    });
  });

  describe('under writes that never stop', () => {
    /** One record every second on demo-1: six a round. */
    const noise = { 1: (agoMs: number) => ({ repairs: 5_000 - agoMs / 1_000 }) };
    it('waits in Strict, and names Bounded as the way out when twice the rounds have passed', () => {
      const early = pre({ sinceMs: 36_000, differs: noise }).missing;
      expect(early?.reason).to.equal('WaitingForProof');
      expect(pre({ sinceMs: 37_000, differs: noise }).missing).to.deep.equal({
        reason: 'MemberNotQuiet',
        message:
          'demo-1 goes on repairing, up to 10 records a round: stop the writes for a minute, or set spec.removal.proof: Bounded',
        needsPerson: true,
      });
    });
    it('names the member that repairs also when it is one record a round', () => {
      const rare = { 3: (agoMs: number) => ({ repairs: 5_000 - Math.floor(agoMs / 6_000) }) };
      expect(pre({ sinceMs: 50_000, differs: rare }).missing?.message).to.match(/^demo-3 .* up to 1 record a round/);
    });
    it('is given in Bounded after five complete rounds within the bounds', () => {
      const bounded = (sinceMs: number) => pre({ sinceMs, differs: noise }, { rules: BOUNDED });
      expect(bounded(31_000).isProven).to.equal(true);
      expect(bounded(30_000).isProven).to.equal(false);
      expect(bounded(30_000).missing?.message).to.equal(waiting.replace('3', '5'));
    });
    it('bounds what a round repairs, not what lies between two samples', () => {
      const perSecond = (records: number) =>
        pre(
          { sinceMs: 50_000, differs: { 1: (agoMs) => ({ repairs: 50_000 - (agoMs / 1_000) * records }) } },
          { rules: BOUNDED },
        );
      expect(perSecond(10 / 6).isProven).to.equal(true);
      expect(perSecond(2).isProven).to.equal(false);
    });
    it('counts from the end of the last round above the bound', () => {
      const burst = (records: number, whenMs: number) =>
        pre(
          { sinceMs: 55_000, differs: { 1: (agoMs) => ({ repairs: agoMs > whenMs ? 0 : records }) } },
          { rules: BOUNDED },
        );
      expect(burst(10, 20_000).isProven).to.equal(true);
      expect(burst(11, 20_000).isProven).to.equal(false);
      expect(burst(11, 50_000).isProven).to.equal(true);
    });
    it('allows bytes under way in Bounded, but not that they are unknown', () => {
      const flying = (inflightBytes: number | undefined) =>
        pre(
          { sinceMs: 55_000, differs: { 1: (agoMs) => (agoMs === 6_000 ? { inflightBytes } : {}) } },
          { rules: BOUNDED },
        );
      expect(flying(4_096).isProven).to.equal(true);
      expect(flying(undefined).isProven).to.equal(false);
    });
    it('says in Bounded, too, who goes on repairing more than its bound when twice the rounds have passed', () => {
      const { missing } = pre(
        {
          sinceMs: 90_000,
          run: { count: 100 },
          differs: { 1: (agoMs) => ({ repairs: 90_000 - Math.floor(agoMs / 1_000) * 30 }) },
        },
        { rules: BOUNDED },
      );
      expect(missing).to.deep.include({ reason: 'MemberNotQuiet', needsPerson: true });
      expect(missing?.message).to.match(
        /^demo-1 goes on repairing, up to 200 records a round: more than is healthy here/,
      );
    });
    it('allows a member without a bound no repair at all: it joined later, or the tier was chosen after the claim', () => {
      const bounds = new Map([...BOUNDED.bounds].filter(([id]) => id !== 3));
      const rules = { ...BOUNDED, bounds };
      expect(pre({ sinceMs: 55_000 }, { rules }).isProven).to.equal(true);
      const repairing = (agoMs: number) => ({ repairs: 90_000 - Math.floor(agoMs / 5_000) });
      expect(pre({ sinceMs: 55_000, differs: { 3: repairing } }, { rules }).missing).to.deep.include({
        reason: 'NoCleanBaseline',
        message: 'demo-3 has no healthy baseline',
      });
      expect(pre({ sinceMs: 55_000, differs: { 2: repairing } }, { rules }).isProven).to.equal(true);
    });
  });

  it('does not look at the wall clock', () => {
    const shifted = nodes.map((node) => ({
      ...node,
      answer: node.answer.kind === 'serving' ? { ...node.answer, atMs: NOW_MS + 86_400_000 } : node.answer,
    }));
    expect(pre({}, { nodes: shifted }).isProven).to.equal(true);
  });

  it('is not there for a history of a single sample, nor without any', () => {
    const view = drained(ALL, 4);
    expect(pre({}, { histories: histories(ALL, { view, count: 1 }), idleRoundsBefore: 99 }).isProven).to.equal(false);
    expect(pre({}, { histories: [], idleRoundsBefore: 99 }).isProven).to.equal(false);
  });
});
