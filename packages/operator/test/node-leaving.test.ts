// The node controller's part of a removal, with real members: what it writes, what it waits for, and at which pace a
// member is told to leave.

import { findCondition, type Operation } from '@marekvs/api';
import { MemberWorld, NODES } from '@marekvs/reliability';
import type { Pod } from '@marekvs/runtime';
import { type ClusterInfo, StoreAuthError, StoreUnreachableError } from '@marekvs/store-client';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createMemberCommands } from '../src/members/member-commands.ts';
import { createGoneParents } from '../src/node/observation/gone-parents.ts';
import { executeNode } from '../src/node/steps/execute.ts';
import type { NodeExecuteContext } from '../src/node/steps/execute-context.ts';
import { createDrainPacer } from '../src/pacing/drain-pacer.ts';
import { CREATED, nodeScope } from './support/objects.ts';

const DELETING_PHASES = ['Deleting', 'Departing'];

/** Four members that have been at rest for a minute, so that a removal can begin. */
async function rested(spec: Parameters<MemberWorld['formed']>[1] = {}): Promise<MemberWorld> {
  const world = new MemberWorld({ seed: 5 });
  await world.formed(4, spec);
  await world.advance(60_000);
  world.writes.length = 0;
  return world;
}

const ofNode = (world: MemberWorld, id: number) =>
  world.writes
    .filter(({ name }) => name === `demo-${id}` || name === `data-demo-${id}`)
    .map(({ verb, resource }) => `${verb} ${resource}`);
const annotations = (object: { readonly metadata: { readonly annotations?: unknown } } | undefined) =>
  (object?.metadata.annotations ?? {}) as Readonly<Record<string, string>>;

const nobodyAsks = async () => Promise.reject(new Error('nobody asks'));

describe('one removal', function () {
  this.timeout(60_000);

  it('costs the target eight writes of the node controller and three of the cluster’s, and every survivor one', async () => {
    const world = await rested();
    world.edit({ nodes: 3 });
    await world.until(() => world.isHealthy(3), 180_000, 'the removal');
    // How many members see a survivor is written without urgency.
    await world.advance(60_000);
    expect(ofNode(world, 3)).to.deep.equal([
      `patch ${NODES}`,
      'patch pods',
      `patch ${NODES}`,
      'delete pods',
      `update ${NODES}/status`,
      'create pods',
      `update ${NODES}/status`,
      `delete ${NODES}`,
      'delete pods',
      'patch persistentvolumeclaims',
      `patch ${NODES}`,
    ]);
    for (const id of [0, 1, 2]) expect(ofNode(world, id)).to.deep.equal([`update ${NODES}/status`]);
    expect(world.nodes().map(({ status }) => status?.seenBy)).to.deep.equal(['3/3', '3/3', '3/3']);
    expect(world.nodes().map(({ status }) => status?.ownedPartitions)).to.deep.equal([2712, 2768, 2712]);
  });

  it('leaves a volume with notes on when it was let go and when its member was last Active', async () => {
    const world = await rested();
    world.edit({ nodes: 3 });
    await world.until(() => world.isHealthy(3), 180_000, 'the removal');
    const notes = annotations(world.claim(3));
    const times = ['marekvs.io/last-active-at', 'marekvs.io/detached-at'].map((name) => notes[name] ?? '');
    for (const time of times) expect(time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(Date.parse(times[0] ?? '')).to.be.below(Date.parse(times[1] ?? ''));
  });

  it('removes these notes when a new node is Active on that volume', async () => {
    const world = await rested();
    world.edit({ nodes: 3 });
    await world.until(() => world.isHealthy(3), 180_000, 'the removal');
    world.edit({ nodes: 4 });
    await world.until(() => world.isHealthy(4) && world.node(3) !== undefined, 180_000, 'its return');
    expect(annotations(world.claim(3))).to.not.have.any.keys('marekvs.io/detached-at', 'marekvs.io/last-active-at');
  });

  it('reports MemberSealing, and shows the proof on the node before its last Pod is deleted', async () => {
    const world = await rested();
    world.edit({ nodes: 3 });
    const readiness = () => findCondition(world.node(3)?.status?.conditions, 'Ready')?.reason;
    await world.until(() => readiness() === 'MemberSealing', 60_000, 'the closed door');
    expect(world.node(3)?.status?.phase).to.equal('Leaving');
    await world.until(() => world.node(3)?.status?.removalProof !== undefined, 120_000, 'the proof');
    expect(findCondition(world.node(3)?.status?.conditions, 'SafeToRemove')?.reason).to.equal('Proven');
    expect(world.pod(3)?.metadata.deletionTimestamp).to.equal(undefined);
  });

  it('overwrites a proof that somebody edits by hand, and keeps the Pod until it matches the record again', async () => {
    const world = await rested();
    world.edit({ nodes: 3 });
    await world.until(() => world.node(3)?.status?.phase === 'Leaving', 60_000, 'leaving');
    const node = world.node(3);
    const forged = {
      operationId: 'x',
      stage: 'Pre',
      at: '2026-01-01T00:00:00Z',
      targetUid: 'x',
      topologyHash: 'x',
    };
    world.kube.server.patch(
      NODES,
      { namespace: 'default', name: 'demo-3' },
      { status: { ...node?.status, removalProof: forged } },
    );
    await world.until(
      () => world.node(3)?.status?.removalProof?.operationId !== 'x',
      5_000,
      'the end of the forged proof',
    );
    expect(world.pod(3)?.metadata.deletionTimestamp).to.equal(undefined);
  });

  it('restarts a member that was told to leave when the size is raised again, on its own volume (F41)', async () => {
    const world = await rested();
    const volume = world.claim(3)?.metadata.uid;
    const before = world.pod(3)?.metadata.uid;
    world.edit({ nodes: 3 });
    await world.until(() => annotations(world.pod(3))['marekvs.io/leaving'] === 'true', 60_000, 'leaving');
    world.edit({ nodes: 4 });
    await world.advance(1_000);
    await world.until(() => world.isHealthy(4), 120_000, 'its return');
    expect(world.pod(3)?.metadata.uid).to.not.equal(before);
    expect(annotations(world.pod(3))).to.not.have.property('marekvs.io/leaving');
    expect(world.claim(3)?.metadata.uid).to.equal(volume);
    expect(annotations(world.claim(3))).to.not.have.property('marekvs.io/detached-at');
  });

  it('ends the process that clients reach, and makes the Pod again where none does, on its own volume', async () => {
    const world = await rested();
    const open = world.pod(3);
    world.edit({ nodes: 3 });
    const isSealed = () =>
      annotations(world.pod(3))['marekvs.io/leaving'] === 'true' && world.pod(3)?.metadata.uid !== open?.metadata.uid;
    await world.until(isSealed, 60_000, 'the closed door');
    const [container] = (world.pod(3) as Pod | undefined)?.spec?.containers ?? [];
    const address = container?.env?.find(({ name }) => name === 'MAREKVS_RESP_ADDR')?.value;
    expect(address).to.equal('127.0.0.1:6379');
    expect(world.node(3)?.spec).to.deep.include({ intent: 'Sealed', serving: false });
    expect(world.node(3)?.spec.ran?.podUID).to.equal(open?.metadata.uid);
    await world.until(() => world.isHealthy(3), 180_000, 'the removal');
  });

  for (const intent of ['Leaving', 'Sealed'] as const)
    it(`is begun by nobody who edits the intent of a node to ${intent}: its member is taken back, on its volume`, async () => {
      const world = await rested();
      const volume = world.claim(1)?.metadata.uid;
      world.kube.server.patch(NODES, { namespace: 'default', name: 'demo-1' }, { spec: { intent } });
      await world.until(() => world.node(1)?.spec.intent === 'Active', 30_000, 'the end of the edit');
      await world.advance(1_000);
      await world.until(() => world.isHealthy(4), 120_000, 'its return');
      const [container] = (world.pod(1) as Pod | undefined)?.spec?.containers ?? [];
      expect(container?.env?.find(({ name }) => name === 'MAREKVS_RESP_ADDR')?.value).to.equal('0.0.0.0:6379');
      expect([world.nodeIds(), world.claim(1)?.metadata.uid]).to.deep.equal([[0, 1, 2, 3], volume]);
    });

  it('seals a node again whose sealed Pod is deleted by hand, and takes a label for clients off that one', async () => {
    const world = await rested();
    const first = world.pod(3)?.metadata.uid;
    world.edit({ nodes: 3 });
    const sealedUid = () => {
      const uid = world.pod(3)?.metadata.uid;
      return world.node(3)?.spec.intent === 'Sealed' && uid !== first ? uid : undefined;
    };
    await world.until(() => sealedUid() !== undefined, 60_000, 'the closed door');
    const second = sealedUid();
    const labels = { 'marekvs.io/serving': 'true' };
    world.kube.server.patch('pods', { namespace: 'default', name: 'demo-3' }, { metadata: { labels } });
    await world.until(
      () => world.pod(3)?.metadata.labels?.['marekvs.io/serving'] === undefined,
      5_000,
      'the label is off',
    );
    world.removeObject('pods', 'demo-3');
    await world.until(() => ![second, undefined].includes(world.pod(3)?.metadata.uid), 60_000, 'another Pod');
    await world.until(() => world.isHealthy(3), 240_000, 'the removal');
    expect(world.nodeIds()).to.deep.equal([0, 1, 2]);
  });

  it('starts a leaving node again when its Pod is deleted by hand, tells its member to leave once more, and completes', async () => {
    const world = await rested();
    world.edit({ nodes: 3 });
    await world.until(() => annotations(world.pod(3))['marekvs.io/leaving'] === 'true', 60_000, 'leaving');
    const first = world.pod(3)?.metadata.uid;
    world.removeObject('pods', 'demo-3');
    await world.until(() => ![first, undefined].includes(world.pod(3)?.metadata.uid), 60_000, 'another Pod');
    await world.until(() => annotations(world.pod(3))['marekvs.io/leaving'] === 'true', 60_000, 'leaving again');
    await world.until(() => world.isHealthy(3), 240_000, 'the removal');
    expect(world.nodeIds()).to.deep.equal([0, 1, 2]);
  });

  it('is completed when the cluster is paused after the Pod was told to end, and not begun when paused before (F62)', async () => {
    const world = await rested();
    world.edit({ nodes: 3 });
    const isEnding = () => world.pod(3)?.metadata.deletionTimestamp !== undefined;
    const isGoing = () => DELETING_PHASES.includes(world.operationPhase() ?? '');
    await world.until(() => isEnding() && isGoing(), 120_000, 'the end of its last Pod');
    world.edit({ paused: true });
    await world.until(() => world.node(3) === undefined, 60_000, 'the end of the node');
    expect(world.claim(3)).to.not.equal(undefined);
    const early = await rested();
    early.edit({ nodes: 3, paused: true });
    await early.advance(30_000);
    expect(ofNode(early, 3).filter((write) => !write.endsWith('/status'))).to.deep.equal([]);
  });
});

describe('a node that a person deletes', function () {
  this.timeout(60_000);

  it('reports at once what it waits for, while its member goes on serving', async () => {
    const world = await rested();
    const pod = world.pod(1)?.metadata.uid;
    world.removeObject(NODES, 'demo-1');
    await world.advance(3_000);
    const ready = findCondition(world.node(1)?.status?.conditions, 'Ready');
    expect(`${ready?.reason}: ${ready?.message}`).to.equal(
      'WaitingForReplacement: demo-1 was deleted: it goes once a new node has joined',
    );
    expect([world.pod(1)?.metadata.uid, world.pod(1)?.metadata.deletionTimestamp]).to.deep.equal([pod, undefined]);
  });
});

describe('the finalizer of a node', () => {
  it('is restored a moment after somebody removed it (F57)', async () => {
    const world = await rested();
    world.kube.server.patch(NODES, { namespace: 'default', name: 'demo-1' }, { metadata: { finalizers: ['a.b/c'] } });
    await world.advance(2_000);
    expect(world.node(1)?.metadata.finalizers).to.deep.equal(['a.b/c', 'marekvs.io/member-safe-removal']);
  });
});

describe('the restart of a member that was told to leave', () => {
  const { scope } = nodeScope(1);
  const { pod } = scope.record;
  const livePod = (id: number, change: { readonly isEnding?: boolean; readonly isReady?: boolean } = {}) => ({
    metadata: {
      name: `demo-${id}`,
      uid: `pod-uid-${id}`,
      ...(change.isEnding === true ? { deletionTimestamp: CREATED } : {}),
    },
    status: { conditions: [{ type: 'Ready', status: change.isReady === false ? 'False' : 'True' }] },
  });
  const calls = async (live: {
    readonly intent: 'Active' | 'Leaving' | 'Sealed';
    readonly claimIsTerminating: boolean;
    readonly pods?: readonly unknown[];
    readonly why?: 'CancelledByUser' | 'MemberSealing';
    readonly clusterVersion?: string;
    readonly mayRestart?: string;
  }) => {
    const made: string[] = [];
    const claimed = { name: 'data-demo-1', ...(live.claimIsTerminating ? { deletionTimestamp: 'now' } : {}) };
    const client = {
      get: async ({ plural }: { readonly plural: string }) => {
        if (plural === 'marekvsnodes') {
          const annotations = { 'marekvs.io/may-restart': live.mayRestart ?? pod?.uid };
          return {
            metadata: { ...scope.node.metadata, annotations },
            spec: { ...scope.node.spec, intent: live.intent },
          };
        }
        if (plural !== 'marekvsclusters') return { metadata: claimed };
        const { clusterVersion: resourceVersion = scope.clusterVersion } = live;
        return { metadata: { ...scope.node.metadata, uid: scope.clusterUid, resourceVersion } };
      },
      list: async () => ({ items: live.pods ?? [0, 1, 2].map((id) => livePod(id)) }),
      delete: async () => {
        made.push('delete');
        return { kind: 'Status', status: 'Success' };
      },
    };
    const cache = { observe: () => {}, observeDelete: () => {} };
    const ports = { client, caches: { nodes: cache, volumes: cache, pods: cache, clusters: cache } } as Partial<
      Record<keyof NodeExecuteContext['ports'], unknown>
    > as NodeExecuteContext['ports'];
    if (pod === undefined) throw new Error('demo-1 has no Pod');
    const { signal } = new AbortController();
    const context = { namespace: 'default', scope, ports, goneParents: createGoneParents(), signal };
    await executeNode({ kind: 'deletePod', pod, why: live.why ?? 'CancelledByUser' }, context);
    return made;
  };

  it('is carried out when its node, read live, is to stay', async () => {
    expect(await calls({ intent: 'Active', claimIsTerminating: false })).to.deep.equal(['delete']);
  });
  it('is not carried out when the live node names another Pod: what this one has was not compared', async () => {
    const another = { intent: 'Active', claimIsTerminating: false, mayRestart: 'pod-of-before' } as const;
    expect(await calls(another)).to.deep.equal([]);
  });
  it('is not carried out when the live node is leaving again, since the cache was stale', async () => {
    expect(await calls({ intent: 'Leaving', claimIsTerminating: false })).to.deep.equal([]);
  });
  it('is not carried out when its live volume is being deleted, which would go with the Pod', async () => {
    expect(await calls({ intent: 'Active', claimIsTerminating: true })).to.deep.equal([]);
  });
  for (const [name, second] of [
    ['is ending', [livePod(2, { isEnding: true })]],
    ['is not ready any more', [livePod(2, { isReady: false })]],
    ['is gone', []],
    ['is another one', [{ ...livePod(2), metadata: { name: 'demo-2', uid: 'later' } }]],
  ] as const)
    it(`is not carried out when the live Pod of another member ${name}, although the cache shows it up`, async () => {
      const pods = [livePod(0), livePod(1), ...second];
      expect(await calls({ intent: 'Active', claimIsTerminating: false, pods })).to.deep.equal([]);
      const sealing = { intent: 'Sealed', why: 'MemberSealing' } as const;
      expect(await calls({ ...sealing, claimIsTerminating: false, pods }), 'to close its door').to.deep.equal([]);
    });

  it('with its door closed is carried out while node and cluster are as they were decided on, and its volume stays', async () => {
    const sealing = { intent: 'Sealed', why: 'MemberSealing', claimIsTerminating: false } as const;
    expect(await calls(sealing)).to.deep.equal(['delete']);
    expect(await calls({ ...sealing, claimIsTerminating: true })).to.deep.equal([]);
    expect(await calls({ ...sealing, clusterVersion: 'later' }), 'it may be taken back').to.deep.equal([]);
  });
});

describe('the deletion of the Pod of a member that goes', () => {
  /** The Pods of the other members, read live. */
  type LivePods = readonly {
    readonly metadata: { readonly uid: string; readonly deletionTimestamp?: string };
    readonly status: { readonly conditions: readonly { readonly type: string; readonly status: string }[] };
  }[];
  interface Going {
    readonly basis: NonNullable<Operation['basis']>;
    readonly hasJoined?: boolean;
    readonly live?: LivePods;
    /** The state of demo-2 that was decided on. */
    readonly isEndingToo?: boolean;
    /** It stays, is joining, and is started anew with a corrected template. */
    readonly isCorrected?: boolean;
  }
  const readiness = (status: string) => ({ conditions: [{ type: 'Ready', status }] });
  const standing: LivePods = [0, 1, 2].map((id) => ({ metadata: { uid: `pod-uid-${id}` }, status: readiness('True') }));
  const evicted: LivePods = standing.map(({ metadata, status }, id) => ({
    metadata: id === 2 ? { ...metadata, deletionTimestamp: 'now' } : metadata,
    status,
  }));
  const crashed: LivePods = standing.map(({ metadata }, id) => ({
    metadata,
    status: readiness(id === 2 ? 'False' : 'True'),
  }));

  /** The reason for which it stays, or the calls that were made. */
  async function ended({
    basis,
    hasJoined = false,
    live = standing,
    isEndingToo = false,
    isCorrected = false,
  }: Going): Promise<string> {
    const { scope } = nodeScope(1);
    const { pod, uid } = scope.record;
    if (pod === undefined) throw new Error('demo-1 has no Pod');
    const operation = { basis, target: { name: 'demo-1', uid, nodeId: 1 } } as Operation;
    const siblings = [0, 1, 2].map((id) => ({
      ...scope.record,
      uid: id === 1 ? uid : `node-uid-${id}`,
      pod: { ...pod, uid: `pod-uid-${id}`, isTerminating: id === 2 && isEndingToo },
    }));
    const own = isCorrected ? { answer: { kind: 'joining', sinceMs: 0 } as const } : { isDeleting: true };
    const under = isCorrected ? undefined : operation;
    const observation = { ...scope.observation, operation: under, siblings, node: { ...scope.record, ...own } };
    let isEnded = false;
    const client = {
      get: async (kind: { readonly plural: string }) =>
        kind.plural === 'marekvsnodes'
          ? scope.node
          : { metadata: { ...scope.node.metadata, resourceVersion: scope.clusterVersion } },
      list: async () => ({ items: live }),
      delete: async () => {
        isEnded = true;
        return { kind: 'Status', status: 'Success' };
      },
    };
    const cache = { observe: () => {}, observeDelete: () => {} };
    const ports = {
      client,
      caches: { nodes: cache, clusters: cache, pods: cache },
      members: { hasJoined: async () => hasJoined },
    } as Partial<Record<keyof NodeExecuteContext['ports'], unknown>> as NodeExecuteContext['ports'];
    const decided = { ...scope, observation };
    const context = { namespace: 'default', scope: decided, ports, goneParents: createGoneParents(), signal };
    const why = isCorrected ? 'TemplateOutdated' : 'MemberLeaving';
    const result = await executeNode({ kind: 'deletePod', pod, why }, context);
    return isEnded
      ? 'ended'
      : result.kind === 'blocked'
        ? `${result.hold.reason}: ${result.hold.message}`
        : result.kind;
  }
  const { signal } = new AbortController();

  it('is carried out by proof while the Pods of the others are those that were decided on, and ready', async () => {
    expect(await ended({ basis: 'Proof' })).to.equal('ended');
  });

  it('is not carried out by proof when the Pod of another member was deleted, although the cache shows it running', async () => {
    expect(await ended({ basis: 'Proof', live: evicted })).to.equal('stale');
    expect(await ended({ basis: 'Proof', live: standing.slice(0, 2) })).to.equal('stale');
  });

  it('is not carried out by proof when the process of another member has just ended, although the cache shows it ready', async () => {
    expect(await ended({ basis: 'Proof', live: crashed })).to.equal('stale');
    expect(await ended({ basis: 'Forced', live: crashed })).to.equal('ended');
  });

  it('is carried out when that was known at the decision, and by force', async () => {
    expect(await ended({ basis: 'Proof', live: evicted, isEndingToo: true })).to.equal('ended');
    expect(await ended({ basis: 'Forced', live: evicted })).to.equal('ended');
  });

  it('is carried out for a member that never joined while it answers that it is joining, or not at all', async () => {
    expect(await ended({ basis: 'NeverJoined' })).to.equal('ended');
  });

  it('is not carried out once that member answers that it has joined, however recent the last probe is', async () => {
    expect(await ended({ basis: 'NeverJoined', hasJoined: true })).to.equal(
      'WaitingForProof: demo-1 counts as never joined, but its member says that it has: it stays',
    );
  });

  it('comes for one that is to join with another template, unless it says that it has joined', async () => {
    expect(await ended({ basis: 'Proof', isCorrected: true })).to.equal('ended');
    expect(await ended({ basis: 'Proof', isCorrected: true, hasJoined: true })).to.match(/^WaitingForProof: demo-1/);
  });

  it('is carried out all the same for a member that is forced out', async () => {
    expect(await ended({ basis: 'Forced', hasJoined: true })).to.equal('ended');
  });

  for (const [name, clusterInfo, expected] of [
    ['takes commands', async () => ({}) as ClusterInfo, true],
    ['wants a password', async () => Promise.reject(new StoreAuthError('passwordRequired')), true],
    ['is joining', async () => Promise.reject(new StoreUnreachableError('refused', 'nothing listens there')), false],
    ['does not answer', async () => Promise.reject(new StoreUnreachableError('timeout', 'no answer')), false],
  ] as const)
    it(`depends on the answer of the member itself, which has ${expected ? '' : 'not '}joined when it ${name}`, async () => {
      const commands = createMemberCommands({
        store: { drain: async () => {}, clusterInfo, session: nobodyAsks, metrics: nobodyAsks },
      });
      expect(await commands.hasJoined('10.0.0.2', signal)).to.equal(expected);
    });
});

describe('the request to a member to leave', () => {
  function contextOf(drain: () => Promise<void>): NodeExecuteContext {
    const { scope } = nodeScope(1);
    // Nothing else of the ports is touched by this step.
    const ports = { members: { drain, hasJoined: async () => false, setPassword: nobodyAsks } } as Partial<
      NodeExecuteContext['ports']
    > as NodeExecuteContext['ports'];
    const { signal } = new AbortController();
    return { namespace: 'default', scope, ports, goneParents: createGoneParents(), signal };
  }
  const step = () => {
    const { pod } = nodeScope(1).scope.record;
    if (pod === undefined) throw new Error('demo-1 has no Pod');
    return { kind: 'drain' as const, pod, intervalMs: 2_000 };
  };

  it('counts as made when the member does not answer, since its list shows whether it leaves', async () => {
    const unreachable = async () => Promise.reject(new StoreUnreachableError('timeout', 'no answer in 3000 ms'));
    expect(await executeNode(step(), contextOf(unreachable))).to.deep.equal({ kind: 'done' });
  });

  it('fails when something else went wrong', async () => {
    const broken = executeNode(
      step(),
      contextOf(async () => Promise.reject(new TypeError('our own mistake'))),
    );
    expect(await broken.then(() => 'done', String)).to.include('our own mistake');
  });

  it('takes three seconds at most, goes to the address of the Pod, and ends with the given signal', async () => {
    const calls: unknown[] = [];
    const store = {
      drain: async (...args: readonly unknown[]) => void calls.push(args),
      clusterInfo: nobodyAsks,
      session: nobodyAsks,
      metrics: nobodyAsks,
    };
    const { signal } = new AbortController();
    await createMemberCommands({ store }).drain('10.0.0.2', signal);
    expect(calls).to.deep.equal([[{ host: '10.0.0.2' }, { signal, timeoutMs: 3_000 }]]);
  });

  it('is made for each Pod at most once in the time that its step says', () => {
    for (const intervalMs of [250, 2_000]) {
      const pacer = createDrainPacer();
      const times = [0, intervalMs - 1, intervalMs, intervalMs + 1, 2 * intervalMs];
      expect(
        times.map((ms) => pacer.mayAsk('a', intervalMs, ms)),
        `${intervalMs}`,
      ).to.deep.equal([true, false, true, false, true]);
      expect(pacer.mayAsk('b', intervalMs, 2 * intervalMs)).to.equal(true);
    }
  });
});
