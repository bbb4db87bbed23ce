// A MarekvsNode that names a cluster which it is not a node of: nothing is made or ended for it, and it enters no
// decision of that cluster.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type NodeObservation, type NodeRecord, planCluster, planNode } from '../src/index.ts';
import { freshNode, node, nodeObservation, nodes, observation, pod, withoutPod } from './support/builders.ts';

const why = 'its owner is demo, and its spec.clusterName is copy';
const plan = (own: NodeRecord, change: Partial<NodeObservation> = {}) =>
  planNode(nodeObservation(own, { parent: 'foreign', foreignWhy: why, siblings: [], ...change }));

describe('a foreign node', () => {
  for (const [what, own] of [
    ['without volume and Pod', freshNode(1)],
    ['without a Pod', withoutPod(1)],
    ['with a Pod of its own', node(1)],
    ['with a Pod that has ended', node(1, { pod: pod(1, { phase: 'Failed' }) })],
    ['with the labels of another', node(1, { serving: false })],
    ['that was told to leave', node(1, { intent: 'Leaving' })],
  ] as const)
    it(`${what} is left as it is, and a person has to say whose it is`, () => {
      for (const hasFinalizer of [true, false]) {
        const { step, hold } = plan(own, { hasFinalizer });
        expect(step).to.equal(undefined);
        expect(hold).to.deep.equal({
          reason: 'NodeForeign',
          needsPerson: true,
          message: `demo-1 names a MarekvsCluster that it is not a node of, and counts for nothing: ${why}`,
        });
      }
    });

  it('that is deleted may go when it has no Pod, whatever operation or pause there is', () => {
    const own = withoutPod(1, { isDeleting: true });
    expect(plan(own)).to.deep.include({ step: { kind: 'releaseNode' }, hold: undefined });
    expect(plan(own, { hasFinalizer: false })).to.deep.include({ step: undefined, hold: undefined });
  });
  it('that is deleted may go when the Pod of its name is another’s', () => {
    const own = node(1, { isDeleting: true, pod: pod(1, { ownerUid: 'node-uid-of-the-original' }) });
    expect(plan(own).step).to.deep.equal({ kind: 'releaseNode' });
  });
  it('that is deleted stays while it has a Pod, which may hold what nobody else has', () => {
    for (const change of [{}, { isTerminating: true }, { phase: 'Failed' as const }]) {
      const { step, hold } = plan(node(1, { isDeleting: true, pod: pod(1, change) }));
      expect(step).to.equal(undefined);
      expect(hold?.reason).to.equal('NodeForeign');
    }
  });
});

describe('a cluster that foreign nodes name', () => {
  const named = (names: readonly string[], areElsewhere = false) => ({ foreignNodes: { names, areElsewhere } });
  const text = (...shown: Parameters<typeof named>) =>
    planCluster(observation(named(...shown))).holds.find(({ reason }) => reason === 'NodeForeign')?.message;
  const said = 'MarekvsNodes that name this cluster without being its own count for nothing: ';

  it('says nothing without any', () => {
    expect(text([])).to.equal(undefined);
  });
  it('names those in its namespace, five at most', () => {
    expect(text(['a-0'])).to.equal(`${said}a-0`);
    expect(text(['a', 'b', 'c', 'd', 'e'])).to.equal(`${said}a, b, c, d, e`);
    expect(text(['a', 'b', 'c', 'd', 'e', 'f', 'g'])).to.equal(`${said}a, b, c, d, e and 2 more`);
  });
  it('says that there are others elsewhere, without their names and number: who makes them does not write its status', () => {
    expect(text([], true)).to.equal(`${said}some in other namespaces`);
    expect(text(['a'], true)).to.equal(`${said}a, and some in other namespaces`);
  });
  it('does not wait for a person because of them', () => {
    const { holds } = planCluster(observation(named(['a'], true)));
    expect(holds.filter(({ needsPerson }) => needsPerson)).to.deep.equal([]);
  });

  const states = [
    { what: 'at rest', change: {} },
    { what: 'that grows', change: { cluster: { spec: { nodes: 5 } } } },
    { what: 'that shrinks', change: { nodes: nodes(4), cluster: { spec: { nodes: 3 } } } },
    { what: 'without a Pod', change: { nodes: [node(0), withoutPod(1), node(2)] } },
    { what: 'that is paused', change: { cluster: { spec: { paused: true } } } },
    { what: 'that is not formed', change: { nodes: [freshNode(0), freshNode(1)], cluster: { isFormed: false } } },
  ] as const;
  for (const { what, change } of states)
    it(`decides the same with them and without them: one ${what}`, () => {
      const { holds: without, ...bare } = planCluster(observation(change));
      const { holds, ...shown } = planCluster(observation({ ...change, ...named(['demo-7', 'x'], true) }));
      expect(shown).to.deep.equal(bare);
      expect(holds.filter(({ reason }) => reason !== 'NodeForeign')).to.deep.equal(without);
    });
});
