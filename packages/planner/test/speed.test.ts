// A pass over a large cluster must not be felt, also not while one of its members is removed: an undisturbed one of many, with
// a bound a slow machine keeps. What the operator hands over is the same from one pass to the next, but for the histories: these are made
// anew, around samples that stay.

import type { MarekvsClusterSpec, Operation } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  type AuditReport,
  type ClusterObservation,
  type ClusterPlan,
  canaryPartitions,
  type NodeRecord,
  planCluster,
  planNode,
} from '../src/index.ts';
import { MONOTONIC_MS, NOW_MS, node, nodeObservation, nodes, observation } from './support/builders.ts';
import { proof } from './support/departing.ts';
import { type Difference, drained, histories } from './support/histories.ts';
import { LEAVING, OPERATION, record } from './support/removing.ts';
import { timeOf, timingText } from './support/timing.ts';

/** The wish is under 1 ms; the bound leaves room for a shared machine. */
const BOUND_MS = 5;

function itTakes<I, R>(title: string, run: (input: I) => R, inputOf: () => I, isReached = (_: R) => true): void {
  it(`${title} in under ${BOUND_MS} ms`, function () {
    expect(isReached(run(inputOf()))).to.equal(true);
    const timing = timeOf(run, inputOf);
    if (this.test) this.test.title += ` (${timingText(timing)})`;
    expect(timing.undisturbedMs).to.be.below(BOUND_MS);
  });
}

describe('the planner', () => {
  const fifty = nodes(50);
  const still = observation({ nodes: fifty, cluster: { spec: { nodes: 50 }, highestNodeId: 49 } });
  itTakes('plans a cluster of 50 nodes', planCluster, () => still);

  const own = fifty[25];
  if (own === undefined) throw new Error('no node 25');
  const one = nodeObservation(own, { siblings: fifty });
  itTakes('plans one node of 50', planNode, () => one);
});

const IDS = Array.from({ length: 50 }, (_, id) => id);
const LEFT = IDS.slice(0, 49);
const TARGET = { name: 'demo-49', uid: 'node-uid-49', nodeId: 49, podUID: 'pod-uid-49', pvcUID: 'volume-uid-49' };
/** As many samples, as far apart, as the sampler keeps of a member of so large a cluster while an operation runs. */
const KEPT = { count: 180, intervalMs: 2_000 };

interface Moment {
  readonly ids?: readonly number[];
  readonly leavingId?: number;
  readonly operation?: Operation;
  readonly removal?: Partial<MarekvsClusterSpec['removal']>;
  readonly audit?: AuditReport;
  readonly differs?: Readonly<Record<number, Difference>>;
}

/** 49 of these members are wanted. Each shows a list of its own, the same in its answer and in all of its samples. */
function moment({ ids = IDS, leavingId = -1, operation, removal, audit, differs = {} }: Moment): ClusterObservation {
  const digest = '00000000000000aa';
  const views = new Map(ids.map((id) => [id, drained(ids, leavingId)]));
  const viewOf = (id: number) => views.get(id) ?? [];
  const records = ids.map((id): NodeRecord => {
    const answer = { kind: 'serving', atMs: NOW_MS, viewAtMs: MONOTONIC_MS, view: viewOf(id), digest } as const;
    return node(id, { answer, ...(id === leavingId ? LEAVING : {}) });
  });
  const samples = histories(ids, KEPT, differs).map((entry) => ({
    ...entry,
    samples: entry.samples.map((sample) => ({ ...sample, view: viewOf(entry.nodeId), viewDigest: digest })),
  }));
  return observation({
    nodes: records,
    volumes: records.flatMap(({ volume }) => volume ?? []),
    cluster: {
      spec: {
        nodes: 49,
        removal: { proof: 'Strict', audit: true, deadlineSeconds: 1_800, ...removal },
      },
      operation,
      highestNodeId: 49,
    },
    samples,
    audit,
  });
}

function readEverywhere(): AuditReport {
  return {
    request: {
      operationId: OPERATION,
      kind: 'readBefore',
      replicationFactor: 2,
      targetId: 49,
      members: IDS.map((id) => ({ nodeId: id, podUid: `pod-uid-${id}`, ip: `10.0.0.${id + 1}` })),
      partitions: canaryPartitions(IDS, 2, 49),
    },
    state: 'complete',
    doneAtMs: MONOTONIC_MS - 40_000,
    missing: [],
    missingCount: 0,
    error: undefined,
  };
}

/** It repairs a record a second. */
const repairing: Difference = (agoMs) => ({ repairs: 5_000 - agoMs / 1_000 });

describe('a pass while one of 50 nodes is removed', () => {
  const proving = { leavingId: 49, operation: record('Proving', { target: TARGET }), audit: readEverywhere() };
  const generations = Object.fromEntries(IDS.map((id) => [String(id), String(id)]));
  const settling = record('Settling', { target: TARGET, proof: { pre: { ...proof(), generations } } });
  const isRepaired = ({ removal }: ClusterPlan) => removal.waits?.reason === 'MemberNotQuiet';
  const table: readonly [string, Moment, (plan: ClusterPlan) => boolean][] = [
    ['claims', {}, ({ removal }) => removal.operation?.phase === 'Claimed'],
    ['waits to claim while one member repairs', { differs: { 3: repairing } }, isRepaired],
    ['proves', proving, ({ removal }) => removal.operation?.proof?.pre !== undefined],
    [
      'settles',
      { ids: LEFT, operation: settling, removal: { audit: false } },
      ({ removal }) => removal.ended?.outcome === 'Succeeded',
    ],
    ['cannot prove since one member repairs', { ...proving, differs: { 3: repairing } }, isRepaired],
  ];
  for (const [title, change, isReached] of table) {
    const o = moment(change);
    const anew = () => ({ ...o, samples: o.samples.map((entry) => ({ ...entry })) });
    itTakes(title, planCluster, anew, isReached);
  }
});
