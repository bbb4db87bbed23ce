// Has the target let go of its clients? By every member's list, its number of clients, and what comes in.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type Check, isolationChecks, type NodeRecord } from '../../src/index.ts';
import { line, MONOTONIC_MS, silent, views, withNode } from '../support/builders.ts';
import { type Difference, drained, histories, nodesShowing } from '../support/histories.ts';

const IDS = [0, 1, 2, 3, 4];
const VIEW = drained(IDS, 4);

/** The target left its primaries 30 s ago. */
function checks(
  change: {
    readonly differs?: Readonly<Record<number, Difference>>;
    readonly nodes?: readonly NodeRecord[];
    readonly asideSinceMs?: number | undefined;
  } = {},
): readonly Check[] {
  const before: Difference = (agoMs) => (agoMs > 30_000 ? { view: views(5) } : {});
  const both = Object.fromEntries(
    IDS.map((id): [number, Difference] => [id, (agoMs) => ({ ...before(agoMs), ...change.differs?.[id]?.(agoMs) })]),
  );
  const nodes = change.nodes ?? nodesShowing(IDS, VIEW);
  const target = nodes.find((node) => node.id === 4);
  if (target === undefined) throw new Error('no target');
  const asideSinceMs = 'asideSinceMs' in change ? change.asideSinceMs : MONOTONIC_MS - 32_000;
  const list = histories(IDS, { view: VIEW }, both);
  return isolationChecks({ nodes, target, histories: list, monotonicMs: MONOTONIC_MS, asideSinceMs });
}

const find = (list: readonly Check[], name: string) => list.find((check) => check.name === name);
const target = (differs: Difference) => checks({ differs: { 4: differs } });

describe('the isolation of a target', () => {
  it('is complete when it serves nothing first, has no clients and no input', () => {
    expect(checks().map(({ name, passed, hold }) => [name, passed, hold])).to.deep.equal([
      ['noPrimaries', true, undefined],
      ['noClients', true, undefined],
      ['inputFlat', true, undefined],
    ]);
  });

  describe('by primaries', () => {
    it('waits while one member still shows it with primaries, and names that member', () => {
      for (const id of [0, 4]) {
        const check = find(checks({ differs: { [id]: () => ({ view: views(5) }) } }), 'noPrimaries');
        expect(check?.hold?.reason).to.equal('MemberLeaving');
        expect(check?.hold?.message).to.equal(`demo-${id} shows demo-4 with primaries`);
      }
    });
    it('waits while a member other than the target is shown without primaries', () => {
      const view = VIEW.map((entry) => (entry.id === 2 ? line(2, { hasPrimaries: false }) : entry));
      const check = find(checks({ differs: { 1: () => ({ view }) } }), 'noPrimaries');
      expect(check?.hold?.message).to.equal('demo-1 shows demo-2 without primaries');
    });
    it('waits while a member does not show everybody', () => {
      const check = find(checks({ differs: { 1: () => ({ view: VIEW.slice(1) }) } }), 'noPrimaries');
      expect(check?.hold?.reason).to.equal('ViewsDisagree');
      expect(check?.hold?.message).to.equal('demo-1 does not show demo-0');
    });
    it('waits for a member without a list, and for one whose Pod is another than the one that spoke', () => {
      const without = checks({ differs: { 1: () => ({ view: undefined }) } });
      expect(find(without, 'noPrimaries')?.hold?.message).to.equal('demo-1 does not show whether demo-4 still serves');
      const nodes = nodesShowing(IDS, VIEW);
      const pod = nodes[1]?.pod;
      if (pod === undefined) throw new Error('no Pod');
      const replaced = withNode(nodes, 1, { pod: { ...pod, uid: 'new' }, answer: silent });
      expect(find(checks({ nodes: replaced }), 'noPrimaries')?.passed).to.equal(false);
    });
  });

  describe('by clients', () => {
    it('names the number of those that stay', () => {
      const check = find(
        target(() => ({ clients: 3 })),
        'noClients',
      );
      expect(check?.hold).to.deep.equal({
        reason: 'ClientsConnected',
        message: 'demo-4 still has 3 clients connected',
        needsPerson: false,
      });
      expect(
        find(
          target(() => ({ clients: 1 })),
          'noClients',
        )?.value,
      ).to.equal('1 client');
    });
    it('is unknown, not 0, without the figure', () => {
      const check = find(
        target(() => ({ clients: undefined })),
        'noClients',
      );
      expect([check?.passed, check?.value]).to.deep.equal([false, 'unknown']);
    });
    it('looks past samples in which we spoke to it ourselves, for 8 s', () => {
      const ours = (lastMs: number) => target((agoMs) => (agoMs < lastMs ? { isUndisturbed: false, clients: 1 } : {}));
      expect(find(ours(8_000), 'noClients')?.passed).to.equal(true);
      expect(find(ours(9_000), 'noClients')?.passed).to.equal(false);
    });
    it('does not mind clients of the others', () => {
      const list = checks({ differs: { 0: (agoMs) => ({ clients: 7, inputBytes: 9_000_000 - agoMs }) } });
      expect(list.every((check) => check.passed)).to.equal(true);
    });
  });

  describe('by input', () => {
    it('waits while something comes in', () => {
      const check = find(
        target((agoMs) => ({ inputBytes: 900_000 - agoMs })),
        'inputFlat',
      );
      expect(check?.hold?.reason).to.equal('ClientsConnected');
      expect(check?.hold?.message).to.equal('something still sends to demo-4');
    });
    it('is flat a second after the last byte, not at once', () => {
      const last = (byteMs: number) => target((agoMs) => ({ inputBytes: agoMs > byteMs ? 10 : 20 }));
      expect(find(last(1_000), 'inputFlat')?.passed).to.equal(true);
      expect(find(last(0), 'inputFlat')?.passed).to.equal(false);
    });
    it('tells the clients from us by the one look in three before which we did not speak to it', () => {
      const ours = (differs: Difference) =>
        target((agoMs) => ({ isUndisturbed: agoMs % 3_000 === 0, ...differs(agoMs) }));
      const third = (agoMs: number) => Math.floor((agoMs + 1_000) / 3_000);
      expect(
        find(
          ours(() => ({})),
          'inputFlat',
        )?.passed,
      ).to.equal(true);
      expect(
        find(
          ours((agoMs) => ({ inputBytes: 90_000 - third(agoMs) })),
          'inputFlat',
        )?.passed,
      ).to.equal(true);
      expect(
        find(
          ours((agoMs) => ({ inputBytes: 90_000 - third(agoMs + 1_000) })),
          'inputFlat',
        )?.value,
      ).to.equal('input');
      expect(
        find(
          target(() => ({ isUndisturbed: false })),
          'inputFlat',
        )?.value,
      ).to.equal('unknown');
    });
    it('adds up what is a little less than a second each time', () => {
      const short = (seenMs: number) =>
        target((agoMs) => ({
          atMs: MONOTONIC_MS - agoMs * 0.998,
          isUndisturbed: agoMs <= seenMs && agoMs % 2_000 === 0,
        }));
      expect(find(short(0), 'inputFlat')?.passed).to.equal(false);
      expect(find(short(2_000), 'inputFlat')?.passed).to.equal(true);
    });
    it('is unknown without the figure, without samples, and before the primaries are gone', () => {
      expect(
        find(
          target(() => ({ inputBytes: undefined })),
          'inputFlat',
        )?.value,
      ).to.equal('unknown');
      expect(find(checks({ differs: { 0: () => ({ view: views(5) }) } }), 'inputFlat')?.value).to.equal('unknown');
      const nodes = nodesShowing(IDS, VIEW);
      const four = histories([0, 1, 2, 3], { view: VIEW });
      const lone = nodes[4];
      if (lone === undefined) throw new Error('no target');
      const input = { nodes, target: lone, histories: four, monotonicMs: MONOTONIC_MS, asideSinceMs: 0 };
      const list = isolationChecks(input);
      expect(list.map((check) => check.passed)).to.deep.equal([false, false, false]);
    });
    it('counts from when it was told to leave, however long it has had no primaries, and not at all before', () => {
      const flatFor = (ms: number) => find(checks({ asideSinceMs: MONOTONIC_MS - ms }), 'inputFlat');
      expect(flatFor(0)?.hold?.reason).to.equal('WaitingForProof');
      expect(flatFor(10_000)?.passed).to.equal(true);
      expect(find(checks({ asideSinceMs: undefined }), 'inputFlat')?.passed).to.equal(false);
    });
    it('ends with a gap between the samples: what came in meanwhile is not known', () => {
      const check = find(
        target((agoMs) => ({ isContinuous: agoMs > 2_000 })),
        'inputFlat',
      );
      expect(check?.passed).to.equal(false);
    });
  });
});
