// A node that was made from a wrong template takes up its correction; a member that runs keeps its template.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { NodeRecord } from '../src/index.ts';
import { planCluster, planNode } from '../src/index.ts';
import {
  CREATED_MS,
  freshNode,
  freshPod,
  HASH,
  joining,
  NOW_MS,
  node,
  nodeObservation,
  nodes,
  notAsked,
  observation,
  serving,
  silent,
  views,
  volume,
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

  it('is taken up by a new node that has been joining for longer than a turn may take, and not a moment before: every turn waits for it', () => {
    const deadlineMs = observation().cluster.spec.update.progressDeadlineSeconds * 1_000;
    const joiningFor = (ms: number, change: Partial<NodeRecord> = {}) =>
      stuck({ pod: { ...stuckPod, phase: 'Running', createdAtMs: NOW_MS - ms }, answer: joining, ...change });
    expect(stamped(joiningFor(deadlineMs))).to.deep.equal([]);
    expect(stamped(joiningFor(deadlineMs + 1))).to.deep.equal(['demo-3']);
    const past: Readonly<Record<string, Partial<NodeRecord>>> = {
      'was Active once': { wasActive: true },
      'was let in': { serving: true },
      'is made again on an older volume': { volume: volume(3, { createdAtMs: CREATED_MS - 60_000 }) },
    };
    for (const [what, change] of Object.entries(past))
      expect(stamped(joiningFor(deadlineMs + 1, change)), what).to.deep.equal([]);
    const planned = (change: Partial<NodeRecord>) =>
      planNode(nodeObservation(joiningFor(0, { templateHash: HASH, volume: node(3).volume, ...change }))).step?.kind;
    expect(planned({})).to.equal('deletePod');
    for (const change of [{ wasActive: true }, { serving: true }])
      expect(planned(change), JSON.stringify(change)).to.not.equal('deletePod');
  });

  it('is taken up by every node before the cluster is formed: the others may be what is in the way', () => {
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
