// Which member is moved off a host that is being drained, when, and how its turn ends: each row changes one thing.

import type { Operation } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type ClusterObservation, type HostFinding, type NodeRecord, planCluster, planNode } from '../../src/index.ts';
import {
  CREATED_MS,
  HASH,
  joining,
  NOW_MS,
  node,
  nodeObservation,
  nodes,
  observation,
  pod,
  serving,
  views,
  withNode,
} from '../support/builders.ts';
import { factsOf, factsOfAll } from '../support/facts.ts';

const MOVABLE: HostFinding = {
  host: 'host-2',
  state: 'ready',
  awayForMs: 0,
  volume: 'movable',
  unknown: undefined,
  otherHosts: 0,
};
const four = nodes(4);
const ROLL = {
  name: 'demo-2',
  uid: 'node-uid-2',
  nodeId: 2,
  podUID: 'pod-uid-2',
  pvcUID: 'volume-uid-2',
  previous: HASH,
  leaves: 'host-2',
};
const TURN: Operation = {
  id: '2-x',
  type: 'Roll',
  roll: ROLL,
  specGeneration: 1,
  phase: 'Isolating',
  startedAt: new Date(NOW_MS - 3_000).toISOString(),
};

type Change = NonNullable<Parameters<typeof observation>[0]>;

/** host-2, under demo-2 of four, was cordoned a second ago. */
const drained = ({ cluster, ...rest }: Change = {}): ClusterObservation =>
  observation({
    nodes: four,
    facts: factsOfAll([0, 1, 2, 3]),
    drainedHosts: new Map([['host-2', NOW_MS - 1_000]]),
    hostFindings: new Map([['node-uid-2', MOVABLE]]),
    ...rest,
    cluster: { ...cluster, spec: { nodes: 4, ...cluster?.spec } },
  });
const turnOf = (o: ClusterObservation) => planCluster(o).removal.operation;

describe('a member on a host that is being drained', () => {
  it('gets a turn with the template that it has', () => {
    expect(turnOf(drained())).to.deep.include({
      type: 'Roll',
      phase: 'Claimed',
      chosen: 'its host host-2 is being drained',
      roll: ROLL,
    });
  });

  const STAYS: readonly (readonly [string, Change])[] = [
    ['nobody drains its host', { drainedHosts: new Map([['host-9', NOW_MS]]) }],
    [
      'its volume can be on no other host',
      { hostFindings: new Map([['node-uid-2', { ...MOVABLE, volume: 'bound' }]]) },
    ],
    ['nothing is known of its volume', { hostFindings: new Map() }],
    ['it was put there while the host was drained', { drainedHosts: new Map([['host-2', CREATED_MS]]) }],
    ['nobody wants members to be moved', { cluster: { spec: { hosts: { moveOnDrain: false } } } }],
    ['its cluster is paused', { cluster: { spec: { paused: true } } }],
    ['another member is down', { nodes: withNode(four, 0, { answer: joining }) }],
    ['another node is going', { nodes: withNode(four, 0, { isDeleting: true }) }],
    ['its own node is going', { nodes: withNode(four, 2, { isDeleting: true }) }],
  ];
  for (const [why, change] of STAYS)
    it(`stays while ${why}`, () => {
      expect(turnOf(drained(change))?.roll).to.equal(undefined);
    });

  it('is reported when its volume can be on no other host, which does not affect readiness', () => {
    const bound = drained({ hostFindings: new Map([['node-uid-2', { ...MOVABLE, volume: 'bound' }]]) });
    expect(planCluster(bound).holds).to.deep.equal([
      {
        reason: 'HostDraining',
        message: 'demo-2 stays on host host-2, which is being drained: its volume can be on no other',
        needsPerson: false,
      },
    ]);
  });

  it('is restarted before a member that only has an older template', () => {
    const update = { revision: 'bbbbbbbbbbbbbbbb', previous: HASH, updated: 0, total: 4 };
    const o = drained({ cluster: { templateHash: 'bbbbbbbbbbbbbbbb', update } });
    expect(planCluster({ ...o, revisions: o.revisions }).removal.operation?.roll?.name).to.equal('demo-2');
  });
});

describe('the turn of a member that is moved', () => {
  const inTurn = (own: Partial<NodeRecord>, change: Change = {}) =>
    drained({
      nodes: withNode(four, 2, own),
      ...change,
      cluster: { operation: TURN, ...change.cluster },
    });
  const back = (hostName: string) =>
    node(2, { pod: pod(2, { uid: 'new', hostName }), removalMark: TURN.id, serving: false, answer: serving(views(4)) });

  it('begins by isolating the member', () => {
    expect(planCluster(inTurn({})).removal.steps.map(({ kind }) => kind)).to.deep.equal(['isolate']);
  });

  it('ends when the host is no longer drained and nothing was done', () => {
    const { ended, steps } = planCluster(inTurn({}, { drainedHosts: new Map() })).removal;
    expect([ended?.outcome, steps]).to.deep.equal(['Cancelled', []]);
  });

  it('is taken back when the host is no longer drained and the member was told to leave', () => {
    const leaving = { intent: 'Leaving', removalMark: TURN.id, serving: false } as const;
    expect(turnOf(inTurn(leaving, { drainedHosts: new Map() }))).to.deep.include({ phase: 'Cancelling' });
  });

  it('goes on while a process that has just started knows nothing about hosts yet', () => {
    const unheard = { drainedHosts: new Map(), drainsSeen: 'notYet' } as const;
    expect(planCluster(inTurn({}, unheard)).removal.steps.map(({ kind }) => kind)).to.deep.equal(['isolate']);
    const leaving = { intent: 'Leaving', removalMark: TURN.id, serving: false } as const;
    expect(turnOf(inTurn(leaving, unheard))?.phase).to.not.equal('Cancelling');
  });

  it('lets clients in to the member again on its new host', () => {
    const others = factsOfAll([0, 1, 2, 3]).filter(({ nodeId }) => nodeId !== 2);
    const facts = [...others, factsOf(2, { ids: [0, 1, 2, 3], podUid: 'new' })];
    expect(planCluster(inTurn(back('host-9'), { facts })).removal.steps.map(({ kind }) => kind)).to.deep.equal([
      'endRestart',
    ]);
  });

  it('waits for a host without stopping the update when no host takes the Pod', () => {
    const unplaced = pod(2, {
      uid: 'new',
      hostName: undefined,
      isReady: false,
      phase: 'Pending',
      unschedulable: 'no host',
      createdAtMs: NOW_MS - 3_600_000,
    });
    const { operation, stopped } = planCluster(inTurn({ ...back('x'), pod: unplaced, answer: joining })).removal;
    expect([operation?.phase, stopped]).to.deep.equal(['Restarting', undefined]);
  });

  it('lets the node controller replace the Pod once, with the template that it has', () => {
    const own = node(2, { removalMark: TURN.id, serving: false, pod: pod(2, { labels: {} }) });
    const siblings = four.map((one) => (one.id === 2 ? own : one));
    const o = nodeObservation(own, { siblings, operation: { ...TURN, phase: 'Restarting' }, wantedPodLabels: {} });
    expect(planNode(o).step).to.deep.include({ kind: 'deletePod', why: 'HostDraining' });
    const gone = { ...own, pod: pod(2, { uid: 'new', labels: {} }) };
    const after = nodeObservation(gone, { siblings, operation: { ...TURN, phase: 'Restarting' }, wantedPodLabels: {} });
    expect(planNode(after).step).to.equal(undefined);
  });
});
