// The number of partitions that a member is a home of, computed from the list that the members agree on.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { ownedPartitions } from '../src/index.ts';
import { line, node, nodes, pod, sealedNode, serving, silent, views, withNode } from './support/builders.ts';

describe('owned partitions', () => {
  it('are 2712, 2768 and 2712 for three members and two homes', () => {
    const list = nodes(3);
    expect(list.map((own) => ownedPartitions(own, list))).to.deep.equal([2712, 2768, 2712]);
  });
  it('are all 4096 when there are as many homes as members', () => {
    const list = nodes(3).map((entry) => ({ ...entry, replicationFactor: 3 }));
    expect(list.map((own) => ownedPartitions(own, list))).to.deep.equal([4096, 4096, 4096]);
  });
  it('follow the replicationFactor that each member runs with while another one is being rolled out', () => {
    const list = withNode(nodes(3), 1, { replicationFactor: 3 });
    expect(list.map((own) => ownedPartitions(own, list))).to.deep.equal([2712, 4096, 2712]);
  });
  it('are unknown, never 0, while the members disagree or one is silent', () => {
    for (const answer of [silent, serving(views(2))])
      expect(ownedPartitions(node(0), withNode(nodes(3), 1, { answer }))).to.equal(undefined);
  });
  it('count a member that leaves as a home until its process ends, for itself and for the others', () => {
    const view = [line(0), line(1), line(2, { hasPrimaries: false })];
    const list = nodes(3).map((entry) => ({ ...entry, answer: serving(view) }));
    for (const change of [{ intent: 'Leaving' as const }, { pod: pod(2, { isLeaving: true }) }, sealedNode(2)]) {
      const leaving = withNode(list, 2, change);
      expect(leaving.map((own) => ownedPartitions(own, leaving))).to.deep.equal([2712, 2768, 2712]);
    }
  });
  it('are unknown for a member that joins, which does not count for the others', () => {
    const view = [line(0), line(1), line(2), line(3, { hasPrimaries: false })];
    const list = [...nodes(3), node(3)].map((entry) => ({ ...entry, answer: serving(view) }));
    expect(list.map((own) => ownedPartitions(own, list))).to.deep.equal([2712, 2768, 2712, undefined]);
  });
});
