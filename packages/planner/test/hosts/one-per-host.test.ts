// One member on every selected host: which size follows from which hosts, when, and what becomes of a member on a host
// that is not selected. Each row changes one thing.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { ClusterObservation, NodeRecord, SelectedHost } from '../../src/index.ts';
import { areHostsFewer, leavingMembers, planCluster } from '../../src/index.ts';
import { freshPod, NOW_MS, node, nodes, observation, pod } from '../support/builders.ts';
import { factsOfAll } from '../support/facts.ts';

const OK: SelectedHost = { isReady: true, isCordoned: false, taints: [] };
const RULE = { nodeSelector: { pool: 'db' } };
const TAINT = { key: 'dedicated', value: 'db', effect: 'NoSchedule' };

type Change = NonNullable<Parameters<typeof observation>[0]>;
type Hosts = Readonly<Record<string, Partial<SelectedHost>>>;

function selected(hosts: Hosts): ClusterObservation['selectedHosts'] {
  return { kind: 'known', hosts: new Map(Object.entries(hosts).map(([name, one]) => [name, { ...OK, ...one }])) };
}

function named(count: number, more: Hosts = {}): Hosts {
  return { ...Object.fromEntries(Array.from({ length: count }, (_, index) => [`host-${index}`, {}])), ...more };
}

/** Five members on host-0 to host-4, which are all selected hosts; the decided size is five. */
function five({ cluster, ...rest }: Change = {}, rule: object = {}, decided: object = {}): ClusterObservation {
  const spec = { nodes: 3, ...cluster?.spec, hosts: { onePerHost: { ...RULE, ...rule } } };
  const autoscale = { size: 5, nodes: 3, reason: 'SizedByHosts', since: new Date(NOW_MS - 90_000).toISOString() };
  return observation({
    nodes: nodes(5),
    facts: factsOfAll([0, 1, 2, 3, 4]),
    selectedHosts: selected(named(5)),
    ...rest,
    cluster: { autoscale: { ...autoscale, ...decided }, ...cluster, spec },
  });
}

const on = (id: number, hostName: string | undefined): NodeRecord => ({
  ...(nodes(5)[id] ?? node(id)),
  pod: hostName === undefined ? freshPod(id) : pod(id, { hostName }),
});
const withPods = (...pods: readonly NodeRecord[]): readonly NodeRecord[] =>
  nodes(5).map((one) => pods.find(({ id }) => id === one.id) ?? one);
const sizeOf = (o: ClusterObservation) => {
  const { autoscale } = planCluster(o);
  return autoscale.isDecided ? autoscale.status?.size : undefined;
};
const reasonsOf = (o: ClusterObservation) => planCluster(o).holds.map(({ reason }) => reason);

describe('the size by hosts', () => {
  it('stays while there are as many hosts as nodes', () => {
    expect([sizeOf(five()), areHostsFewer(five()), reasonsOf(five())]).to.deep.equal([undefined, false, []]);
  });

  const UP: readonly (readonly [string, number | undefined, ClusterObservation])[] = [
    ['another host is selected', 6, five({ selectedHosts: selected(named(6)) })],
    ['two others are', 7, five({ selectedHosts: selected(named(7)) })],
    [
      'the other one is not ready',
      undefined,
      five({ selectedHosts: selected(named(5, { 'host-5': { isReady: false } })) }),
    ],
    [
      'the other one is cordoned',
      undefined,
      five({ selectedHosts: selected(named(5, { 'host-5': { isCordoned: true } })) }),
    ],
    [
      'the other one has a taint',
      undefined,
      five({ selectedHosts: selected(named(5, { 'host-5': { taints: [TAINT] } })) }),
    ],
    [
      'the other one has a taint that members tolerate',
      6,
      five({
        selectedHosts: selected(named(5, { 'host-5': { taints: [TAINT] } })),
        cluster: { spec: { tolerations: [{ key: 'dedicated', operator: 'Exists' }] } },
      }),
    ],
    [
      'the other one has a taint that says only that others are better',
      6,
      five({ selectedHosts: selected(named(5, { 'host-5': { taints: [{ ...TAINT, effect: 'PreferNoSchedule' }] } })) }),
    ],
    ['no more are allowed', undefined, five({ selectedHosts: selected(named(7)) }, { maxNodes: 5 })],
    ['one more is allowed', 6, five({ selectedHosts: selected(named(7)) }, { maxNodes: 6 })],
    ['nothing is known of hosts', undefined, five({ selectedHosts: undefined })],
  ];
  for (const [when, size, o] of UP)
    it(`${size === undefined ? 'does not grow' : `grows to ${size} at once`} when ${when}`, () => {
      expect(sizeOf(o)).to.equal(size);
    });

  it('is stored before a node is created for it', () => {
    const o = five({ selectedHosts: selected(named(6)) });
    const plan = planCluster(o);
    expect([plan.autoscale.isDecided, plan.autoscale.status?.message]).to.deep.equal([
      true,
      '6 hosts have pool=db: 6 nodes',
    ]);
  });

  it('is at first no smaller than the number of nodes', () => {
    const o = five({ selectedHosts: selected(named(4)), cluster: { autoscale: undefined, sizeBefore: 5 } });
    expect(sizeOf(o)).to.equal(5);
  });

  const DOWN: readonly (readonly [string, number | undefined, ClusterObservation])[] = [
    ['a host has gone for 30 s', 4, five({ selectedHosts: selected(named(4)), fewerHostsForMs: 30_000 })],
    ['a host has gone for less', undefined, five({ selectedHosts: selected(named(4)), fewerHostsForMs: 29_999 })],
    ['two have gone', 3, five({ selectedHosts: selected(named(3)), fewerHostsForMs: 30_000 })],
    ['fewer than the floor are left', 3, five({ selectedHosts: selected(named(1)), fewerHostsForMs: 30_000 })],
    [
      'fewer than minNodes are left',
      4,
      five({ selectedHosts: selected(named(3)), fewerHostsForMs: 30_000 }, { minNodes: 4 }),
    ],
    ['no host is left', undefined, five({ selectedHosts: selected({}), fewerHostsForMs: 90_000 })],
    [
      'one with a member is cordoned',
      undefined,
      five({ selectedHosts: selected(named(5, { 'host-2': { isCordoned: true } })), fewerHostsForMs: 90_000 }),
    ],
    [
      'one with a member is not ready',
      undefined,
      five({ selectedHosts: selected(named(5, { 'host-2': { isReady: false } })), fewerHostsForMs: 90_000 }),
    ],
    [
      'the member of one that is cordoned waits for it',
      undefined,
      five({
        nodes: withPods(on(2, undefined)),
        selectedHosts: selected(named(5, { 'host-2': { isCordoned: true } })),
        fewerHostsForMs: 90_000,
      }),
    ],
    [
      'the member of one that is cordoned shares another one meanwhile',
      undefined,
      five({
        nodes: withPods(on(2, 'host-1')),
        selectedHosts: selected(named(5, { 'host-2': { isCordoned: true } })),
        fewerHostsForMs: 90_000,
      }),
    ],
    [
      'one is lost, and its member is being replaced',
      4,
      five({
        nodes: withPods(node(2, { hostLost: 'host-2', pod: undefined })),
        selectedHosts: selected(named(5, { 'host-2': { isReady: false } })),
        fewerHostsForMs: 30_000,
      }),
    ],
  ];
  for (const [when, size, o] of DOWN)
    it(`${size === undefined ? 'does not shrink' : `shrinks to ${size}`} when ${when}`, () => {
      expect(sizeOf(o)).to.equal(size);
    });

  const SAID: readonly (readonly [string, string, ClusterObservation])[] = [
    ['no host has the labels', 'NoHostMatches', five({ selectedHosts: selected({}) })],
    [
      'no host with the labels takes a member',
      'NoHostMatches',
      five({
        nodes: nodes(5).map(({ id }) => on(id, undefined)),
        selectedHosts: selected({ 'host-0': { isReady: false } }),
      }),
    ],
    ['fewer hosts than the floor have them', 'FewHosts', five({ selectedHosts: selected(named(2)) })],
    ['they cannot be read', 'HostsNotReadable', five({ selectedHosts: { kind: 'unknown', why: 'nobody may' } })],
  ];
  for (const [when, reason, o] of SAID)
    it(`leads to ${reason} when ${when}`, () => {
      expect(reasonsOf(o)).to.include(reason);
    });
});

describe('a member on the wrong host', () => {
  const bound = (...ids: readonly number[]): ClusterObservation['hostFindings'] =>
    new Map(
      ids.map((id) => [
        `node-uid-${id}`,
        { host: '', state: 'ready', awayForMs: 0, volume: 'bound', unknown: undefined, otherHosts: 0 } as const,
      ]),
    );
  const SWAPPED: Hosts = { 'host-0': {}, 'host-1': {}, 'host-2': {}, 'host-3': {}, 'host-9': {} };

  it('is removed first when there is a surplus, whatever its id', () => {
    const o = five({
      selectedHosts: selected({ 'host-0': {}, 'host-2': {}, 'host-3': {}, 'host-4': {} }),
      cluster: { autoscale: { size: 4, nodes: 3, reason: 'SizedByHosts' } },
    });
    const { operation } = planCluster(o).removal;
    expect([operation?.target?.name, operation?.chosen]).to.deep.equal([
      'demo-1',
      'its host host-1 is none of those that spec.hosts.onePerHost selects',
    ]);
  });

  it('is removed first also when it is the second member on its host', () => {
    const o = five({
      nodes: withPods(on(3, 'host-0')),
      selectedHosts: selected(named(3, { 'host-4': {} })),
      cluster: { autoscale: { size: 4, nodes: 3, reason: 'SizedByHosts' } },
    });
    expect(planCluster(o).removal.operation?.target?.name).to.equal('demo-3');
  });

  it('is moved to a free host when its volume can be there', () => {
    const movable = bound(4).get('node-uid-4');
    const o = five({
      selectedHosts: selected(SWAPPED),
      hostFindings: new Map(movable === undefined ? [] : [['node-uid-4', { ...movable, volume: 'movable' }]]),
    });
    expect(leavingMembers(o).map(({ name }) => name)).to.deep.equal(['demo-4']);
    expect(planCluster(o).removal.operation).to.deep.include({ type: 'Roll', phase: 'Claimed' });
    expect(sizeOf(o)).to.equal(undefined);
  });

  it('stays until a new member has joined on the free host when its volume can be on no other', () => {
    expect(sizeOf(five({ selectedHosts: selected(SWAPPED), hostFindings: bound(4) }))).to.equal(6);
  });

  it('stays where no host is free', () => {
    const o = five({ selectedHosts: selected(named(4)), hostFindings: bound(4) });
    expect([leavingMembers(o), sizeOf(o)]).to.deep.equal([[], undefined]);
  });

  it('is not moved off a cordoned host to one that has a member', () => {
    const o = five({
      selectedHosts: selected(named(5, { 'host-2': { isCordoned: true } })),
      drainedHosts: new Map([['host-2', NOW_MS - 1_000]]),
    });
    expect(leavingMembers(o)).to.deep.equal([]);
  });
});

describe('a new node is not created', () => {
  it('for one whose host is lost while no other host is free', () => {
    const o = five({
      nodes: withPods(node(2, { hostLost: 'host-2', pod: undefined })),
      selectedHosts: selected(named(5, { 'host-2': { isReady: false } })),
    });
    expect(planCluster(o).steps.filter(({ kind }) => kind === 'createNode')).to.deep.equal([]);
  });

  it('before the number of hosts is known', () => {
    const o = five({ nodes: [], selectedHosts: undefined, cluster: { isFormed: false, autoscale: undefined } });
    expect(planCluster(o).steps.filter(({ kind }) => kind === 'createNode')).to.deep.equal([]);
  });
});
