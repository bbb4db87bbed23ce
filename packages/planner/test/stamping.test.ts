// A node that was made from a mistake takes up its correction; a member that runs keeps its stamp.

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
  silent,
} from './support/builders.ts';

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

  it('is taken up by every node before the cluster is formed: the others may be what is in the way', () => {
    const running = node(3, { templateHash: OLD, serving: false, wasActive: true });
    expect([stamped(running, false), stamped(running)]).to.deep.equal([['demo-3'], []]);
  });

  it('ends the Pod that was made from the mistake, and no other Pod of another template', () => {
    const planned = (own: NodeRecord) => planNode(nodeObservation(own)).step?.kind;
    expect(planned(stuck({ templateHash: HASH, volume: node(3).volume }))).to.equal('deletePod');
    expect(planned(stuck({ templateHash: HASH, volume: node(3).volume, wasActive: true }))).to.not.equal('deletePod');
    expect(planned(node(0, { templateHash: OLD }))).to.equal(undefined);
  });
});
