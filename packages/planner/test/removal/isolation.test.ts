// Whether clients can still be sent to the target, according to the list of every member, and whether those that are
// connected have had time to move. Nobody counts them.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { witnessesOf } from '../../src/evidence/answers.ts';
import { isolationOf, RESTART_GRACE_MS } from '../../src/evidence/isolation.ts';
import type { NodeRecord } from '../../src/index.ts';
import { line, MONOTONIC_MS, pod, silent, views, withNode } from '../support/builders.ts';
import { drained, factsOfAll, nodesShowing, type Shown } from '../support/facts.ts';

const IDS = [0, 1, 2, 3, 4];
const VIEW = drained(IDS, 4);
const ago = (ms: number) => MONOTONIC_MS - ms;

interface Change {
  readonly differs?: Readonly<Record<number, Shown>>;
  readonly nodes?: readonly NodeRecord[];
  readonly isolatedSinceMs?: number | undefined;
  readonly graceMs?: number;
}

function isolation({ differs, nodes = nodesShowing(IDS, VIEW), graceMs = 5_000, ...rest }: Change = {}) {
  const target = nodes.find((node) => node.id === 4);
  if (target === undefined) throw new Error('no target');
  const isolatedSinceMs = 'isolatedSinceMs' in rest ? rest.isolatedSinceMs : ago(32_000);
  const witnesses = witnessesOf(nodes, factsOfAll(IDS, { view: VIEW }, differs), MONOTONIC_MS);
  return isolationOf(witnesses, { target, isolatedSinceMs, graceMs, monotonicMs: MONOTONIC_MS });
}

const find = (name: string, change: Change = {}) => isolation(change).checks.find((check) => check.name === name);

describe('the isolation of a target', () => {
  it('is complete when it has no primaries and clients have had time to move', () => {
    expect(isolation().checks.map(({ name, passed, value, hold }) => [name, passed, value, hold])).to.deep.equal([
      ['noPrimaries', true, 'none on demo-4', undefined],
      ['graceOver', true, 'clients of demo-4 have 5 s to move to the others', undefined],
    ]);
  });

  describe('with regard to primaries', () => {
    it('waits while one member still shows the target with primaries, and names that member', () => {
      for (const id of [0, 4]) {
        const check = find('noPrimaries', { differs: { [id]: { view: views(5) } } });
        expect(check?.hold?.reason).to.equal('MemberLeaving');
        expect(check?.hold?.message).to.equal(`demo-${id} shows demo-4 with primaries`);
      }
    });
    it('waits while a member other than the target is shown without primaries', () => {
      const view = VIEW.map((entry) => (entry.id === 2 ? line(2, { hasPrimaries: false }) : entry));
      expect(find('noPrimaries', { differs: { 1: { view } } })?.hold).to.deep.include({
        reason: 'MemberNotActive',
        message: 'demo-1 shows demo-2 without primaries',
      });
    });
    it('waits while a member does not list all members', () => {
      const check = find('noPrimaries', { differs: { 1: { view: VIEW.slice(1) } } });
      expect(check?.hold?.reason).to.equal('ViewsDisagree');
      expect(check?.hold?.message).to.equal('demo-1 does not show demo-0');
    });
    it('waits for a member without a list or with an old one, and for one whose Pod is not the one that answered', () => {
      const unseen = 'demo-1 does not show whether demo-4 still serves';
      for (const shown of [{ isJoining: true }, { atMs: ago(4_001) }, { viewAtMs: ago(8_001) }])
        expect(find('noPrimaries', { differs: { 1: shown } })?.hold?.message).to.equal(unseen);
      const nodes = withNode(nodesShowing(IDS, VIEW), 1, { pod: pod(1, { uid: 'new' }), answer: silent });
      expect(find('noPrimaries', { nodes })?.passed).to.equal(false);
    });
  });

  describe('with regard to the time that clients have', () => {
    const isOver = (graceMs: number, change: Omit<Change, 'graceMs'>) =>
      find('graceOver', { ...change, graceMs })?.passed;
    const shown = (ms: number): Change => ({ differs: { 2: { shownSinceMs: ago(ms) } } });
    const out = (ms: number): Change => ({ isolatedSinceMs: ago(ms) });

    for (const graceMs of [0, RESTART_GRACE_MS, 600_000])
      it(`is over when no member has sent clients to it for ${graceMs / 1_000} s, and not a millisecond earlier`, () => {
        const long = { isolatedSinceMs: ago(graceMs + 60_000), differs: {} };
        const all = Object.fromEntries(IDS.map((id) => [id, { shownSinceMs: ago(graceMs + 60_000) }]));
        for (const since of [
          (ms: number): Change => ({ ...long, differs: { ...all, 2: { shownSinceMs: ago(ms) } } }),
          (ms: number): Change => ({ ...long, differs: all, isolatedSinceMs: ago(ms) }),
        ]) {
          expect(isOver(graceMs, since(graceMs))).to.equal(true);
          expect(isOver(graceMs, since(graceMs - 1))).to.equal(false);
        }
      });
    it('is 5 s before a restart', () => {
      expect(RESTART_GRACE_MS).to.equal(5_000);
    });
    it('says how long it is', () => {
      expect(find('graceOver', { graceMs: 600_000 })?.hold).to.deep.equal({
        reason: 'MemberLeaving',
        message: 'clients of demo-4 have 600 s to move to the others',
        needsPerson: false,
      });
    });
    it('does not begin while the target is in the Service, or a member shows it with primaries', () => {
      expect(isOver(0, { isolatedSinceMs: undefined })).to.equal(false);
      expect(isOver(0, { differs: { 0: { view: views(5) } } })).to.equal(false);
      expect(isOver(0, { differs: { 0: { shownSinceMs: undefined } } })).to.equal(false);
      expect([isOver(5_000, shown(5_000)), isOver(5_000, out(5_000))]).to.deep.equal([true, true]);
    });
  });

  describe('has held', () => {
    const since = (change: Change) => isolation(change).sinceMs;

    it('since the later of two times: every member shows it, and it is out of the Service', () => {
      const at = (shownMs: number, asideMs: number) =>
        since({ differs: { 2: { shownSinceMs: ago(shownMs) } }, isolatedSinceMs: ago(asideMs) });
      expect(at(2_000, 4_000)).to.equal(ago(2_000));
      expect(at(4_000, 3_000)).to.equal(ago(3_000));
    });
    it('during the grace as well: what is read meanwhile counts', () => {
      expect(since({ graceMs: 600_000 })).to.equal(ago(32_000));
    });
    it('since no time while the target may be sent clients, or it is unknown since when', () => {
      expect(since({ isolatedSinceMs: undefined })).to.equal(undefined);
      expect(since({ differs: { 0: { view: views(5) } } })).to.equal(undefined);
      expect(since({ differs: { 0: { shownSinceMs: undefined } } })).to.equal(undefined);
    });
  });
});
