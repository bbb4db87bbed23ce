// The phases of one removal and every way back: what is stored, what is done, what is waited for, and what never
// happens.

import type { Operation } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  type ClusterObservation,
  type ClusterPlan,
  type NodeRecord,
  type PodRecord,
  planCluster,
  type VolumeRecord,
} from '../../src/index.ts';
import {
  freshPod,
  joining,
  line,
  MONOTONIC_MS,
  NOW_MS,
  node,
  notAsked,
  pod,
  sealedPod,
  silent,
  volume,
  withNode,
} from '../support/builders.ts';
import { drained } from '../support/facts.ts';
import {
  ALL,
  gone,
  isolated,
  LEAVING,
  LEFT,
  nodesOf,
  OPERATION,
  record,
  sealedNodes,
  sealedTarget,
  TARGET_UID,
  whole,
} from '../support/removing.ts';
import { compared, lacking, running } from '../support/reports.ts';

const kinds = (plan: ClusterPlan) => plan.steps.map((step) => step.kind);
const removalOf = (o: ClusterObservation) => planCluster(o).removal;
const everyone = nodesOf(ALL, drained(ALL, 4));
const survivors = nodesOf(LEFT, drained(LEFT, -1));
const ago = (ms: number) => new Date(NOW_MS - ms).toISOString();

describe('the claim of a removal', () => {
  it('is stored at once, for the highest id', () => {
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
  });

  it('is for one node only, however many are too many (F40)', () => {
    expect(removalOf(whole({ spec: { nodes: 3 } })).operation?.target?.name).to.equal('demo-4');
  });

  it('is not made while a member is silent: that one is the candidate, and nothing is proven without its answer (F45, F46)', () => {
    const plan = planCluster(whole({ nodes: withNode(nodesOf(ALL, drained(ALL, -1)), 1, { answer: silent }) }));
    expect(plan.removal.operation).to.equal(undefined);
    expect(plan.holds.map(({ message }) => message).join()).to.match(/removing demo-1 waits: .*demo-1/);
  });

  it('is refused at replicationFactor 1, with the ways out', () => {
    const nodes = nodesOf(ALL, drained(ALL, -1)).map((entry) => ({ ...entry, replicationFactor: 1 }));
    const plan = planCluster(whole({ nodes, spec: { replicationFactor: 1, nodes: 2 } }));
    expect(plan.removal.operation).to.equal(undefined);
    expect(plan.holds.map(({ reason }) => reason)).to.include('ReplicationFactorOne');
  });

  it('is not made by a paused cluster', () => {
    expect(removalOf(whole({ spec: { paused: true } })).operation).to.equal(undefined);
  });
});

describe('a removal before anything irrevocable', () => {
  it('takes the target out of the Service, tells it to leave and marks it, in one step', () => {
    const o = whole({ operation: record('Claimed') });
    expect(planCluster(o).steps).to.deep.equal([{ kind: 'isolate', node: o.nodes[4], operationId: OPERATION }]);
    expect(planCluster(o).contents, 'nothing is compared before').to.equal(undefined);
  });

  it('is Isolating as long as a member shows primaries on the target', () => {
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

  describe('with clients that are connected to its target', () => {
    const at = (clientGraceSeconds: number, sinceMs: number) => {
      const shown = { shownSinceMs: MONOTONIC_MS - 700_000 };
      const o = isolated({
        operation: record('Isolating'),
        spec: { nodes: 4, removal: { clientGraceSeconds } },
        differs: Object.fromEntries(ALL.map((id) => [id, shown])),
        o: { isolatedSinceMs: MONOTONIC_MS - sinceMs },
      });
      return planCluster(compared(o, { startedAtMs: MONOTONIC_MS, scannedAtMs: MONOTONIC_MS }));
    };

    for (const seconds of [0, 5, 600])
      it(`gives them ${seconds} s to move, when clientGraceSeconds says so, and no longer, however many stay`, () => {
        expect(kinds(at(seconds, seconds * 1_000))).to.deep.equal(['sealNode']);
        const { removal, steps } = at(seconds, seconds * 1_000 - 1);
        expect(steps).to.deep.equal([]);
        expect(removal.operation?.phase).to.equal('Isolating');
        expect(removal.waits).to.deep.include({
          reason: 'MemberLeaving',
          message: `clients of demo-4 have ${seconds} s to move to the others`,
        });
      });
  });

  it('compares the target with all other members before its process is ended, from when no client is sent to it', () => {
    const { operation, contents, isUrgent, waits, steps } = removalOf(isolated({ operation: record('Claimed') }));
    expect({ phase: operation?.phase, isUrgent, steps }).to.deep.equal({
      phase: 'Isolating',
      isUrgent: false,
      steps: [],
    });
    expect(contents).to.deep.include({ purpose: 'removal', id: OPERATION, sources: [4], isKeptFresh: true });
    expect(contents?.members.map(({ nodeId }) => nodeId)).to.deep.equal(ALL);
    expect(contents?.sinceMs).to.equal(MONOTONIC_MS - 60_000);
    expect(waits?.reason).to.equal('ComparingContents');
  });

  describe('with its door to be closed', () => {
    const open = (change: Parameters<typeof isolated>[0] = {}) =>
      isolated({ operation: record('Isolating'), ...change });
    /** Permitted, and its process not ended yet. */
    const permitted = (change: Partial<NodeRecord> = {}) =>
      withNode(everyone, 4, {
        ...LEAVING,
        intent: 'Sealed',
        ran: { podUid: 'pod-uid-4', generation: line(4).generation },
        pod: pod(4, { isLeaving: true }),
        ...change,
      });

    it('permits the restart of its target once the others have what it has, with what it runs now', () => {
      const o = compared(open());
      const { steps, removal } = planCluster(o);
      expect(steps).to.deep.equal([
        { kind: 'sealNode', node: o.nodes[4], pod: pod(4), generation: line(4).generation, operationId: OPERATION },
      ]);
      expect([removal.operation?.phase, removal.isUrgent]).to.deep.equal(['Sealing', false]);
      expect(removal.operation?.proof, 'nothing is proven yet').to.equal(undefined);
      expect(removal.contents?.purpose, 'the comparison goes on').to.equal('removal');
    });

    it('permits nothing while a member is not there, or lacks a record of it, or the disk of one is full', () => {
      const missing = [{ sourceId: 4, homeId: 2, partitions: 1, records: 17 }];
      const full = { 1: { figures: { writeStopped: 1 } } };
      const nodes = (change: Partial<NodeRecord>) => withNode(withNode(everyone, 4, LEAVING), 1, change);
      const { comparison } = compared(open());
      const whys = [
        compared(open(), lacking(missing)),
        compared(open({ differs: full })),
        open({ nodes: nodes({ pod: pod(1, { isReady: false }) }), o: { comparison } }),
        open({ nodes: nodes({ answer: silent }), o: { comparison } }),
      ].map((o) => [kinds(planCluster(o)), removalOf(o).operation?.phase, removalOf(o).waits?.reason]);
      expect(whys).to.deep.equal([
        [[], 'Isolating', 'RecordsMissing'],
        [[], 'Isolating', 'DiskFull'],
        [[], 'Isolating', 'MemberNotActive'],
        [[], 'Isolating', 'MemberSilent'],
      ]);
    });

    it('is Sealing until every other member has shown the new process for 3 s, and compares nothing meanwhile', () => {
      const shown = (ms: number) => Object.fromEntries(LEFT.map((id) => [id, { shownSinceMs: MONOTONIC_MS - ms }]));
      const at = (ms: number) => removalOf(sealedTarget({ operation: record('Sealing'), differs: shown(ms) }));
      expect([at(2_999).operation?.phase, at(2_999).waits?.reason]).to.deep.equal(['Sealing', 'MemberSealing']);
      expect(at(3_000).operation?.phase).to.equal('Proving');
      expect(at(3_000).contents?.sinceMs, 'what is read from the first moment counts').to.equal(MONOTONIC_MS - 3_000);
      const before = removalOf(isolated({ operation: record('Sealing'), nodes: permitted() }));
      expect([before.operation?.phase, before.steps, before.contents]).to.deep.equal(['Sealing', [], undefined]);
      expect(before.waits?.message).to.equal('demo-4 is being restarted with its door closed');
    });

    it('does not count the process that was ended, although its Pod is gone and all still show it', () => {
      const nodes = sealedNodes({ answer: joining });
      for (const own of [nodes, withNode(nodes, 4, { pod: undefined, answer: notAsked })]) {
        const view = drained(ALL, 4);
        const shown = own.map((one) => (one.id === 4 ? one : (nodesOf(ALL, view)[one.id] ?? one)));
        const differs = Object.fromEntries(LEFT.map((id) => [id, { view }]));
        const o = sealedTarget({ operation: record('Sealing'), nodes: shown, differs });
        expect(removalOf(o)).to.deep.include({ steps: [], contents: undefined });
        expect(removalOf(o).operation?.phase).to.equal('Sealing');
      }
    });

    it('compares once more when another member goes down before its process is ended, and not afterwards', () => {
      const down: readonly Partial<NodeRecord>[] = [
        { pod: pod(1, { isReady: false }) },
        { pod: pod(1, { isTerminating: true }) },
        { pod: undefined, answer: notAsked },
      ];
      const steps = (nodes: readonly NodeRecord[]) =>
        planCluster(isolated({ operation: record('Sealing'), nodes })).steps;
      for (const change of down) {
        const nodes = withNode(permitted(), 1, change);
        expect(steps(nodes)).to.deep.equal([{ kind: 'isolate', node: nodes[4], operationId: OPERATION }]);
        const ending = permitted({ pod: pod(4, { isLeaving: true, isTerminating: true }) });
        expect(steps(withNode(ending, 1, change)), 'it is ending').to.deep.equal([]);
        expect(steps(withNode(permitted({ pod: sealedPod(4) }), 1, change)), 'its door is closed').to.deep.equal([]);
        const given = { ...change, isDeleting: true, deletedAtMs: NOW_MS };
        expect(
          kinds(planCluster(isolated({ operation: record('Sealing'), nodes: withNode(permitted(), 1, given) }))),
        ).to.not.include('isolate');
      }
      expect(steps(permitted()), 'all are up').to.deep.equal([]);
    });

    it('permits it anew when its open Pod is another one than the permit is for, which nobody would end', () => {
      const steps = (change: Partial<NodeRecord>) =>
        removalOf(isolated({ operation: record('Sealing'), nodes: permitted(change) })).steps.map(({ kind }) => kind);
      expect(steps({ ran: { podUid: 'earlier', generation: 1 } })).to.deep.equal(['isolate']);
      expect(steps({ ran: undefined })).to.deep.equal(['isolate']);
      expect(steps({})).to.deep.equal([]);
    });

    describe('that is not closed in time', () => {
      const sealing = (agoMs: number): Operation =>
        record('Sealing', {
          timeline: [
            { phase: 'Claimed', at: ago(agoMs + 900_000) },
            { phase: 'Isolating', at: ago(agoMs + 899_000) },
            { phase: 'Sealing', at: ago(agoMs) },
          ],
        });
      const crashed = sealedPod(4, { isReady: false, waiting: { reason: 'CrashLoopBackOff', message: '' } });
      const spec = { nodes: 4, update: { progressDeadlineSeconds: 60 } };
      const down = { pod: crashed, answer: silent } satisfies Partial<NodeRecord>;
      // It ends before the others have shown it for 3 s.
      const unseen = Object.fromEntries(LEFT.map((id) => [id, { view: drained(LEFT, -1) }]));
      const at = (agoMs: number, change: Partial<NodeRecord> = {}) =>
        removalOf(
          sealedTarget({
            operation: sealing(agoMs),
            spec,
            nodes: sealedNodes({ ...down, ...change }),
            differs: unseen,
          }),
        );

      it('is taken back after progressDeadlineSeconds, and not a moment before', () => {
        expect(at(60_000).operation).to.deep.include({ phase: 'Sealing' });
        const { operation, isUrgent, steps } = at(60_001);
        expect({ phase: operation?.phase, isUrgent, steps }).to.deep.equal({
          phase: 'Cancelling',
          isUrgent: true,
          steps: [],
        });
        expect(operation?.cancel?.reason).to.equal('DeadlineExceeded');
        expect(operation?.cancel?.message).to.equal(
          'its door could not be closed within 60 s: every member shows 0,1,2,3 instead of 0,1,2,3,4',
        );
      });

      it('is taken back whatever it waits for: its turn, its host, or the others', () => {
        const waiting = permitted({ pod: pod(4, { isLeaving: true }) });
        const o = isolated({ operation: sealing(60_001), spec, nodes: waiting });
        expect(removalOf(o).operation?.cancel?.message).to.match(/: demo-4 is being restarted with its door closed$/);
        expect(at(60_001, { pod: freshPod(4, { isSealed: true }), answer: notAsked }).operation?.phase).to.equal(
          'Cancelling',
        );
      });

      it('has its time from the permit: however long the members were compared before counts for nothing', () => {
        const o = compared(open({ operation: record('Isolating', { startedAt: ago(900_000) }), spec }));
        const { operation } = removalOf(o);
        expect(operation?.timeline?.at(-1)).to.deep.equal({ phase: 'Sealing', at: '2026-01-01T00:10:00Z' });
      });

      it('goes on when it can come back nowhere else', () => {
        expect(at(60_001, { hostDrained: 'host-4' }).operation?.phase).to.equal('Sealing');
        expect(at(60_001, { volume: undefined, pod: sealedPod(4) }).operation?.phase).to.equal('Sealing');
      });

      it('is not taken back once it is closed, however long the proof takes then', () => {
        const o = sealedTarget({ operation: sealing(600_000), spec });
        expect(removalOf(o).operation?.phase).to.equal('Proving');
      });
    });

    describe('is left open when nothing would start its process again:', () => {
      const told = { ...LEAVING, pod: pod(4, { isLeaving: true }) };
      const deleted = { isDeleting: true, deletedAtMs: NOW_MS } satisfies Partial<NodeRecord>;
      const lost = { ...told, ...deleted, volume: undefined, recordedVolumeUid: 'gone' };
      const going = { ...told, ...deleted, volume: volume(4, { isTerminating: true }) };
      const replace = record('Isolating', { type: 'Replace' });
      const proven = (change: Partial<NodeRecord>) =>
        compared(isolated({ operation: replace, nodes: withNode(everyone, 4, change), spec: { nodes: 5 } }));

      for (const [name, change] of [
        ['its volume is lost', lost],
        ['its volume is being deleted', going],
      ] as const)
        it(`${name}, and it goes by a proof that names no closed door`, () => {
          const { operation, steps } = removalOf(proven(change));
          expect([operation?.phase, steps]).to.deep.equal(['Deleting', []]);
          expect(operation?.target).to.not.have.property('sealedPodUID');
          expect(operation?.proof?.pre?.podUID).to.equal('pod-uid-4');
        });

      it('it is dead, never joined, or is forced out', () => {
        for (const basis of ['Dead', 'NeverJoined', 'Forced'] as const) {
          const forced = basis === 'Forced' ? { forceRemove: `${TARGET_UID}/lost` } : {};
          const nodes = withNode(everyone, 4, { ...told, ...forced });
          const plan = planCluster(compared(isolated({ operation: record('Isolating'), nodes })));
          expect(kinds(plan), 'by proof it would be closed').to.deep.equal(['sealNode']);
          expect(
            kinds(planCluster(isolated({ operation: record('Isolating', { basis }), nodes }))),
            basis,
          ).to.deep.equal([]);
        }
      });
    });

    describe('and a person who edits its node', () => {
      it('to Active: it is told to leave again', () => {
        const o = whole({ operation: record('Proving'), nodes: withNode(nodesOf(ALL, drained(ALL, -1)), 4, {}) });
        expect(kinds(planCluster(o))).to.deep.equal(['isolate']);
      });

      it('to Active behind its closed door: it is told to leave again, also when nothing could restart it', () => {
        for (const gone of [{}, { volume: volume(4, { isTerminating: true }) }]) {
          const nodes = sealedNodes({ intent: 'Active', removalMark: undefined, ...gone });
          expect(kinds(planCluster(sealedTarget({ operation: record('Claimed'), nodes })))).to.deep.equal(['isolate']);
        }
      });

      it('to Leaving: it goes on behind its closed door, which no edit opens', () => {
        const nodes = sealedNodes({ intent: 'Leaving' });
        const { operation, steps } = removalOf(compared(sealedTarget({ operation: record('Proving'), nodes })));
        expect([operation?.phase, steps]).to.deep.equal(['Deleting', []]);
        expect(operation?.target?.sealedPodUID).to.equal('sealed-pod-uid-4');
      });

      it('to be let in, or to have another mark: it is isolated again, before its proof and after it', () => {
        for (const edit of [{ serving: true }, { removalMark: 'mine' }, { removalMark: undefined }])
          for (const phase of ['Sealing', 'Proving', 'Deleting'] as const) {
            const o = sealedTarget({ operation: record(phase), nodes: sealedNodes(edit) });
            expect(kinds(planCluster(o)), phase).to.deep.equal(['isolate']);
          }
      });

      it('to have no record of what it ran: nothing is proven, and it is taken back in time', () => {
        const nodes = sealedNodes({ ran: undefined });
        const { operation, waits, contents } = removalOf(sealedTarget({ operation: record('Proving'), nodes }));
        expect([operation?.phase, waits?.reason, contents]).to.deep.equal(['Sealing', 'MemberSealing', undefined]);
      });

      it('without any operation: it takes its place back', () => {
        const nodes = [sealedNodes({ removalMark: undefined }), sealedNodes(), permitted({ removalMark: undefined })];
        for (const list of nodes) {
          const plan = planCluster(sealedTarget({ nodes: list, spec: { nodes: 5 } }));
          expect(plan.steps).to.deep.include({ kind: 'reinstate', node: list[4] });
        }
      });
    });

    it('is closed again when its Pod was deleted by hand: the new process has to be shown and compared anew', () => {
      const again = sealedPod(4, { uid: 'sealed-again' });
      const nodes = sealedNodes({ pod: again });
      const shown = { podUid: 'sealed-again' };
      const before = compared(sealedTarget({ operation: record('Proving') })).comparison;
      const o = sealedTarget({ operation: record('Proving'), nodes, differs: { 4: shown }, o: { comparison: before } });
      expect([removalOf(o).operation?.phase, removalOf(o).waits?.reason]).to.deep.equal([
        'Proving',
        'ComparingContents',
      ]);
      const { operation } = removalOf(compared(o));
      expect([operation?.target?.sealedPodUID, operation?.proof?.pre?.podUID]).to.deep.equal([
        'sealed-again',
        'sealed-again',
      ]);
    });
  });

  it('compares by the replicationFactor that members run with, whatever the spec says', () => {
    const { contents } = removalOf(
      sealedTarget({ operation: record('Proving'), spec: { nodes: 4, replicationFactor: 3 } }),
    );
    expect(contents?.replicationFactor).to.equal(2);
  });

  it('goes on comparing while a reading is late, which counts only when the other checks hold again', () => {
    const begun = compared(sealedTarget({ operation: record('Proving') })).comparison;
    const late = (id: number, comparison: typeof begun) => {
      const differs = { [id]: { atMs: MONOTONIC_MS - 4_001 } };
      return removalOf(sealedTarget({ operation: record('Proving'), differs, o: { comparison } }));
    };
    for (const [id, phase] of [
      [1, 'Sealing'],
      [4, 'Proving'],
    ] as const) {
      const { contents, waits, operation } = late(id, begun);
      expect(contents?.purpose, `${id}`).to.equal('removal');
      expect([waits?.reason, operation?.phase]).to.deep.equal(['MemberSilent', phase]);
    }
    expect(late(1, undefined).contents, 'nothing was begun').to.equal(undefined);
  });

  it('compares nothing while the generation of a member is not known', () => {
    const unknown = { 1: { generation: undefined } };
    expect(removalOf(sealedTarget({ operation: record('Proving'), differs: unknown })).contents).to.equal(undefined);
  });

  it('ignores a report on another operation, or on an earlier life of a member', () => {
    const own = compared(sealedTarget({ operation: record('Proving') }));
    const { comparison } = own;
    if (comparison === undefined) throw new Error('no report');
    const { request } = comparison;
    expect(removalOf(own).operation?.phase).to.equal('Deleting');
    const earlier = request.members.map((member) => (member.nodeId === 2 ? { ...member, generation: 1 } : member));
    for (const other of [
      { ...request, id: '4-other' },
      { ...request, members: earlier },
    ]) {
      const o = { ...own, comparison: { ...comparison, request: other } };
      expect(removalOf(o).operation?.phase).to.equal('Proving');
    }
  });

  it('goes on from any of the four stored phases, since it follows what is observed', () => {
    for (const phase of ['Claimed', 'Isolating', 'Sealing', 'Proving'] as const) {
      expect(removalOf(isolated({ operation: record(phase) })).operation?.phase, phase).to.equal('Isolating');
      expect(removalOf(sealedTarget({ operation: record(phase) })).operation?.phase, phase).to.equal('Proving');
    }
  });

  it('stores the proof and the phase Deleting together, and deletes nothing in the same pass', () => {
    const { operation, isUrgent, steps, contents } = removalOf(
      compared(sealedTarget({ operation: record('Proving') })),
    );
    expect({ phase: operation?.phase, isUrgent, steps }).to.deep.equal({
      phase: 'Deleting',
      isUrgent: true,
      steps: [],
    });
    expect(operation?.proof?.pre).to.deep.include({
      operationId: OPERATION,
      stage: 'Pre',
      coveredAt: ago(2_000),
      partitions: 4_096,
      targetUid: TARGET_UID,
      podUID: 'sealed-pod-uid-4',
      pvcUID: 'volume-uid-4',
    });
    expect(operation?.proof?.pre?.inputs?.find(({ name }) => name === 'doorClosed')).to.deep.equal({
      name: 'doorClosed',
      passed: true,
      value: 'no client reaches demo-4',
    });
    expect(operation?.target, 'before the DELETE').to.deep.include({
      podUID: 'pod-uid-4',
      sealedPodUID: 'sealed-pod-uid-4',
      pvcUID: 'volume-uid-4',
    });
    expect(contents?.purpose, 'the comparison goes on').to.equal('removal');
  });

  it('is not proven while a record is missing, and reports how many and where', () => {
    const missing = [{ sourceId: 4, homeId: 2, partitions: 1, records: 17 }];
    const o = compared(sealedTarget({ operation: record('Proving') }), lacking(missing));
    const { operation, waits, contents } = removalOf(o);
    expect(operation?.phase).to.equal('Proving');
    expect(waits).to.deep.include({ reason: 'RecordsMissing' });
    expect(waits?.message).to.match(/17 records of demo-4 missing on demo-2/);
    expect(contents?.purpose).to.equal('removal');
  });

  describe('with a deadline', () => {
    const started = (phase: Operation['phase'], agoMs: number, change: Partial<Operation> = {}) =>
      record(phase, { startedAt: ago(agoMs), ...change });
    // The shortest there is: what is stored below it counts as this long.
    const spec = { nodes: 4, removal: { deadlineSeconds: 305 } };

    it('is taken back after it, not before, in whatever phase', () => {
      for (const phase of ['Claimed', 'Isolating', 'Sealing', 'Proving'] as const) {
        const at = (agoMs: number) => removalOf(sealedTarget({ operation: started(phase, agoMs), spec }));
        expect(at(305_000).operation?.phase, phase).to.equal('Proving');
        const { operation, isUrgent, steps } = at(305_001);
        expect({ isUrgent, steps }).to.deep.equal({ isUrgent: true, steps: [] });
        expect(operation).to.deep.include({ phase: 'Cancelling' });
        expect(operation?.cancel?.reason, phase).to.equal('DeadlineExceeded');
      }
    });
    it('reports then what it was waiting for', () => {
      const { operation } = removalOf(isolated({ operation: started('Proving', 305_001), spec }));
      expect(operation?.cancel?.message).to.equal('not proven within 305 s: the comparison of contents begins');
    });
    it('says no more than fits into the status, which would not be stored otherwise: neither then nor at its end', () => {
      const problem = { nodeId: 2, error: 'x'.repeat(2_000) };
      const { comparison } = compared(isolated({ operation: started('Proving', 1_000), spec }), { problem });
      const { operation } = removalOf({ ...isolated({ operation: started('Proving', 305_001), spec }), comparison });
      expect(operation?.cancel?.message).to.match(
        /^not proven within 305 s: the contents of demo-2 cannot be read: x+$/,
      );
      expect(operation?.cancel?.message).to.have.lengthOf(1_024);
      const { ended } = removalOf(whole({ operation: record('Cancelling', { cancel: operation?.cancel }), spec }));
      expect(ended?.message).to.have.lengthOf(1_024);
    });
    it('says it in whole characters: what the API server stores in place of half a one would be written again and again', () => {
      for (const first of ['', 'x']) {
        const problem = { nodeId: 2, error: `${first}${'\u{1f389}'.repeat(1_000)}` };
        const { comparison } = compared(isolated({ operation: started('Proving', 1_000), spec }), { problem });
        const { operation } = removalOf({ ...isolated({ operation: started('Proving', 305_001), spec }), comparison });
        expect(operation?.cancel?.message.isWellFormed(), first).to.equal(true);
      }
    });
    it('ends as failed once the node is back, so that the next attempt has to wait', () => {
      const cancel = { reason: 'DeadlineExceeded', message: 'not proven within 305 s' };
      const o = whole({ operation: record('Cancelling', { cancel }), spec });
      const { ended } = removalOf(o);
      expect(ended).to.deep.include({ outcome: 'Failed', reason: 'DeadlineExceeded' });
      const later = planCluster({ ...o, cluster: { ...o.cluster, operation: undefined, lastOperation: ended } });
      expect(later.removal.operation).to.equal(undefined);
      expect(later.holds.map(({ reason }) => reason)).to.include('RetryDelayed');
    });
    it('goes on after it when it needs no proof', () => {
      for (const basis of ['Dead', 'NeverJoined', 'Forced'] as const) {
        const forced = basis === 'Forced' ? { forceRemove: `${TARGET_UID}/lost` } : {};
        const nodes = everyone.map((entry) => (entry.id === 4 ? { ...entry, ...LEAVING, ...forced } : entry));
        const { operation } = removalOf(isolated({ operation: started('Claimed', 305_001, { basis }), nodes, spec }));
        expect(operation?.cancel?.reason, basis).to.not.equal('DeadlineExceeded');
      }
    });
    it('goes on after it when the target cannot come back, since nothing can be taken back', () => {
      const told = { ...LEAVING, pod: pod(4, { isLeaving: true }), volume: volume(4, { isTerminating: true }) };
      const nodes = everyone.map((entry) => (entry.id === 4 ? { ...entry, ...told } : entry));
      for (const phase of ['Proving', 'Deleting'] as const) {
        const { operation } = removalOf(isolated({ operation: started(phase, 305_001), nodes, spec }));
        expect(operation?.phase, phase).to.not.equal('Cancelling');
      }
    });
    it('goes on while its start is unreadable, since the deadline cannot be computed', () => {
      const { operation } = removalOf(sealedTarget({ operation: started('Proving', 0, { startedAt: 'soon' }), spec }));
      expect(operation?.phase).to.equal('Proving');
    });
  });

  it('is taken back when the size is raised again: first stored, then undone (F41)', () => {
    for (const o of [
      whole({ operation: record('Claimed'), spec: { nodes: 5 } }),
      sealedTarget({ operation: record('Proving'), spec: { nodes: 5 } }),
    ]) {
      const { operation, isUrgent, steps } = removalOf(o);
      expect({ isUrgent, steps }).to.deep.equal({ isUrgent: true, steps: [] });
      expect(operation).to.deep.include({ phase: 'Cancelling' });
      expect(operation?.cancel?.reason).to.equal('CancelledByUser');
    }
  });

  it('is not taken back for a node that a person has deleted meanwhile', () => {
    const nodes = sealedNodes({ isDeleting: true });
    const o = sealedTarget({ operation: record('Proving', { type: 'Replace' }), spec: { nodes: 4 }, nodes });
    expect(removalOf(o).operation?.phase).to.equal('Proving');
  });

  it('is taken back for a target that lost its volume and will not answer again, so that one without proof can follow', () => {
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
    const { ended } = removalOf({ ...o, cluster: { ...o.cluster, operation } });
    expect(ended).to.deep.include({ outcome: 'Cancelled', reason: 'VolumeLost' });
  });

  it('ends as failed when the node is gone because somebody removed its finalizer (F57)', () => {
    const { operation, ended } = removalOf(gone({ operation: record('Proving') }));
    expect(operation).to.equal(undefined);
    expect(ended).to.deep.include({ outcome: 'Failed', reason: 'FinalizerRemoved' });
  });

  it('goes on without the node when it was already being deleted, since the survivors still have to be proven', () => {
    const at = new Date(NOW_MS - 60_000).toISOString();
    const timeline = ['Claimed', 'Proving', 'Deleting', 'Proving'].map((phase) => ({ phase, at }));
    const { operation, ended } = removalOf(gone({ operation: record('Proving', { timeline } as Partial<Operation>) }));
    expect(ended).to.equal(undefined);
    expect(operation?.phase).to.equal('Settling');
  });
});

describe('a removal with its proof stored', () => {
  const proven = (o: ClusterObservation): Operation => {
    const { operation } = removalOf(o);
    if (operation?.proof?.pre === undefined) throw new Error('nothing was proven');
    return operation;
  };
  const stored = proven(compared(sealedTarget({ operation: record('Proving') })));
  const carrying = (change: Partial<NodeRecord> = {}) => sealedNodes({ removalProof: stored.proof?.pre, ...change });
  /** As it was proven, with the comparison still complete. */
  const comparison = compared(sealedTarget({ operation: record('Proving') })).comparison;
  const deleting = ({ o, ...change }: Parameters<typeof sealedTarget>[0] = {}) =>
    sealedTarget({ operation: stored, nodes: carrying(), o: { comparison, ...o }, ...change });

  it('deletes the node once the node carries the same proof', () => {
    expect(kinds(planCluster(deleting()))).to.deep.equal(['deleteNode']);
    const without = planCluster(deleting({ nodes: carrying({ removalProof: undefined }) }));
    expect(kinds(without)).to.deep.equal([]);
    expect(without.removal.waits?.reason).to.equal('WaitingForProof');
  });

  it('deletes nothing when the evidence does not hold in this very pass', () => {
    const o = deleting({ nodes: withNode(carrying(), 2, { answer: silent }) });
    expect(kinds(planCluster(o))).to.deep.equal([]);
    expect(removalOf(o).waits?.reason).to.equal('MemberSilent');
  });

  it('deletes nothing when the last sweep of the comparison is more than 15 s old', () => {
    if (comparison === undefined) throw new Error('no report');
    const covered = (agoMs: number) => {
      const aged = { ...comparison, sweptAtMs: MONOTONIC_MS - agoMs, startedAtMs: MONOTONIC_MS - 20_000 };
      return planCluster(deleting({ o: { comparison: aged } }));
    };
    expect(kinds(covered(15_000))).to.deep.equal(['deleteNode']);
    expect(kinds(covered(15_001))).to.deep.equal([]);
    expect(covered(15_001).contents?.purpose, 'the comparison goes on').to.equal('removal');
  });

  it('goes on comparing until the DELETE, and after it while the process runs', () => {
    expect(removalOf(deleting()).contents?.purpose).to.equal('removal');
    expect(removalOf(deleting({ nodes: carrying({ isDeleting: true }) })).contents?.purpose).to.equal('removal');
  });

  it('is taken back at its deadline when the evidence no longer holds and the node was not deleted', () => {
    const late = { ...stored, startedAt: ago(305_001) };
    const spec = { nodes: 4, removal: { deadlineSeconds: 305 } };
    const apart = (change: Parameters<typeof carrying>[0]) =>
      removalOf(deleting({ operation: late, spec, nodes: withNode(carrying(change), 2, { answer: silent }) }));
    const { operation, steps } = apart({});
    expect({ reason: operation?.cancel?.reason, steps }).to.deep.equal({ reason: 'DeadlineExceeded', steps: [] });
    expect(apart({ isDeleting: true }).operation?.phase).to.equal('Deleting');
    expect(kinds(planCluster(deleting({ operation: late, spec }))), 'it holds').to.deep.equal(['deleteNode']);
  });

  it('gathers evidence anew when it no longer holds and the proof has run out (F48)', () => {
    const o = { ...deleting({ nodes: withNode(carrying(), 2, { answer: silent }) }), nowMs: NOW_MS + 31_000 };
    const { operation, isUrgent } = removalOf(o);
    expect({ phase: operation?.phase, proof: operation?.proof, isUrgent }).to.deep.equal({
      phase: 'Proving',
      proof: undefined,
      isUrgent: true,
    });
  });

  it('renews a proof that is 16 s old, and one from the future after the clock jumped back', () => {
    for (const nowMs of [NOW_MS + 16_000, NOW_MS - 3_600_000]) {
      const { operation, steps } = removalOf({ ...deleting(), nowMs });
      expect(steps, String(nowMs)).to.deep.equal([]);
      expect(Date.parse(operation?.proof?.pre?.at ?? '')).to.equal(nowMs);
    }
  });

  it('renews a proof of another operator process whatever its age, since its clock may have been ahead', () => {
    for (const isDeleting of [false, true]) {
      const o = deleting({ nodes: carrying({ isDeleting }), o: { isProvenHere: false } });
      const { operation, steps } = removalOf({ ...o, nowMs: NOW_MS + 2_000 });
      expect(steps).to.deep.equal([]);
      expect(Date.parse(operation?.proof?.pre?.at ?? '')).to.equal(NOW_MS + 2_000);
    }
  });

  it('renews a proof about an earlier Pod at once, since it says nothing about the present one', () => {
    const again = sealedPod(4, { uid: 'sealed-again' });
    for (const isDeleting of [false, true]) {
      const differs = { 4: { podUid: again.uid } };
      const o = compared(deleting({ nodes: carrying({ pod: again, isDeleting }), differs }));
      const { operation, steps } = removalOf({ ...o, nowMs: NOW_MS + 2_000 });
      expect(steps, `${isDeleting}`).to.deep.equal([]);
      expect(operation?.proof?.pre).to.include({ podUID: again.uid });
      expect(operation?.target?.sealedPodUID).to.equal(again.uid);
    }
  });

  it('is proven anew after the DELETE when its Pod was made again with its door open, which lets in clients', () => {
    const open = { intent: 'Leaving', pod: pod(4, { isLeaving: true }) } as const;
    const nodes = withNode(everyone, 4, { ...LEAVING, ...open, removalProof: stored.proof?.pre, isDeleting: true });
    const { operation, isUrgent } = removalOf(isolated({ operation: stored, nodes }));
    expect([operation?.phase, operation?.proof, isUrgent]).to.deep.equal(['Proving', undefined, true]);
    const sealing = removalOf(compared(isolated({ operation, nodes })));
    expect(sealing.steps.map(({ kind }) => kind)).to.deep.equal(['sealNode']);
    const lost = withNode(nodes, 4, { volume: undefined, recordedVolumeUid: 'gone' });
    expect(removalOf(isolated({ operation: stored, nodes: lost })).operation?.phase, 'it stays open').to.equal(
      'Deleting',
    );
  });

  it('is taken back after the DELETE when the target has no process, no proof of its own and no volume', () => {
    const ended = { isDeleting: true, pod: undefined, answer: silent } satisfies Partial<NodeRecord>;
    const forgotten = (change: Partial<NodeRecord>) =>
      carrying({ ...ended, ...change }).map((entry): NodeRecord => {
        const { answer } = entry;
        if (answer.kind !== 'serving') return entry;
        return { ...entry, answer: { ...answer, view: answer.view.filter(({ id }) => id !== 4) } };
      });
    const phaseOf = (change: Partial<NodeRecord>) => removalOf(deleting({ nodes: forgotten(change) })).operation?.phase;
    expect(phaseOf({ volume: undefined, removalProof: undefined }), 'nobody would ever let it go').to.equal(
      'Cancelling',
    );
    expect(phaseOf({ volume: undefined }), 'it goes by the proof it carries').to.equal('Departing');
    expect(phaseOf({ removalProof: undefined }), 'its Pod is made again').to.equal('Departing');
  });

  it('is still taken back before the DELETE when the size is raised again', () => {
    expect(removalOf(deleting({ spec: { nodes: 5 } })).operation?.phase).to.equal('Cancelling');
  });

  it('is never taken back after the DELETE for a larger size, but finished before a new node is added (F41)', () => {
    const o = deleting({ spec: { nodes: 5 }, nodes: carrying({ isDeleting: true }) });
    const plan = planCluster(o);
    expect(plan.removal.operation?.phase).to.equal('Deleting');
    expect(kinds(plan)).to.deep.equal([]);
  });

  it('keeps the proof fresh while the process of the deleted node still runs', () => {
    const o = { ...deleting({ nodes: carrying({ isDeleting: true }) }), nowMs: NOW_MS + 16_000 };
    expect(Date.parse(removalOf(o).operation?.proof?.pre?.at ?? '')).to.equal(NOW_MS + 16_000);
  });

  it('does not renew it when another node has lost its volume and too few would be left, until a new node is there', () => {
    const lost = { volume: undefined, pod: undefined, answer: silent } satisfies Partial<NodeRecord>;
    const forgotten = (entry: NodeRecord): NodeRecord => {
      const { answer } = entry;
      if (entry.id === 1) return { ...entry, ...lost };
      if (answer.kind !== 'serving') return entry;
      return { ...entry, answer: { ...answer, view: answer.view.filter(({ id }) => id !== 1) } };
    };
    const since = (replicationFactor: number) => {
      const nodes = carrying({ isDeleting: true }).map((entry) => ({ ...forgotten(entry), replicationFactor }));
      const o = deleting({ nodes, spec: { nodes: 4, replicationFactor } });
      return planCluster({ ...o, nowMs: NOW_MS + 16_000 });
    };
    const { removal, steps } = since(3);
    expect(removal.waits?.message).to.equal('demo-1 lost its volume: demo-4 runs on until it is replaced');
    expect(removal.operation?.proof).to.deep.equal(stored.proof);
    expect(steps.map(({ kind }) => kind)).to.include('createNode');
    expect(since(2).removal.waits?.reason, 'three others are enough').to.not.equal('VolumeLost');
  });

  it('is Departing once the process is gone, and reports what keeps the Pod', () => {
    const pod = sealedPod(4, { isTerminating: true });
    const { operation, waits } = removalOf(
      deleting({ nodes: carrying({ isDeleting: true, pod, reportedReason: 'PodStuckTerminating' }) }),
    );
    expect(operation?.phase).to.equal('Departing');
    expect(waits).to.deep.include({ reason: 'PodStuckTerminating', needsPerson: true });
  });

  it('is taken back even after the DELETE when a member that counted as dead serves again, which needs a proof', () => {
    const { proof: _none, ...rest } = stored;
    const dead = { ...rest, basis: 'Dead' as const };
    const { operation } = removalOf(deleting({ operation: dead, nodes: carrying({ isDeleting: true }) }));
    expect(operation).to.deep.include({ phase: 'Cancelling' });
    expect(operation?.cancel?.message).to.match(/demo-4 is alive after all/);
  });

  it('does nothing while the cluster is paused', () => {
    const plan = planCluster(deleting({ spec: { paused: true, nodes: 4 } }));
    expect({ steps: plan.steps, operation: plan.removal.operation, isUrgent: plan.removal.isUrgent }).to.deep.equal({
      steps: [],
      operation: stored,
      isUrgent: false,
    });
  });

  describe('after the target is gone', () => {
    const settling = (change: Parameters<typeof gone>[0] = {}) => gone({ operation: stored, ...change });
    const settled: Operation = { ...stored, phase: 'Settling' };

    it('compares the survivors with each other, from when they agree', () => {
      const { operation, contents, waits } = removalOf(settling());
      expect(operation?.phase).to.equal('Settling');
      expect(contents).to.deep.include({ purpose: 'settling', id: OPERATION, sources: LEFT, isKeptFresh: false });
      expect(contents?.members.map(({ nodeId }) => nodeId)).to.deep.equal(LEFT);
      expect(contents?.sinceMs).to.equal(MONOTONIC_MS - 60_000);
      expect(waits?.reason).to.equal('ComparingContents');
    });

    it('does not accept the comparison from before the removal for that', () => {
      expect(removalOf(settling({ o: { comparison } })).operation?.phase).to.equal('Settling');
    });

    it('ends when they cover each other, and keeps the volume', () => {
      const plan = planCluster(compared(settling({ operation: settled })));
      const { operation, ended } = plan.removal;
      expect(operation).to.equal(undefined);
      expect(ended).to.deep.include({ outcome: 'Succeeded', reason: 'RemovalFinished' });
      expect(ended?.message).to.equal('removed demo-4: its volume data-demo-4 is kept');
      expect(ended?.proof?.post).to.deep.include({ stage: 'Post', targetUid: TARGET_UID, partitions: 16_384 });
      expect(ended?.phases?.map(({ phase }) => phase)).to.include.members(['Claimed', 'Proving', 'Deleting']);
      expect(plan.contents).to.equal(undefined);
    });

    it('goes on while records are missing among the survivors', () => {
      const missing = [{ sourceId: 0, homeId: 1, partitions: 3, records: 9 }];
      const { operation, waits } = removalOf(compared(settling({ operation: settled }), lacking(missing)));
      expect(operation?.phase).to.equal('Settling');
      expect(waits?.reason).to.equal('RecordsMissing');
    });

    it('accepts what was covered within 30 s, and otherwise compares anew', () => {
      const old = (agoMs: number) =>
        removalOf(
          compared(settling({ operation: settled }), {
            startedAtMs: MONOTONIC_MS - agoMs,
            sweptAtMs: MONOTONIC_MS - agoMs,
          }),
        );
      expect(old(30_000).ended?.outcome).to.equal('Succeeded');
      expect(old(30_001).ended).to.equal(undefined);
      expect(old(30_001).contents).to.deep.include({ purpose: 'settling', sinceMs: MONOTONIC_MS });
      expect(old(30_001).waits?.reason).to.equal('ComparingContents');
    });

    it('lets a running comparison go on, and starts a new one only when it is over', () => {
      const { contents } = removalOf(compared(settling({ operation: settled }), running()));
      expect(contents?.sinceMs).to.equal(MONOTONIC_MS - 60_000);
    });

    describe('with its volume to be deleted', () => {
      const spec = { nodes: 4, volumeRetention: { whenScaled: 'Delete' } } as const;
      const reclaiming = (change: Parameters<typeof gone>[0] = {}) =>
        compared(settling({ operation: settled, spec, ...change }));
      const noted = (o: ClusterObservation) => ({
        ...o,
        volumes: o.volumes.map((one): VolumeRecord => (one.nodeId === 0 ? { ...one, highestNodeId: 4 } : one)),
      });

      it('deletes the volume only on a stored proof, and only after its id is noted', () => {
        const first = removalOf(reclaiming());
        expect({ phase: first.operation?.phase, isUrgent: first.isUrgent, steps: first.steps }).to.deep.equal({
          phase: 'Reclaiming',
          isUrgent: true,
          steps: [],
        });
        const unnoted = reclaiming({ operation: first.operation });
        expect(
          planCluster(unnoted).steps.map((step) => step.kind === 'rememberId' && step.id),
          'its id first',
        ).to.deep.equal([4]);
        const second = noted(unnoted);
        expect(planCluster(second).steps.map((step) => step.kind === 'deleteVolume' && step.volume.uid)).to.deep.equal([
          'volume-uid-4',
        ]);
      });

      it('does not delete the volume on a stored proof older than 15 s, or without present evidence', () => {
        const first = removalOf(reclaiming());
        const stale = { ...noted(reclaiming({ operation: first.operation })), nowMs: NOW_MS + 15_001 };
        expect(kinds(planCluster(stale))).to.deep.equal([]);
        expect(removalOf(stale).isUrgent, 'a younger one is stored').to.equal(true);
        const foreign = { ...noted(reclaiming({ operation: first.operation })), isProvenHere: false };
        expect(kinds(planCluster(foreign)), 'of another clock').to.deep.equal([]);
        expect(removalOf(foreign).isUrgent, 'our own is stored').to.equal(true);
        const nodes = withNode(survivors, 1, { answer: silent });
        const unproven = noted(reclaiming({ operation: first.operation, nodes }));
        expect(kinds(planCluster(unproven))).to.not.include('deleteVolume');
      });

      it('keeps the comparison until the volume is deleted, since it would start anew each time otherwise', () => {
        const first = removalOf(reclaiming());
        const unnoted = reclaiming({ operation: first.operation });
        for (const plan of [first, removalOf(unnoted), removalOf(noted(unnoted))])
          expect(plan.contents?.purpose).to.equal('settling');
      });

      it('deletes only the volume of the Pod whose door was closed, and that its proof is about', () => {
        const { target, proof } = settled;
        if (target === undefined || proof?.pre === undefined) throw new Error('proven');
        const { sealedPodUID: _none, ...open } = target;
        const pre = (change: Partial<typeof proof.pre>) => ({
          proof: { pre: { ...proof.pre, ...change } } as typeof proof,
        });
        const others: Readonly<Record<string, Partial<Operation>>> = {
          'its door was open': { target: open },
          'another Pod was proven': pre({ podUID: 'pod-uid-4' }),
          'another Pod was sealed': { target: { ...target, sealedPodUID: 'sealed-again' } },
          'another volume was proven': pre({ pvcUID: 'volume-uid-3' }),
          'its target had another volume': { target: { ...target, pvcUID: 'volume-uid-9' } },
          'nothing was proven': { proof: undefined },
          'it was dead': { basis: 'Dead' },
          'it was forced out': { basis: 'Forced' },
        };
        const fateOf = (change: Partial<Operation>) => removalOf(reclaiming({ operation: { ...settled, ...change } }));
        expect(fateOf({}).operation?.phase).to.equal('Reclaiming');
        for (const [name, change] of Object.entries(others)) {
          const { ended, steps } = fateOf(change);
          expect([ended?.outcome, steps], name).to.deep.equal(['Succeeded', []]);
        }
        const reclaim = { ...settled, phase: 'Reclaiming' as const, target: open };
        expect(removalOf(reclaiming({ operation: reclaim })).steps, 'stored by hand').to.deep.equal([]);
      });

      it('never deletes another volume of the same name', () => {
        const other = [...LEFT.map((id) => volume(id)), volume(4, { uid: 'another' })];
        const { ended, steps } = removalOf(reclaiming({ o: { volumes: other } }));
        expect(steps).to.deep.equal([]);
        expect(ended?.outcome).to.equal('Succeeded');
      });

      it('ends when the volume is stuck in Terminating, since its id is not used again', () => {
        const volumes = [...LEFT.map((id) => volume(id)), volume(4, { isTerminating: true })];
        const operation: Operation = { ...settled, phase: 'Reclaiming' };
        expect(removalOf(reclaiming({ operation, o: { volumes } })).ended?.message).to.include('is being deleted');
      });
    });

    describe('is rolled back with the kept volume', () => {
      const isBack = (o: ClusterObservation) => removalOf(o).operation?.cancel?.reason;
      const lost = { volume: undefined, pod: undefined, answer: silent } satisfies Partial<NodeRecord>;

      it('when a survivor lost its volume', () => {
        const left = nodesOf(LEFT, drained([0, 1, 3], -1));
        expect(isBack(settling({ operation: settled, nodes: withNode(left, 2, lost) }))).to.equal('RolledBack');
      });

      it('when a survivor has been silent for more than two minutes', () => {
        const nodes = withNode(survivors, 2, { answer: silent });
        const since = (agoMs: number) => ({
          ...settled,
          blocked: { reason: 'MemberSilent', message: 'demo-2', since: new Date(NOW_MS - agoMs).toISOString() },
        });
        expect(isBack(settling({ operation: since(120_000), nodes }))).to.equal(undefined);
        expect(isBack(settling({ operation: since(120_001), nodes }))).to.equal('RolledBack');
      });

      it('when a survivor has had no Pod for two minutes, or one that finds no host', () => {
        const ways = {
          PodMissing: { pod: undefined, answer: notAsked },
          NotObserved: { pod: freshPod(2), answer: notAsked },
        } satisfies Record<string, Partial<NodeRecord>>;
        for (const [reason, change] of Object.entries(ways)) {
          const at = (agoMs: number) => {
            const operation = { ...settled, blocked: { reason, message: 'demo-2', since: ago(agoMs) } };
            return settling({ operation, nodes: withNode(survivors, 2, change) });
          };
          expect(removalOf(at(120_000)).waits?.reason, reason).to.equal(reason);
          expect([isBack(at(120_000)), isBack(at(120_001))], reason).to.deep.equal([undefined, 'RolledBack']);
        }
      });

      it('when its deadline passes, which is at most half of gcGraceSeconds', () => {
        const started = (agoMs: number): Operation => ({
          ...settled,
          timeline: [{ phase: 'Deleting', at: new Date(NOW_MS - agoMs).toISOString() }],
        });
        const o = (agoMs: number) => settling({ operation: started(agoMs), spec: { nodes: 4, gcGraceSeconds: 600 } });
        expect(isBack(o(300_000))).to.equal(undefined);
        expect(isBack(o(301_000))).to.equal('RolledBack');
      });

      it('but not when no volume is left to roll back with', () => {
        const left = nodesOf(LEFT, drained([0, 1, 3], -1));
        const volumes = LEFT.map((id) => volume(id));
        expect(isBack(settling({ operation: settled, nodes: withNode(left, 2, lost), o: { volumes } }))).to.equal(
          undefined,
        );
      });

      describe('but not once it has been away for nearly as long as deletions are remembered', () => {
        const spec = { nodes: 4, gcGraceSeconds: 600 };
        const away = (phase: Operation['phase'], agoMs: number): Operation => ({
          ...settled,
          phase,
          timeline: [
            { phase: 'Deleting', at: ago(agoMs) },
            { phase, at: ago(agoMs - 1_000) },
          ],
        });

        it('while no operator was there: it could bring back what the others have forgotten', () => {
          expect(isBack(settling({ operation: away('Settling', 539_000), spec }))).to.equal('RolledBack');
          expect(isBack(settling({ operation: away('Settling', 540_000), spec }))).to.equal(undefined);
          expect(removalOf(compared(settling({ operation: away('Settling', 9e8), spec }))).ended?.outcome).to.equal(
            'Succeeded',
          );
        });

        it('since that was decided: its volume is kept as it is', () => {
          const cancel = { reason: 'RolledBack', message: 'demo-2 lost its volume' };
          const o = (agoMs: number) => gone({ operation: { ...away('Cancelling', agoMs), cancel }, spec });
          expect(kinds(planCluster(o(539_000)))).to.deep.equal(['createNode']);
          const { steps, removal } = planCluster(o(540_000));
          expect(steps.filter(({ kind }) => kind === 'createNode')).to.deep.equal([]);
          expect(removal.ended).to.deep.include({ outcome: 'Failed', reason: 'VolumeLost' });
          expect(removal.ended?.message).to.equal('demo-4 could not come back: demo-2 lost its volume');
        });
      });

      it('by creating its node again under its id', () => {
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

describe('a removal that is being taken back', () => {
  const cancelling = record('Cancelling', {
    cancel: { reason: 'CancelledByUser', message: '5 nodes are wanted again: demo-4 stays' },
  });

  it('first undoes the three changes to the node in one step', () => {
    const plan = planCluster(isolated({ operation: cancelling, spec: { nodes: 5 } }));
    expect(kinds(plan)).to.deep.equal(['reinstate']);
  });

  describe('for a target that has to be restarted', () => {
    const told = { ...LEAVING, pod: pod(4, { isLeaving: true }) };
    const drainedOne = (change: Partial<NodeRecord> = {}, ms = 1_000) =>
      isolated({
        operation: { ...cancelling, timeline: [{ phase: 'Cancelling', at: ago(ms) }] },
        spec: { nodes: 5 },
        nodes: withNode(everyone, 4, { ...told, ...change }),
      });

    it('waits until the others have its records, which nobody can read while its process restarts', () => {
      const plan = planCluster(drainedOne());
      expect(kinds(plan)).to.deep.equal([]);
      expect(plan.contents).to.deep.include({ purpose: 'removal', sources: [4], isKeptFresh: true });
      expect(plan.removal.waits?.message).to.match(/^demo-4 comes back when the others have what it has: /);
      const missing = [{ sourceId: 4, homeId: 1, records: 3, partitions: 1 }];
      expect(kinds(planCluster(compared(drainedOne(), running(missing))))).to.deep.equal([]);
    });

    it('waits for them as well when its process has just ended and its container is started again, and not for one that crashes', () => {
      const of = (reason: string, change: Partial<PodRecord> = {}) => {
        const waiting = { reason, message: 'the process ended' };
        return kinds(planCluster(drainedOne({ pod: { ...told.pod, isReady: false, waiting, ...change } })));
      };
      expect(of('ContainerCreating')).to.deep.equal([]);
      expect(of('CrashLoopBackOff')).to.deep.equal(['reinstate']);
      expect(of('ContainerCreating', { phase: 'Pending' })).to.deep.equal(['reinstate']);
      expect(of('ContainerCreating', { ownerUid: 'other' })).to.deep.equal(['reinstate']);
    });

    it('goes on when they have them, according to a recent comparison', () => {
      expect(kinds(planCluster(compared(drainedOne())))).to.deep.equal(['reinstate']);
      const longAgo = { sweptAtMs: MONOTONIC_MS - 15_001 };
      expect(kinds(planCluster(compared(drainedOne(), longAgo)))).to.deep.equal([]);
    });

    it('goes on after two minutes, since its volume has everything and unreadable contents must not hold it for ever', () => {
      expect(kinds(planCluster(drainedOne({}, 120_000)))).to.deep.equal([]);
      expect(kinds(planCluster(drainedOne({}, 120_001)))).to.deep.equal(['reinstate']);
    });

    it('waits while the target serves, whose last writes are nowhere else, but at most 15 s for clients that stay', () => {
      const servingOne = (ms: number) =>
        whole({
          operation: { ...cancelling, timeline: [{ phase: 'Cancelling', at: ago(ms) }] },
          spec: { nodes: 5 },
          nodes: withNode(nodesOf(ALL, drained(ALL, -1)), 4, told),
        });
      const plan = planCluster(servingOne(15_000));
      expect([kinds(plan), plan.contents]).to.deep.equal([[], undefined]);
      expect(plan.removal.waits).to.deep.include({
        reason: 'MemberLeaving',
        message: 'demo-4 comes back when no client is sent to it: demo-0 shows demo-4 with primaries',
      });
      expect(kinds(planCluster(compared(servingOne(15_001))))).to.deep.equal(['reinstate']);
    });

    it('waits while another one that stays is away, and misses what is written meanwhile; not for who takes no password, or goes', () => {
      const beside = (change: Partial<NodeRecord>) => {
        const o = drainedOne();
        return kinds(planCluster(compared({ ...o, nodes: withNode(o.nodes, 1, change) })));
      };
      const away = { answer: joining, pod: pod(1, { isReady: false }) };
      const o = drainedOne();
      const plan = planCluster({ ...o, nodes: withNode(o.nodes, 1, away) });
      expect([kinds(plan), plan.removal.waits?.message]).to.deep.equal([
        [],
        'demo-4 comes back when the others have what it has: demo-1 is away',
      ]);
      const locked = { answer: { ...silent, isLocked: true } as NodeRecord['answer'] };
      expect(beside(locked)).to.deep.equal(['reinstate']);
      expect(beside({ ...away, isDeleting: true, deletedAtMs: NOW_MS })).to.include('reinstate');
      const late = drainedOne({}, 120_001);
      expect(kinds(planCluster({ ...late, nodes: withNode(late.nodes, 1, away) }))).to.deep.equal(['reinstate']);
    });

    it('has its time from when this process saw it out of its clients’ way, however long ago that was decided', () => {
      const since = (o: ClusterObservation, ms: number | undefined) =>
        kinds(planCluster({ ...o, isolatedSinceMs: ms === undefined ? undefined : o.monotonicMs - ms }));
      const long = drainedOne({}, 600_000);
      expect([undefined, 1_000, 120_000].map((ms) => since(long, ms))).to.deep.equal([[], [], []]);
      expect(since(long, 120_001)).to.deep.equal(['reinstate']);
    });

    it('ignores what was compared before the target had stopped serving', () => {
      const stoppedMs = MONOTONIC_MS - 5_000;
      const stopped = { ...drainedOne(), isolatedSinceMs: stoppedMs };
      expect(kinds(planCluster(compared(stopped, { startedAtMs: stoppedMs })))).to.deep.equal(['reinstate']);
      const early = planCluster(compared(stopped, { startedAtMs: stoppedMs - 1 }));
      expect([kinds(early), early.contents?.sinceMs]).to.deep.equal([[], stoppedMs]);
    });

    it('waits also for a target that does not answer, since it may be frozen and answer again', () => {
      expect(kinds(planCluster(drainedOne({ answer: silent })))).to.deep.equal([]);
      expect(kinds(planCluster(drainedOne({ answer: silent }, 120_001)))).to.deep.equal(['reinstate']);
    });

    it('goes on at once for a target without a process, and for one that was not told to leave yet', () => {
      const crashed = pod(4, { isLeaving: true, waiting: { reason: 'CrashLoopBackOff', message: '' } });
      expect(kinds(planCluster(drainedOne({ answer: silent, pod: crashed })))).to.deep.equal(['reinstate']);
      expect(kinds(planCluster(drainedOne({ pod: pod(4) })))).to.deep.equal(['reinstate']);
    });
  });

  describe('for a target whose door is closed', () => {
    const back = (change: Partial<NodeRecord> = {}, ms = 1_000) =>
      sealedTarget({
        operation: { ...cancelling, timeline: [{ phase: 'Cancelling', at: ago(ms) }] },
        spec: { nodes: 5 },
        nodes: sealedNodes(change),
      });

    it('is decided when the size is raised, from Sealing as from Proving', () => {
      for (const phase of ['Sealing', 'Proving'] as const) {
        const { operation, isUrgent } = removalOf(sealedTarget({ operation: record(phase), spec: { nodes: 5 } }));
        expect([operation?.phase, operation?.cancel?.reason, isUrgent]).to.deep.equal([
          'Cancelling',
          'CancelledByUser',
          true,
        ]);
      }
    });

    it('waits until the others have what it has, as for one with its door open, and two minutes at most', () => {
      const plan = planCluster(back());
      expect([kinds(plan), plan.contents?.sources]).to.deep.equal([[], [4]]);
      expect(plan.removal.waits?.message).to.match(/^demo-4 comes back when the others have what it has: /);
      expect(kinds(planCluster(compared(back())))).to.deep.equal(['reinstate']);
      expect(kinds(planCluster(back({}, 120_000)))).to.deep.equal([]);
      expect(kinds(planCluster(back({}, 120_001)))).to.deep.equal(['reinstate']);
    });

    it('is undone at once when no process of it has started', () => {
      const starting = { pod: freshPod(4, { isSealed: true, isLeaving: true }), answer: notAsked };
      expect(kinds(planCluster(back(starting)))).to.deep.equal(['reinstate']);
      expect(kinds(planCluster(back({ pod: undefined, answer: notAsked })))).to.deep.equal(['reinstate']);
    });

    it('is not over before it runs with its door open and every member shows it Active', () => {
      const reinstated = { intent: 'Active', serving: true, removalMark: undefined } as const;
      const permitted = { ...reinstated, mayRestartPod: back().nodes[4]?.pod?.uid };
      expect(removalOf(back(permitted)).waits?.message).to.match(/waiting until every member shows it$/);
      const open = whole({ operation: cancelling, spec: { nodes: 5 } });
      expect(removalOf(open).ended).to.deep.include({ outcome: 'Cancelled', reason: 'CancelledByUser' });
    });
  });

  it('tells a Pod to leave once more that its node controller has told or made since: nobody has compared it', () => {
    const leaving = { ...node(4).pod, isLeaving: true } as NonNullable<NodeRecord['pod']>;
    const at = (change: Partial<NodeRecord>) => {
      const nodes = withNode(nodesOf(ALL, drained(ALL, -1)), 4, { pod: leaving, ...change });
      return kinds(planCluster(whole({ operation: cancelling, spec: { nodes: 5 }, nodes })));
    };
    expect(at({})).to.deep.equal(['isolate']);
    expect(at({ mayRestartPod: 'pod-of-before' })).to.deep.equal(['isolate']);
    expect(at({ mayRestartPod: leaving.uid })).to.deep.equal([]);
    expect(at({ pod: { ...leaving, phase: 'Pending' } }), 'nothing runs in it').to.deep.equal([]);
  });

  it('waits until the target is restarted and every member shows it Active again', () => {
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

  it('ends when they do, and compares nothing until then', () => {
    const plan = planCluster(whole({ operation: cancelling, spec: { nodes: 5 } }));
    expect(plan.removal.ended).to.deep.include({ outcome: 'Cancelled', reason: 'CancelledByUser' });
    expect(planCluster(isolated({ operation: cancelling, spec: { nodes: 5 } })).contents).to.equal(undefined);
  });

  it('is finished before the same node is chosen again', () => {
    const o = isolated({ operation: cancelling, spec: { nodes: 4 } });
    expect(removalOf(o).operation?.phase).to.equal('Cancelling');
  });
});

describe('a target that still exists', () => {
  for (const phase of ['Settling', 'Reclaiming'] as const)
    it(`is deleted first when the record is at ${phase}, since only a stale cache had shown it gone`, () => {
      const { operation, isUrgent, steps } = removalOf(isolated({ operation: record(phase) }));
      expect([operation?.phase, isUrgent, steps]).to.deep.equal(['Deleting', true, []]);
    });
});

describe('the removal of a dead node that is taken back because its member answered', () => {
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

  it('ends as soon as nothing of the node runs, and leaves the next removal to decide whether it is dead', () => {
    expect(back({}).ended).to.deep.include({ outcome: 'Cancelled', reason: 'Repairing' });
  });

  it('first removes the mark, and waits for the restart of a Pod that was told to leave', () => {
    expect(back(LEAVING).steps.map(({ kind }) => kind)).to.deep.equal(['reinstate']);
    const told = pod(4, { isReady: false, isLeaving: true });
    expect(back({ pod: told, mayRestartPod: told.uid }).waits?.reason).to.equal('Repairing');
  });
});

describe('the removal of a target that was told to leave and whose volume', () => {
  const VOLUMES = [
    // Only a restart ends the leaving, and the end of the Pod would be the end of the volume.
    { its: 'is being deleted', own: volume(4, { isTerminating: true }) },
    { its: 'is gone', own: undefined },
  ];
  for (const { its, own } of VOLUMES) {
    const told = { ...node(4), ...LEAVING, pod: pod(4, { isLeaving: true }), volume: own };

    it(`${its} does not wait for the target when it is taken back, since another node can replace it`, () => {
      const stays = { ...told, serving: true, intent: 'Active', removalMark: undefined } satisfies Partial<NodeRecord>;
      const nodes = everyone.map((entry) => (entry.id === 4 ? { ...stays, answer: entry.answer } : entry));
      const operation = record('Cancelling', {
        cancel: { reason: 'CancelledByUser', message: '5 nodes are wanted again' },
      });
      const { ended } = removalOf(whole({ operation, nodes }));
      expect(ended).to.deep.include({ outcome: 'Cancelled', reason: 'VolumeLost' });
    });

    it(`${its} goes on when another node is lost for good, since the two would otherwise wait for each other`, () => {
      const view = drained([0, 1, 3, 4], 4);
      const nodes = nodesOf(ALL, view).map((entry): NodeRecord => {
        if (entry.id === 2) return { ...entry, volume: undefined, pod: undefined, answer: silent };
        return entry.id === 4 ? { ...told, answer: entry.answer } : entry;
      });
      const o = isolated({ operation: record('Proving', { type: 'Replace' }), nodes });
      expect(removalOf(o).operation?.phase).not.to.equal('Cancelling');
    });
  }

  it('is kept is taken back when another node is lost for good, which is then replaced first', () => {
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
