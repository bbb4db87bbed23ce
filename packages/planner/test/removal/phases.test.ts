// The phases of one removal and every way back: what is stored, what is done, what is waited for, and what never happens.

import type { Operation } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  type ClusterObservation,
  type ClusterPlan,
  type NodeRecord,
  planCluster,
  type VolumeRecord,
} from '../../src/index.ts';
import { NOW_MS, node, pod, silent, volume, withNode } from '../support/builders.ts';
import { drained, histories } from '../support/histories.ts';
import {
  ALL,
  gone,
  isolated,
  LEAVING,
  LEFT,
  nodesOf,
  OPERATION,
  record,
  report,
  TARGET_UID,
  whole,
} from '../support/removing.ts';

const kinds = (plan: ClusterPlan) => plan.steps.map((step) => step.kind);
const removalOf = (o: ClusterObservation) => planCluster(o).removal;
const everyone = nodesOf(ALL, drained(ALL, 4));
const survivors = nodesOf(LEFT, drained(LEFT, -1));
/** What a claim decides once and for all. */
const of = (claimed: Operation | undefined) => ({ baselines: claimed?.baselines ?? {} });
const targetOf = (o: ClusterObservation) => o.nodes.filter(({ id }) => id === 4);

describe('the claim', () => {
  it('is stored at once, for the highest id, with the idle rounds that the history shows', () => {
    const { operation, isUrgent, steps } = removalOf(whole());
    expect({ isUrgent, steps }).to.deep.equal({ isUrgent: true, steps: [] });
    expect(operation).to.deep.include({ type: 'Remove', basis: 'Proof', phase: 'Claimed', specGeneration: 1 });
    expect(operation?.target).to.deep.equal({
      name: 'demo-4',
      uid: TARGET_UID,
      nodeId: 4,
      podUID: 'pod-uid-4',
      pvcUID: 'volume-uid-4',
    });
    expect(Number(operation?.baselines?.idleRounds)).to.be.greaterThan(3);
  });

  it('is for one node only, however many are too many (F40)', () => {
    expect(removalOf(whole({ spec: { nodes: 3 } })).operation?.target?.name).to.equal('demo-4');
  });

  it('is not made while a member is silent: the sick one is the candidate, and nothing is proven without its answer (F45, F46)', () => {
    const plan = planCluster(whole({ nodes: withNode(nodesOf(ALL, drained(ALL, -1)), 1, { answer: silent }) }));
    expect(plan.removal.operation).to.equal(undefined);
    expect(plan.holds.map(({ message }) => message).join()).to.match(/removing demo-1 waits: .*demo-1/);
  });

  it('is refused at replicationFactor 1 with the way out', () => {
    const nodes = nodesOf(ALL, drained(ALL, -1)).map((entry) => ({ ...entry, replicationFactor: 1 }));
    const plan = planCluster(whole({ nodes, spec: { replicationFactor: 1, nodes: 2 } }));
    expect(plan.removal.operation).to.equal(undefined);
    expect(plan.holds.map(({ reason }) => reason)).to.include('ReplicationFactorOne');
  });

  it('is not made by a paused cluster', () => {
    expect(removalOf(whole({ spec: { paused: true } })).operation).to.equal(undefined);
  });
});

describe('before anything irrevocable', () => {
  it('asks for test keys through the target alone, and takes nobody out of the Service before they are written', () => {
    const { audit, steps, operation } = removalOf(whole({ operation: record('Claimed') }));
    expect(audit).to.deep.include({ operationId: OPERATION, kind: 'write', targetId: 4 });
    expect(audit?.members).to.have.lengthOf(1);
    expect(audit?.partitions.length).to.be.greaterThan(1_500);
    expect({ steps, phase: operation?.phase }).to.deep.equal({ steps: [], phase: 'Claimed' });
  });

  it('takes the target out of the Service, tells it to leave and marks it, in one step, once they are', () => {
    const o = whole({ operation: record('Claimed') });
    const written = { ...o, audit: report('write', targetOf(o)) };
    expect(planCluster(written).steps).to.deep.equal([{ kind: 'isolate', node: o.nodes[4], operationId: OPERATION }]);
  });

  it('does not take the report of another operation, or of another Pod, for its own', () => {
    const o = whole({ operation: record('Claimed') });
    const own = report('write', targetOf(o));
    const foreign = { ...own, request: { ...own.request, operationId: '4-other' } };
    const earlier = { ...own, request: { ...own.request, members: [{ nodeId: 4, podUid: 'old', ip: '10.0.0.5' }] } };
    for (const audit of [foreign, earlier]) expect(kinds(planCluster({ ...o, audit }))).to.deep.equal([]);
  });

  it('writes no test keys when spec.removal.audit is false', () => {
    const plan = planCluster(whole({ operation: record('Claimed'), spec: { removal: { audit: false } } }));
    expect(plan.removal.audit).to.equal(undefined);
    expect(kinds(plan)).to.deep.equal(['isolate']);
  });

  it('asks for no test keys that were never written: audit was switched on after the claim', () => {
    const claimed = removalOf(whole({ spec: { removal: { audit: false } } })).operation;
    const { audit, waits, operation } = removalOf(isolated({ operation: { ...record('Proving'), ...of(claimed) } }));
    expect({ audit, waits, phase: operation?.phase }).to.deep.equal({
      audit: undefined,
      waits: undefined,
      phase: 'Deleting',
    });
    expect(operation?.proof?.pre?.audited).to.equal(false);
  });

  it('looks for the very test keys that were written, also when a member has joined since', () => {
    const operation = { ...record('Proving'), ...of(removalOf(whole()).operation) };
    const written = removalOf(whole({ operation: { ...operation, phase: 'Claimed' } })).audit;
    const six = [...ALL, 5];
    const view = drained(six, 4);
    const nodes = nodesOf(six, view).map((entry) => (entry.id === 4 ? { ...entry, ...LEAVING } : entry));
    const { audit } = removalOf(isolated({ operation, nodes, o: { samples: histories(six, { view, count: 60 }) } }));
    expect([written?.kind, audit?.kind, audit?.members.length]).to.deep.equal(['write', 'readBefore', 6]);
    expect(audit?.partitions).to.deep.equal(written?.partitions);
  });

  it('is Isolating as long as somebody shows primaries on the target', () => {
    const view = drained(ALL, -1);
    const nodes = nodesOf(ALL, view).map(
      (entry): NodeRecord =>
        entry.id === 4 ? { ...entry, serving: false, intent: 'Leaving', removalMark: OPERATION } : entry,
    );
    const { operation, steps, isUrgent } = removalOf(whole({ operation: record('Claimed'), nodes }));
    expect({ phase: operation?.phase, steps, isUrgent }).to.deep.equal({
      phase: 'Isolating',
      steps: [],
      isUrgent: false,
    });
  });

  it('waits for clients, with their number', () => {
    const o = isolated({ operation: record('Claimed'), differs: { 4: () => ({ clients: 3 }) } });
    const { operation, waits } = removalOf(o);
    expect(operation?.phase).to.equal('Isolating');
    expect(waits).to.deep.include({ reason: 'ClientsConnected' });
    expect(waits?.message).to.include('3');
  });

  it('is Proving then, and reads the test keys on all other members', () => {
    const { operation, audit, isUrgent } = removalOf(isolated({ operation: record('Claimed') }));
    expect({ phase: operation?.phase, isUrgent }).to.deep.equal({ phase: 'Proving', isUrgent: false });
    expect(audit).to.deep.include({ kind: 'readBefore', targetId: 4 });
    expect(audit?.members.map(({ nodeId }) => nodeId)).to.deep.equal(ALL);
  });

  it('goes on from whichever of the three phases is stored: what is true follows from the world', () => {
    for (const phase of ['Claimed', 'Isolating', 'Proving'] as const)
      expect(removalOf(isolated({ operation: record(phase) })).operation?.phase, phase).to.equal('Proving');
  });

  it('stores the proof and Deleting together, and deletes nothing in the same look', () => {
    const o = isolated({ operation: record('Proving'), audit: report('readBefore', everyone) });
    const { operation, isUrgent, steps } = removalOf(o);
    expect({ phase: operation?.phase, isUrgent, steps }).to.deep.equal({
      phase: 'Deleting',
      isUrgent: true,
      steps: [],
    });
    expect(operation?.proof?.pre).to.deep.include({
      operationId: OPERATION,
      stage: 'Pre',
      tier: 'Strict',
      audited: true,
      targetUid: TARGET_UID,
      podUID: 'pod-uid-4',
      pvcUID: 'volume-uid-4',
    });
  });

  it('proves nothing while a test key is missing, and names partition and home', () => {
    const missing = [{ partition: 17, nodeId: 2 }];
    const audit = report('readBefore', everyone, {
      state: 'incomplete',
      doneAtMs: undefined,
      missing,
      missingCount: 1,
    });
    const { operation, waits } = removalOf(isolated({ operation: record('Proving'), audit }));
    expect(operation?.phase).to.equal('Proving');
    expect(waits).to.deep.include({ reason: 'CanaryMissing' });
    expect(waits?.message).to.match(/17.*demo-2/);
  });

  it('blocks under Strict on a member that never becomes quiet, and names Bounded', () => {
    const differs = { 1: (agoMs: number) => ({ repairs: 5_000 - Math.floor(agoMs / 1_000) }) };
    const o = isolated({ operation: record('Proving'), audit: report('readBefore', everyone), differs });
    const { operation, waits } = removalOf(o);
    expect(operation?.phase).to.equal('Proving');
    expect(waits).to.deep.include({ reason: 'MemberNotQuiet', needsPerson: true });
    expect(waits?.message).to.include('Bounded');
  });

  it('is given up when the size is raised again: stored first, undone afterwards (F41)', () => {
    for (const o of [
      whole({ operation: record('Claimed'), spec: { nodes: 5 } }),
      isolated({ operation: record('Proving'), spec: { nodes: 5 } }),
    ]) {
      const { operation, isUrgent, steps } = removalOf(o);
      expect({ isUrgent, steps }).to.deep.equal({ isUrgent: true, steps: [] });
      expect(operation).to.deep.include({ phase: 'Cancelling' });
      expect(operation?.cancel?.reason).to.equal('CancelledByUser');
    }
  });

  it('is not given up for a node that was deleted by hand meanwhile: that cannot be taken back', () => {
    const nodes = everyone.map(
      (entry): NodeRecord =>
        entry.id === 4
          ? { ...entry, serving: false, intent: 'Leaving', removalMark: OPERATION, isDeleting: true }
          : entry,
    );
    const o = isolated({ operation: record('Proving', { type: 'Replace' }), spec: { nodes: 4 }, nodes });
    expect(removalOf(o).operation?.phase).to.equal('Proving');
  });

  it('is given up for a target that lost its volume and will not answer again, and goes on as that of a dead one', () => {
    const lost = { volume: undefined, pod: undefined, answer: silent } satisfies Partial<NodeRecord>;
    const left = nodesOf(LEFT, drained(LEFT, -1));
    const dead: NodeRecord = { ...node(4), ...lost, serving: false, intent: 'Leaving', removalMark: OPERATION };
    const o = gone({ operation: record('Proving', { type: 'Replace' }), nodes: [...left, dead] });
    const { operation, isUrgent } = removalOf(o);
    expect({ phase: operation?.phase, reason: operation?.cancel?.reason, isUrgent }).to.deep.equal({
      phase: 'Cancelling',
      reason: 'VolumeLost',
      isUrgent: true,
    });
    const cancelling = { ...o, cluster: { ...o.cluster, operation } };
    expect(removalOf(cancelling).audit?.kind).to.equal('clean');
    const { ended } = removalOf({ ...cancelling, audit: report('clean', left) });
    expect(ended).to.deep.include({ outcome: 'Cancelled', reason: 'VolumeLost' });
  });

  it('ends as failed when the node vanished: somebody took its finalizer off (F57)', () => {
    const { operation, ended } = removalOf(gone({ operation: record('Proving') }));
    expect(operation).to.equal(undefined);
    expect(ended).to.deep.include({ outcome: 'Failed', reason: 'FinalizerRemoved' });
  });

  it('goes on without the node when it was being deleted before: it was let go, and the others still have to prove their copies', () => {
    const at = new Date(NOW_MS - 60_000).toISOString();
    const timeline = ['Claimed', 'Proving', 'Deleting', 'Proving'].map((phase) => ({ phase, at }));
    const { operation, ended } = removalOf(gone({ operation: record('Proving', { timeline } as Partial<Operation>) }));
    expect(ended).to.equal(undefined);
    expect(operation?.phase).to.equal('Settling');
  });
});

describe('with the proof stored', () => {
  const proven = (o: ClusterObservation): Operation => {
    const { operation } = removalOf(o);
    if (operation?.proof?.pre === undefined) throw new Error('nothing was proven');
    return operation;
  };
  const stored = proven(isolated({ operation: record('Proving'), audit: report('readBefore', everyone) }));
  const carrying = (change: Partial<NodeRecord> = {}) =>
    everyone.map(
      (entry): NodeRecord =>
        entry.id === 4
          ? {
              ...entry,
              serving: false,
              intent: 'Leaving',
              removalMark: OPERATION,
              removalProof: stored.proof?.pre,
              ...change,
            }
          : entry,
    );
  const deleting = (change: Parameters<typeof isolated>[0] = {}) =>
    isolated({ operation: stored, audit: report('readBefore', everyone), nodes: carrying(), ...change });

  it('deletes the node once the node carries the same proof', () => {
    expect(kinds(planCluster(deleting()))).to.deep.equal(['deleteNode']);
    const without = planCluster(deleting({ nodes: carrying({ removalProof: undefined }) }));
    expect(kinds(without)).to.deep.equal([]);
    expect(without.removal.waits?.reason).to.equal('WaitingForProof');
  });

  it('deletes nothing when the evidence no longer stands at this very moment', () => {
    const o = deleting({ nodes: withNode(carrying(), 2, { answer: silent }) });
    expect(kinds(planCluster(o))).to.deep.equal([]);
    expect(removalOf(o).waits?.reason).to.equal('MemberSilent');
  });

  it('gathers anew when it stands no longer and the proof has run out (F48)', () => {
    const o = { ...deleting({ nodes: withNode(carrying(), 2, { answer: silent }) }), nowMs: NOW_MS + 31_000 };
    const { operation, isUrgent } = removalOf(o);
    expect({ phase: operation?.phase, proof: operation?.proof, isUrgent }).to.deep.equal({
      phase: 'Proving',
      proof: undefined,
      isUrgent: true,
    });
  });

  it('renews a proof that gets old, whether the clock went on or jumped back', () => {
    for (const nowMs of [NOW_MS + 16_000, NOW_MS - 3_600_000]) {
      const { operation, steps } = removalOf({ ...deleting(), nowMs });
      expect(steps, String(nowMs)).to.deep.equal([]);
      expect(Date.parse(operation?.proof?.pre?.at ?? '')).to.equal(nowMs);
    }
  });

  it('is still given up before the DELETE when the size is raised again', () => {
    expect(removalOf(deleting({ spec: { nodes: 5 } })).operation?.phase).to.equal('Cancelling');
  });

  it('is never given up after the DELETE: it is finished, and a new node is added then (F41)', () => {
    const o = deleting({ spec: { nodes: 5 }, nodes: carrying({ isDeleting: true }) });
    const plan = planCluster(o);
    expect(plan.removal.operation?.phase).to.equal('Deleting');
    expect(kinds(plan)).to.deep.equal([]);
  });

  it('keeps the proof fresh while the deleted node’s process still runs', () => {
    const o = { ...deleting({ nodes: carrying({ isDeleting: true }) }), nowMs: NOW_MS + 16_000 };
    expect(Date.parse(removalOf(o).operation?.proof?.pre?.at ?? '')).to.equal(NOW_MS + 16_000);
  });

  it('is Departing once the process is gone, and says what keeps the Pod', () => {
    const pod = { ...node(4).pod, isTerminating: true } as NonNullable<NodeRecord['pod']>;
    const { operation, waits } = removalOf(
      deleting({ nodes: carrying({ isDeleting: true, pod, saidReason: 'PodStuckTerminating' }) }),
    );
    expect(operation?.phase).to.equal('Departing');
    expect(waits).to.deep.include({ reason: 'PodStuckTerminating', needsPerson: true });
  });

  it('is given up even after the DELETE when the member that counted as dead serves again: it goes by proof or not at all', () => {
    const { proof: _none, ...rest } = stored;
    const dead = { ...rest, basis: 'Dead' as const };
    const { operation } = removalOf(deleting({ operation: dead, nodes: carrying({ isDeleting: true }) }));
    expect(operation).to.deep.include({ phase: 'Cancelling' });
    expect(operation?.cancel?.message).to.match(/demo-4 is alive after all/);
  });

  it('stands still while the cluster is paused', () => {
    const plan = planCluster(deleting({ spec: { paused: true, nodes: 4 } }));
    expect({ steps: plan.steps, operation: plan.removal.operation, isUrgent: plan.removal.isUrgent }).to.deep.equal({
      steps: [],
      operation: stored,
      isUrgent: false,
    });
  });

  describe('and the target gone', () => {
    const settling = (change: Parameters<typeof gone>[0] = {}) => gone({ operation: stored, ...change });
    const audited: Operation = {
      ...stored,
      phase: 'Settling',
      baselines: { ...stored.baselines, auditedAfter: '2026-01-01T00:09:30Z' },
    };
    const cleaned = report('clean', survivors);

    it('reads the test keys on every home that is left', () => {
      const { operation, audit } = removalOf(settling());
      expect(operation?.phase).to.equal('Settling');
      expect(audit).to.deep.include({ kind: 'readAfter', targetId: 4 });
      expect(audit?.members.map(({ nodeId }) => nodeId)).to.deep.equal(LEFT);
      expect(audit?.partitions).to.deep.equal(report('readAfter', survivors).request.partitions);
    });

    it('stores that all were seen before it deletes a single one', () => {
      const { operation, isUrgent, audit } = removalOf(settling({ audit: report('readAfter', survivors) }));
      expect({ isUrgent, audit }).to.deep.equal({ isUrgent: true, audit: undefined });
      expect(operation?.baselines?.auditedAfter).to.be.a('string');
      expect(removalOf(settling({ operation: audited })).audit?.kind).to.equal('clean');
    });

    it('ends when the quiet rounds have passed since, and keeps the volume', () => {
      const { operation, ended } = removalOf(settling({ operation: audited, audit: cleaned }));
      expect(operation).to.equal(undefined);
      expect(ended).to.deep.include({ outcome: 'Succeeded', reason: 'RemovalFinished' });
      expect(ended?.message).to.equal('removed demo-4: its volume data-demo-4 is kept');
      expect(ended?.proof?.post).to.deep.include({ stage: 'Post', targetUid: TARGET_UID });
      expect(ended?.phases?.map(({ phase }) => phase)).to.include.members(['Claimed', 'Proving', 'Deleting']);
    });

    it('counts no rounds from before the test keys were deleted', () => {
      const late = { ...cleaned, doneAtMs: settling().monotonicMs - 5_000 };
      const { operation, waits } = removalOf(settling({ operation: audited, audit: late }));
      expect(operation?.phase).to.equal('Settling');
      expect(waits?.reason).to.equal('WaitingForProof');
    });

    it('deletes the volume only by policy, and only on a proof that is stored', () => {
      const spec = { nodes: 4, volumeRetention: { whenScaled: 'Delete' } } as const;
      const first = removalOf(settling({ operation: audited, audit: cleaned, spec }));
      expect({ phase: first.operation?.phase, isUrgent: first.isUrgent, steps: first.steps }).to.deep.equal({
        phase: 'Reclaiming',
        isUrgent: true,
        steps: [],
      });
      const unnoted = settling({ operation: first.operation, audit: cleaned, spec });
      expect(
        planCluster(unnoted).steps.map((step) => step.kind === 'rememberId' && step.id),
        'its id first',
      ).to.deep.equal([4]);
      const noted = (one: VolumeRecord) => (one.nodeId === 0 ? { ...one, highestNodeId: 4 } : one);
      const second = { ...unnoted, volumes: unnoted.volumes.map(noted) };
      expect(planCluster(second).steps.map((step) => step.kind === 'deleteVolume' && step.volume.uid)).to.deep.equal([
        'volume-uid-4',
      ]);
      const stale = { ...second, nowMs: NOW_MS + 16_000 };
      expect(kinds(planCluster(stale))).to.deep.equal([]);
      const forged = { ...audited, phase: 'Reclaiming', proof: first.operation?.proof } as Operation;
      const unproven = settling({
        operation: forged,
        audit: cleaned,
        spec,
        nodes: withNode(survivors, 1, { answer: silent }),
      });
      expect(kinds(planCluster(unproven)), 'a stored proof alone').to.not.include('deleteVolume');
    });

    it('never deletes another volume of the same name', () => {
      const spec = { nodes: 4, volumeRetention: { whenScaled: 'Delete' } } as const;
      const other = [...LEFT.map((id) => volume(id)), volume(4, { uid: 'another' })];
      const { ended, steps } = removalOf(settling({ operation: audited, audit: cleaned, spec, o: { volumes: other } }));
      expect(steps).to.deep.equal([]);
      expect(ended?.outcome).to.equal('Succeeded');
    });

    it('ends when the volume it deletes hangs in Terminating: its id is not used again', () => {
      const volumes = [...LEFT.map((id) => volume(id)), volume(4, { isTerminating: true })];
      const { ended } = removalOf(
        settling({
          operation: { ...audited, phase: 'Reclaiming' },
          audit: cleaned,
          spec: { nodes: 4, volumeRetention: { whenScaled: 'Delete' } },
          o: { volumes },
        }),
      );
      expect(ended?.message).to.include('is being deleted');
    });

    it('has its test keys deleted, too, when audit was switched off after they were written', () => {
      const spec = { removal: { audit: false } };
      const claimed = { ...stored, baselines: of(removalOf(whole()).operation).baselines };
      expect(removalOf(settling({ operation: claimed, spec })).audit?.kind).to.equal('clean');
      expect(removalOf(settling({ operation: claimed, audit: cleaned, spec })).ended?.outcome).to.equal('Succeeded');
    });

    describe('is rolled back from the kept volume', () => {
      const isBack = (o: ClusterObservation) => removalOf(o).operation?.cancel?.reason;
      const lost = { volume: undefined, pod: undefined, answer: silent } satisfies Partial<NodeRecord>;

      it('when a survivor lost its volume', () => {
        const left = nodesOf(LEFT, drained([0, 1, 3], -1));
        expect(isBack(settling({ operation: audited, nodes: withNode(left, 2, lost) }))).to.equal('RolledBack');
      });

      it('when a survivor has been silent for two minutes, and not before', () => {
        const nodes = withNode(survivors, 2, { answer: silent });
        const since = (agoMs: number) => ({
          ...audited,
          blocked: { reason: 'MemberSilent', message: 'demo-2', since: new Date(NOW_MS - agoMs).toISOString() },
        });
        expect(isBack(settling({ operation: since(120_000), nodes }))).to.equal(undefined);
        expect(isBack(settling({ operation: since(120_001), nodes }))).to.equal('RolledBack');
      });

      it('when its deadline passes: at most half of gcGraceSeconds', () => {
        const started = (agoMs: number): Operation => ({
          ...audited,
          timeline: [{ phase: 'Deleting', at: new Date(NOW_MS - agoMs).toISOString() }],
        });
        const o = (agoMs: number) => settling({ operation: started(agoMs), spec: { nodes: 4, gcGraceSeconds: 600 } });
        expect(isBack(o(300_000))).to.equal(undefined);
        expect(isBack(o(301_000))).to.equal('RolledBack');
      });

      it('but not when there is nothing left to bring it back from', () => {
        const left = nodesOf(LEFT, drained([0, 1, 3], -1));
        const volumes = LEFT.map((id) => volume(id));
        expect(isBack(settling({ operation: audited, nodes: withNode(left, 2, lost), o: { volumes } }))).to.equal(
          undefined,
        );
      });

      it('by making its node again under its id', () => {
        const cancelling = record('Cancelling', {
          cancel: { reason: 'RolledBack', message: 'demo-2 lost its volume' },
        });
        expect(planCluster(gone({ operation: cancelling })).steps).to.deep.equal([
          { kind: 'createNode', id: 4, why: 'RolledBack' },
        ]);
      });
    });
  });
});

describe('taking a removal back', () => {
  const cancelling = record('Cancelling', {
    cancel: { reason: 'CancelledByUser', message: '5 nodes are wanted again: demo-4 stays' },
  });

  it('first undoes the three things that were done to the node, in one step', () => {
    const plan = planCluster(isolated({ operation: cancelling, spec: { nodes: 5 } }));
    expect(kinds(plan)).to.deep.equal(['reinstate']);
  });

  it('waits until every member shows it Active again, restarted', () => {
    const drainedStill = nodesOf(ALL, drained(ALL, 4));
    expect(removalOf(whole({ operation: cancelling, spec: { nodes: 5 }, nodes: drainedStill })).ended).to.equal(
      undefined,
    );
    const leaving = { ...node(4).pod, isLeaving: true } as NonNullable<NodeRecord['pod']>;
    const notRestarted = withNode(nodesOf(ALL, drained(ALL, -1)), 4, { pod: leaving });
    expect(removalOf(whole({ operation: cancelling, spec: { nodes: 5 }, nodes: notRestarted })).ended).to.equal(
      undefined,
    );
  });

  it('deletes the test keys, whatever was written of them, and only then ends', () => {
    const o = whole({ operation: cancelling, spec: { nodes: 5 } });
    expect(removalOf(o).audit?.kind).to.equal('clean');
    expect(removalOf(o).ended).to.equal(undefined);
    const { ended } = removalOf({ ...o, audit: report('clean', o.nodes) });
    expect(ended).to.deep.include({ outcome: 'Cancelled', reason: 'CancelledByUser' });
  });

  it('is finished before the same node is chosen again', () => {
    const o = isolated({ operation: cancelling, spec: { nodes: 4 } });
    expect(removalOf(o).operation?.phase).to.equal('Cancelling');
  });
});

describe('a target that is there after all', () => {
  for (const phase of ['Settling', 'Reclaiming'] as const)
    it(`is deleted first, though the record is at ${phase}: that it was gone, only a cache had said`, () => {
      const { operation, isUrgent, steps } = removalOf(isolated({ operation: record(phase) }));
      expect([operation?.phase, isUrgent, steps]).to.deep.equal(['Deleting', true, []]);
    });
});

describe('the removal of a dead one that is taken back because it showed itself', () => {
  const view = drained(LEFT, -1);
  const crashed = { answer: silent, isDeleting: true, pod: pod(4, { isReady: false }) } satisfies Partial<NodeRecord>;
  const back = (change: Partial<NodeRecord>) => {
    const operation = record('Cancelling', {
      type: 'Replace',
      basis: 'Dead',
      cancel: { reason: 'Repairing', message: 'x' },
    });
    return removalOf(gone({ operation, nodes: [...nodesOf(LEFT, view), { ...node(4), ...crashed, ...change }] }));
  };

  it('ends as soon as nothing of it is left: whether it is dead after all is for the next one to say', () => {
    expect(back({}).ended).to.deep.include({ outcome: 'Cancelled', reason: 'Repairing' });
  });

  it('takes the mark off first, and waits for the restart of a Pod that was told to leave', () => {
    expect(back(LEAVING).steps.map(({ kind }) => kind)).to.deep.equal(['reinstate']);
    expect(back({ pod: pod(4, { isReady: false, isLeaving: true }) }).waits?.reason).to.equal('Repairing');
  });
});

describe('a target that was told to leave and whose volume', () => {
  const VOLUMES = [
    // Only a restart takes a leaving back, and the end of the Pod would be the end of the volume.
    { its: 'is being deleted', own: volume(4, { isTerminating: true }) },
    { its: 'is gone', own: undefined },
  ];
  for (const { its, own } of VOLUMES) {
    const told = { ...node(4), ...LEAVING, pod: pod(4, { isLeaving: true }), volume: own };

    it(`${its} is not waited for when its removal is taken back: the test keys go, and another one can replace the node`, () => {
      const stays = { ...told, serving: true, intent: 'Active', removalMark: undefined } satisfies Partial<NodeRecord>;
      const nodes = everyone.map((entry) => (entry.id === 4 ? { ...stays, answer: entry.answer } : entry));
      const operation = record('Cancelling', {
        cancel: { reason: 'CancelledByUser', message: '5 nodes are wanted again' },
      });
      const o = whole({ operation, nodes });
      expect(removalOf(o).audit?.kind).to.equal('clean');
      const { ended } = removalOf({ ...o, audit: report('clean', nodes) });
      expect(ended).to.deep.include({ outcome: 'Cancelled', reason: 'VolumeLost' });
    });

    it(`${its} goes on when another one is lost for good: it cannot come back, and the two would wait for each other`, () => {
      const view = drained([0, 1, 3, 4], 4);
      const nodes = nodesOf(ALL, view).map((entry): NodeRecord => {
        if (entry.id === 2) return { ...entry, volume: undefined, pod: undefined, answer: silent };
        return entry.id === 4 ? { ...told, answer: entry.answer } : entry;
      });
      const o = isolated({ operation: record('Proving', { type: 'Replace' }), nodes });
      expect(removalOf(o).operation?.phase).not.to.equal('Cancelling');
    });
  }

  it('is kept is taken back when another one is lost for good: that one is replaced first', () => {
    const told = { ...node(4), ...LEAVING, pod: pod(4, { isLeaving: true }) };
    const view = drained([0, 1, 3, 4], 4);
    const nodes = nodesOf(ALL, view).map((entry): NodeRecord => {
      if (entry.id === 2) return { ...entry, volume: undefined, pod: undefined, answer: silent };
      return entry.id === 4 ? { ...told, isDeleting: true, answer: entry.answer } : entry;
    });
    const { operation } = removalOf(isolated({ operation: record('Proving', { type: 'Replace' }), nodes }));
    expect(operation?.cancel?.reason).to.equal('VolumeLost');
  });
});
