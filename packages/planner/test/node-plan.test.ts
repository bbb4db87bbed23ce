// The next step for one node: its volume before its Pod, never a Pod on another volume, one disruption at a time.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  isVolumeToRecord,
  type NodeObservation,
  type NodeRecord,
  planNode,
  STUCK_TERMINATING_MS,
  UNSCHEDULED_PATIENCE_MS,
} from '../src/index.ts';
import {
  freshNode,
  freshPod,
  NOW_MS,
  node,
  nodeObservation,
  nodes,
  pod,
  silent,
  volume,
  wantedLabels,
  withNode,
  withoutPod,
} from './support/builders.ts';

const plan = (own: NodeRecord, change: Partial<NodeObservation> = {}) => planNode(nodeObservation(own, change));
const nothing = { step: undefined, hold: undefined, requeueAfterMs: undefined };

describe('a healthy node', () => {
  it('needs nothing', () => {
    expect(plan(node(1))).to.deep.equal(nothing);
  });
});

describe('the volume of a node', () => {
  it('is created before anything else', () => {
    expect(plan(freshNode(1)).step).to.deep.equal({ kind: 'createVolume' });
  });

  it('need not be bound before the Pod is created, since a class may bind it only for its first Pod', () => {
    expect(plan(withoutPod(1, { volume: volume(1, { isBound: false }) })).step?.kind).to.equal('createPod');
  });

  it('is named in the status before a Pod uses it, so that its id counts as used whatever becomes of both', () => {
    const made = freshNode(1, { volume: volume(1) });
    expect(plan(made)).to.deep.equal(nothing);
    expect(isVolumeToRecord(nodeObservation(made))).to.equal(true);
    for (const other of [freshNode(1), withoutPod(1), node(1, { recordedVolumeUid: undefined })])
      expect(isVolumeToRecord(nodeObservation(other))).to.equal(false);
  });

  it('is used at once while the cluster has not formed, when nothing can be lost', () => {
    const forming = { isClusterFormed: false };
    expect(plan(freshNode(1, { volume: volume(1) }), forming).step?.kind).to.equal('createPod');
    expect(isVolumeToRecord(nodeObservation(freshNode(1, { volume: volume(1) }), forming))).to.equal(false);
  });

  it('is not created again when it is lost, and no Pod is started (H2)', () => {
    const result = plan(withoutPod(1, { volume: undefined }));
    expect(result.step).to.equal(undefined);
    expect(result.hold).to.deep.include({ reason: 'VolumeLost', needsPerson: false });
  });

  it('is lost when another volume has its name, on which no Pod is started (H2)', () => {
    const result = plan(withoutPod(1, { volume: volume(1, { uid: 'another' }) }));
    expect(result.step).to.equal(undefined);
    expect(result.hold?.message).to.equal(
      'volume data-demo-1 is another one than before: no Pod is started on an empty volume under a used id',
    );
  });

  const foreign = [
    { name: 'another cluster', change: { clusterName: 'other' } },
    { name: 'no cluster', change: { clusterName: undefined } },
    { name: 'another node', change: { nodeId: 2 } },
    { name: 'no node', change: { nodeId: undefined } },
  ];
  for (const { name, change } of foreign) {
    it(`is foreign when it is labelled for ${name}, and a person has to say whose it is`, () => {
      const result = plan(freshNode(1, { volume: volume(1, change) }));
      expect(result.step).to.equal(undefined);
      expect(result.hold).to.deep.include({ reason: 'VolumeForeign', needsPerson: true });
    });
  }

  it('that is being deleted gets no new Pod', () => {
    const result = plan(withoutPod(1, { volume: volume(1, { isTerminating: true }) }));
    expect(result.step).to.equal(undefined);
    expect(result.hold?.reason).to.equal('VolumeLost');
  });

  it('that is being deleted leaves the running Pod alone', () => {
    expect(plan(node(1, { volume: volume(1, { isTerminating: true }) }))).to.deep.equal(nothing);
  });
});

describe('the Pod of a node', () => {
  it('is created on its volume with the addresses of all other members as seeds', () => {
    const list = withNode(nodes(3), 1, { pod: undefined });
    const result = plan(withoutPod(1), { siblings: list, isClusterFormed: false });
    expect(result.step).to.deep.equal({ kind: 'createPod', seeds: ['10.0.0.1:7946', '10.0.0.3:7946'] });
  });

  it('gets no seed from a Pod that has no address or is terminating', () => {
    const list = [node(0, { pod: freshPod(0) }), withoutPod(1), node(2, { pod: pod(2, { isTerminating: true }) })];
    expect(plan(withoutPod(1), { siblings: list }).step).to.deep.equal({ kind: 'createPod', seeds: [] });
  });

  it('is started with the seeds of its node when that has some', () => {
    const own = withoutPod(1, { seeds: ['10.9.9.9:7946'] });
    expect(plan(own).step).to.deep.equal({ kind: 'createPod', seeds: ['10.9.9.9:7946'] });
  });

  for (const phase of ['Failed', 'Succeeded']) {
    it(`is deleted once, by its uid, when it is ${phase}, and waited for until it is gone`, () => {
      const dead = pod(1, { phase, isReady: false, statusReason: 'Evicted' });
      expect(plan(node(1, { pod: dead })).step).to.deep.equal({ kind: 'deletePod', pod: dead, why: 'PodTerminal' });
      const going = { ...dead, isTerminating: true, terminationDueMs: NOW_MS };
      expect(plan(node(1, { pod: going })).step).to.equal(undefined);
    });
  }

  for (const phase of ['Pending', 'Running', 'Unknown']) {
    it(`is not deleted in the phase ${phase}`, () => {
      expect(plan(node(1, { pod: pod(1, { phase, isReady: false }) })).step).to.equal(undefined);
    });
  }

  it('is waited for while it terminates, until it counts as stuck (F50)', () => {
    const going = node(1, { pod: pod(1, { isTerminating: true, terminationDueMs: NOW_MS + 1_000 }) });
    expect(plan(going)).to.deep.equal({ ...nothing, requeueAfterMs: 1_000 + STUCK_TERMINATING_MS });
    const at = (ms: number) => plan(going, { nowMs: NOW_MS + 1_000 + STUCK_TERMINATING_MS + ms });
    expect(at(-1)).to.deep.equal({ ...nothing, requeueAfterMs: 1 });
    expect(at(0).step).to.equal(undefined);
    expect(at(0).hold).to.deep.equal({
      reason: 'PodStuckTerminating',
      message: 'Pod demo-1 on host-1 does not end: no second process is started on its volume',
      needsPerson: true,
    });
  });

  it('of another owner is left alone and waited for', () => {
    const result = plan(node(1, { pod: pod(1, { ownerUid: 'an-earlier-node' }) }));
    expect(result.step).to.equal(undefined);
    expect(result.hold).to.deep.include({ reason: 'NameTaken', needsPerson: false });
  });

  it('without an owner needs a person, unless it is terminating', () => {
    expect(plan(node(1, { pod: pod(1, { ownerUid: undefined }) })).hold?.needsPerson).to.equal(true);
    const going = plan(node(1, { pod: pod(1, { ownerUid: undefined, isTerminating: true }) }));
    expect(going.hold?.needsPerson).to.equal(false);
    expect(going.hold?.message).to.include('is terminating');
  });

  it('of another owner is not deleted even when it failed', () => {
    expect(plan(node(1, { pod: pod(1, { ownerUid: 'other', phase: 'Failed' }) })).step).to.equal(undefined);
  });

  it('is restarted while the cluster forms when its node got other seeds since', () => {
    const lonely = pod(1);
    const result = plan(node(1, { pod: lonely, seeds: ['10.0.0.1:7946'] }), { isClusterFormed: false });
    expect(result.step).to.deep.equal({ kind: 'deletePod', pod: lonely, why: 'MemberLonely' });
  });

  it('is never restarted for its seeds once the cluster is formed, since it may hold data by then', () => {
    expect(plan(node(1, { pod: pod(1), seeds: ['10.0.0.1:7946'] }))).to.deep.equal(nothing);
  });

  it('is not restarted when it runs with the seeds of its node', () => {
    const own = node(1, { pod: pod(1, { seeds: ['10.0.0.1:7946'] }), seeds: ['10.0.0.1:7946'] });
    expect(plan(own)).to.deep.equal(nothing);
  });

  it('is not restarted for seeds found when it was created, which its node does not name', () => {
    expect(plan(node(1, { pod: pod(1, { seeds: ['10.0.0.3:7946'] }) }))).to.deep.equal(nothing);
  });
});

describe('the labels of a Pod', () => {
  it('are restored when a user changed or removed one (F55)', () => {
    const { 'marekvs.io/node-id': _gone, ...labels } = pod(1).labels;
    const own = node(1, { pod: pod(1, { labels: { ...labels, 'marekvs.io/cluster': 'other' } }) });
    expect(plan(own).step).to.deep.equal({
      kind: 'labelPod',
      pod: own.pod,
      labels: { 'marekvs.io/node-id': '1', 'marekvs.io/cluster': 'demo' },
    });
  });

  it('that the operator does not know stay', () => {
    const own = node(1, { pod: pod(1, { labels: { ...pod(1).labels, team: 'a' } }) });
    expect(plan(own)).to.deep.equal(nothing);
  });

  it('get `serving` when the node is let in', () => {
    const { 'marekvs.io/serving': _absent, ...labels } = pod(1).labels;
    const step = plan(node(1, { pod: pod(1, { labels }) })).step;
    expect(step?.kind === 'labelPod' && step.labels).to.deep.equal({ 'marekvs.io/serving': 'true' });
  });

  it('lose `serving` when the node is not let in', () => {
    const step = plan(node(1, { serving: false }), { wantedPodLabels: wantedLabels(1, false) }).step;
    expect(step?.kind === 'labelPod' && step.labels).to.deep.equal({ 'marekvs.io/serving': null });
  });
});

describe('a Pod that does not get a host', () => {
  it('is looked at again when its time is over, without any event', () => {
    const own = node(1, { pod: freshPod(1) });
    expect(plan(own)).to.deep.equal({ ...nothing, requeueAfterMs: UNSCHEDULED_PATIENCE_MS + 1 });
    const late = plan(own, { nowMs: NOW_MS + UNSCHEDULED_PATIENCE_MS + 1 });
    expect(late.hold?.reason).to.equal('PodUnschedulable');
    expect(late.requeueAfterMs).to.equal(undefined);
  });
});

describe('a node whose cluster', () => {
  const deleted = (change: Partial<NodeRecord> = {}) => node(1, { isDeleting: true, ...change });

  it('is paused is not changed, whatever it lacks', () => {
    const needy = [freshNode(1), withoutPod(1), node(1, { pod: pod(1, { phase: 'Failed' }) }), deleted()];
    for (const own of needy) {
      const result = plan(own, { parent: 'paused' });
      expect(result.step).to.equal(undefined);
      expect(result.hold?.reason).to.equal('Paused');
    }
  });

  it('is known only from a cache has it read live before anything of the node is changed (F60)', () => {
    const needy = [freshNode(1), withoutPod(1), node(1, { pod: pod(1, { phase: 'Failed' }) }), deleted()];
    for (const own of needy) expect(plan(own, { parent: 'unconfirmed' }).step).to.deep.equal({ kind: 'confirmParent' });
  });

  it('is known only from a cache causes no read while the node needs nothing', () => {
    expect(plan(node(1), { parent: 'unconfirmed' })).to.deep.equal(nothing);
  });

  it('is gone loses its Pod first, and its finalizer once that is gone (F42)', () => {
    const own = deleted();
    expect(plan(own, { parent: 'gone' }).step).to.deep.equal({ kind: 'deletePod', pod: own.pod, why: 'Deleting' });
    const going = deleted({ pod: pod(1, { isTerminating: true, terminationDueMs: NOW_MS + 60_000 }) });
    expect(plan(going, { parent: 'gone' }).step).to.equal(undefined);
    expect(plan(deleted({ pod: undefined }), { parent: 'gone' }).step).to.deep.equal({ kind: 'releaseNode' });
  });

  it('is gone loses its finalizer without any change to a Pod of another owner', () => {
    const own = deleted({ pod: pod(1, { ownerUid: 'other' }) });
    expect(plan(own, { parent: 'gone' }).step).to.deep.equal({ kind: 'releaseNode' });
  });

  it('is gone loses its finalizer also when its volume is lost or its member silent (F60)', () => {
    const own = deleted({ pod: undefined, volume: undefined, answer: silent });
    expect(plan(own, { parent: 'gone' }).step).to.deep.equal({ kind: 'releaseNode' });
  });

  it('is gone gets nothing new while the node itself is not yet deleted (F43, F60)', () => {
    for (const own of [freshNode(1), withoutPod(1)])
      expect(plan(own, { parent: 'gone' }).step, own.name).to.equal(undefined);
  });

  it('is there gets its Pod again when a person deleted the node, until it is replaced', () => {
    expect(plan(deleted({ pod: undefined })).step?.kind).to.equal('createPod');
  });
});
