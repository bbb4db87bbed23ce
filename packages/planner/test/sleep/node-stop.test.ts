// What a node does whose Pod is stopped for a while: the Pod ends only in the right phase, and none is created before
// all may start.

import type { Operation } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type NodeRecord, planNode } from '../../src/index.ts';
import { nodeObservation, nodes, notAsked, pod, volume, withNode, withoutPod } from '../support/builders.ts';

const three = nodes(3);
const own = (id: number, change: Partial<NodeRecord>) => ({ ...three[id], ...change }) as NodeRecord;
const operation = (type: Operation['type'], phase: Operation['phase'], change: Partial<Operation> = {}): Operation => ({
  id: 'one',
  type,
  phase,
  specGeneration: 1,
  startedAt: '2026-01-01T00:00:00Z',
  ...change,
});
const ROLL = { name: 'demo-1', uid: 'node-uid-1', nodeId: 1, podUID: 'pod-uid-1', previous: 'a' };
const suspend = (phase: Operation['phase']) => operation('Suspend', phase, { roll: ROLL });

describe('the Pod of a node that is stopped', () => {
  const stopped = (how: 'Suspended' | 'Hibernated', record: Operation | undefined, change: Partial<NodeRecord> = {}) =>
    planNode(nodeObservation(own(1, { stopped: how, serving: false, ...change }), { operation: record })).step;

  for (const [what, how, record, isEnded] of [
    ['ends together with all others', 'Hibernated', operation('Hibernate', 'Stopping'), true],
    ['ends also when all others have ended', 'Hibernated', operation('Hibernate', 'Hibernated'), true],
    ['stays when the cluster is being woken', 'Hibernated', operation('Hibernate', 'Waking'), false],
    ['stays without a stored operation', 'Hibernated', undefined, false],
    ['ends alone in its suspension', 'Suspended', suspend('Stopping'), true],
    [
      'stays when that is the suspension of another member',
      'Suspended',
      operation('Suspend', 'Stopping', { roll: { ...ROLL, uid: 'x' } }),
      false,
    ],
    ['stays when its suspension is taken back', 'Suspended', suspend('Cancelling'), false],
  ] as const)
    it(what, () => {
      const step = stopped(how, record);
      expect(step?.kind === 'deletePod' && step.why === how).to.equal(isEnded);
    });

  it('stays while its volume is being deleted, which would go with the Pod', () => {
    for (const [how, record] of [
      ['Hibernated', operation('Hibernate', 'Stopping')],
      ['Suspended', suspend('Stopping')],
    ] as const)
      expect(stopped(how, record, { volume: volume(1, { isTerminating: true }) })?.kind).to.not.equal('deletePod');
  });

  it('waits until all other members are up before it ends alone', () => {
    const node = own(1, { stopped: 'Suspended', serving: false });
    const siblings = withNode(withNode(three, 1, node), 0, { pod: pod(0, { isReady: false }) });
    const plan = planNode(nodeObservation(node, { operation: suspend('Stopping'), siblings }));
    expect(plan.step?.kind).to.not.equal('deletePod');
    expect(plan.hold?.message).to.equal('demo-1 is stopped when demo-0 is up');
  });
});

describe('a node without a Pod', () => {
  it('gets none while it is stopped, and says why', () => {
    for (const how of ['Suspended', 'Hibernated'] as const) {
      const plan = planNode(nodeObservation(withoutPod(1, { stopped: how, suspendAsked: 'anna' })));
      expect(plan.step).to.equal(undefined);
      expect(plan.hold?.reason).to.equal(how);
    }
  });

  it('gets none while others that were hibernated with it may not start, unless a member is up', () => {
    const node = withoutPod(1, { serving: false, wasActive: true });
    const asleep = (id: number) => withoutPod(id, { stopped: 'Hibernated', serving: false, answer: notAsked });
    const waiting = nodeObservation(node, { siblings: [withoutPod(0, { serving: false }), node, asleep(2)] });
    expect(planNode(waiting).hold?.message).to.equal('demo-1 starts together with demo-2');
    const beside = nodeObservation(node, { siblings: [own(0, {}), node, asleep(2)] });
    expect(planNode(beside).step?.kind).to.equal('createPod');
    const free = nodeObservation(node, { siblings: [withoutPod(0, { serving: false }), node] });
    expect(planNode(free).step?.kind).to.equal('createPod');
  });

  it('has its claim left alone while a person works on the volume', () => {
    const larger = { storage: { size: '20Gi', attributesClass: undefined } };
    expect(planNode(nodeObservation(withoutPod(1, { ...larger, stopped: 'Suspended' }))).step).to.equal(undefined);
    expect(planNode(nodeObservation(withoutPod(1, larger))).step?.kind).to.equal('changeClaim');
  });

  it('is not waited for by others when it is stopped', () => {
    const node = withoutPod(2);
    const siblings = [own(0, {}), withoutPod(1, { stopped: 'Suspended' }), node, own(3, { ...nodes(4)[3] })];
    expect(planNode(nodeObservation(node, { siblings, wantedNodes: 4 })).step?.kind).to.equal('createPod');
  });
});
