// What is reported, counted and kept for a cluster whose members are stopped for a while: no person is called, and no
// member may be evicted.

import type { Operation } from '@marekvs/api';
import { planCluster } from '@marekvs/planner';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { NOW_MS, nodes, notAsked, observation } from '../../planner/test/support/builders.ts';
import { minAvailable } from '../src/cluster/disruption-budget.ts';
import { problemsOf } from '../src/telemetry/problems.ts';
import { clusterObject, statusOf } from './support/objects.ts';

const operation = (type: Operation['type'], phase: Operation['phase']): Operation => ({
  id: 'all-1',
  type,
  phase,
  specGeneration: 1,
  startedAt: '2026-01-01T00:00:00Z',
  blocked: { reason: 'RecordsMissing', message: 'some', since: '2026-01-01T00:00:00Z' },
});

const condition = (reason: string) => ({
  type: 'Ready',
  status: 'False',
  reason,
  message: 'why',
  observedGeneration: 1,
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

describe('the problems of a cluster with stopped members', () => {
  const kinds = (reason: string, of: Operation) => {
    const cluster = clusterObject();
    const status = { operation: of, conditions: [condition(reason)] };
    return problemsOf({ ...cluster, status } as Parameters<typeof problemsOf>[0]).map(({ kind }) => kind);
  };

  it('are none while it is hibernated as requested', () => {
    expect(kinds('Hibernated', operation('Hibernate', 'Hibernated'))).to.deep.equal([]);
  });

  it('exclude those of a removal while it is being hibernated or woken, or one member is suspended', () => {
    expect(kinds('Hibernating', operation('Hibernate', 'Proving'))).to.deep.equal(['NotReady']);
    expect(kinds('Suspended', operation('Suspend', 'Suspended'))).to.deep.equal(['NotReady']);
  });
});

describe('the status of a hibernated cluster', () => {
  const HIBERNATED: Operation = {
    ...operation('Hibernate', 'Hibernated'),
    blocked: undefined,
    timeline: [{ phase: 'Stopping', at: new Date(NOW_MS - 60_000).toISOString() }],
  };
  const asleep = (spec: object = {}) =>
    observation({
      nodes: nodes(3).map((node) => ({
        ...node,
        serving: false,
        wasActive: true,
        stopped: 'Hibernated' as const,
        pod: undefined,
        answer: notAsked,
      })),
      cluster: { operation: HIBERNATED, spec: { hibernated: true, ...spec } },
    });
  const said = (o: ReturnType<typeof asleep>) => {
    const status = statusOf(o);
    const of = (type: string) => status.conditions?.find((one) => one.type === type);
    return { status, of };
  };

  it('says so, and that nothing is under way and no person has to act', () => {
    const { status, of } = said(asleep());
    expect(status).to.include({ phase: 'Hibernated', readyNodes: 0, replicas: 3 });
    expect(status.instanceNames).to.deep.equal(['demo-0', 'demo-1', 'demo-2']);
    expect(of('Hibernated')).to.include({ status: 'True', reason: 'Hibernated' });
    expect(of('Ready')).to.include({ status: 'False', reason: 'Hibernated' });
    for (const type of ['Reconciling', 'Stalled', 'Rescaling']) expect(of(type)?.status, type).to.equal('False');
    expect(of('FullyReplicated')?.status).to.equal('True');
  });

  it('calls for a person when its members are to be woken and may not be', () => {
    const late = { ...HIBERNATED, timeline: [{ phase: 'Stopping' as const, at: '2025-06-01T00:00:00Z' }] };
    const o = asleep({ hibernated: false });
    const { status, of } = said({ ...o, cluster: { ...o.cluster, operation: late } });
    expect(status).to.include({ phase: 'Blocked', blockedBy: 'HibernatedTooLong' });
    expect(of('Stalled')).to.include({ status: 'True', reason: 'HibernatedTooLong' });
  });

  it('keeps all of them in the disruption budget until they were compared', () => {
    const o = asleep();
    expect(minAvailable(o, planCluster(o), undefined)).to.equal(3);
  });
});
