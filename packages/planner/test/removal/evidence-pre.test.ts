// The proof before a removal: what it needs, and everything that voids it.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type ComparisonReport, checksFor, type MemberFigures, type NodeRecord } from '../../src/index.ts';
import {
  joining,
  MONOTONIC_MS,
  NOW_MS,
  node,
  notAsked,
  pod,
  sealedPod,
  silent,
  views,
  withNode,
} from '../support/builders.ts';
import { behindDoor, closed, drained, factsOfAll, nodesShowing, type Shown, STANDING_MS } from '../support/facts.ts';
import { ALL, sealedFive as nodes, pre, preInput } from '../support/proofs.ts';
import { lacking, reportOn, requestOf, running } from '../support/reports.ts';

const ago = (ms: number) => MONOTONIC_MS - ms;
const report = (change: Partial<ComparisonReport> = {}) => reportOn(requestOf(nodes, 4), change);
const one = (id: number, shown: Shown) => pre({ differs: { [id]: shown } });

describe('the proof before a removal', () => {
  it('is complete when no client reaches the target and everything it holds is elsewhere, with every check named', () => {
    const evidence = pre();
    expect(evidence.isProven).to.equal(true);
    expect(evidence.missing).to.equal(undefined);
    expect(evidence.checks.map(({ name, value }) => `${name}: ${value}`)).to.deep.equal([
      'membersAnswer: 5 members',
      'viewsAgree: 0,1,2,3,4 on every member',
      'noPrimaries: none on demo-4',
      'doorClosed: no client reaches demo-4',
      'placement: as computed for 5 members',
      'meshComplete: 4 connections each',
      'writesAllowed: on every member',
      'noRejoin: on any member',
      'contents: 4,096 partitions covered',
    ]);
    expect(evidence.checks.map(({ name }) => name)).to.deep.equal(checksFor('Proving'));
    expect(evidence.covered).to.deep.equal({ atMs: ago(2_000), partitions: 4_096, records: 1_004 });
    expect(Object.keys(evidence.generations)).to.deep.equal(['0', '1', '2', '3', '4']);
    expect(evidence.topologyHash).to.match(/^[0-9a-f]{16}$/);
  });

  it('counts from when everything but the comparison has held', () => {
    expect(pre().sinceMs).to.equal(STANDING_MS);
    expect(one(2, { shownSinceMs: ago(19_000) }).sinceMs).to.equal(ago(19_000));
    expect(pre({}, { isolatedSinceMs: undefined }).sinceMs, 'no label lets a client in').to.equal(STANDING_MS);
  });

  it('accepts no comparison begun before that, and accepts one begun then', () => {
    const since = { startedAtMs: ago(4_000), scannedAtMs: ago(3_500) };
    const proof = (ms: number) => pre({ differs: { 2: { shownSinceMs: ago(ms) } } }, { comparison: report(since) });
    expect(proof(4_000).isProven, 'the comparison was begun 4 s ago').to.equal(true);
    expect(proof(3_999).isProven).to.equal(false);
    expect(proof(3_999).missing).to.deep.include({
      reason: 'ComparingContents',
      message: 'the comparison of contents begins',
    });
    expect(proof(3_999).covered).to.equal(undefined);
  });

  it('accepts a comparison that covered everything within the last 15 s', () => {
    const covered = (ms: number) => pre({}, { comparison: report({ startedAtMs: ago(20_000), sweptAtMs: ago(ms) }) });
    expect(covered(15_000).isProven).to.equal(true);
    expect(covered(15_001).isProven).to.equal(false);
  });

  it('is not complete without a comparison, while one runs, and while records are missing', () => {
    const missing = [{ sourceId: 4, homeId: 2, partitions: 1, records: 1 }];
    const reasons = [undefined, report(running()), report(lacking(missing))].map(
      (comparison) => pre({}, { comparison }).missing?.reason,
    );
    expect(reasons).to.deep.equal(['ComparingContents', 'ComparingContents', 'RecordsMissing']);
  });

  it('is not complete when a member cannot be read, and nothing can replace that', () => {
    const { isProven, missing } = pre({}, { comparison: report({ problem: { nodeId: 1, error: 'refused' } }) });
    expect(isProven).to.equal(false);
    expect(missing).to.deep.include({
      reason: 'ContentsUnreadable',
      message: 'the contents of demo-1 cannot be read: refused',
    });
  });

  describe('is voided', () => {
    const now: readonly (readonly [string, number, Shown])[] = [
      ['the process that clients reached, shown by one member', 1, { view: drained(ALL, 4) }],
      ['another list', 1, { view: views(5) }],
      ['no list', 1, { isJoining: true }],
      ['another placement', 1, { digest: 'another' }],
      ['another number of members', 1, { figures: { members: 6 } }],
      ['another number of partitions', 1, { figures: { ownedPartitions: 0 } }],
      ['a mesh connection fewer', 1, { meshPeers: 3 }],
      ['mesh connections that are not known', 1, { meshPeers: undefined }],
      ['a write stop', 1, { figures: { writeStopped: 1 } }],
      ['a rejoin', 1, { figures: { rejoinActive: 1 } }],
      ['statistics that are not there yet', 1, { figures: { isFresh: false } }],
      ['figures that are old', 1, { atMs: ago(4_001) }],
      ['a list that is old', 1, { viewAtMs: ago(8_001) }],
    ];
    for (const [title, id, shown] of now)
      it(`by ${title}, and no earlier comparison counts`, () => {
        const evidence = one(id, shown);
        expect([evidence.isProven, evidence.sinceMs, evidence.covered]).to.deep.equal([false, undefined, undefined]);
      });
    it('by no reading that is merely late: figures of 4 s ago and a list of 8 s ago still count', () => {
      expect(one(1, { atMs: ago(4_000), viewAtMs: ago(8_000) }).isProven).to.equal(true);
    });
    it('by any missing figure, which is named', () => {
      const figures: readonly (keyof MemberFigures)[] = [
        'upSeconds',
        'rejoinActive',
        'meshPeers',
        'members',
        'ownedPartitions',
        'writeStopped',
      ];
      for (const figure of figures) {
        const evidence = one(1, { figures: { [figure]: undefined } });
        expect(evidence.isProven).to.equal(false);
        expect(evidence.missing?.message).to.equal(`demo-1 gives no figure for ${figure}`);
      }
    });
    it('by no figure about a disk, since nothing is concluded from those', () => {
      const disk = { diskTotalBytes: undefined, diskAvailBytes: undefined, dbBytes: undefined };
      expect(one(1, { figures: disk }).isProven).to.equal(true);
    });
  });

  describe('names what is missing,', () => {
    const answered = (answer: NodeRecord['answer']) => pre({}, { nodes: withNode(nodes, 1, { answer }) }).missing;
    it('for a silent member with the time of day since when', () => {
      const sinceMs = Date.UTC(2026, 0, 1, 14, 3, 12, 900);
      expect(answered({ kind: 'silent', sinceMs, error: 'timed out', isInvalid: false })).to.deep.equal({
        reason: 'MemberSilent',
        message: 'demo-1 has not answered since 14:03:12',
        needsPerson: false,
      });
    });
    it('for one that is joining, was not asked, or has no Pod', () => {
      expect(answered(joining)?.reason).to.equal('MemberNotActive');
      expect(answered(notAsked)?.reason).to.equal('NotObserved');
      expect(pre({}, { nodes: withNode(nodes, 1, { pod: undefined }) }).missing?.reason).to.equal('PodMissing');
    });
    it('for one whose Pod is not ready or is terminating, since its process may end before its answers are old', () => {
      const down = (id: number, change: Partial<NonNullable<NodeRecord['pod']>>) =>
        pre({}, { nodes: withNode(nodes, id, { pod: pod(id, change) }) });
      expect(down(1, { isReady: false }).missing).to.include({
        reason: 'MemberNotActive',
        message: 'the Pod of demo-1 is not ready',
      });
      expect(down(1, { isTerminating: true }).missing?.message).to.equal('the Pod of demo-1 is ending');
      const unready = { pod: sealedPod(4, { isReady: false }) };
      expect(pre({}, { nodes: withNode(nodes, 4, unready) }).isProven, 'the target need not serve').to.equal(true);
    });
    it('for a target that gives no figures, without whose answer nothing is proven', () => {
      expect(one(4, { atMs: ago(4_001) }).missing?.message).to.equal('demo-4 has given no recent answer');
      const open = node(4, { intent: 'Leaving', serving: false, answer: silent, volume: undefined });
      expect(pre({}, { nodes: withNode(nodes, 4, open) }).missing?.message).to.match(/^demo-4 has not answered since/);
    });
    it('for a Pod that took the place of the one that answered', () => {
      const list = withNode(nodes, 1, { pod: pod(1, { uid: 'new' }) });
      expect(pre({}, { nodes: list }).missing?.message).to.equal('demo-1 has given no recent answer');
    });
    it('for members that show different lists', () => {
      const evidence = one(1, { view: views(4) });
      expect(evidence.missing).to.deep.include({
        reason: 'ViewsDisagree',
        message: 'demo-0 shows 0,1,2,3,4, demo-1 shows 0,1,2,3',
      });
      expect([evidence.topologyHash, evidence.generations]).to.deep.equal(['', {}]);
    });
    it('for a list that is not the expected one although all members show it', () => {
      const view = closed([...ALL, 9], 4);
      expect(pre({ shown: { view, ids: ALL } }).missing?.message).to.equal(
        'every member shows 0,1,2,3,4,9 instead of 0,1,2,3,4',
      );
    });
    it('for a member whose generation is not the one it answered with', () => {
      expect(one(2, { generation: 7 }).missing?.message).to.equal('demo-2 shows another life of itself');
    });
    it('for members whose placement differs although their lists are equal', () => {
      expect(one(3, { digest: 'other' }).missing?.message).to.equal('demo-0 and demo-3 place partitions differently');
    });
    it('for an incomplete mesh, a full disk, a rejoin, and partitions that differ from the placement', () => {
      const missing = (shown: Shown) => one(2, shown).missing;
      expect(missing({ meshPeers: 3 })).to.deep.include({
        reason: 'MeshIncomplete',
        message: 'demo-2 has 3 of 4 mesh connections',
      });
      expect(missing({ figures: { writeStopped: 1 } })).to.deep.include({ reason: 'DiskFull', needsPerson: true });
      expect(missing({ figures: { rejoinActive: 1 } })?.reason).to.equal('MemberNotActive');
      expect(missing({ figures: { members: 4 } })?.message).to.equal('demo-2 counts 4 members instead of 5');
      expect(missing({ figures: { ownedPartitions: 1 } })?.message).to.match(
        /^demo-2 homes 1 partitions, 1\d{3} follow from 5 members/,
      );
    });
    it('but not for more mesh connections than there are members', () => {
      expect(one(2, { meshPeers: 5 }).isProven).to.equal(true);
    });
  });

  it('is complete with the replicationFactor that members run with, and with no other', () => {
    const shown = { replicationFactor: 3 };
    const three = nodes.map((node) => ({ ...node, replicationFactor: 3 }));
    expect(pre({ shown }, { nodes: three }).isProven).to.equal(true);
    expect(pre({ shown }, { nodes }).isProven).to.equal(false);
  });

  it('does not use the wall clock', () => {
    const shifted = nodes.map((node) => ({
      ...node,
      answer: node.answer.kind === 'serving' ? { ...node.answer, atMs: NOW_MS + 86_400_000 } : node.answer,
    }));
    expect(pre({}, { nodes: shifted }).isProven).to.equal(true);
  });

  it('is not complete without the facts of all members, nor without those of one', () => {
    const view = closed(ALL, 4);
    expect(pre({}, { facts: [] }).isProven).to.equal(false);
    for (const id of ALL) {
      const facts = factsOfAll(ALL, { view }, { 4: behindDoor(4) }).filter(({ nodeId }) => nodeId !== id);
      expect(pre({}, { facts }).isProven, `without ${id}`).to.equal(false);
    }
    expect(preInput().facts).to.have.lengthOf(5);
  });
});

it('the evidence before a process ends has the checks of its purpose, in the order of the table', () => {
  for (const purpose of ['Sealing', 'Proving', 'Restarting'] as const)
    expect(pre({}, { purpose }).checks.map(({ name }) => name)).to.deep.equal(checksFor(purpose));
});

describe('the evidence on which an open process may be ended', () => {
  const view = drained(ALL, 4);
  const leaving = (id: number): Partial<NodeRecord> => (id === 4 ? { intent: 'Leaving', serving: false } : {});
  const open = (change: Parameters<typeof pre>[1] = {}, differs: Readonly<Record<number, Shown>> = {}) => {
    const list = nodesShowing(ALL, view).map((one) => ({ ...one, ...leaving(one.id) }));
    return pre({}, { nodes: list, facts: factsOfAll(ALL, { view }, differs), purpose: 'Sealing', ...change });
  };

  it('is that clients have had time to move, whether or not they did, and that the others have what it has', () => {
    expect(open().isProven).to.equal(true);
    expect(open().checks.map(({ name }) => name)).to.deep.equal([
      'membersAnswer',
      'viewsAgree',
      'noPrimaries',
      'graceOver',
      'placement',
      'meshComplete',
      'writesAllowed',
      'noRejoin',
      'contents',
    ]);
    expect(open({ comparison: report(running()) }).missing?.reason).to.equal('ComparingContents');
  });

  it('is no proof that lets a member go', () => {
    expect(open().checks.map(({ name }) => name)).to.not.deep.equal(checksFor('Proving'));
    const { checks, isProven } = open({ purpose: 'Proving' });
    expect([isProven, checks.find(({ name }) => name === 'doorClosed')?.passed]).to.deep.equal([false, false]);
  });

  it('does not count before clients have had their time, to the millisecond', () => {
    const after = (graceMs: number, ms: number) => open({ graceMs }, { 2: { shownSinceMs: ago(ms) } });
    expect(after(5_000, 5_000).isProven).to.equal(true);
    expect(after(5_000, 4_999).missing?.message).to.equal('clients of demo-4 have 5 s to move to the others');
    expect(after(0, 3_000).isProven).to.equal(true);
  });

  it('needs the list of the member itself, and its answer', () => {
    expect(open({}, { 4: { isJoining: true } }).missing?.message).to.match(/^demo-4 has not shown its list/);
  });

  it('asks about full disks only when the member is to go: one that is restarted comes back to its own', () => {
    const full = { 1: { figures: { writeStopped: 1 } } };
    expect(open({ purpose: 'Restarting' }, full).isProven).to.equal(true);
    expect(open({}, full).missing?.reason).to.equal('DiskFull');
  });
});
