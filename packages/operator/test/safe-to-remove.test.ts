// What the status of a node says while it is removed, and which changes of the others are held back until then.

import { findCondition, type MarekvsNodeStatus, type Operation } from '@marekvs/api';
import { type NodeObservation, planNode } from '@marekvs/planner';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { line, NOW_MS, node, nodeObservation, notAsked, pod, serving } from '../../planner/test/support/builders.ts';
import {
  type DepartingChange,
  departing,
  four,
  LEFT_VIEW,
  OPERATION_ID,
  operation,
  proof,
  TARGET,
} from '../../planner/test/support/departing.ts';
import { BLOCKED_SHOWN_AFTER_MS } from '../src/node/safe-to-remove.ts';
import { nodeStatus, nodeStatusChange } from '../src/node/status.ts';
import { nodeObject } from './support/objects.ts';

function said(o: NodeObservation, previous: MarekvsNodeStatus = {}): MarekvsNodeStatus {
  const { id, serving: isServing, intent } = o.node;
  const object = nodeObject(id, { status: previous, spec: { serving: isServing, intent } });
  const ids = { clusterUid: 'any', clusterVersion: '1', onePerHost: undefined, zone: {} };
  const scope = { node: object, ...ids, record: o.node, observation: o, isWaitingForAnswers: false };
  return nodeStatus({ scope, plan: planNode(o), refusal: undefined });
}
const safe = (status: MarekvsNodeStatus) => {
  const found = findCondition(status.conditions, 'SafeToRemove');
  return `${found?.status} ${found?.reason}: ${found?.message}`;
};
const ready = (status: MarekvsNodeStatus) => findCondition(status.conditions, 'Ready')?.reason;

/** demo-3 as it is before its MarekvsNode is deleted. */
const target = (change: DepartingChange = {}) => departing({ ...change, own: { isDeleting: false, ...change.own } });
const proving = operation({ phase: 'Proving', proof: {} });

describe('the proof that a node carries', () => {
  it('is the one of the operation, whatever is written in the status of the node', () => {
    for (const removalProof of [undefined, proof({ partitions: 99 }), proof({ operationId: 'forged' })]) {
      const previous = removalProof === undefined ? {} : { removalProof };
      expect(said(target({ own: { removalProof } }), previous).removalProof).to.deep.equal(proof());
    }
  });

  const dropped: readonly (readonly [string, Operation | undefined])[] = [
    ['the operation is over', undefined],
    ['the operation has no proof any more', proving],
    ['the operation is about another node', operation({ target: { name: 'demo-1', uid: 'node-uid-1', nodeId: 1 } })],
    ['the proof is about another node', operation({ proof: { pre: proof({ targetUid: 'node-uid-1' }) } })],
    ['the proof is about an earlier Pod', operation({ proof: { pre: proof({ podUID: 'pod-before' }) } })],
  ];
  for (const [when, record] of dropped) {
    it(`is removed when ${when}`, () => {
      expect(said(target({ operation: record }), { removalProof: proof() })).to.not.have.property('removalProof');
    });
  }

  it('stays when its Pod has gone, and is not added then', () => {
    const gone = departing({ own: { pod: undefined, answer: notAsked } });
    expect(said(gone, { removalProof: proof() }).removalProof).to.deep.equal(proof());
    expect(said(gone)).to.not.have.property('removalProof');
    expect(said(gone, { removalProof: proof({ partitions: 99 }) })).to.not.have.property('removalProof');
  });

  it('is written at once, every time it is renewed, since it is valid for a short time only', () => {
    const before = said(target({ operation: proving }));
    const after = said(target(), before);
    const again = said(target({ operation: operation({ proof: { pre: proof({ records: 5 }) } }) }), after);
    expect(nodeStatusChange(before, after, true)).to.equal('urgent');
    expect(nodeStatusChange(after, again, true)).to.equal('urgent');
    expect(nodeStatusChange(after, said(target(), after), true)).to.equal('none');
  });
});

describe('SafeToRemove', () => {
  it('is True while the proof is valid, with the operation and the time of the proof', () => {
    expect(safe(said(target()))).to.equal(
      `True Proven: operation ${OPERATION_ID} proved it at 2026-01-01T00:09:58.000Z`,
    );
  });

  it('is False from 30.001 s after the proof on', () => {
    const at = (ms: number) => said(target({ o: { nowMs: NOW_MS - 2_000 + ms } }));
    expect(safe(at(30_000))).to.match(/^True /);
    expect(safe(at(30_001))).to.match(/^False WaitingForProof/);
  });

  it('is False while the proof is gathered, in words that do not change', () => {
    const message = `operation ${OPERATION_ID} gathers the proof that the data of demo-3 is elsewhere`;
    expect(safe(said(target({ operation: proving })))).to.equal(`False WaitingForProof: ${message}`);
  });

  it('names what the operation waits for, once that has lasted for a while', () => {
    const since = '2026-01-01T00:09:00Z';
    const blocked = { reason: 'MemberSilent', message: 'demo-1 has not answered', since };
    const at = (ms: number) =>
      safe(said(target({ operation: { ...proving, blocked }, o: { nowMs: Date.parse(since) + ms } })));
    expect(at(BLOCKED_SHOWN_AFTER_MS)).to.equal('False MemberSilent: demo-1 has not answered');
    expect(at(BLOCKED_SHOWN_AFTER_MS - 1)).to.match(/^False WaitingForProof/);
  });

  it('is False in the same words while contents are compared and records are on their way, which is progress', () => {
    const message = `operation ${OPERATION_ID} gathers the proof that the data of demo-3 is elsewhere`;
    for (const reason of ['ComparingContents', 'RecordsMissing', 'WaitingForProof']) {
      const blocked = { reason, message: '1 of 4,096 partitions compared', since: '2025-12-31T00:00:00Z' };
      expect(safe(said(target({ operation: { ...proving, blocked } })))).to.equal(`False WaitingForProof: ${message}`);
    }
    const blocked = { reason: 'ReplicationStuck', message: 'nothing arrives', since: '2025-12-31T00:00:00Z' };
    expect(safe(said(target({ operation: { ...proving, blocked } })))).to.equal(
      'False ReplicationStuck: nothing arrives',
    );
  });

  it('is Unknown while nothing is removed, and for the other nodes while one is', () => {
    const unknown = 'Unknown NotCompared: asked only when a removal is under way';
    expect(safe(said(nodeObservation(node(1))))).to.equal(unknown);
    expect(safe(said(nodeObservation(node(1), { operation: operation(), siblings: four() })))).to.equal(unknown);
  });

  it('is Unknown for the target before it is told to leave, so that claiming alone causes no write', () => {
    const claimed = operation({ phase: 'Claimed', proof: {} });
    const o = nodeObservation(node(TARGET), { siblings: [0, 1, 2, 3].map((id) => node(id)), operation: claimed });
    const before = said({ ...o, operation: undefined });
    expect(nodeStatusChange(before, said(o, before), true)).to.equal('none');
  });
});

describe('a node that leaves', () => {
  it('shows that in phase and Ready from the first moment on, and does not change when its primaries are gone', () => {
    const still = serving([line(0), line(1), line(2), line(TARGET)]);
    const others = four([line(0), line(1), line(2), line(TARGET)]);
    const open = { intent: 'Leaving', ran: undefined, pod: pod(TARGET, { isLeaving: true }) } as const;
    const first = said(target({ operation: proving, own: { ...open, answer: still }, others }), { seenBy: '4/4' });
    expect([first.phase, ready(first)]).to.deep.equal(['Leaving', 'MemberLeaving']);
    expect(findCondition(first.conditions, 'Joined')?.status).to.equal('True');
    const shown = four([line(0), line(1), line(2), line(TARGET, { hasPrimaries: false })]);
    const then = said(
      target({ operation: proving, own: { ...open, answer: shown[0]?.answer ?? still }, others: shown }),
      first,
    );
    expect(nodeStatusChange(first, then, true)).to.equal('none');
  });

  it('says in Ready that its door is closed, in the same phase', () => {
    const sealed = said(target({ operation: proving }), { seenBy: '3/4' });
    expect([sealed.phase, ready(sealed)]).to.deep.equal(['Leaving', 'MemberSealing']);
    expect(findCondition(sealed.conditions, 'Ready')?.message).to.equal(
      'no client reaches the member any more; its records are compared before it goes',
    );
  });

  it('is Departed when it is deleted and its Pod has gone', () => {
    expect(said(departing({ own: { pod: undefined, answer: notAsked } })).phase).to.equal('Departed');
  });

  it('names the members that still show it when it has to wait', () => {
    const o = departing({ own: { pod: undefined, answer: notAsked } });
    expect(findCondition(said(o).conditions, 'Ready')?.message).to.equal('demo-0, demo-1, demo-2 still show demo-3');
  });
});

describe('a survivor of a removal', () => {
  const before: MarekvsNodeStatus = { seenBy: '4/4', ownedPartitions: 2000 };
  const figures = ({ seenBy, ownedPartitions }: MarekvsNodeStatus) => [seenBy, ownedPartitions];
  /** demo-1 beside demo-3, at some point of its removal. */
  const beside = (view: readonly ReturnType<typeof line>[], own: Parameters<typeof node>[1], record?: Operation) => {
    const siblings = four(view).map((entry) => (entry.id === TARGET ? { ...entry, ...own } : entry));
    const self = siblings[1] ?? node(1);
    return nodeObservation(self, { siblings, operation: record });
  };
  const joined = [line(0), line(1), line(2), line(TARGET)];
  const points: readonly (readonly [string, NodeObservation])[] = [
    [
      'leaves',
      beside([line(0), line(1), line(2), line(TARGET, { hasPrimaries: false })], { intent: 'Leaving' }, proving),
    ],
    ['is deleted', beside(joined, { isDeleting: true }, operation())],
    ['has gone from the lists', beside(LEFT_VIEW, { isDeleting: true, pod: undefined, answer: notAsked }, operation())],
    ['comes back', beside(LEFT_VIEW, { answer: notAsked }, operation({ phase: 'Cancelling' }))],
    [
      'comes back as another object',
      beside(LEFT_VIEW, { uid: 'again', answer: notAsked }, operation({ phase: 'Cancelling' })),
    ],
  ];
  for (const [when, o] of points) {
    it(`keeps its figures while the target ${when}`, () => {
      expect(figures(said(o, before))).to.deep.equal(['4/4', 2000]);
    });
  }

  it('reports both new figures when the target’s node is gone', () => {
    const survivors = four(LEFT_VIEW).slice(0, 3);
    const o = nodeObservation(survivors[1] ?? node(1), {
      siblings: survivors,
      operation: operation({ phase: 'Settling' }),
    });
    expect(figures(said(o, before))).to.deep.equal(['3/3', 2768]);
  });

  it('reports what it sees of a node that a person deleted and that is not the target', () => {
    const o = beside(joined, { isDeleting: true, pod: pod(TARGET, { isReady: false }), answer: notAsked });
    expect(figures(said(o, before))[0]).to.equal('3/4');
  });
});
