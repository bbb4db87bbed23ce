// Members are restarted for the file systems of their volumes in turns of a rolling update, under its guards and no
// others.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type ClusterObservation, type NodeRecord, planCluster } from '../../src/index.ts';
import { restingReason } from '../../src/operations/rolling/next-turn.ts';
import { FILE_SYSTEM_PATIENCE_MS } from '../../src/volumes/claim-change.ts';
import { HASH, keptRevisions, NOW_MS, nodes, observation, pod, silent, volume, withNode } from '../support/builders.ts';
import { factsOfAll } from '../support/facts.ts';

const NEXT = 'bbbbbbbbbbbbbbbb';
const pending = (id: number): Partial<NodeRecord> => ({
  storage: { size: '20Gi', attributesClass: undefined },
  pod: pod(id, { createdAtMs: NOW_MS - 3_600_000 }),
  volume: volume(id, {
    requestedSize: '20Gi',
    growth: { kind: 'fileSystem', sinceMs: NOW_MS - FILE_SYSTEM_PATIENCE_MS - 1 },
  }),
});
type Change = NonNullable<Parameters<typeof observation>[0]>;

/** Four members, of which these await a restart. */
const awaiting = (ids: readonly number[], { cluster = {}, ...rest }: Change = {}): ClusterObservation =>
  observation({
    nodes: ids.reduce((list, id) => withNode(list, id, pending(id)), nodes(4)),
    facts: factsOfAll([0, 1, 2, 3]),
    revisions: keptRevisions([HASH, NEXT]),
    cluster: { ...cluster, spec: { nodes: 4, storage: { size: '20Gi' }, ...cluster.spec } },
    ...rest,
  });
const turn = (o: ClusterObservation) => planCluster(o).removal.operation;

describe('a turn for the sake of a volume', () => {
  it('is one member’s, the one with the highest id first, with the template that it has', () => {
    const operation = turn(awaiting([1, 2]));
    expect(operation?.roll).to.deep.include({ name: 'demo-2', cause: 'Volume', previous: HASH });
    expect([operation?.type, operation?.phase]).to.deep.equal(['Roll', 'Claimed']);
  });
  it('comes after those that have another template, whose restart is enough for both', () => {
    const o = awaiting([3], { cluster: { templateHash: NEXT } });
    expect(turn(o)?.roll).to.deep.include({ name: 'demo-3' });
    expect(turn(o)?.roll).to.not.have.property('cause');
  });
  it('does not begin while another member is not up', () => {
    const o = awaiting([1]);
    expect(turn({ ...o, nodes: withNode(o.nodes, 0, { answer: silent, pod: pod(0, { isReady: false }) }) })).to.equal(
      undefined,
    );
  });
  it('does not begin with OnDelete, nor while the update is paused, and that is reported', () => {
    const onDelete = awaiting([1], { cluster: { spec: { update: { type: 'OnDelete' } } } });
    expect([turn(onDelete), restingReason(onDelete)?.reason]).to.deep.equal([undefined, 'RolloutOnDelete']);
    const rollout = { approved: undefined, isPaused: true, retry: undefined };
    const paused = awaiting([1], { cluster: { rollout } });
    expect([turn(paused), restingReason(paused)?.reason]).to.deep.equal([undefined, 'RolloutPaused']);
  });
  it('is given up before anything was done when the file system was resized after all', () => {
    const claimed = turn(awaiting([1]));
    const o = awaiting([], { cluster: { ...(claimed === undefined ? {} : { operation: claimed }) } });
    const { ended, steps } = planCluster(o).removal;
    expect([ended?.outcome, ended?.message]).to.deep.equal([
      'Cancelled',
      'demo-1 has the size of its volume without a restart',
    ]);
    expect(steps).to.deep.equal([]);
  });
  it('goes on as a restart with the template that the member has, which is no rollback', () => {
    const claimed = turn(awaiting([1]));
    const o = awaiting([1], { cluster: { ...(claimed === undefined ? {} : { operation: claimed }) } });
    const aside = {
      ...o,
      nodes: withNode(o.nodes, 1, { intent: 'Leaving', serving: false, removalMark: claimed?.id ?? '' }),
    };
    const { operation } = planCluster(aside).removal;
    expect([operation?.id, operation?.cancel]).to.deep.equal([claimed?.id, undefined]);
  });
});
