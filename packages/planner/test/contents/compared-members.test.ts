// Which members take part in a comparison, and which two requests are the same work.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { comparedMembers } from '../../src/evidence/compared-members.ts';
import { type ComparisonRequest, isSameComparison, type NodeRecord } from '../../src/index.ts';
import { nodes, observation, pod, sealedNode, withNode } from '../support/builders.ts';
import { factsOf, factsOfAll, type Shown } from '../support/facts.ts';
import { requestOf } from '../support/reports.ts';

const three = nodes(3);
const facts = factsOfAll([0, 1, 2]);
const members = (list: readonly NodeRecord[], differs: Readonly<Record<number, Shown>> = {}) =>
  comparedMembers(observation({ facts: factsOfAll([0, 1, 2], {}, differs) }), list);

describe('the members of a comparison', () => {
  it('are the processes that run now, by id, each with its address and generation', () => {
    expect(members([...three].reverse())).to.deep.equal([
      { nodeId: 0, podUid: 'pod-uid-0', ip: '10.0.0.1', generation: 1_767_225_600 },
      { nodeId: 1, podUid: 'pod-uid-1', ip: '10.0.0.2', generation: 1_767_225_601 },
      { nodeId: 2, podUid: 'pod-uid-2', ip: '10.0.0.3', generation: 1_767_225_602 },
    ]);
  });
  it('are known by when its process began of one whose door is closed, which shows no list', () => {
    const list = withNode(three, 1, sealedNode(1));
    const sealed = { podUid: 'sealed-pod-uid-1', isJoining: true, generation: undefined };
    expect(members(list, { 1: { ...sealed, bornAtMs: 4_321 } })?.[1]).to.deep.equal({
      nodeId: 1,
      podUid: 'sealed-pod-uid-1',
      ip: '10.0.0.2',
      generation: 4_321,
    });
    expect(members(list, { 1: sealed }), 'nor figures').to.equal(undefined);
    const open = { isJoining: true, generation: undefined, bornAtMs: 4_321 };
    expect(members(three, { 1: open }), 'one that joins').to.equal(undefined);
  });
  const unknown: readonly (readonly [string, Partial<NodeRecord>, Shown])[] = [
    ['one has no Pod', { pod: undefined }, {}],
    ['the Pod of one has no address', { pod: pod(1, { ip: undefined }) }, {}],
    ['the Pod of one is ending', { pod: pod(1, { isTerminating: true }) }, {}],
    ['the Pod of one is another than the one that spoke', { pod: pod(1, { uid: 'new' }) }, {}],
    ['no list has shown the life of one yet', {}, { generation: undefined }],
  ];
  for (const [title, change, shown] of unknown)
    it(`are not known while ${title}`, () => {
      expect(members(withNode(three, 1, change), { 1: shown })).to.equal(undefined);
    });
  it('are not known while one has said nothing, or another member speaks from its Pod', () => {
    expect(comparedMembers(observation({ facts: facts.slice(1) }), three)).to.equal(undefined);
    const other = [...facts.slice(1), factsOf(9, { podUid: 'pod-uid-0' })];
    expect(comparedMembers(observation({ facts: other }), three)).to.equal(undefined);
  });
});

describe('two requests', () => {
  const request = requestOf(three, 2);
  const same = (change: Partial<ComparisonRequest>) =>
    isSameComparison(request, { ...structuredClone(request), ...change });
  const changed = (change: Partial<ComparisonRequest['members'][number]>) =>
    same({ members: request.members.map((member) => (member.nodeId === 1 ? { ...member, ...change } : member)) });

  it('are the same work whoever made them, and also when one of them counts answers from later on', () => {
    expect([same({}), same({ sinceMs: 5 })]).to.deep.equal([true, true]);
  });
  it('are different work about another purpose, id, factor, freshness, source or member', () => {
    const others = [
      same({ purpose: 'asked' }),
      same({ id: 'x' }),
      same({ replicationFactor: 3 }),
      same({ isKeptFresh: false }),
      same({ sources: [1] }),
      same({ sources: [2, 1] }),
      same({ members: request.members.slice(1) }),
      changed({ nodeId: 7 }),
      changed({ podUid: 'new' }),
      changed({ ip: '10.0.0.9' }),
      changed({ generation: 1 }),
    ];
    expect(others).to.deep.equal(others.map(() => false));
  });
});
