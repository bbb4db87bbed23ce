// Which node is replaced because its host is drained and its volume cannot move, when, what prevents it, and how it
// ends: each row changes one thing.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  type ClusterObservation,
  chooseCandidate,
  type HostFinding,
  type NodeRecord,
  planCluster,
  removalBasis,
} from '../../src/index.ts';
import {
  CREATED_MS,
  freshNode,
  joining,
  NOW_MS,
  node,
  nodes,
  observation,
  pod,
  sealed,
  sealedPod,
  serving,
  silent,
  views,
  withNode,
} from '../support/builders.ts';
import { factsOfAll } from '../support/facts.ts';

const BOUND: HostFinding = {
  host: 'host-2',
  state: 'ready',
  awayForMs: 0,
  volume: 'bound',
  unknown: undefined,
  otherHosts: 0,
};
const WISH = { replaceOnDrain: true };
const four = nodes(4);

type Change = NonNullable<Parameters<typeof observation>[0]>;

/** host-2, under demo-2 of four, was cordoned a second ago, and the volume of demo-2 is a disk of it. */
const drained = ({ cluster, ...rest }: Change = {}): ClusterObservation =>
  observation({
    nodes: four,
    facts: factsOfAll([0, 1, 2, 3]),
    drainedHosts: new Map([['host-2', NOW_MS - 1_000]]),
    hostFindings: new Map([['node-uid-2', BOUND]]),
    ...rest,
    cluster: { highestNodeId: 3, ...cluster, spec: { nodes: 4, hosts: WISH, ...cluster?.spec } },
  });
const marks = (o: ClusterObservation) => planCluster(o).steps.filter(({ kind }) => kind === 'markHostDrained');
const unmarks = (o: ClusterObservation) => planCluster(o).steps.filter(({ kind }) => kind === 'unmarkHostDrained');
const said = (o: ClusterObservation) =>
  planCluster(o)
    .holds.filter(({ reason }) => reason === 'HostDraining' || reason === 'HostsNotReadable')
    .map(({ message }) => message);

describe('a member whose volume is a disk of a host that is being drained', () => {
  it('is marked for replacement, with the host', () => {
    expect(marks(drained())).to.deep.equal([{ kind: 'markHostDrained', node: four[2], host: 'host-2' }]);
  });

  it('is marked one at a time: of two on such hosts the lower id', () => {
    const o = drained({
      drainedHosts: new Map([
        ['host-1', NOW_MS - 1_000],
        ['host-2', NOW_MS - 1_000],
      ]),
      hostFindings: new Map([
        ['node-uid-1', { ...BOUND, host: 'host-1' }],
        ['node-uid-2', BOUND],
      ]),
    });
    expect(marks(o).map((step) => 'node' in step && step.node.name)).to.deep.equal(['demo-1']);
    const going = { ...o, nodes: withNode(four, 1, { hostDrained: 'host-1' }) };
    expect(marks(going)).to.deep.equal([]);
    expect(said(going).at(-1)).to.match(/^demo-2 stays on host host-2.*: demo-1 is replaced first$/);
  });

  const STAYS: readonly (readonly [string, Change, RegExp | undefined])[] = [
    ['nobody wants it to be replaced', { cluster: { spec: { hosts: {} } } }, /its volume can be on no other$/],
    ['nobody wants members to be moved', { cluster: { spec: { hosts: { ...WISH, moveOnDrain: false } } } }, undefined],
    ['nobody drains its host', { drainedHosts: new Map([['host-9', NOW_MS]]) }, undefined],
    ['it was put there while the host was drained', { drainedHosts: new Map([['host-2', CREATED_MS]]) }, undefined],
    ['nothing is known of its volume yet', { hostFindings: new Map() }, undefined],
    ['it can be moved', { hostFindings: new Map([['node-uid-2', { ...BOUND, volume: 'movable' }]]) }, undefined],
    [
      'nothing can be known of its volume',
      { hostFindings: new Map([['node-uid-2', { ...BOUND, volume: 'unknown', unknown: 'no answer' }]]) },
      /where else its volume can be is not known: no answer$/,
    ],
    ['hosts cannot be seen', { drainsSeen: 'forbidden' }, /replaces nobody: the operator may not watch Nodes$/],
    [
      'there is one copy of everything',
      { nodes: four.map((one) => ({ ...one, replicationFactor: 1 })) },
      /with replicationFactor 1 nobody else has what it holds$/,
    ],
    ['another node is going', { nodes: withNode(four, 0, { isDeleting: true }) }, /demo-0 is replaced first$/],
    ['another member is down', { nodes: withNode(four, 0, { answer: joining }) }, /demo-0 is not up$/],
    ['it does not answer itself', { nodes: withNode(four, 2, { answer: silent }) }, /demo-2 is not up$/],
    [
      'an operation is under way',
      {
        cluster: {
          operation: {
            id: '0-x',
            type: 'Remove',
            target: { name: 'demo-0', uid: 'node-uid-0', nodeId: 0 },
            specGeneration: 1,
            phase: 'Isolating',
            startedAt: new Date(NOW_MS).toISOString(),
          },
        },
      },
      /operation 0-x is under way$/,
    ],
    ['all are to be stopped', { cluster: { spec: { hibernated: true } } }, /all members are to be stopped$/],
    ['nodes are to be added', { cluster: { spec: { nodes: 5 } } }, /nodes are added first$/],
    ['nodes are too many', { cluster: { spec: { nodes: 3 } } }, /nodes that are too many go first$/],
    ['its cluster is paused', { cluster: { spec: { paused: true } } }, undefined],
  ];
  for (const [why, change, message] of STAYS)
    it(`stays while ${why}`, () => {
      const o = drained(change);
      expect(marks(o)).to.deep.equal([]);
      if (message === undefined) expect(said(o)).to.deep.equal([]);
      else expect(said(o).join()).to.match(message);
    });

  it('waits until another member that can move has moved', () => {
    const o = drained({
      drainedHosts: new Map([
        ['host-1', NOW_MS - 1_000],
        ['host-2', NOW_MS - 1_000],
      ]),
      hostFindings: new Map([
        ['node-uid-1', { ...BOUND, host: 'host-1', volume: 'movable' }],
        ['node-uid-2', BOUND],
      ]),
    });
    expect(marks(o)).to.deep.equal([]);
    expect(planCluster(o).removal.operation?.roll?.name).to.equal('demo-1');
  });
});

describe('a member that is replaced for its host', () => {
  const withFifth = (fifth: Partial<NodeRecord>, own: Partial<NodeRecord> = {}) => {
    const list = nodes(5).map((one) => (one.id === 2 ? { ...one, hostDrained: 'host-2', ...own } : one));
    return [...list.slice(0, 4), { ...node(4, { answer: serving(views(5)) }), ...fifth }];
  };
  const marked = (change: Change = {}, own: Partial<NodeRecord> = {}) =>
    drained({ nodes: withNode(four, 2, { hostDrained: 'host-2', ...own }), ...change });
  const joined = (change: Change = {}, own: Partial<NodeRecord> = {}) =>
    drained({ nodes: withFifth({}, own), facts: factsOfAll([0, 1, 2, 3, 4]), ...change });

  it('gets a replacement with that reason, and is no surplus before the replacement is there', () => {
    expect(planCluster(marked()).steps).to.deep.include({ kind: 'createNode', id: 4, why: 'HostDrained' });
    const growing = marked({ nodes: withFifth(freshNode(4)) });
    expect(planCluster(growing).steps.filter(({ kind }) => kind === 'createNode')).to.deep.equal([]);
    expect(chooseCandidate(growing, 4).candidate).to.equal(undefined);
    expect(said(growing)).to.deep.equal([
      'demo-2 is replaced: its host host-2 is being drained, and its volume can be on no other',
    ]);
  });

  it('is removed as surplus, by proof, once the replacement is Active', () => {
    const { candidate } = chooseCandidate(joined(), 4);
    expect([candidate?.node.name, candidate?.type, candidate?.basis]).to.deep.equal(['demo-2', 'Remove', 'Proof']);
    expect(candidate?.chosen).to.match(/^its host host-2 is being drained/);
  });

  it('is never removed without proof, also when nothing of it runs any more', () => {
    const gone = joined({}, { pod: undefined, answer: silent });
    expect(removalBasis(gone, gone.nodes[2] as NodeRecord)).to.equal('Proof');
  });

  it('is no longer replaced when the host takes Pods again', () => {
    const o = marked({ drainedHosts: new Map() });
    expect(unmarks(o)).to.deep.equal([{ kind: 'unmarkHostDrained', node: o.nodes[2], host: 'host-2' }]);
  });

  it('is not removed in the pass that removes its mark', () => {
    expect(chooseCandidate(joined({ drainedHosts: new Map() }), 4).candidate).to.equal(undefined);
  });

  const ENDS: readonly (readonly [string, Change, Partial<NodeRecord>, boolean])[] = [
    ['as long as the host is drained', {}, {}, false],
    ['while this process has yet to hear of hosts', { drainedHosts: new Map(), drainsSeen: 'notYet' }, {}, false],
    ['when hosts cannot be seen any more', { drainsSeen: 'forbidden' }, {}, true],
    ['when nobody wants it any more', { cluster: { spec: { hosts: {} } } }, {}, true],
    ['when its Pod is on another host', {}, { pod: pod(2, { hostName: 'host-7' }) }, true],
    ['when it is silent: its host may be gone', { drainedHosts: new Map() }, { answer: silent }, false],
    [
      'when it answers behind its closed door',
      { drainedHosts: new Map() },
      { answer: sealed, pod: sealedPod(2) },
      true,
    ],
    ['when a person has deleted it', { drainedHosts: new Map() }, { isDeleting: true }, false],
    ['when its host was lost', { drainedHosts: new Map() }, { hostLost: 'host-2' }, false],
  ];
  for (const [when, change, own, isTaken] of ENDS)
    it(`${isTaken ? 'is no longer replaced' : 'stays marked'} ${when}`, () => {
      expect(unmarks(marked(change, own)).length).to.equal(isTaken ? 1 : 0);
    });

  it('that is told to leave has no deadline while no host takes its Pod, and one again when its own does', () => {
    const leaving = {
      intent: 'Leaving',
      serving: false,
      removalMark: '2-x',
      pod: pod(2, { isLeaving: true, labels: {} }),
    } as const;
    const operation = {
      id: '2-x',
      type: 'Remove',
      basis: 'Proof',
      target: { name: 'demo-2', uid: 'node-uid-2', nodeId: 2 },
      specGeneration: 1,
      phase: 'Isolating',
      startedAt: new Date(NOW_MS - 4_000_000).toISOString(),
    } as const;
    const phase = (own: Partial<NodeRecord>) =>
      planCluster(joined({ cluster: { operation } }, { ...leaving, ...own })).removal.operation?.phase;
    expect(phase({})).to.not.equal('Cancelling');
    expect(phase({ hostDrained: undefined })).to.equal('Cancelling');
  });

  it('that is being removed is given up by that when its host is lost, and not a moment before', () => {
    const operation = {
      id: '2-x',
      type: 'Remove',
      basis: 'Proof',
      target: { name: 'demo-2', uid: 'node-uid-2', nodeId: 2 },
      specGeneration: 1,
      phase: 'Isolating',
      startedAt: new Date(NOW_MS - 60_000).toISOString(),
    } as const;
    const away = { answer: { ...silent, sinceMs: NOW_MS - 60_000 }, pod: pod(2, { isReady: false, isLeaving: true }) };
    const plan = (
      awayForMs: number,
      more: Partial<NodeRecord> = {},
      phase: 'Isolating' | 'Cancelling' = 'Isolating',
    ) => {
      const finding: HostFinding = { ...BOUND, state: 'gone', awayForMs };
      const hostFindings = new Map([['node-uid-2', finding]]);
      const own = { intent: 'Leaving', serving: false, removalMark: '2-x', ...away, ...more } as const;
      const cluster = { operation: { ...operation, phase } };
      return planCluster(joined({ cluster, hostFindings, drainedHosts: new Map() }, own)).removal;
    };
    expect(plan(30_000).operation).to.deep.include({ phase: 'Cancelling' });
    expect(plan(30_000).operation?.cancel?.reason).to.equal('HostLost');
    expect(plan(29_999).operation?.phase).to.equal('Isolating');
    expect(plan(30_000, { hostDrained: undefined }).operation?.phase, 'any other removal').to.equal('Isolating');
    const lost = plan(30_000, { hostLost: 'host-2' });
    expect(lost.operation?.cancel, 'one that goes as a lost one').to.equal(undefined);
    expect(plan(30_000, {}, 'Cancelling').ended?.outcome).to.equal('Cancelled');
    expect(plan(29_999, {}, 'Cancelling').ended).to.equal(undefined);
  });

  it('is removed as one with a lost host when its host is lost before it has gone', () => {
    const away = { answer: { ...silent, sinceMs: NOW_MS - 60_000 }, pod: pod(2, { isReady: false }), wasActive: true };
    const left = [0, 1, 3, 4].map((id) => node(id, { answer: serving(views(5).filter((one) => one.id !== 2)) }));
    const list = [...left, node(2, { hostDrained: 'host-2', ...away })].sort((a, b) => a.id - b.id);
    const finding: HostFinding = { ...BOUND, state: 'gone', awayForMs: 60_000 };
    const o = drained({ nodes: list, drainedHosts: new Map(), hostFindings: new Map([['node-uid-2', finding]]) });
    expect(planCluster(o).steps.filter(({ kind }) => kind === 'markHostLost')).to.have.lengthOf(1);
  });
});
