// Which passes a change causes. A burst may cause a pass twice; no pass may come without a reason.

import type { MarekvsCluster } from '@marekvs/api';
import type { Change, Identified } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { CLUSTER_UID, pod, volume } from '../../planner/test/support/builders.ts';
import type { Caches } from '../src/caches/caches.ts';
import type { PodView } from '../src/caches/pod-view.ts';
import { type ChildView, type RevisionView, toClusterView, toNodeView } from '../src/caches/views.ts';
import type { VolumeView } from '../src/caches/volume-view.ts';
import { createRoutes } from '../src/pass/routing.ts';
import { clusterObject, FORMED, nodeObject } from './support/objects.ts';

const NODES = [0, 1, 2].map((id) => toNodeView(nodeObject(id)));
const NODE_KEYS = ['node default/demo-0', 'node default/demo-1', 'node default/demo-2'];
const CLUSTER = 'cluster default/demo';

function rig() {
  const woken: string[] = [];
  const cluster = toClusterView(clusterObject());
  const stores = {
    clusters: {
      store: {
        get: (key: string) => (key === 'default/demo' ? cluster : undefined),
        byIndex: (_name: string, uid: string) => (uid === CLUSTER_UID ? [cluster] : []),
        values: () => [cluster],
      },
    },
    nodes: {
      store: {
        byIndex: (_name: string, key: string) => (key === `default/demo/${CLUSTER_UID}` ? NODES : []),
        values: () => NODES,
      },
    },
  };
  const note = (kind: string) => (key: string, options?: { readonly priority?: string }) =>
    void woken.push(`${kind} ${key}${options?.priority === 'low' ? ' gently' : ''}`);
  const routes = createRoutes(
    () => stores as Partial<Record<keyof Caches, unknown>> as Caches,
    note('cluster'),
    note('node'),
  );
  return { routes, woken };
}

function changed<V extends Identified & { readonly namespace: string }>(
  previous: V | undefined,
  current: V | undefined,
  change: Partial<Change<V>> = {},
): Change<V> {
  const view = current ?? previous;
  return {
    type: previous === undefined ? 'added' : current === undefined ? 'deleted' : 'updated',
    key: `${view?.namespace}/${view?.name}`,
    previous,
    current,
    initial: false,
    own: false,
    ...change,
  };
}

const clusterView = (change: Parameters<typeof clusterObject>[0] = {}) =>
  toClusterView(clusterObject(change) as MarekvsCluster);
const podView = (change: Parameters<typeof pod>[1] = {}): PodView => ({ ...pod(1, change), namespace: 'default' });
const volumeView = (change: Parameters<typeof volume>[1] = {}): VolumeView => ({
  ...volume(1, change),
  namespace: 'default',
  volumeName: undefined,
});
const childView = (labels: Readonly<Record<string, string>>): ChildView => ({
  namespace: 'default',
  name: 'demo-headless',
  uid: 'u',
  resourceVersion: '1',
  ownerUid: CLUSTER_UID,
  isTerminating: false,
  labels,
  appliedHash: undefined,
  spec: {},
});

describe('a change of a cluster', () => {
  const woken = (
    before: Parameters<typeof clusterObject>[0] | undefined,
    after: Parameters<typeof clusterObject>[0] | undefined,
  ) => {
    const { routes, woken } = rig();
    routes.cluster(changed(before && clusterView(before), after && clusterView(after)));
    return woken;
  };

  it('wakes only the cluster when its status or size changed, so that a status write causes no pass for nodes', () => {
    expect(woken({ status: FORMED }, { status: { ...FORMED, message: 'new' } })).to.deep.equal([CLUSTER]);
    expect(woken({}, { spec: { nodes: 5 } })).to.deep.equal([CLUSTER]);
  });
  it('wakes every node when it is paused or resumed, was formed, or is being deleted', () => {
    expect(woken({}, { spec: { paused: true } })).to.deep.equal([CLUSTER, ...NODE_KEYS]);
    expect(woken({ spec: { paused: true } }, {})).to.deep.equal([CLUSTER, ...NODE_KEYS]);
    expect(woken({}, { status: FORMED })).to.deep.equal([CLUSTER, ...NODE_KEYS]);
    expect(woken({}, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })).to.deep.equal([
      CLUSTER,
      ...NODE_KEYS,
    ]);
  });
  it('wakes every node when a person allows members to start one by one after an outage', () => {
    const annotations = { 'marekvs.io/start-after-outage': 'a host has burnt' };
    expect(woken({}, { metadata: { annotations } })).to.deep.equal([CLUSTER, ...NODE_KEYS]);
    expect(woken({}, { metadata: { annotations: { 'example.com/else': 'x' } } })).to.deep.equal([CLUSTER]);
  });
  it('wakes every node when the cluster appears or goes', () => {
    expect(woken(undefined, {})).to.deep.equal([CLUSTER, ...NODE_KEYS]);
    expect(woken({}, undefined)).to.deep.equal([CLUSTER, ...NODE_KEYS]);
  });
});

describe('a change of a node', () => {
  it('wakes the node and its cluster', () => {
    const { routes, woken } = rig();
    routes.node(changed(undefined, toNodeView(nodeObject(1))));
    expect(woken).to.deep.equal(['node default/demo-1', CLUSTER]);
  });

  const copy = (change: { readonly namespace?: string; readonly clusterName?: string }, version = '1') => {
    const own = nodeObject(1);
    const { namespace = 'default', clusterName = 'demo' } = change;
    return toNodeView({
      ...own,
      metadata: { ...own.metadata, namespace, name: `${clusterName}-1`, resourceVersion: version },
      spec: { ...own.spec, clusterName },
    });
  };
  for (const [where, change, own] of [
    ['another namespace', { namespace: 'stranger' }, 'stranger/demo'],
    ['another clusterName', { clusterName: 'copy' }, 'default/copy'],
  ] as const)
    it(`wakes the cluster that a copy in ${where} names, gently, as it comes and goes and not while it is edited`, () => {
      const { routes, woken } = rig();
      const ownKeys = [`node ${own}-1`, `cluster ${own}`];
      routes.node(changed(undefined, copy(change)));
      expect(woken.splice(0)).to.deep.equal([...ownKeys, `${CLUSTER} gently`]);
      routes.node(changed(copy(change), copy(change, '2')));
      expect(woken.splice(0)).to.deep.equal(ownKeys);
      routes.node(changed(copy(change), undefined));
      expect(woken.splice(0)).to.deep.equal([...ownKeys, `${CLUSTER} gently`]);
    });
});

describe('a change of a revision', () => {
  const revision = (namespace: string) =>
    ({ namespace, name: 'demo-1', owner: { namespace, name: 'demo', uid: CLUSTER_UID } }) as RevisionView;
  it('wakes the cluster that it is of, and nobody when it lies in another namespace', () => {
    const { routes, woken } = rig();
    routes.revision(changed(revision('default'), undefined));
    expect(woken.splice(0)).to.deep.equal([CLUSTER]);
    routes.revision(changed(revision('stranger'), undefined));
    expect(woken).to.deep.equal([]);
  });
});

describe('a change of a Pod', () => {
  const woken = (before: PodView | undefined, after: PodView | undefined, change: Partial<Change<PodView>> = {}) => {
    const { routes, woken } = rig();
    routes.pod(changed(before, after, change));
    return woken;
  };

  it('wakes its node and its cluster', () => {
    expect(woken(podView(), podView({ ip: '10.0.0.9' }))).to.deep.equal(['node default/demo-1', CLUSTER]);
  });
  it('wakes all nodes when it becomes ready, stops being it, or goes, since another node may have its turn', () => {
    const all = ['node default/demo-1', CLUSTER, ...NODE_KEYS];
    expect(woken(podView({ isReady: false }), podView())).to.deep.equal(all);
    expect(woken(podView(), podView({ isReady: false }))).to.deep.equal(all);
    expect(woken(podView(), undefined)).to.deep.equal(all);
  });
  it('still wakes the cluster when a user took its label away (F55)', () => {
    expect(woken(podView(), podView({ labels: {} }))).to.deep.equal(['node default/demo-1', CLUSTER]);
  });
  it('in the first list wakes its own keys gently, and no others', () => {
    expect(woken(undefined, podView(), { initial: true })).to.deep.equal([
      'node default/demo-1 gently',
      `${CLUSTER} gently`,
    ]);
  });
  it('without any label of the operator wakes at most a node of its name', () => {
    expect(woken(undefined, podView({ labels: {}, isReady: false }))).to.deep.equal(['node default/demo-1']);
  });
});

describe('a change of a volume', () => {
  const woken = (view: VolumeView) => {
    const { routes, woken } = rig();
    routes.volume(changed(undefined, view));
    return woken;
  };
  it('wakes the cluster and the node in its labels', () => {
    expect(woken(volumeView())).to.deep.equal([CLUSTER, 'node default/demo-1']);
  });
  it('wakes only the cluster when it names no node, and nothing when it names no cluster', () => {
    expect(woken(volumeView({ nodeId: undefined }))).to.deep.equal([CLUSTER]);
    expect(woken(volumeView({ clusterName: undefined }))).to.deep.equal([]);
  });
});

describe('a change of a Service, budget or policy', () => {
  const labels = { 'marekvs.io/cluster': 'demo' };
  it('wakes its cluster, unless the operator wrote it', () => {
    const { routes, woken } = rig();
    routes.child(changed(undefined, childView(labels), { own: true }));
    expect(woken).to.deep.equal([]);
    routes.child(changed(childView(labels), undefined));
    expect(woken).to.deep.equal([CLUSTER]);
  });
});

describe('another reason for a pass', () => {
  it('wakes a cluster and all its nodes when it is a new answer of a member', () => {
    const { routes, woken } = rig();
    routes.answers('default/demo');
    expect(woken).to.deep.equal([CLUSTER, ...NODE_KEYS]);
  });
  it('wakes everything gently when it is gained ownership', () => {
    const { routes, woken } = rig();
    routes.everything(() => true);
    expect(woken).to.deep.equal([CLUSTER, ...NODE_KEYS].map((key) => `${key} gently`));
  });
  it('wakes nothing when it is ownership of other clusters', () => {
    const { routes, woken } = rig();
    routes.everything((key) => key !== 'default/demo');
    expect(woken).to.deep.equal([]);
  });
});
