// Members that a StatefulSet started become members of a cluster without a restart
// (docs/decisions/adopting-and-releasing.md): what is refused, what is taken over in which order, and that an operator
// that dies at any write comes to the same end.

import { ANNOTATIONS, findCondition, LABELS, type MarekvsClusterSpec, servingSelector } from '@marekvs/api';
import { ApiError, persistentVolumeClaims, pods } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { nthWriteFails, WAYS_TO_FAIL } from './support/fake-api.ts';
import { createWorld } from './support/fake-world.ts';
import { ask, letGo, oldOperatorMade, requestFor, STATEFUL_SETS, selectorOf } from './support/stateful-set.ts';

const NODES = 'marekvsnodes.marekvs.io';

type World = ReturnType<typeof createWorld>;

/** A cluster that the existing operator runs, in a world in which this operator has just been installed. */
function found(count = 3, spec: Partial<MarekvsClusterSpec> = {}): World {
  const w = createWorld();
  w.apply({ nodes: count, gcGraceSeconds: 3600, ...spec });
  oldOperatorMade(w, count);
  w.writes.length = 0;
  return w;
}

function handedOver(count = 3, spec: Partial<MarekvsClusterSpec> = {}): World {
  const w = found(count, spec);
  ask(w, requestFor(w, count));
  letGo(w);
  return w;
}

const stalled = (w: World) => findCondition(w.cluster()?.status?.conditions, 'Stalled');
const written = (w: World) => [...new Set(w.writes.map(({ verb, what }) => `${verb} ${what}`))].sort();
const podUids = (w: World) => w.list('pods').map(({ metadata }) => metadata.uid);

describe('a cluster whose members a StatefulSet runs', () => {
  it('is not formed beside them: only its status is written, with the command to adopt them', async () => {
    const w = found();
    await w.live(3);
    expect(written(w)).to.deep.equal(['update marekvsclusters.marekvs.io/status']);
    expect(stalled(w)).to.deep.include({ status: 'True', reason: 'StatefulSetFound' });
    expect(stalled(w)?.message).to.include('kubectl mkv adopt demo -n default');
    expect(selectorOf(w, 'demo')).to.deep.equal({ app: 'demo' });
  });

  it('is left alone also while it is paused, or its spec is invalid', async () => {
    for (const spec of [{ paused: true }, { nodes: 3, extraEnv: { MAREKVS_NODE_ID: '1' } }]) {
      const w = createWorld();
      w.apply(spec);
      oldOperatorMade(w, 3);
      w.writes.length = 0;
      await w.live(2);
      expect(written(w), JSON.stringify(spec)).to.deep.equal(['update marekvsclusters.marekvs.io/status']);
    }
  });

  it('waits until the StatefulSet is removed when the adoption was asked for', async () => {
    const w = found();
    ask(w, requestFor(w, 3));
    await w.live(2);
    expect(w.list(NODES)).to.have.lengthOf(0);
    expect(stalled(w)?.message).to.include('is still there');
  });

  it('is not taken over when the StatefulSet does not belong to it, and no command is offered', async () => {
    const w = createWorld();
    w.apply();
    const other = w.create('configmaps', { metadata: { name: 'other', namespace: 'default' } });
    oldOperatorMade(w, 3, other.metadata.uid);
    await w.live(2);
    expect(w.list(NODES)).to.have.lengthOf(0);
    expect(stalled(w)?.message).to.equal('StatefulSet demo belongs to somebody else: rename or remove one of the two');
  });

  it('forms like any other when its manifest was copied from a cluster that was taken over', async () => {
    const w = createWorld();
    w.apply();
    ask(w, { ...requestFor(w, 3), clusterUid: 'another', statefulSetUid: 'x', volumes: [{ nodeId: 0, uid: 'y' }] });
    await w.live();
    expect(w.cluster()?.status).to.deep.include({ phase: 'Healthy' });
    expect(w.cluster()?.status?.formed?.clusterId).to.not.equal('marekvs');
  });

  it('is not formed beside Pods whose StatefulSet was removed by hand', async () => {
    const w = found();
    letGo(w);
    await w.live(2);
    expect([w.list(NODES).length, selectorOf(w, 'demo')]).to.deep.equal([0, { app: 'demo' }]);
    expect(stalled(w)?.message).to.include('Pod demo-0 runs without an owner');
  });

  it('is not formed when StatefulSets may not be read', async () => {
    const w = found();
    const { get } = w.ports.client;
    Object.assign(w.ports.client, {
      get: async (kind: { plural: string }, ...rest: [never, never]) => {
        if (kind.plural !== 'statefulsets') return get(kind as never, ...rest);
        throw new ApiError({ verb: 'get', subject: 'x', path: '/x', status: 403, reason: 'Forbidden' });
      },
    });
    await w.live(2);
    expect(w.list(NODES)).to.have.lengthOf(0);
    expect(w.cluster()?.status?.phase).to.equal('Blocked');
  });

  it('forms like any other when the StatefulSet is gone with everything it had', async () => {
    const w = found();
    await w.live(1);
    for (const id of [0, 1, 2]) {
      w.drop('pods', `demo-${id}`);
      w.drop('persistentvolumeclaims', `data-demo-${id}`);
    }
    w.drop(STATEFUL_SETS, 'demo');
    await w.live(12);
    expect(w.cluster()?.status?.phase).to.equal('Healthy');
  });
});

describe('members that were handed over', () => {
  it('are taken over as they are: same Pods and volumes, no Pod deleted or created, and the cluster is Healthy', async () => {
    const w = handedOver();
    const before = podUids(w);
    await w.live();
    expect(w.cluster()?.status?.phase).to.equal('Healthy');
    expect(podUids(w)).to.deep.equal(before);
    const ended = w.writes.filter(({ verb, what }) => verb === 'delete' || (verb === 'create' && what !== NODES));
    const beside = ['networkpolicies.networking.k8s.io', 'controllerrevisions.apps'];
    expect(ended.filter(({ what }) => !beside.includes(what))).to.deep.equal([]);
    expect(w.cluster()?.status?.formed?.clusterId).to.equal('marekvs');
    expect(w.list('pods').map(({ metadata }) => metadata.ownerReferences?.map(({ kind }) => kind))).to.deep.equal([
      ['MarekvsNode'],
      ['MarekvsNode'],
      ['MarekvsNode'],
    ]);
    expect(w.node(1)?.status?.pvcUID).to.equal(w.volumeOf(1)?.metadata.uid);
  });

  it('have their Services and the budget switched to new labels in one write each, only after all are taken over', async () => {
    const w = handedOver();
    const seen: unknown[] = [];
    w.faults.push(() => {
      const isServed = w.list('pods').every(({ metadata }) => metadata.labels?.[LABELS.serving] === 'true');
      const selector = selectorOf(w, 'demo');
      if (JSON.stringify(selector) !== JSON.stringify(seen.at(-1))) seen.push(selector);
      if (JSON.stringify(selector) !== '{"app":"demo"}' && !isServed) throw new Error('switched too early');
      return undefined;
    });
    await w.live();
    expect(seen).to.deep.equal([{ app: 'demo' }, { ...servingSelector('demo') }]);
    expect(w.get('poddisruptionbudgets.policy', 'demo')?.spec).to.deep.include({ minAvailable: 2 });
    expect(JSON.stringify(w.get('poddisruptionbudgets.policy', 'demo')?.spec)).to.not.include('"app"');
  });

  for (const [members, nodes, minNodes, maxNodes] of [
    [4, 3, 3, 8],
    [3, 5, 3, 8],
    [5, 3, 3, 4],
  ] as const)
    it(`keep their number until load decides: ${members}, with spec.nodes ${nodes} and autoscale from ${minNodes} to ${maxNodes}`, async () => {
      const w = handedOver(members, { nodes, autoscale: { minNodes, maxNodes, targetOpsPerNode: 5000 } });
      const before = podUids(w);
      await w.live();
      expect(w.cluster()?.status?.autoscale).to.include({ size: members, reason: 'AutoscaleBegun' });
      expect(w.cluster()?.status).to.include({ phase: 'Healthy', desiredNodes: members });
      expect([podUids(w), w.list(NODES).length]).to.deep.equal([before, members]);
    });

  it('come back with the folder that their data is in, and new members get a folder of their own', async () => {
    const w = handedOver();
    await w.live();
    w.remove('pods', 'demo-1');
    w.apply({ nodes: 4, gcGraceSeconds: 3600 });
    await w.live(8);
    expect([dataDirOf(w, 'demo-1'), dataDirOf(w, 'demo-3')]).to.deep.equal(['/data', '/data/n3']);
    expect(w.cluster()?.status?.phase).to.equal('Healthy');
  });

  it('are started on their volume when their Pod ended before it was taken over', async () => {
    const w = handedOver();
    w.drop('pods', 'demo-2');
    await w.live(8);
    expect(dataDirOf(w, 'demo-2')).to.equal('/data');
    expect(w.cluster()?.status?.phase).to.equal('Healthy');
  });

  it('are not started when their volume was exchanged, and nothing is switched', async () => {
    const w = found();
    const request = requestFor(w, 3);
    ask(w, { ...request, volumes: request.volumes.map((one) => (one.nodeId === 1 ? { ...one, uid: 'other' } : one)) });
    letGo(w);
    w.drop('pods', 'demo-1');
    await w.live();
    expect(w.get('pods', 'demo-1')).to.equal(undefined);
    expect(findCondition(w.node(1)?.status?.conditions, 'Ready')?.reason).to.equal('VolumeForeign');
    expect([w.cluster()?.status?.formed, selectorOf(w, 'demo')]).to.deep.equal([undefined, { app: 'demo' }]);
  });

  it('get no empty volume when theirs is gone', async () => {
    const w = handedOver();
    w.drop('pods', 'demo-1');
    w.drop('persistentvolumeclaims', 'data-demo-1');
    await w.live();
    expect([w.volumeOf(1), w.get('pods', 'demo-1')]).to.deep.equal([undefined, undefined]);
    expect(findCondition(w.node(1)?.status?.conditions, 'Ready')?.reason).to.equal('VolumeLost');
  });

  it('are left as they are when their Pod is on another volume', async () => {
    const w = handedOver();
    w.change(pods, 'demo-1', {
      spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-demo-2' } }] },
    });
    await w.live();
    expect(w.get('pods', 'demo-1')?.metadata.ownerReferences).to.equal(undefined);
    expect(w.cluster()?.status?.formed).to.equal(undefined);
  });

  it('stay with the existing operator when that takes them back, which the cluster reports', async () => {
    const w = handedOver();
    const again = w.create(STATEFUL_SETS, { metadata: { name: 'demo', namespace: 'default' } });
    for (const id of [0, 1, 2])
      w.change(pods, `demo-${id}`, {
        metadata: {
          ownerReferences: [{ kind: 'StatefulSet', name: 'demo', uid: again.metadata.uid, controller: true }],
        },
      });
    await w.live();
    expect(w.list('pods').map(({ metadata }) => metadata.ownerReferences?.[0]?.kind)).to.deep.equal([
      'StatefulSet',
      'StatefulSet',
      'StatefulSet',
    ]);
    expect(stalled(w)?.reason).to.equal('StatefulSetFound');
    expect(selectorOf(w, 'demo')).to.deep.equal({ app: 'demo' });
  });

  it('are left as they are when the request is removed or spoiled half-way, which is reported', async () => {
    for (const text of [null, 'spoiled']) {
      const w = handedOver();
      w.wake('cluster default/demo');
      await w.wait(1_000);
      expect(w.list(NODES)).to.have.lengthOf(3);
      w.change(w.kinds.cluster, 'demo', { metadata: { annotations: { [ANNOTATIONS.adopt]: text } } });
      await w.live(3);
      expect(stalled(w)?.reason).to.equal('AdoptionUnclear');
      expect([w.cluster()?.status?.formed, selectorOf(w, 'demo')]).to.deep.equal([undefined, { app: 'demo' }]);
    }
  });

  it('are not started on a volume whose note of the folder was spoiled', async () => {
    const w = handedOver();
    await w.live();
    w.change(persistentVolumeClaims, 'data-demo-1', { metadata: { annotations: { [ANNOTATIONS.dataDir]: '/etc' } } });
    w.drop('pods', 'demo-1');
    await w.live(2);
    expect(w.get('pods', 'demo-1')).to.equal(undefined);
    expect(findCondition(w.node(1)?.status?.conditions, 'Ready')?.reason).to.equal('VolumeForeign');
  });

  it('come to the same end whichever write fails or loses its answer', async () => {
    const undisturbed = handedOver();
    await undisturbed.live();
    const wanted = endOf(undisturbed);
    const writes = undisturbed.writes.length;
    expect(writes).to.be.within(15, 40);
    for (let nth = 1; nth <= writes; nth += 1)
      for (const way of WAYS_TO_FAIL) {
        const w = handedOver();
        const before = podUids(w);
        w.faults.push(nthWriteFails(nth, way));
        await w.live(8);
        expect(endOf(w), `${way} at write ${nth}`).to.deep.equal(wanted);
        expect(podUids(w)).to.deep.equal(before);
      }
  });
});

function dataDirOf(w: World, name: string): string | undefined {
  const { spec } = w.get('pods', name) ?? {};
  const { containers = [] } = (spec ?? {}) as {
    containers?: readonly { readonly env?: readonly { readonly name: string; readonly value?: string }[] }[];
  };
  return containers[0]?.env?.find((one) => one.name === 'MAREKVS_DATA_DIR')?.value;
}

function endOf(w: World) {
  const { phase, formed, highestNodeId } = w.cluster()?.status ?? {};
  return {
    phase,
    identity: formed?.clusterId,
    highestNodeId,
    owners: w.list('pods').map(({ metadata }) => metadata.ownerReferences?.map(({ kind }) => kind)),
    volumes: w
      .list('persistentvolumeclaims')
      .map(({ metadata }) => [metadata.name, metadata.labels, metadata.annotations]),
    selectors: ['demo', 'demo-headless'].map((name) => selectorOf(w, name)),
  };
}
