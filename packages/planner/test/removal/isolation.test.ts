// Has the target let go of its clients? By every member's list, and by what its own figures say
// beside what we do at it ourselves.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type Check, isolationChecks, type NodeRecord } from '../../src/index.ts';
import { witnessesOf } from '../../src/removal/answers.ts';
import { isolationOf } from '../../src/removal/isolation.ts';
import { line, MONOTONIC_MS, pod, silent, views, withNode } from '../support/builders.ts';
import { drained, factsOfAll, nodesShowing, type Shown } from '../support/facts.ts';

const IDS = [0, 1, 2, 3, 4];
const VIEW = drained(IDS, 4);
const ago = (ms: number) => MONOTONIC_MS - ms;

interface Change {
  readonly differs?: Readonly<Record<number, Shown>>;
  readonly nodes?: readonly NodeRecord[];
  readonly isolatedSinceMs?: number | undefined;
  readonly monotonicMs?: number;
}

function inputOf(change: Change) {
  const nodes = change.nodes ?? nodesShowing(IDS, VIEW);
  const target = nodes.find((node) => node.id === 4);
  if (target === undefined) throw new Error('no target');
  const { monotonicMs = MONOTONIC_MS } = change;
  const isolatedSinceMs = 'isolatedSinceMs' in change ? change.isolatedSinceMs : ago(32_000);
  return { nodes, target, facts: factsOfAll(IDS, { view: VIEW }, change.differs), monotonicMs, isolatedSinceMs };
}

const checks = (change: Change = {}): readonly Check[] => isolationChecks(inputOf(change));
const find = (list: readonly Check[], name: string) => list.find((check) => check.name === name);
const target = (shown: Shown) => checks({ differs: { 4: shown } });

describe('the isolation of a target', () => {
  it('is complete when it serves nothing first, has no clients and no input', () => {
    expect(checks().map(({ name, passed, value, hold }) => [name, passed, value, hold])).to.deep.equal([
      ['noPrimaries', true, 'none on demo-4', undefined],
      ['noClients', true, '0 clients', undefined],
      ['inputFlat', true, 'no input', undefined],
    ]);
  });

  describe('by primaries', () => {
    it('waits while one member still shows it with primaries, and names that member', () => {
      for (const id of [0, 4]) {
        const check = find(checks({ differs: { [id]: { view: views(5) } } }), 'noPrimaries');
        expect(check?.hold?.reason).to.equal('MemberLeaving');
        expect(check?.hold?.message).to.equal(`demo-${id} shows demo-4 with primaries`);
      }
    });
    it('waits while a member other than the target is shown without primaries', () => {
      const view = VIEW.map((entry) => (entry.id === 2 ? line(2, { hasPrimaries: false }) : entry));
      const check = find(checks({ differs: { 1: { view } } }), 'noPrimaries');
      expect(check?.hold).to.deep.include({
        reason: 'MemberNotActive',
        message: 'demo-1 shows demo-2 without primaries',
      });
    });
    it('waits while a member does not show everybody', () => {
      const check = find(checks({ differs: { 1: { view: VIEW.slice(1) } } }), 'noPrimaries');
      expect(check?.hold?.reason).to.equal('ViewsDisagree');
      expect(check?.hold?.message).to.equal('demo-1 does not show demo-0');
    });
    it('waits for a member without a list, with an old one, and for one whose Pod is another than the one that spoke', () => {
      const unseen = 'demo-1 does not show whether demo-4 still serves';
      for (const shown of [{ isJoining: true }, { atMs: ago(4_001) }, { viewAtMs: ago(8_001) }])
        expect(find(checks({ differs: { 1: shown } }), 'noPrimaries')?.hold?.message).to.equal(unseen);
      const replaced = withNode(nodesShowing(IDS, VIEW), 1, { pod: pod(1, { uid: 'new' }), answer: silent });
      expect(find(checks({ nodes: replaced }), 'noPrimaries')?.passed).to.equal(false);
    });
  });

  describe('by clients', () => {
    const connected = (clients: number | undefined, more: Shown = {}) =>
      find(target({ ...more, aloneSinceMs: undefined, figures: { clients } }), 'noClients');

    it('names the number of those that stay', () => {
      expect(connected(3)?.hold).to.deep.equal({
        reason: 'ClientsConnected',
        message: 'demo-4 still has 3 clients connected',
        needsPerson: false,
      });
      expect(connected(1)?.value).to.equal('1 client');
    });
    it('is unknown, not 0, without the figure', () => {
      const check = connected(undefined);
      expect([check?.passed, check?.value, check?.hold?.reason]).to.deep.equal([false, 'unknown', 'WaitingForProof']);
    });
    it('is unknown with a recent figure of 0 as long as it is not known to be alone', () => {
      expect(connected(0)?.value).to.equal('unknown');
    });
    it('does not count a connection of our own, and counts those beside it', () => {
      expect(connected(1, { own: { isUnderWay: true } })?.value).to.equal('unknown');
      expect(connected(3, { own: { isUnderWay: true } })?.value).to.equal('2 clients');
    });
    it('is unknown once its last figures are old', () => {
      expect(find(target({ atMs: ago(4_001) }), 'noClients')?.value).to.equal('unknown');
      expect(find(target({ atMs: ago(4_000) }), 'noClients')?.passed).to.equal(true);
    });
    it('does not mind clients of the others', () => {
      const list = checks({ differs: { 0: { aloneSinceMs: undefined, figures: { clients: 7 } } } });
      expect(list.every((check) => check.passed)).to.equal(true);
    });
  });

  describe('by input', () => {
    const flat = (shown: Shown, isolatedSinceMs: number | undefined = ago(32_000)) =>
      find(checks({ differs: { 4: shown }, isolatedSinceMs }), 'inputFlat');

    it('is flat when it has been alone for a second, up to the last reading, and not a millisecond earlier', () => {
      expect(flat({ aloneSinceMs: ago(1_000) })?.passed).to.equal(true);
      expect(flat({ aloneSinceMs: ago(999) })?.hold).to.deep.equal({
        reason: 'ClientsConnected',
        message: 'something still connects to demo-4, or sends to it',
        needsPerson: false,
      });
      // What came after the last reading is not known.
      expect(flat({ aloneSinceMs: ago(1_999), atMs: ago(1_000) })?.passed).to.equal(false);
      expect(flat({ aloneSinceMs: ago(2_000), atMs: ago(1_000) })?.passed).to.equal(true);
    });
    it('counts from when it was set aside, however long it has been alone, and not at all before', () => {
      expect(flat({}, ago(1_000))?.passed).to.equal(true);
      expect(flat({}, ago(999))?.hold?.reason).to.equal('WaitingForProof');
      expect(find(checks({ isolatedSinceMs: undefined }), 'inputFlat')?.value).to.equal('unknown');
    });
    it('is unknown while it is not known to be alone', () => {
      expect(flat({ aloneSinceMs: undefined })?.value).to.equal('unknown');
    });
    it('is unknown in a look with a connection of ours open: only the next one tells what else came', () => {
      const check = flat({ own: { isUnderWay: true } });
      expect([check?.passed, check?.value]).to.deep.equal([false, 'unknown']);
    });
    it('is unknown of a process that has said nothing', () => {
      const nodes = withNode(nodesShowing(IDS, VIEW), 4, { pod: pod(4, { uid: 'new' }) });
      expect(checks({ nodes }).map((check) => check.passed)).to.deep.equal([false, false, false]);
    });
  });

  describe('has held', () => {
    const since = (change: Change) => {
      const input = inputOf(change);
      return isolationOf(witnessesOf(input.nodes, input.facts, input.monotonicMs), { ...input, targetId: 4 }).sinceMs;
    };

    it('since the last of: everybody shows it, it is alone, it is aside', () => {
      const at = (shownMs: number, aloneMs: number, asideMs: number) =>
        since({
          differs: { 2: { shownSinceMs: ago(shownMs) }, 4: { aloneSinceMs: ago(aloneMs) } },
          isolatedSinceMs: ago(asideMs),
        });
      expect(at(2_000, 3_000, 4_000)).to.equal(ago(2_000));
      expect(at(4_000, 2_000, 3_000)).to.equal(ago(2_000));
      expect(at(3_000, 4_000, 2_000)).to.equal(ago(2_000));
    });
    it('since no moment while one of the checks does not pass, or since when is not known', () => {
      expect(since({ isolatedSinceMs: undefined })).to.equal(undefined);
      expect(since({ differs: { 4: { aloneSinceMs: ago(999) } } })).to.equal(undefined);
      expect(since({ differs: { 0: { view: views(5) } } })).to.equal(undefined);
      expect(since({ differs: { 0: { shownSinceMs: undefined } } })).to.equal(undefined);
    });
  });
});
