// The tables of fences: every kind of step has a row, a step whose fence does not hold is left out while the others are
// carried out, and reads that several steps need are made once.

import type { ClusterStep, NodeStep } from '@marekvs/planner';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { executeCluster } from '../src/cluster/steps/execute.ts';
import type { RecordChange } from '../src/cluster/steps/fence-subjects.ts';
import { RECORD_CHANGE_FENCES, STEP_FENCES } from '../src/cluster/steps/fences.ts';
import type { HostProbe } from '../src/hosts/host-probe.ts';
import { createClaimRefusals } from '../src/node/observation/claim-refusals.ts';
import { createGoneParents } from '../src/node/observation/gone-parents.ts';
import { nodeAround, observeNode } from '../src/node/observation/observe.ts';
import { createPodGoneTimes } from '../src/node/observation/pod-gone.ts';
import { createPodsSeen } from '../src/node/observation/pods-seen.ts';
import { executeNode } from '../src/node/steps/execute.ts';
import { type FencedKind, STEP_FENCES as NODE_STEP_FENCES } from '../src/node/steps/fences.ts';
import { cachedNode, cachedVolume, decidedOn, healthyWorld, type World } from './support/decided-on.ts';

const CLUSTERS = 'marekvsclusters.marekvs.io';
const NODES = 'marekvsnodes.marekvs.io';
const CLAIMS = 'persistentvolumeclaims';
const { signal } = new AbortController();

const written = (w: World) => w.writes.map(({ verb, what, name }) => `${verb} ${what} ${name}`).sort();

/** Every kind of step of the planner: a missing or superfluous kind does not compile. */
const STEP_KINDS: Readonly<Record<ClusterStep['kind'], 'fenced' | 'unfenced'>> = {
  createNode: 'fenced',
  setServing: 'unfenced',
  setSeeds: 'fenced',
  isolate: 'fenced',
  sealNode: 'fenced',
  reinstate: 'fenced',
  stampNode: 'fenced',
  stampPassword: 'fenced',
  forgetPasswords: 'unfenced',
  restartNode: 'fenced',
  resizeNode: 'fenced',
  endRestart: 'fenced',
  stopNode: 'fenced',
  startNode: 'fenced',
  resumeNode: 'fenced',
  markHostLost: 'fenced',
  unmarkHostLost: 'fenced',
  markHostDrained: 'fenced',
  unmarkHostDrained: 'fenced',
  storeRevision: 'unfenced',
  dropRevision: 'fenced',
  protectNode: 'unfenced',
  deleteNode: 'fenced',
  setStorage: 'fenced',
  handChild: 'fenced',
  dropNode: 'fenced',
  ownVolume: 'fenced',
  protectVolume: 'unfenced',
  rememberId: 'unfenced',
  deleteVolume: 'fenced',
};
const RECORD_CHANGE_KINDS: Readonly<Record<RecordChange['kind'], 'fenced' | 'unfenced'>> = {
  end: 'fenced',
  phase: 'fenced',
  claim: 'fenced',
  release: 'fenced',
  stop: 'fenced',
  news: 'unfenced',
};
const NODE_STEP_KINDS: Readonly<Record<FencedKind, 'fenced' | 'unfenced'>> = {
  addFinalizer: 'unfenced',
  createVolume: 'fenced',
  adoptVolume: 'fenced',
  adoptPod: 'unfenced',
  attachVolume: 'unfenced',
  detachVolume: 'unfenced',
  changeClaim: 'fenced',
  createPod: 'fenced',
  deletePod: 'fenced',
  deletePodThatEnded: 'fenced',
  deletePodWithCluster: 'fenced',
  forgetPod: 'fenced',
  restartPod: 'fenced',
  restartPodRolled: 'fenced',
  stopPod: 'fenced',
  stopPodAlone: 'fenced',
  labelPod: 'unfenced',
  resizePod: 'fenced',
  noteResized: 'unfenced',
  drain: 'unfenced',
  notePassword: 'unfenced',
  setPassword: 'fenced',
  confirmParent: 'unfenced',
  releaseNode: 'fenced',
  releaseNodeForeign: 'fenced',
  releaseNodeHanded: 'fenced',
  releaseNodeWithCluster: 'fenced',
  letPodGo: 'fenced',
  takePodBack: 'fenced',
};

interface Row {
  readonly oncePerPass?: readonly unknown[];
  readonly rightBefore?: readonly unknown[];
  readonly why: string;
}
const tables: readonly {
  name: string;
  kinds: Readonly<Record<string, string>>;
  rows: Readonly<Record<string, Row>>;
}[] = [
  { name: 'the steps of a cluster', kinds: STEP_KINDS, rows: STEP_FENCES },
  { name: 'the changes of an operation’s record', kinds: RECORD_CHANGE_KINDS, rows: RECORD_CHANGE_FENCES },
  { name: 'the steps of a node', kinds: NODE_STEP_KINDS, rows: NODE_STEP_FENCES },
];

describe('the table of fences', () => {
  for (const { name, kinds, rows } of tables) {
    it(`of ${name} has a row for every kind, with a sentence why`, () => {
      expect(Object.keys(rows).sort()).to.deep.equal(Object.keys(kinds).sort());
      for (const [kind, { why }] of Object.entries(rows)) expect(why, kind).to.match(/^[A-Z].{20,}\.$/);
    });

    it(`of ${name} fences every step that a version alone does not protect`, () => {
      const found = Object.entries(rows).map(([kind, { oncePerPass = [], rightBefore = [] }]) => {
        return [kind, oncePerPass.length + rightBefore.length > 0 ? 'fenced' : 'unfenced'];
      });
      expect(Object.fromEntries(found)).to.deep.equal(kinds);
    });
  }
});

describe('the steps of one pass over a cluster', () => {
  const steps = (w: World): readonly ClusterStep[] => [
    { kind: 'createNode', id: 3, why: 'ScalingUp' },
    { kind: 'setServing', node: cachedNode(w, 0), serving: false },
    { kind: 'isolate', node: cachedNode(w, 1), operationId: '1-op' },
    { kind: 'deleteVolume', volume: cachedVolume(w, 2), operationId: '1-op' },
  ];
  /** Only the Pod of 2 can still use its volume. */
  async function decided() {
    const w = await healthyWorld();
    w.drop(NODES, 'demo-2');
    w.writes.length = 0;
    return { w, wanted: steps(w), context: decidedOn(w) };
  }

  it('are carried out without the one whose own fence does not hold, which reports why', async () => {
    const { w, wanted, context } = await decided();
    const { refusals, steps: tried } = await executeCluster(wanted, context);
    expect(written(w)).to.deep.equal([`create ${NODES} demo-3`, `patch ${NODES} demo-0`, `patch ${NODES} demo-1`]);
    expect(refusals.map(({ reason }) => reason)).to.deep.equal(['VolumeStuckTerminating']);
    expect(tried).to.deep.equal(wanted);
  });

  it('are carried out without the one whose shared fence does not hold, which does not count as tried', async () => {
    const { w, wanted, context } = await decided();
    w.drop('pods', 'demo-2');
    w.drop(NODES, 'demo-1');
    const { refusals, steps: tried } = await executeCluster(
      wanted.filter(({ kind }) => kind !== 'isolate'),
      context,
    );
    expect(written(w)).to.deep.equal([`delete ${CLAIMS} data-demo-2`, `patch ${NODES} demo-0`]);
    expect(tried.map(({ kind }) => kind)).to.deep.equal(['setServing', 'deleteVolume']);
    expect(refusals).to.deep.equal([]);
  });

  it('are carried out without all that need a cluster that has meanwhile been replaced', async () => {
    const { w, wanted, context } = await decided();
    w.apply({ nodes: 7 });
    expect((await executeCluster(wanted, context)).steps.map(({ kind }) => kind)).to.deep.equal(['setServing']);
    expect(written(w)).to.deep.equal([`patch ${NODES} demo-0`]);
  });

  it('share one read of each object, however many steps need it', async () => {
    const { w, wanted, context } = await decided();
    w.drop('pods', 'demo-2');
    const reads: string[] = [];
    const { client } = w.ports;
    const counting: typeof client = {
      ...client,
      get: (kind, ...rest) => {
        reads.push(`get ${kind.plural}`);
        return client.get(kind, ...rest);
      },
      list: (kind, ...rest) => {
        reads.push(`list ${kind.plural}`);
        return client.list(kind, ...rest);
      },
    };
    const more: readonly ClusterStep[] = [{ kind: 'createNode', id: 4, why: 'ScalingUp' }, ...wanted];
    await executeCluster(more, { ...context, ports: { ...w.ports, client: counting } });
    expect(reads).to.deep.equal([
      'get marekvsclusters',
      'list marekvsnodes',
      'list persistentvolumeclaims',
      'get marekvsnodes',
      'get pods',
    ]);
  });
});

describe('the mark of a member whose host is drained', () => {
  const PROBE: HostProbe = {
    host: 'host-1',
    state: 'ready',
    volume: 'bound',
    awayMs: undefined,
    unknown: undefined,
    isDrained: true,
    isForbidden: false,
  };
  /** The number of writes when the live probe finds this. */
  async function writtenWith(
    kind: 'markHostDrained' | 'unmarkHostDrained',
    found: Partial<HostProbe>,
    { isWanted = true, seen = 'known' as 'known' | 'forbidden' } = {},
  ) {
    const w = await healthyWorld();
    if (isWanted) w.apply({ hosts: { replaceOnDrain: true } });
    w.writes.length = 0;
    const context = decidedOn(w);
    const probe = async () => ({ ...PROBE, ...found });
    const { hostFindings, drainedHosts } = w.ports;
    const ports = {
      ...w.ports,
      hostFindings: { ...hostFindings, probe },
      drainedHosts: { ...drainedHosts, seen: () => seen },
    };
    const step = { kind, node: cachedNode(w, 1), host: 'host-1' } as const;
    await executeCluster([step], { ...context, ports });
    return written(w).length;
  }

  const MARKS: readonly (readonly [string, Partial<HostProbe>, number])[] = [
    ['is drained, and no other one could mount the volume', {}, 1],
    ['is drained no more', { isDrained: false }, 0],
    ['is not ready', { state: 'notReady' }, 0],
    ['is gone', { state: 'gone' }, 0],
    ['is one of several that could mount the volume', { volume: 'movable' }, 0],
    ['cannot be looked at', { state: 'unknown', volume: 'unknown' }, 0],
  ];
  for (const [what, found, writes] of MARKS)
    it(`is ${writes === 1 ? '' : 'not '}set when the host ${what}`, async () => {
      expect(await writtenWith('markHostDrained', found)).to.equal(writes);
    });

  const UNMARKS: readonly (readonly [string, Partial<HostProbe>, number])[] = [
    ['is drained no more', { isDrained: false }, 1],
    ['is drained', {}, 0],
    ['is gone', { state: 'gone', isDrained: false }, 0],
    ['is not ready', { state: 'notReady', isDrained: false }, 0],
    ['is another one', { host: 'host-7' }, 1],
    ['may not be looked at', { state: 'unknown', isForbidden: true }, 1],
    ['gives no answer', { state: 'unknown', isDrained: false }, 0],
  ];
  for (const [what, found, writes] of UNMARKS)
    it(`is ${writes === 1 ? '' : 'not '}removed when the host ${what}`, async () => {
      expect(await writtenWith('unmarkHostDrained', found)).to.equal(writes);
    });

  it('is removed without a probe when spec.hosts no longer asks for it, or hosts may not be watched', async () => {
    expect(await writtenWith('unmarkHostDrained', {}, { isWanted: false })).to.equal(1);
    expect(await writtenWith('unmarkHostDrained', {}, { seen: 'forbidden' })).to.equal(1);
  });
});

describe('a step of a node', () => {
  const scopeOf = (w: World, id: number) => {
    const memory = {
      goneParents: createGoneParents(),
      podsGone: createPodGoneTimes(w.clock),
      podsSeen: createPodsSeen(),
      claims: createClaimRefusals(w.clock),
    };
    const around = nodeAround(`default/demo-${id}`, w.ports);
    const scope = around === undefined ? undefined : observeNode(around, w.ports, memory);
    const { pod, volume } = scope?.record ?? {};
    if (scope === undefined || pod === undefined || volume === undefined)
      throw new Error(`demo-${id} is not complete in the cache`);
    return { namespace: 'default', scope, pod, volume, goneParents: memory.goneParents };
  };
  type Found = ReturnType<typeof scopeOf>;

  const fenced: Readonly<Record<string, (found: Found) => NodeStep>> = {
    'the making of its volume': () => ({ kind: 'createVolume' }),
    'the growth of its volume': ({ volume }) => ({ kind: 'changeClaim', volume, change: { size: '20Gi' } }),
    'the start of its Pod': () => ({ kind: 'createPod', seeds: [] }),
    'the end of its Pod': ({ pod }) => ({ kind: 'deletePod', pod, why: 'MemberLeaving' }),
    'its restart': ({ pod }) => ({ kind: 'deletePod', pod, why: 'CancelledByUser' }),
    'the closing of its door': ({ pod }) => ({ kind: 'deletePod', pod, why: 'MemberSealing' }),
    'its release': () => ({ kind: 'releaseNode' }),
  };
  for (const [what, step] of Object.entries(fenced))
    it(`is left out when a fence of it does not hold: ${what}`, async () => {
      const w = await healthyWorld();
      const found = scopeOf(w, 2);
      w.hold(NODES);
      w.change(w.kinds.node, 'demo-2', { spec: { intent: 'Leaving' }, status: { pvcUID: 'another' } });
      w.writes.length = 0;
      const outcome = await executeNode(step(found), { ...found, ports: w.ports, signal });
      expect(outcome).to.deep.equal({ kind: 'stale' });
      expect(written(w)).to.deep.equal([]);
    });

  it('is carried out without a fence, whatever has become of its cluster, since the version it carries is enough', async () => {
    const w = await healthyWorld();
    const found = scopeOf(w, 2);
    w.hold(CLUSTERS);
    w.apply({ nodes: 7 });
    w.writes.length = 0;
    const labels = { 'example.com/row': '2' };
    const outcome = await executeNode(
      { kind: 'labelPod', pod: found.pod, labels },
      { ...found, ports: w.ports, signal },
    );
    expect(outcome).to.deep.equal({ kind: 'done' });
    expect(written(w)).to.deep.equal(['patch pods demo-2']);
  });
});
