// A pass over a large cluster must cost next to nothing, also while one of its members is removed. Limits are a fifth
// above what was counted: every member shows a list of 50 members, so that going through all of them once more costs
// 2,500 reads of each property. As in the operator, the input is the same from one pass to the next except for the
// facts, which are made anew around lists that stay.

import type { Operation } from '@marekvs/api';
import { describe } from 'mocha';
import { type ClusterObservation, type ClusterPlan, type NodeRecord, planCluster, planNode } from '../src/index.ts';
import { MONOTONIC_MS, NOW_MS, node, nodeObservation, nodes, observation, sealedNode } from './support/builders.ts';
import { itReads } from './support/cost.ts';
import { proof } from './support/departing.ts';
import { behindDoor, closed, drained, factsOfAll, type Shown } from './support/facts.ts';
import { OPERATION, record } from './support/removing.ts';
import { compared } from './support/reports.ts';

describe('the planner', () => {
  const fifty = nodes(50);
  const still = observation({ nodes: fifty, cluster: { spec: { nodes: 50 }, highestNodeId: 49 } });
  itReads('plans a cluster of 50 nodes', {
    mostReads: 62_000,
    run: planCluster,
    inputOf: () => still,
    isReached: ({ removal, steps }) => removal.operation === undefined && steps.length === 0,
  });

  const own = fifty[25];
  if (own === undefined) throw new Error('no node 25');
  const one = nodeObservation(own, { siblings: fifty });
  itReads('plans one node of 50', {
    mostReads: 220,
    run: planNode,
    inputOf: () => one,
    isReached: ({ step, hold }) => step === undefined && hold === undefined,
  });
});

const IDS = Array.from({ length: 50 }, (_, id) => id);
const LEFT = IDS.slice(0, 49);
const TARGET = { name: 'demo-49', uid: 'node-uid-49', nodeId: 49, podUID: 'pod-uid-49', pvcUID: 'volume-uid-49' };

interface Moment {
  readonly ids?: readonly number[];
  readonly leavingId?: number;
  readonly operation?: Operation;
  readonly differs?: Readonly<Record<number, Shown>>;
}

/** 49 of these members are wanted. Each shows a list object of its own, the same in its answer and in its facts. */
function moment({ ids = IDS, leavingId = -1, operation, differs = {} }: Moment): ClusterObservation {
  const digest = '00000000000000aa';
  const views = new Map(ids.map((id) => [id, leavingId < 0 ? drained(ids, -1) : closed(ids, leavingId)]));
  const viewOf = (id: number) => views.get(id) ?? [];
  const records = ids.map((id): NodeRecord => {
    const answer = { kind: 'serving', atMs: NOW_MS, viewAtMs: MONOTONIC_MS, view: viewOf(id), digest } as const;
    return id === leavingId ? sealedNode(id, { removalMark: OPERATION }) : node(id, { answer });
  });
  const shown = (id: number) => (id === leavingId ? behindDoor(id) : { view: viewOf(id), digest });
  const own = Object.fromEntries(ids.map((id) => [id, { ...shown(id), ...differs[id] }]));
  return observation({
    nodes: records,
    volumes: records.flatMap(({ volume }) => volume ?? []),
    cluster: { spec: { nodes: 49 }, operation, highestNodeId: 49 },
    facts: factsOfAll(ids, {}, own),
  });
}

describe('a pass while one of 50 nodes is removed', () => {
  const proving = { leavingId: 49, operation: record('Proving', { target: TARGET }) };
  const generations = Object.fromEntries(IDS.map((id) => [String(id), String(id)]));
  const settling = record('Settling', { target: TARGET, proof: { pre: { ...proof(), generations } } });
  const lonely = { 3: { meshPeers: 1 } };
  const table: readonly [string, number, ClusterObservation, (plan: ClusterPlan) => boolean][] = [
    ['claims', 67_000, moment({}), ({ removal }) => removal.operation?.phase === 'Claimed'],
    [
      'waits to claim while one member lacks its mesh',
      84_000,
      moment({ differs: lonely }),
      ({ removal }) => removal.waits?.reason === 'MeshIncomplete',
    ],
    ['compares', 108_000, moment(proving), ({ contents }) => contents?.purpose === 'removal'],
    ['proves', 108_000, compared(moment(proving)), ({ removal }) => removal.operation?.proof?.pre !== undefined],
    [
      'settles',
      96_000,
      compared(moment({ ids: LEFT, operation: settling })),
      ({ removal }) => removal.ended?.outcome === 'Succeeded',
    ],
    [
      'cannot prove since one member lacks its mesh',
      108_000,
      moment({ ...proving, differs: lonely }),
      ({ removal }) => removal.waits?.reason === 'MeshIncomplete',
    ],
  ];
  for (const [title, mostReads, o, isReached] of table) {
    const inputOf = () => ({ ...o, facts: o.facts.map((entry) => ({ ...entry })) });
    itReads(title, { mostReads, run: planCluster, inputOf, isReached });
  }
});

describe('a pass at rest over 50 nodes', () => {
  const at = moment({ ids: LEFT });
  const o = { ...at, cluster: { ...at.cluster, spec: { ...at.cluster.spec, nodes: 49 } } };
  itReads('compares after a change', {
    mostReads: 68_000,
    run: planCluster,
    inputOf: () => o,
    isReached: ({ contents }) => contents?.purpose === 'change',
  });
  const { verification } = planCluster(compared(o));
  const known = { ...o, cluster: { ...o.cluster, verification } };
  itReads('knows that all is covered', {
    mostReads: 61_000,
    run: planCluster,
    inputOf: () => known,
    isReached: ({ contents }) => contents === undefined,
  });
});
