// When the Pod of a host that is off is deleted by force: only when nothing of it can still run, as far as anybody can
// know.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type HostFinding, type NodeRecord, planNode } from '../../src/index.ts';
import {
  line,
  NOW_MS,
  node,
  nodeObservation,
  nodes,
  notAsked,
  pod,
  sealed,
  sealedPod,
  serving,
  silent,
  views,
} from '../support/builders.ts';

const FOUND: HostFinding = {
  host: 'host-2',
  state: 'gone',
  awayForMs: 30_000,
  volume: 'movable',
  unknown: undefined,
  otherHosts: 0,
};
const ENDING = pod(2, { isReady: false, isTerminating: true, terminationDueMs: NOW_MS - 60_000 });
const LEFT = [line(0), line(1)];

function stepOf(found: Partial<HostFinding>, change: Partial<NodeRecord> = {}, view = LEFT): string | undefined {
  const own = node(2, { pod: ENDING, answer: notAsked, ...change });
  const siblings = nodes(3).map((one) => (one.id === 2 ? own : { ...one, answer: serving(view) }));
  return planNode(nodeObservation(own, { siblings, hostFinding: { ...FOUND, ...found } })).step?.kind;
}

describe('the Pod of a host that is off', () => {
  it('is deleted by force when the Node is gone, whether or not the Pod was told to end', () => {
    expect(stepOf({})).to.equal('forgetPod');
    expect(stepOf({}, { pod: pod(2, { isReady: false }), answer: silent })).to.equal('forgetPod');
  });

  it('is deleted by force when a person marks the host as out of service and Kubernetes has told the Pod to end', () => {
    expect(stepOf({ state: 'outOfService' })).to.equal('forgetPod');
    expect(stepOf({ state: 'outOfService' }, { pod: pod(2, { isReady: false }), answer: silent })).to.equal(undefined);
  });

  for (const [what, found, change, view] of [
    ['the host is not ready and nobody calls it off', { state: 'notReady', awayForMs: 9e9 }, {}, LEFT],
    ['the host was found gone only once', { awayForMs: 29_999 }, {}, LEFT],
    ['nothing is known of the host', { state: 'unknown' }, {}, LEFT],
    ['another member still lists it', {}, {}, views(3)],
    ['its member answers', {}, { pod: pod(2, { isReady: false }), answer: serving(LEFT) }, LEFT],
    ['its member answers behind its closed door', {}, { pod: sealedPod(2, { isReady: false }), answer: sealed }, LEFT],
    [
      'it was made again on another host',
      {},
      { pod: pod(2, { isReady: false, hostName: 'host-9' }), answer: notAsked },
      LEFT,
    ],
    ['it has no host', {}, { pod: pod(2, { isReady: false, hostName: undefined }) }, LEFT],
  ] as const)
    it(`is kept while ${what}`, () => {
      expect(stepOf(found, change, [...view])).to.not.equal('forgetPod');
    });

  it('is looked at again when the host has been gone for long enough', () => {
    const own = node(2, { pod: ENDING, answer: notAsked });
    const running = node(2, { pod: pod(2, { isReady: false }), answer: silent });
    for (const one of [own, running])
      expect(planNode(nodeObservation(one, { hostFinding: { ...FOUND, awayForMs: 10_000 } })).requeueAfterMs).to.equal(
        20_000,
      );
  });

  it('is reported to a person, with what can be done, while it may still run', () => {
    const own = node(2, { pod: ENDING, answer: notAsked });
    const found: HostFinding = { ...FOUND, state: 'notReady' };
    const { hold } = planNode(nodeObservation(own, { hostFinding: found }));
    expect(hold?.reason).to.equal('PodStuckTerminating');
    expect(hold?.message).to.match(/kubectl delete node host-2, or taint it node.kubernetes.io\/out-of-service$/);
  });
});
