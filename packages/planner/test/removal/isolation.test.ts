// Whether the target has lost its clients: according to the list of every member and the target's own figures, without
// the operator's own connections.

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
  it('is complete when it has no primaries, no clients and no input', () => {
    expect(checks().map(({ name, passed, value, hold }) => [name, passed, value, hold])).to.deep.equal([
      ['noPrimaries', true, 'none on demo-4', undefined],
      ['noClients', true, '0 clients', undefined],
      ['inputFlat', true, 'no input', undefined],
    ]);
  });

  describe('with regard to primaries', () => {
    it('waits while one member still shows the target with primaries, and names that member', () => {
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
    it('waits while a member does not list all members', () => {
      const check = find(checks({ differs: { 1: { view: VIEW.slice(1) } } }), 'noPrimaries');
      expect(check?.hold?.reason).to.equal('ViewsDisagree');
      expect(check?.hold?.message).to.equal('demo-1 does not show demo-0');
    });
    it('waits for a member without a list or with an old one, and for one whose Pod is not the one that answered', () => {
      const unseen = 'demo-1 does not show whether demo-4 still serves';
      for (const shown of [{ isJoining: true }, { atMs: ago(4_001) }, { viewAtMs: ago(8_001) }])
        expect(find(checks({ differs: { 1: shown } }), 'noPrimaries')?.hold?.message).to.equal(unseen);
      const replaced = withNode(nodesShowing(IDS, VIEW), 1, { pod: pod(1, { uid: 'new' }), answer: silent });
      expect(find(checks({ nodes: replaced }), 'noPrimaries')?.passed).to.equal(false);
    });
  });

  describe('with regard to clients', () => {
    const connected = (clients: number | undefined, more: Shown = {}) =>
      find(target({ ...more, aloneSinceMs: undefined, figures: { clients } }), 'noClients');

    it('names the number of connected clients', () => {
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
    it('is unknown with a recent figure of 0 while the target is not known to be alone', () => {
      expect(connected(0)?.value).to.equal('unknown');
    });
    it('excludes a connection of the operator, and includes those beside it', () => {
      expect(connected(1, { own: { isUnderWay: true } })?.value).to.equal('unknown');
      expect(connected(3, { own: { isUnderWay: true } })?.value).to.equal('2 clients');
    });
    it('is unknown once the last figures are old', () => {
      expect(find(target({ atMs: ago(4_001) }), 'noClients')?.value).to.equal('unknown');
      expect(find(target({ atMs: ago(4_000) }), 'noClients')?.passed).to.equal(true);
    });
    it('ignores clients of the other members', () => {
      const list = checks({ differs: { 0: { aloneSinceMs: undefined, figures: { clients: 7 } } } });
      expect(list.every((check) => check.passed)).to.equal(true);
    });
  });

  describe('with regard to input', () => {
    const flat = (shown: Shown, isolatedSinceMs: number | undefined = ago(32_000)) =>
      find(checks({ differs: { 4: shown }, isolatedSinceMs }), 'inputFlat');

    it('has ended when the target has been alone for a second, up to the last reading, and not a millisecond earlier', () => {
      expect(flat({ aloneSinceMs: ago(1_000) })?.passed).to.equal(true);
      expect(flat({ aloneSinceMs: ago(999) })?.hold).to.deep.equal({
        reason: 'ClientsConnected',
        message: 'something still connects to demo-4, or sends to it',
        needsPerson: false,
      });
      // What came after the last reading is unknown.
      expect(flat({ aloneSinceMs: ago(1_999), atMs: ago(1_000) })?.passed).to.equal(false);
      expect(flat({ aloneSinceMs: ago(2_000), atMs: ago(1_000) })?.passed).to.equal(true);
    });
    it('is measured from when the target was taken out of the Service, however long it has been alone, and not before', () => {
      expect(flat({}, ago(1_000))?.passed).to.equal(true);
      expect(flat({}, ago(999))?.hold?.reason).to.equal('WaitingForProof');
      expect(find(checks({ isolatedSinceMs: undefined }), 'inputFlat')?.value).to.equal('unknown');
    });
    it('is unknown while the target is not known to be alone', () => {
      expect(flat({ aloneSinceMs: undefined })?.value).to.equal('unknown');
    });
    it('is unknown in a pass with an open connection of the operator, until the next reading tells what else came', () => {
      const check = flat({ own: { isUnderWay: true } });
      expect([check?.passed, check?.value]).to.deep.equal([false, 'unknown']);
    });
    it('is unknown for a process that has not answered yet', () => {
      const nodes = withNode(nodesShowing(IDS, VIEW), 4, { pod: pod(4, { uid: 'new' }) });
      expect(checks({ nodes }).map((check) => check.passed)).to.deep.equal([false, false, false]);
    });
  });

  describe('has held', () => {
    const since = (change: Change) => {
      const input = inputOf(change);
      return isolationOf(witnessesOf(input.nodes, input.facts, input.monotonicMs), { ...input, targetId: 4 }).sinceMs;
    };

    it('since the last of three times: every member shows it, the target is alone, and it is out of the Service', () => {
      const at = (shownMs: number, aloneMs: number, asideMs: number) =>
        since({
          differs: { 2: { shownSinceMs: ago(shownMs) }, 4: { aloneSinceMs: ago(aloneMs) } },
          isolatedSinceMs: ago(asideMs),
        });
      expect(at(2_000, 3_000, 4_000)).to.equal(ago(2_000));
      expect(at(4_000, 2_000, 3_000)).to.equal(ago(2_000));
      expect(at(3_000, 4_000, 2_000)).to.equal(ago(2_000));
    });
    it('since no time while one of the checks fails, or it is unknown since when', () => {
      expect(since({ isolatedSinceMs: undefined })).to.equal(undefined);
      expect(since({ differs: { 4: { aloneSinceMs: ago(999) } } })).to.equal(undefined);
      expect(since({ differs: { 0: { view: views(5) } } })).to.equal(undefined);
      expect(since({ differs: { 0: { shownSinceMs: undefined } } })).to.equal(undefined);
    });
  });
});
