// A node that was made from a wrong template takes up its correction; a member that runs keeps its template.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { NodeRecord } from '../src/index.ts';
import { planCluster, planNode } from '../src/index.ts';
import {
  freshNode,
  freshPod,
  HASH,
  joining,
  node,
  nodeObservation,
  nodes,
  notAsked,
  observation,
  serving,
  silent,
  views,
} from './support/builders.ts';

import { factsOfAll } from './support/facts.ts';

const OLD = 'bbbbbbbbbbbbbbbb';
const stuckPod = freshPod(3, { ip: '10.0.0.4', hostName: 'host-3', templateHash: OLD });
const stuck = (change: Partial<NodeRecord> = {}): NodeRecord =>
  freshNode(3, { templateHash: OLD, pod: stuckPod, answer: notAsked, ...change });

const stamped = (last: NodeRecord, isFormed = true): readonly string[] =>
  planCluster(observation({ nodes: [...nodes(3), last], cluster: { isFormed, spec: { nodes: 4 } } })).steps.flatMap(
    (step) => (step.kind === 'stampNode' ? [step.node.name] : []),
  );

describe('a corrected template', () => {
  const takesUp: Readonly<Record<string, NodeRecord>> = {
    'has an address and no image': stuck(),
    'has no Pod yet': stuck({ pod: undefined }),
    'does not answer': stuck({ pod: { ...stuckPod, phase: 'Running' }, answer: silent }),
  };
  for (const [what, last] of Object.entries(takesUp)) {
    it(`is taken up by a new node that ${what}, in a formed cluster and in one that forms`, () => {
      expect([stamped(last), stamped(last, false)]).to.deep.equal([['demo-3'], ['demo-3']]);
    });
  }

  const keeps: Readonly<Record<string, NodeRecord>> = {
    'serves clients': node(3, { templateHash: OLD }),
    'was Active once': stuck({ wasActive: true }),
    'was let in': stuck({ serving: true }),
    'is joining': stuck({ pod: { ...stuckPod, phase: 'Running' }, answer: joining }),
    'runs and was not asked yet': stuck({ pod: { ...stuckPod, phase: 'Running' } }),
    'is ready': stuck({ pod: { ...stuckPod, isReady: true } }),
    'is told to leave': stuck({ intent: 'Leaving' }),
    'is being deleted': stuck({ isDeleting: true }),
    'has the present one': stuck({ templateHash: HASH }),
  };
  for (const [what, last] of Object.entries(keeps)) {
    it(`is not taken up by a node that ${what}`, () => expect(stamped(last)).to.deep.equal([]));
  }

  it('is not taken up by a silent node that a member has shown with primaries, since it may be frozen and have writes', () => {
    const silentOne = stuck({ pod: { ...stuckPod, phase: 'Running' }, answer: silent });
    const shown = (hasPrimaries: boolean): readonly NodeRecord[] => {
      const view = views(4).map((line) => (line.id === 3 ? { ...line, hasPrimaries } : line));
      return [node(0), node(1, { answer: serving(view) }), node(2), silentOne];
    };
    const steps = (list: readonly NodeRecord[]) =>
      planCluster(observation({ nodes: list, cluster: { spec: { nodes: 4 } } })).steps.map(({ kind }) => kind);
    expect(steps(shown(false))).to.include('stampNode');
    expect(steps(shown(true))).to.not.include('stampNode');
    const seen = factsOfAll([0, 1, 2], {}, { 1: { shownActive: new Set([3]) } });
    const since = planCluster(observation({ nodes: shown(false), facts: seen, cluster: { spec: { nodes: 4 } } }));
    expect(
      since.steps.map(({ kind }) => kind),
      'it was shown so',
    ).to.not.include('stampNode');
    const own = { ...silentOne, templateHash: HASH, volume: node(3).volume };
    const ends = (siblings: readonly NodeRecord[]) => planNode(nodeObservation(own, { siblings })).step?.kind;
    expect(ends(shown(false))).to.equal('deletePod');
    expect(ends(shown(true))).to.not.equal('deletePod');
  });

  it('is taken up by every node before the cluster is formed, since any of them may prevent that', () => {
    const running = node(3, { templateHash: OLD, serving: false, wasActive: true });
    expect([stamped(running, false), stamped(running)]).to.deep.equal([['demo-3'], []]);
  });

  it('ends the Pod that was made from the wrong template, and no other Pod of another template', () => {
    const planned = (own: NodeRecord) => planNode(nodeObservation(own)).step?.kind;
    expect(planned(stuck({ templateHash: HASH, volume: node(3).volume }))).to.equal('deletePod');
    expect(planned(stuck({ templateHash: HASH, volume: node(3).volume, wasActive: true }))).to.not.equal('deletePod');
    expect(planned(node(0, { templateHash: OLD }))).to.equal(undefined);
  });
});
