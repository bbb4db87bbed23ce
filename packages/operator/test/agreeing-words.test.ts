// Phase, Ready, Rescaling and the figures of a status agree on what is being done about the nodes.

import { findCondition, type MarekvsClusterStatus, type Operation } from '@marekvs/api';
import { type ClusterObservation, hold, type NodeRecord, planCluster } from '@marekvs/planner';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  freshNode,
  line,
  NOW_MS,
  nodes,
  notAsked,
  observation,
  serving,
  views,
  withNode,
} from '../../planner/test/support/builders.ts';
import { clusterHealth } from '../src/cluster/status/health.ts';
import { clusterStatus } from '../src/cluster/status/status.ts';
import { clusterObject, FORMED, statusInput, statusOf } from './support/objects.ts';

const joiner = (id: number): NodeRecord => freshNode(id, { answer: { kind: 'joining', sinceMs: NOW_MS - 5_000 } });
const deleted = { isDeleting: true, deletedAtMs: NOW_MS - 60_000 } satisfies Partial<NodeRecord>;
const all = (count: number) => nodes(count).map((one) => ({ ...one, answer: serving(views(count)) }));
const operationOf = (change: Partial<Operation>): Operation => ({
  id: '2-abc',
  type: 'Remove',
  basis: 'Proof',
  target: { name: 'demo-2', uid: 'node-uid-2', nodeId: 2 },
  specGeneration: 1,
  phase: 'Isolating',
  startedAt: new Date(NOW_MS - 10_000).toISOString(),
  ...change,
});

const said = (status: MarekvsClusterStatus, type: 'Ready' | 'Rescaling') => findCondition(status.conditions, type);

const STORIES: readonly (readonly [
  string,
  ClusterObservation,
  MarekvsClusterStatus['phase'],
  'Repairing' | 'ScalingClusterUp' | 'ScalingClusterDown',
])[] = [
  [
    'a node was deleted and its replacement joins',
    observation({ nodes: [...withNode(all(3), 1, deleted), joiner(3)] }),
    'Reconciling',
    'Repairing',
  ],
  [
    'a node was deleted, its replacement is in, and it has not gone yet',
    observation({ nodes: withNode(all(4), 1, deleted) }),
    'Reconciling',
    'Repairing',
  ],
  [
    'a volume is lost and another node joins for it',
    observation({ nodes: [...withNode(all(3), 1, { volume: undefined }), joiner(3)] }),
    'Reconciling',
    'Repairing',
  ],
  [
    'a node more is wanted and joins',
    observation({ nodes: [...all(3), joiner(3)], cluster: { spec: { nodes: 4 } } }),
    'ScalingUp',
    'ScalingClusterUp',
  ],
  ['a node less is wanted', observation({ nodes: all(4) }), 'ScalingDown', 'ScalingClusterDown'],
  [
    'a replaced node is on its way out',
    observation({
      nodes: withNode(all(4), 2, deleted),
      cluster: { operation: operationOf({ type: 'Replace' }) },
    }),
    'Reconciling',
    'Repairing',
  ],
  [
    'a node is removed because fewer are wanted',
    observation({ nodes: all(4), cluster: { operation: operationOf({}) } }),
    'ScalingDown',
    'ScalingClusterDown',
  ],
];

describe('what a cluster says while', () => {
  for (const [story, o, phase, reason] of STORIES) {
    it(`${story} is ${phase} everywhere`, () => {
      const status = statusOf(o);
      expect(status.phase).to.equal(phase);
      expect(said(status, 'Rescaling')).to.include({ status: 'True', reason });
      expect(said(status, 'Ready')?.status).to.equal('False');
      const ofWork = ['Repairing', 'ScalingClusterUp', 'ScalingClusterDown'];
      const ready = said(status, 'Ready')?.reason ?? '';
      if (ofWork.includes(ready)) expect(ready).to.equal(reason);
    });
  }
});

describe('the nodes that a status counts', () => {
  it('exclude those still joining, until they have joined', () => {
    const growing = { cluster: { spec: { nodes: 4 } } } as const;
    const before = statusOf(observation({ nodes: [...all(3), joiner(3)], ...growing }));
    expect([before.replicas, before.instanceNames]).to.deep.equal([3, ['demo-0', 'demo-1', 'demo-2']]);
    const after = statusOf(observation({ nodes: all(4), ...growing }));
    expect([after.replicas, after.instanceNames?.at(-1)]).to.deep.equal([4, 'demo-3']);
  });
  it('include one that has joined and is away, since it is repaired', () => {
    const two = serving([line(0), line(2)]);
    const away = withNode(
      nodes(3).map((one) => ({ ...one, answer: two })),
      1,
      { answer: notAsked, pod: undefined },
    );
    expect(statusOf(observation({ nodes: away })).replicas).to.equal(3);
  });
});

describe('a removal that waits in the status', () => {
  const LIMIT_MS = 270_000;
  const blocked = { reason: 'ViewsDisagree', message: 'demo-0 and demo-1 disagree', since: '2026-01-01T00:00:00Z' };
  const waiting = (forMs: number, change: Partial<Operation> = { blocked }) => {
    const o = observation({
      nodes: all(4),
      cluster: { operation: operationOf({ startedAt: new Date(NOW_MS - forMs).toISOString(), ...change }) },
    });
    const input = statusInput(o);
    const operation = o.cluster.operation;
    const plan = { ...input.plan, removal: { ...input.plan.removal, operation } };
    return clusterStatus({ ...input, plan, health: clusterHealth(o, plan, []) });
  };

  it('is Blocked once it has taken three times its usual minute and a half, with the reason in the column', () => {
    expect(waiting(LIMIT_MS - 1_000)).to.include({ phase: 'ScalingDown', blockedBy: 'ViewsDisagree' });
    expect(waiting(LIMIT_MS)).to.include({ phase: 'Blocked', blockedBy: 'ViewsDisagree' });
  });
  it('is not Blocked while nothing prevents it, however long it takes', () => {
    const status = waiting(LIMIT_MS * 10, {});
    expect([status.phase, status.blockedBy]).to.deep.equal(['ScalingDown', undefined]);
  });

  const unclaimed = (reason: 'MeshIncomplete' | 'WaitingForReplacement', sinceMs: number) => {
    const o = observation({ nodes: all(4) });
    const waits = hold(reason, `removing demo-3 waits: something`);
    const plan = planCluster(o);
    const held = { ...plan, holds: [waits], removal: { ...plan.removal, operation: undefined, waits } };
    const ready = {
      type: 'Ready' as const,
      status: 'False' as const,
      reason,
      message: 'removing demo-3 waits: something',
      observedGeneration: 1,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const since = new Date(NOW_MS - sinceMs).toISOString();
    const status = { ...FORMED, conditions: [ready], reasonTimes: [{ type: 'Ready', since }] };
    const input = statusInput(o, { cluster: clusterObject({ status }) });
    return clusterStatus({ ...input, plan: held, health: clusterHealth(o, held, []) });
  };
  it('is Blocked also before it is claimed, when the same cause has prevented it for so long', () => {
    expect(unclaimed('MeshIncomplete', LIMIT_MS - 1_000).phase).to.equal('ScalingDown');
    expect(unclaimed('MeshIncomplete', LIMIT_MS)).to.include({ phase: 'Blocked', blockedBy: 'MeshIncomplete' });
  });
  it('is not Blocked by a copy on its way to a new node, which needs no person', () => {
    expect(unclaimed('WaitingForReplacement', LIMIT_MS * 10).phase).to.equal('ScalingDown');
  });
});

describe('the time since which a condition has its reason', () => {
  const away = (answer: NodeRecord['answer']) => observation({ nodes: withNode(nodes(3), 1, { answer }) });
  const at = (o: ClusterObservation, afterMs: number, before: MarekvsClusterStatus = FORMED) =>
    statusOf({ ...o, nowMs: NOW_MS + afterMs }, { cluster: clusterObject({ status: before }) });
  const silent = away({ kind: 'silent', sinceMs: NOW_MS, error: 'timed out', isInvalid: false });
  const scaling = observation({ nodes: all(4) });

  it('is the time of its status while the reason has not changed', () => {
    expect(at(silent, 0).reasonTimes).to.equal(undefined);
    expect(at(silent, 60_000, at(silent, 0)).reasonTimes).to.equal(undefined);
  });
  it('is recorded once the reason has changed and the status has not, and then stays', () => {
    const second = at(scaling, 60_000, at(silent, 0));
    expect(second.reasonTimes).to.deep.include({ type: 'Ready', since: '2026-01-01T00:11:00Z' });
    const third = at(scaling, 120_000, second);
    expect(third.reasonTimes).to.deep.equal(second.reasonTimes);
    expect(findCondition(third.conditions, 'Ready')?.lastTransitionTime).to.equal('2026-01-01T00:10:00Z');
  });
  it('is no longer recorded when the status itself changes', () => {
    const second = at(scaling, 60_000, at(silent, 0));
    const ready = at(observation(), 120_000, second);
    expect(ready.reasonTimes?.some(({ type }) => type === 'Ready') ?? false).to.equal(false);
  });
});
