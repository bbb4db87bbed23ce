// Members become those of a StatefulSet without a restart (docs/decisions/adopting-and-releasing.md): what is written
// in which order, what is refused, that it can be undone before the end, that they can be taken over again, and that an
// operator that dies at any write comes to the same end.

import { ANNOTATIONS, findCondition, type MarekvsClusterSpec, servingSelector } from '@marekvs/api';
import type { StatefulSet } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { failUnavailable, nthWriteFails, WAYS_TO_FAIL } from './support/fake-api.ts';
import { createWorld } from './support/fake-world.ts';
import {
  ask,
  askForRelease,
  letGo,
  makeSet,
  oldOperatorMade,
  requestFor,
  STATEFUL_SETS,
  selectorOf,
  statefulSetReconciles,
} from './support/stateful-set.ts';

const NODES = 'marekvsnodes.marekvs.io';
const POLICIES = 'networkpolicies.networking.k8s.io';

type World = ReturnType<typeof createWorld>;

/** Three members that were taken over, Healthy. */
async function adopted(spec: Partial<MarekvsClusterSpec> = {}): Promise<World> {
  const w = createWorld();
  w.apply({ nodes: 3, gcGraceSeconds: 3600, ...spec });
  oldOperatorMade(w, 3);
  ask(w, requestFor(w, 3));
  letGo(w);
  await w.live();
  expect(w.cluster()?.status?.phase).to.equal('Healthy');
  w.writes.length = 0;
  return w;
}

/** A round of everything: the operator, the plugin when it is waited for, and the controller of StatefulSets. */
async function live(w: World, rounds = 4, make: (w: World) => void = makeSet): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await w.live(1);
    const isWaited = w.cluster()?.status?.release?.phase === 'Waiting';
    if (isWaited && w.get(STATEFUL_SETS, 'demo') === undefined) make(w);
    await w.wait(3_000);
    statefulSetReconciles(w);
    await w.wait(6_000);
  }
}

const ready = (w: World) => findCondition(w.cluster()?.status?.conditions, 'Ready');
const stalled = (w: World) => findCondition(w.cluster()?.status?.conditions, 'Stalled');
const podUids = (w: World) => w.list('pods').map(({ metadata }) => metadata.uid);
const owners = (w: World) => w.list('pods').map(({ metadata }) => metadata.ownerReferences?.map(({ kind }) => kind));
const phase = (w: World) => w.cluster()?.status?.release?.phase;
const ended = (w: World) => w.writes.filter(({ verb, what }) => verb === 'delete' && what !== NODES);
const ALL_OF_SET = [['StatefulSet'], ['StatefulSet'], ['StatefulSet']];
const ALL_OURS = [['MarekvsNode'], ['MarekvsNode'], ['MarekvsNode']];

describe('members that are handed to a StatefulSet', () => {
  it('are handed over as they are: same Pods and volumes, none deleted or created, and no node is left', async () => {
    const w = await adopted();
    const before = podUids(w);
    askForRelease(w);
    await live(w, 6);
    expect([podUids(w), owners(w)]).to.deep.equal([before, ALL_OF_SET]);
    expect([w.list(NODES), ended(w)]).to.deep.equal([[], []]);
    expect(w.writes.filter(({ verb, what }) => verb === 'create' && what !== 'configmaps')).to.deep.equal([]);
    const { formed, release, instanceNames } = w.cluster()?.status ?? {};
    expect([formed, release, instanceNames]).to.deep.equal([undefined, undefined, []]);
    expect(stalled(w)?.reason).to.equal('StatefulSetFound');
    expect(w.events.map(({ reason }) => reason)).to.include.members(['Releasing', 'Released']);
    expect(w.events.map(({ reason }) => reason)).to.not.include('FinalizerRemoved');
  });

  it('stay behind their Services at every moment, whichever owner they have', async () => {
    const w = await adopted();
    const seen: unknown[] = [];
    w.faults.push(() => {
      const selector = selectorOf(w, 'demo') as Readonly<Record<string, string>>;
      if (JSON.stringify(selector) !== JSON.stringify(seen.at(-1))) seen.push(selector);
      const found = w.list('pods').filter(({ metadata }) => {
        return Object.entries(selector).every(([key, value]) => metadata.labels?.[key] === value);
      });
      if (found.length !== 3) throw new Error(`${found.length} endpoints`);
      return undefined;
    });
    askForRelease(w);
    await live(w, 6);
    expect(seen).to.deep.equal([{ ...servingSelector('demo') }, { app: 'demo' }]);
    expect(JSON.stringify(w.get('poddisruptionbudgets.policy', 'demo')?.spec)).to.include('"app":"demo"');
    expect(JSON.stringify(w.get('services', 'demo')?.metadata)).to.not.include('marekvs.io/cluster"');
    expect(w.get(POLICIES, 'demo')).to.equal(undefined);
  });

  it('can be taken over again, and handed over again', async () => {
    const w = await adopted();
    const before = podUids(w);
    for (let round = 1; round <= 2; round += 1) {
      askForRelease(w);
      await live(w, 6);
      expect(owners(w), `round ${round}`).to.deep.equal(ALL_OF_SET);
      ask(w, requestFor(w, 3));
      letGo(w);
      await w.live(6);
      expect([w.cluster()?.status?.phase, owners(w), podUids(w)], `round ${round}`).to.deep.equal([
        'Healthy',
        ALL_OURS,
        before,
      ]);
      // The request is left from before, and is about the cluster as it was formed then.
      await w.live(2);
      expect(phase(w)).to.equal(undefined);
    }
  });

  it('wait for the StatefulSet, with the two commands, and the operator still replaces a Pod meanwhile', async () => {
    const w = await adopted();
    askForRelease(w);
    await w.live(3);
    expect([phase(w), stalled(w)?.reason]).to.deep.equal(['Waiting', 'ReleaseWaiting']);
    expect(stalled(w)?.message).to.include('kubectl mkv release demo').and.include('kubectl mkv adopt demo');
    w.remove('pods', 'demo-1');
    await w.live(3);
    expect([owners(w), phase(w)]).to.deep.equal([ALL_OURS, 'Waiting']);
    await live(w, 6);
    expect([owners(w), w.list(NODES)]).to.deep.equal([ALL_OF_SET, []]);
  });

  it('return to the operator before a StatefulSet was created, with everything as it was', async () => {
    const w = await adopted();
    const before = podUids(w);
    askForRelease(w);
    await w.live(3);
    w.change(w.kinds.cluster, 'demo', { metadata: { annotations: { [ANNOTATIONS.release]: null } } });
    await w.live(3);
    expect([phase(w), w.cluster()?.status?.phase, podUids(w)]).to.deep.equal([undefined, 'Healthy', before]);
    expect(selectorOf(w, 'demo')).to.deep.equal({ ...servingSelector('demo') });
    expect(w.get(POLICIES, 'demo')).to.not.equal(undefined);
  });

  it('return to the operator half-way, those of the StatefulSet as well when it is removed', async () => {
    const w = await adopted();
    const before = podUids(w);
    askForRelease(w);
    await w.live(3);
    // One of them never comes to the StatefulSet.
    w.faults.push(({ verb, what, name }) =>
      verb === 'patch' && what === 'pods' && name === 'demo-2' ? failUnavailable() : undefined,
    );
    await live(w, 3);
    expect(owners(w)).to.deep.equal([['StatefulSet'], ['StatefulSet'], ['MarekvsNode']]);
    w.change(w.kinds.cluster, 'demo', { metadata: { annotations: { [ANNOTATIONS.release]: null } } });
    await live(w, 2);
    expect([phase(w), stalled(w)?.reason]).to.deep.equal(['TakingBack', 'ReleaseWaiting']);
    w.faults.length = 0;
    letGo(w);
    await w.live(4);
    expect([owners(w), podUids(w), w.cluster()?.status?.phase]).to.deep.equal([ALL_OURS, before, 'Healthy']);
  });

  for (const [title, change, words] of [
    ['would restart them', { updateStrategy: { type: 'RollingUpdate' } }, 'would restart every Pod'],
    ['is smaller', { replicas: 2 }, 'has 2 replicas'],
    ['selects more', { selector: { matchLabels: {} } }, 'does not select by app=demo'],
    ['deletes volumes', { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } }, 'deletes volumes'],
    ['starts them elsewhere', { template: { spec: { containers: [] } } }, 'MAREKVS_DATA_DIR unset'],
  ] as const)
    it(`are not handed to a StatefulSet that ${title}, which is reported`, async () => {
      const w = await adopted();
      askForRelease(w);
      await live(w, 5, (made) =>
        makeSet(made, (set) => ({ ...set, spec: { ...set.spec, ...change } }) as unknown as StatefulSet),
      );
      expect(owners(w)).to.deep.equal(ALL_OURS);
      expect(stalled(w)?.message).to.include(words).and.include('kubectl mkv adopt demo');
    });

  for (const name of ['demo', 'demo.clients'])
    it(`are not handed over while the network policy ${name} of the operator would cut off a new Pod`, async () => {
      const w = await adopted();
      askForRelease(w);
      await live(w, 5, (made) => {
        const policy = made.get(POLICIES, name);
        makeSet(made);
        made.create(POLICIES, policy as never);
      });
      expect(owners(w)).to.deep.equal(ALL_OURS);
      expect(stalled(w)?.message).to.include('kubectl delete networkpolicy demo demo.clients');
    });

  for (const [title, spec, words] of [
    ['is protected', { deletionProtection: true }, '{"spec":{"deletionProtection":false}}'],
    ['takes its volumes along', { volumeRetention: { whenDeleted: 'Delete' as const } }, '"whenDeleted":"Retain"'],
  ] as const)
    it(`are refused, with the command, while their cluster ${title}, and it keeps running`, async () => {
      const w = await adopted();
      w.apply({ nodes: 3, gcGraceSeconds: 3600, ...spec });
      await w.live(2);
      askForRelease(w);
      await live(w, 3);
      expect([phase(w), owners(w)]).to.deep.equal([undefined, ALL_OURS]);
      expect(stalled(w)?.reason).to.equal('ReleaseRefused');
      expect(stalled(w)?.message).to.include(words);
      expect(ready(w)?.status).to.equal('True');
    });

  it('are refused while one of them was created by the operator, until it is removed', async () => {
    const w = await adopted();
    w.apply({ nodes: 4, gcGraceSeconds: 3600 });
    await w.live(6);
    askForRelease(w);
    await live(w, 2);
    expect(stalled(w)?.message).to.include('demo-3 has its data in /data/n3');
    expect(stalled(w)?.message).to.include('kubectl mkv remove demo-3 -n default --shrink');
    expect(phase(w)).to.equal(undefined);
  });

  it('ignore a request that is about another cluster, or from another time', async () => {
    for (const text of ['other/2026-01-01T00:00:00Z', 'nonsense']) {
      const w = await adopted();
      w.change(w.kinds.cluster, 'demo', { metadata: { annotations: { [ANNOTATIONS.release]: text } } });
      await live(w, 2);
      expect([phase(w), w.cluster()?.status?.phase]).to.deep.equal([undefined, 'Healthy']);
    }
  });

  it('come to the same end whichever write fails or loses its answer', async function () {
    this.timeout(60_000);
    const undisturbed = await adopted();
    askForRelease(undisturbed);
    undisturbed.writes.length = 0;
    await live(undisturbed, 8);
    const wanted = endOf(undisturbed);
    const writes = undisturbed.writes.length;
    expect(writes).to.be.within(15, 45);
    for (let nth = 1; nth <= writes; nth += 1)
      for (const way of WAYS_TO_FAIL) {
        const w = await adopted();
        const before = podUids(w);
        askForRelease(w);
        w.faults.push(nthWriteFails(nth, way));
        await live(w, 8);
        expect(endOf(w), `${way} at write ${nth}`).to.deep.equal(wanted);
        expect(podUids(w)).to.deep.equal(before);
      }
  });
});

function endOf(w: World) {
  const { phase: shown, formed, release } = w.cluster()?.status ?? {};
  return {
    shown,
    formed,
    release,
    owners: owners(w),
    nodes: w.list(NODES).map(({ metadata }) => metadata.name),
    finalizers: w.list('pods').flatMap(({ metadata }) => metadata.finalizers ?? []),
    volumes: w
      .list('persistentvolumeclaims')
      .map(({ metadata }) => [metadata.name, metadata.labels, metadata.annotations]),
    selectors: ['demo', 'demo-headless'].map((name) => selectorOf(w, name)),
  };
}
