// FullyReplicated: the result of comparing the records of the present members.

import { findCondition, isReason, type Operation } from '@marekvs/api';
import { type ClusterObservation, planCluster, type Verification } from '@marekvs/planner';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { observation, silent, withNode } from '../../planner/test/support/builders.ts';
import { drained, factsOfAll, nodesShowing } from '../../planner/test/support/facts.ts';
import { gone, isolated, record } from '../../planner/test/support/removing.ts';
import { compared, lacking, running } from '../../planner/test/support/reports.ts';
import { clusterObject, statusOf } from './support/objects.ts';

const view = drained([0, 1, 2], -1);
const three = nodesShowing([0, 1, 2], view);
const rest = (change: Parameters<typeof observation>[0] = {}) =>
  observation({ nodes: three, facts: factsOfAll([0, 1, 2], { view }), ...change });

function said(o: ClusterObservation): string {
  const found = findCondition(statusOf(o).conditions, 'FullyReplicated');
  expect(isReason(found?.reason ?? '')).to.equal(true);
  return `${found?.status} ${found?.reason}: ${found?.message}`;
}

describe('FullyReplicated', () => {
  it('is True when everything is covered, with how much was compared', () => {
    expect(said(compared(rest()))).to.equal('True RecordsCovered: 12,288 partitions compared, no record is missing');
  });
  it('is False while records are missing at a home, with how many, of which member and where', () => {
    const missing = [{ sourceId: 0, homeId: 2, partitions: 2, records: 3 }];
    expect(said(compared(rest(), lacking(missing)))).to.equal(
      'False RecordsMissing: 3 records of demo-0 missing on demo-2',
    );
  });
  const unknown = 'Unknown NotCompared: the members have changed and are compared once they agree';
  it('is Unknown before members were compared, and while they are, in words that do not change', () => {
    for (const o of [rest(), compared(rest(), running())]) expect(said(o)).to.equal(unknown);
  });
  it('stays while a person asks for a comparison of the same members, until its result', () => {
    const first = statusOf(compared(rest()));
    const { verification } = first;
    const asked = rest({ cluster: { verification, verifyAsked: 'monday' } });
    const later = statusOf(compared(asked, running()), { cluster: clusterObject({ status: first }) });
    expect(later.verification?.state).to.equal('Running');
    expect(findCondition(later.conditions, 'FullyReplicated')).to.deep.equal(
      findCondition(first.conditions, 'FullyReplicated'),
    );
  });
  it('is Unknown while a member is away, since the last result was about other members', () => {
    const { verification } = planCluster(compared(rest()));
    const o = rest({ nodes: withNode(three, 1, { answer: silent }), cluster: { verification } });
    expect(said(o)).to.equal(unknown);
  });
  it('is Unknown when a member cannot be read, with that member and its error', () => {
    const problem = { nodeId: 1, error: 'refused' };
    const o = compared(rest(), { ...running(), problem });
    expect(said(o)).to.equal('Unknown ContentsUnreadable: the contents of demo-1 cannot be read: refused');
    const { conditions, phase } = statusOf(o);
    expect(phase).to.equal('Blocked');
    expect(findCondition(conditions, 'Stalled')?.reason).to.equal('ContentsUnreadable');
  });
  it('tells a person when nothing has arrived for more than ten minutes', () => {
    const missing = [{ sourceId: 0, homeId: 2, partitions: 1, records: 1 }];
    const stuck = compared(rest(), { ...lacking(missing), movedAtMs: rest().monotonicMs - 600_001 });
    const { conditions } = statusOf(stuck);
    expect(findCondition(conditions, 'Stalled')).to.deep.include({ status: 'True', reason: 'ReplicationStuck' });
    expect(said(stuck)).to.match(/^False RecordsMissing/);
  });

  describe('while a node is removed', () => {
    const known: Verification = { state: 'Covered', topology: 'before', at: '2026-01-01T00:00:00Z', message: 'all' };
    const during = (o: ClusterObservation) => said({ ...o, cluster: { ...o.cluster, verification: known } });
    it('does not change until the target’s process ends', () => {
      for (const phase of ['Claimed', 'Proving'] as const)
        expect(during(isolated({ operation: record(phase) })), phase).to.equal('True RecordsCovered: all');
    });
    it('is False from then on until the survivors are proven to have everything, and then True', () => {
      for (const phase of ['Departing', 'Settling', 'Reclaiming'] as const) {
        const operation: Operation = record(phase);
        expect(during(gone({ operation })), phase).to.match(/^False RecordsMissing: a member leaves/);
      }
      expect(said(compared(gone({ operation: record('Settling') })))).to.equal(
        'True RecordsCovered: the survivors of the last removal were compared',
      );
    });
  });

  it('is stored with the topology that it is about', () => {
    const { verification } = statusOf(compared(rest()));
    expect(verification).to.deep.include({ state: 'Covered' });
    const before = { ...rest(), cluster: { ...rest().cluster, verification } };
    expect(said(before)).to.match(/^True RecordsCovered/);
  });
});
