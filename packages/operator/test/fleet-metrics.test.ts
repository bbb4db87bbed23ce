// What the fleet metrics show: a series for each problem and none for what is well, and what reading them costs.

import type { MarekvsCluster, MarekvsClusterStatus, MarekvsNode } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Registry } from 'prom-client';
import type { FollowedMember } from '../src/members/sampler.ts';
import { type FleetSources, MAX_SERIES } from '../src/telemetry/fleet.ts';
import { createFleetMetrics } from '../src/telemetry/fleet-metrics.ts';
import { problemsOf } from '../src/telemetry/problems.ts';

const SINCE = '2026-05-01T10:00:00Z';
const SINCE_SECONDS = Date.parse(SINCE) / 1000;

type Condition = NonNullable<MarekvsClusterStatus['conditions']>[number];

function condition(type: Condition['type'], status: Condition['status'], reason: Condition['reason']): Condition {
  return { type, status, reason, message: '', observedGeneration: 1, lastTransitionTime: SINCE };
}

function cluster(name: string, status: MarekvsClusterStatus | undefined, metadata = {}): MarekvsCluster {
  return {
    apiVersion: 'marekvs.io/v1alpha1',
    kind: 'MarekvsCluster',
    metadata: {
      namespace: 'team',
      name,
      uid: name,
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: SINCE,
      ...metadata,
    },
    spec: { image: 'marekvs' },
    ...(status === undefined ? {} : { status }),
  };
}

const healthy = (name: string) =>
  cluster(name, {
    phase: 'Healthy',
    conditions: [condition('Ready', 'True', 'AllMembersReady'), condition('Stalled', 'False', 'AsExpected')],
  });
const stalled = (name: string, at = SINCE) =>
  cluster(name, {
    phase: 'Blocked',
    conditions: [
      { ...condition('Ready', 'False', 'PodUnschedulable'), lastTransitionTime: at },
      condition('Stalled', 'True', 'PodUnschedulable'),
    ],
  });

interface Given extends Partial<Pick<FleetSources, 'failing' | 'lastSuccessAtMs' | 'turns'>> {
  readonly clusters?: Iterable<MarekvsCluster>;
  readonly members?: readonly FollowedMember[];
  readonly nodes?: readonly MarekvsNode[];
}

function fleet(given: Given) {
  const registry = new Registry();
  const metrics = createFleetMetrics(registry, '');
  const world: { clusters: Iterable<MarekvsCluster> } = { clusters: given.clusters ?? [] };
  metrics.observe({
    clusters: () => world.clusters,
    members: () => given.members ?? [],
    nodes: () => given.nodes ?? [],
    failing: given.failing ?? (() => new Map()),
    lastSuccessAtMs: given.lastSuccessAtMs ?? (() => undefined),
    turns: given.turns ?? (() => ({ held: 0, inLine: 0, longestWaitMs: 0 })),
  });
  return {
    world,
    /** Every sample of these families. */
    async shown(...names: string[]): Promise<readonly string[]> {
      const lines = (await registry.metrics()).split('\n');
      return lines.filter((line) => names.some((name) => line.startsWith(`${name}{`) || line.startsWith(`${name} `)));
    },
  };
}

const STUCK = 'cluster_stuck_since_timestamp_seconds';

describe('the fleet metrics', () => {
  it('have no series for a healthy cluster', async () => {
    const { shown } = fleet({ clusters: [healthy('a'), healthy('b')], lastSuccessAtMs: () => 5_000 });
    expect(await shown(STUCK, 'cluster_last_success_timestamp_seconds')).to.deep.equal([]);
    expect(await shown('clusters'))
      .to.include('clusters{phase="Healthy"} 2')
      .and.include('clusters{phase="Blocked"} 0');
  });

  it('show since when a cluster is stuck, on what, and when a pass over it last succeeded', async () => {
    const { shown } = fleet({ clusters: [stalled('a'), healthy('b')], lastSuccessAtMs: () => 5_000 });
    expect(await shown(STUCK, 'cluster_last_success_timestamp_seconds', 'clusters_stuck')).to.deep.equal([
      'clusters_stuck{problem="NotReady"} 1',
      'clusters_stuck{problem="Stalled"} 1',
      'clusters_stuck{problem="RemovalBlocked"} 0',
      'clusters_stuck{problem="UpdateStopped"} 0',
      'clusters_stuck{problem="UpdateBlocked"} 0',
      'clusters_stuck{problem="SizeLimited"} 0',
      'clusters_stuck{problem="DataAtRisk"} 0',
      'clusters_stuck{problem="PassFailing"} 0',
      `${STUCK}{namespace="team",cluster="a",problem="NotReady",reason="PodUnschedulable"} ${SINCE_SECONDS}`,
      `${STUCK}{namespace="team",cluster="a",problem="Stalled",reason="PodUnschedulable"} ${SINCE_SECONDS}`,
      'cluster_last_success_timestamp_seconds{namespace="team",cluster="a"} 5',
    ]);
  });

  it('no longer show the series when the problem is over and when the cluster is gone', async () => {
    const { world, shown } = fleet({ clusters: [stalled('a'), stalled('b')] });
    expect(await shown(STUCK)).to.have.length(4);
    world.clusters = [healthy('a')];
    expect(await shown(STUCK)).to.deep.equal([]);
  });

  it('show the oldest problems when there are more than the limit, and count all', async () => {
    const at = (index: number) => new Date(Date.parse(SINCE) - index * 1000).toISOString();
    const clusters = Array.from({ length: MAX_SERIES + 50 }, (_, index) => stalled(`c${index}`, at(index)));
    const { shown } = fleet({ clusters });
    const lines = (await shown(STUCK)).filter((line) => line.includes('NotReady'));
    expect(lines).to.have.length(MAX_SERIES);
    expect(lines.some((line) => line.includes(`"c${MAX_SERIES + 49}"`))).to.equal(true);
    expect(lines.some((line) => line.includes('"c0"'))).to.equal(false);
    expect(await shown('clusters_stuck')).to.include(`clusters_stuck{problem="NotReady"} ${MAX_SERIES + 50}`);
  });

  it('show the operation under way with its present phase only', async () => {
    const operation = { id: 'x', type: 'Remove', phase: 'Proving', specGeneration: 1, startedAt: SINCE } as const;
    const { world, shown } = fleet({ clusters: [cluster('a', { phase: 'ScalingDown', operation }), healthy('b')] });
    const line = `operation_started_timestamp_seconds{namespace="team",cluster="a",type="Remove",phase="Proving"} ${SINCE_SECONDS}`;
    expect(await shown('operation_started_timestamp_seconds')).to.deep.equal([line]);
    world.clusters = [healthy('a')];
    expect(await shown('operation_started_timestamp_seconds')).to.deep.equal([]);
  });

  it('show how far an update is, since when members are restarted for it, and where it has stopped', async () => {
    const roll = { name: 'a-2', uid: 'u', nodeId: 2, podUID: 'p', previous: 'b' };
    const blocked = { reason: 'RecordsMissing', message: '', since: SINCE };
    const operation = { id: 'x', type: 'Roll', roll, phase: 'Claimed', specGeneration: 1, startedAt: SINCE } as const;
    const update = { revision: 'a', previous: 'b', updated: 1, total: 3 };
    const stopped = { node: 'a-2', nodeUID: 'u', reason: 'CrashLooping', message: '', at: SINCE };
    const rolling = condition('RollingOut', 'True', 'RollingOut');
    const rests = condition('RollingOut', 'False', 'RolloutStopped');
    const names = ['cluster_update_members', 'cluster_update_since_timestamp_seconds', STUCK];
    const ready = condition('Ready', 'True', 'AllMembersReady');
    const at = (status: MarekvsClusterStatus) => cluster('a', { phase: 'Reconciling', ...status });
    const { world, shown } = fleet({
      clusters: [at({ update, operation, conditions: [ready, rolling] }), healthy('b')],
    });
    const members = ['updated"} 1', 'total"} 3'].map(
      (state) => `cluster_update_members{namespace="team",cluster="a",state="${state}`,
    );
    const since = `cluster_update_since_timestamp_seconds{namespace="team",cluster="a"} ${SINCE_SECONDS}`;
    expect(await shown(...names)).to.deep.equal([...members, since]);
    world.clusters = [at({ update, operation: { ...operation, blocked }, conditions: [ready, rolling] })];
    const stuckOn = (problem: string, reason: string) =>
      `${STUCK}{namespace="team",cluster="a",problem="${problem}",reason="${reason}"} ${SINCE_SECONDS}`;
    expect(await shown(STUCK)).to.deep.equal([stuckOn('UpdateBlocked', 'RecordsMissing')]);
    world.clusters = [at({ update: { ...update, stopped }, conditions: [ready, rests] })];
    expect(await shown(...names)).to.have.members([...members, stuckOn('UpdateStopped', 'CrashLooping')]);
    world.clusters = [at({ update: { ...update, updated: 3 }, conditions: [ready] })];
    expect(await shown(...names)).to.deep.equal([]);
    world.clusters = Array.from({ length: MAX_SERIES }, (_, i) => cluster(`c${i}`, { update }));
    expect(await shown('cluster_update_members')).to.have.length(MAX_SERIES);
  });

  describe('of zones', () => {
    const zoned = (name: string, zones: readonly (string | undefined)[], replicationFactor = 2, ownedPartitions = 1) =>
      zones.map(
        (zone, nodeId) =>
          ({
            metadata: { namespace: 'team', name: `${name}-${nodeId}` },
            spec: { clusterName: name, nodeId, template: { replicationFactor } },
            status: { ownedPartitions, ...(zone === undefined ? {} : { zone }) },
          }) as MarekvsNode,
      );
    const rows: readonly (readonly [string, readonly MarekvsNode[], number, number | undefined])[] = [
      [
        'show a cluster that is all in one zone',
        [...zoned('a', ['x', 'x', 'x']), ...zoned('b', ['y', 'z', 'x'])],
        3,
        1,
      ],
      ['show nothing where there is only one zone', zoned('a', ['x', 'x', 'x']), 1, undefined],
      ['show a cluster with four of five members in one zone', zoned('a', ['x', 'x', 'x', 'x', 'y']), 2, 0.6],
      ['do not show a cluster that is spread', zoned('a', ['x', 'y', 'x', 'y']), 2, undefined],
      ['do not show a cluster whose zones are unknown', zoned('a', [undefined, undefined, undefined]), 0, undefined],
      ['do not count a member of an unknown zone', zoned('a', ['x', undefined, undefined, 'y']), 2, undefined],
      ['do not show a cluster with one home for each key', zoned('a', ['x', 'x', 'y'], 1), 2, undefined],
      [
        'do not show a cluster that has not formed',
        [...zoned('a', ['x', 'x', 'x'], 2, 0), ...zoned('b', ['y', 'z', 'x'])],
        3,
        undefined,
      ],
    ];
    for (const [title, nodes, zones, share] of rows) {
      it(title, async () => {
        const { shown } = fleet({ nodes });
        const [line, ...more] = await shown('cluster_one_zone_ratio');
        expect(more).to.deep.equal([]);
        if (share === undefined) expect(line).to.equal(undefined);
        else
          expect(Number(line?.replace('cluster_one_zone_ratio{namespace="team",cluster="a"} ', ''))).to.be.closeTo(
            share,
            0.03,
          );
        expect(await shown('zones')).to.deep.equal([`zones ${zones}`]);
      });
    }

    it('show the clusters that would lose most when there are more than the limit', async () => {
      const mostly = Array.from({ length: MAX_SERIES }, (_, i) => zoned(`m${i}`, ['x', 'x', 'x', 'x', 'y'])).flat();
      const { shown } = fleet({ nodes: [...mostly, ...zoned('whole', ['y', 'y', 'y'])] });
      const lines = await shown('cluster_one_zone_ratio');
      expect(lines).to.have.length(MAX_SERIES);
      expect(lines[0]).to.equal('cluster_one_zone_ratio{namespace="team",cluster="whole"} 1');
    });
  });

  it('count the clusters that restart members and those in line, without a problem for one that waits', async () => {
    const update = { revision: 'a', previous: 'b', updated: 0, total: 3 };
    const waits = condition('RollingOut', 'False', 'RolloutInLine');
    const { shown } = fleet({
      clusters: [cluster('a', { phase: 'Reconciling', update, conditions: [waits] })],
      turns: () => ({ held: 8, inLine: 3, longestWaitMs: 90_500 }),
    });
    expect(await shown('turn_places', 'turn_longest_wait_seconds')).to.deep.equal([
      'turn_places{state="held"} 8',
      'turn_places{state="inLine"} 3',
      'turn_longest_wait_seconds 90.5',
    ]);
    expect(await shown('cluster_update_since_timestamp_seconds')).to.deep.equal([]);
    expect(await shown('cluster_update_members')).to.have.length(2);
  });

  it('name a member that is silent or nearly full, and only count the others', async () => {
    const serving = { kind: 'serving', atMs: 0, viewAtMs: 0, view: [], digest: '' } as const;
    const silent = { kind: 'silent', sinceMs: 7_000, error: '', isInvalid: false } as const;
    const disk = (used: number) =>
      ({ isFresh: true, diskTotalBytes: 100, diskAvailBytes: 100 - used }) as FollowedMember['metrics'];
    const { shown } = fleet({
      members: [
        { clusterKey: 'team/a', name: 'a-0', answer: serving, metrics: disk(74) },
        { clusterKey: 'team/a', name: 'a-1', answer: serving, metrics: disk(75) },
        { clusterKey: 'team/a', name: 'a-2', answer: silent, metrics: undefined },
      ],
    });
    expect(await shown('members', 'member_silent_since_timestamp_seconds', 'member_disk_used_ratio')).to.deep.equal([
      'members{answer="serving"} 2',
      'members{answer="joining"} 0',
      'members{answer="silent"} 1',
      'members{answer="notAsked"} 0',
      'member_silent_since_timestamp_seconds{namespace="team",cluster="a",node="a-2"} 7',
      'member_disk_used_ratio{namespace="team",cluster="a",node="a-1"} 0.75',
    ]);
  });

  it('look at every cluster a few times in a scrape, however many there are', async () => {
    const looks = async (count: number): Promise<number> => {
      const clusters = Array.from({ length: count }, (_, index) =>
        index % 10 === 0 ? stalled(`c${index}`) : healthy(`c${index}`),
      );
      let seen = 0;
      let asked = 0;
      const { shown } = fleet({
        clusters: {
          *[Symbol.iterator]() {
            for (const one of clusters) {
              seen += 1;
              yield one;
            }
          },
        },
        failing: () => {
          asked += 1;
          return new Map();
        },
      });
      expect(await shown('clusters_stuck')).to.include(`clusters_stuck{problem="Stalled"} ${count / 10}`);
      expect(asked, 'asked which passes fail').to.be.at.most(3);
      return seen / count;
    };
    const few = await looks(10);
    expect(few).to.be.within(1, 7);
    expect(await looks(1_000)).to.equal(few);
  });
});

describe('the problems of a cluster', () => {
  it('include a blocked removal and data at risk, each with its own time', () => {
    const later = '2026-05-01T11:00:00Z';
    const found = problemsOf(
      cluster('a', {
        conditions: [condition('Ready', 'True', 'AllMembersReady'), condition('DataAtRisk', 'True', 'VolumeLost')],
        operation: {
          id: 'x',
          type: 'Remove',
          phase: 'Proving',
          specGeneration: 1,
          startedAt: SINCE,
          blocked: { reason: 'MemberSilent', message: '', since: later },
        },
      }),
    );
    expect(found).to.deep.equal([
      { kind: 'DataAtRisk', reason: 'VolumeLost', sinceMs: Date.parse(SINCE) },
      { kind: 'RemovalBlocked', reason: 'MemberSilent', sinceMs: Date.parse(later) },
    ]);
  });

  it('include a size that can no longer follow the load, and exclude one that was just decided', () => {
    const sized = (reason: string) =>
      problemsOf(
        cluster('a', {
          conditions: [condition('Ready', 'True', 'AllMembersReady')],
          autoscale: { size: 8, reason, since: SINCE },
        }),
      );
    for (const reason of ['AtMaxNodes', 'NoLoadSignal'])
      expect(sized(reason)).to.deep.equal([{ kind: 'SizeLimited', reason, sinceMs: Date.parse(SINCE) }]);
    for (const reason of ['LoadAboveTarget', 'AtMinNodes', 'AutoscaleBegun']) expect(sized(reason)).to.deep.equal([]);
  });

  it('begin with its creation while it has no status', () => {
    expect(problemsOf(cluster('a', undefined))).to.deep.equal([
      { kind: 'NotReady', reason: 'NotObserved', sinceMs: Date.parse(SINCE) },
    ]);
  });

  it('are only about its deletion while it is being deleted', () => {
    const deletionTimestamp = '2026-05-01T12:00:00Z';
    const going = { ...stalled('a'), metadata: { ...stalled('a').metadata, deletionTimestamp } };
    expect(problemsOf(going)).to.deep.equal([
      { kind: 'NotReady', reason: 'Deleting', sinceMs: Date.parse(deletionTimestamp) },
    ]);
  });

  it('include failing passes, also when the status says that all is well', () => {
    expect(problemsOf(healthy('a'), { reason: 'timeout', sinceMs: 9 })).to.deep.equal([
      { kind: 'PassFailing', reason: 'timeout', sinceMs: 9 },
    ]);
  });
});
