// What a replica that shares the clusters is sent, keeps and forgets: by the label that every object of a cluster has,
// and by the name of the cluster.

import { LABELS, MANAGED_BY, nodeLabels } from '@marekvs/api';
import { keyOf, type ObjectMeta, resourceOf, SLOTS, slotOf, systemClock, type Transport } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { NEEDS } from '../src/api-server/access-check.ts';
import { type CacheHandlers, type Caches, createCaches, listCaches } from '../src/caches/caches.ts';
import { createSharePart } from '../src/caches/slot-handover.ts';
import { createShare, type Share } from '../src/sharing/share.ts';
import { createWorld } from './support/fake-world.ts';

const IGNORED: CacheHandlers = {
  cluster: () => {},
  node: () => {},
  pod: () => {},
  volume: () => {},
  child: () => {},
  revision: () => {},
};
const OWN = { namespace: 'default', name: 'demo' };
const OWN_SLOT = slotOf(keyOf(OWN));
/** Another cluster, in another slot. */
const OTHER = { namespace: 'default', name: 'demo-1' };

function shareOf(...slots: readonly number[]): Share {
  const share = createShare();
  share.set(new Set(slots));
  return share;
}

/** An API server with these objects, whoever they belong to: what it is asked is noted. */
function following(share: Share, pods: readonly ObjectMeta[] = [], volumes: readonly ObjectMeta[] = []) {
  const asked: string[] = [];
  const sent: string[] = [];
  const transport: Transport = {
    request: () => Promise.reject(new Error('nothing but streams')),
    async stream({ path, resource, signal, onLine, onOpen }) {
      asked.push(path);
      onOpen?.();
      if (isList(path)) {
        const items = resource === 'pods' ? pods : resource === 'persistentvolumeclaims' ? volumes : [];
        for (const metadata of items) onLine(Buffer.from(JSON.stringify({ type: 'ADDED', object: { metadata } })));
        const metadata = { resourceVersion: '9', annotations: { 'k8s.io/initial-events-end': 'true' } };
        onLine(Buffer.from(JSON.stringify({ type: 'BOOKMARK', object: { metadata } })));
      }
      await untilAborted(signal);
      throw signal.reason;
    },
    close: async () => {},
  };
  const caches: Caches = createCaches({
    transport,
    namespaces: 'all',
    handlers: IGNORED,
    onProblem: () => {},
    metrics: {},
    clock: systemClock,
    share,
    onSent: (kind, { name }) => void sent.push(`${resourceOf(kind)} ${name}`),
  });
  const stop = new AbortController();
  for (const cache of listCaches(caches)) void cache.run(stop.signal);
  return { caches, asked, sent, stop: () => stop.abort(new Error('over')) };
}

function podOf({ namespace, name }: typeof OWN, slot: number): ObjectMeta {
  const labels = { ...nodeLabels(name, 'uid', 0), [LABELS.slot]: String(slot) };
  return { namespace, name: `${name}-0`, uid: `uid-${name}`, resourceVersion: '5', labels };
}

/** The objects first, then what happens from now on. */
function isList(path: string): boolean {
  return path.includes('sendInitialEvents');
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

/** The label selector of the last list of each kind. */
function selectors(asked: readonly string[]): ReadonlyMap<string, string> {
  const parsed = asked.map((path) => new URL(path, 'http://api'));
  return new Map(
    parsed.map(({ pathname, searchParams }) => [
      pathname.split('/').at(-1) ?? '',
      searchParams.get('labelSelector') ?? '',
    ]),
  );
}

describe('the selector of a replica that shares', () => {
  it('covers its slots and objects without a slot, by excluding the numbers of all other slots', () => {
    const share = shareOf(0, 1, 255);
    const named = /^marekvs\.io\/slot notin \(([\d,]+)\)$/.exec(share.selector() ?? '')?.[1]?.split(',') ?? [];
    expect(named).to.deep.equal(Array.from({ length: SLOTS - 3 }, (_, index) => String(index + 2)));
  });

  it('is absent when it has every slot', () => {
    expect(shareOf(...Array.from({ length: SLOTS }, (_, slot) => slot)).selector()).to.equal(undefined);
  });

  it('is used for every kind but the clusters themselves', async () => {
    const share = shareOf(OWN_SLOT);
    const { caches, asked, stop } = following(share);
    await Promise.all(listCaches(caches).map((cache) => cache.synced));
    const bySlot = share.selector() ?? '';
    const ours = `${LABELS.managedBy}=${MANAGED_BY},${bySlot}`;
    expect(Object.fromEntries(selectors(asked))).to.deep.equal({
      marekvsclusters: '',
      marekvsnodes: bySlot,
      pods: ours,
      persistentvolumeclaims: ours,
      services: ours,
      poddisruptionbudgets: ours,
      networkpolicies: ours,
      controllerrevisions: ours,
    });
    stop();
  });

  it('rests on a label that the operator may correct on every kind', async () => {
    const share = shareOf(OWN_SLOT);
    const { caches, asked, stop } = following(share);
    await Promise.all(listCaches(caches).map((cache) => cache.synced));
    const bySlot = [...selectors(asked)].filter(([, selector]) => selector.includes(share.selector() ?? ''));
    const isPatched = (plural: string) =>
      NEEDS.some(({ resource, verbs }) => resource === plural && verbs.includes('patch'));
    expect(bySlot).to.have.lengthOf(7);
    expect(bySlot.map(([plural]) => plural).filter((plural) => !isPatched(plural))).to.deep.equal([]);
    stop();
  });

  it('finds every object of a cluster by its slot label', async () => {
    const world = createWorld();
    world.apply({ nodes: 3 });
    await world.live();
    const written = new Set(world.writes.map(({ what, name }) => `${what.split('/')[0]} ${name}`));
    written.delete('marekvsclusters.marekvs.io demo');
    const slots = [...written].map((one) => {
      const [what = '', name = ''] = one.split(' ');
      return `${one} ${world.get(what, name)?.metadata.labels?.[LABELS.slot]}`;
    });
    // Nodes, Pods and volumes, two Services, two policies, a budget and a template.
    expect(slots).to.have.lengthOf(3 * 3 + 6);
    expect(slots.filter((one) => !one.endsWith(` ${OWN_SLOT}`))).to.deep.equal([]);
  });
});

describe('the caches of a replica that shares', () => {
  it('keep what belongs to its clusters by their name, whatever the slot label says, and report all objects as seen', async () => {
    const wrong = podOf(OTHER, OWN_SLOT);
    const { caches, sent, stop } = following(shareOf(OWN_SLOT), [podOf(OWN, OWN_SLOT), wrong]);
    await caches.pods.synced;
    expect([...caches.pods.store.values()].map(({ name }) => name)).to.deep.equal(['demo-0']);
    expect(sent).to.deep.equal(['pods demo-0', 'pods demo-1-0']);
    stop();
  });

  it('keep a Pod and a volume by their names, also when a hand has written another cluster on them', async () => {
    const pod = podOf(OWN, OWN_SLOT);
    const edited = { ...pod, labels: { ...pod.labels, [LABELS.cluster]: 'another' } };
    const { caches, stop } = following(shareOf(OWN_SLOT), [edited], [{ ...edited, name: 'data-demo-0' }]);
    await Promise.all([caches.pods.synced, caches.volumes.synced]);
    const kept = [...caches.pods.store.values(), ...caches.volumes.store.values()];
    expect(kept.map(({ name }) => name)).to.deep.equal(['demo-0', 'data-demo-0']);
    stop();
  });
});

describe('a change of the share', () => {
  const OTHER_SLOT = slotOf(keyOf(OTHER));
  const pods = [podOf(OWN, OWN_SLOT), podOf(OTHER, OTHER_SLOT)];
  const { signal } = new AbortController();

  function changing() {
    const share = shareOf();
    const followed = following(share, pods);
    const forgotten: string[] = [];
    const part = createSharePart({
      share,
      caches: followed.caches,
      settled: async (isMeant) => void forgotten.push(`waits ${isMeant(keyOf(OWN))} ${isMeant(keyOf(OTHER))}`),
      forget: (isMeant) => void forgotten.push(`forgets ${isMeant(keyOf(OWN))} ${isMeant(keyOf(OTHER))}`),
    });
    const kept = () => [...followed.caches.pods.store.values()].map(({ name }) => name);
    const synced = () => Promise.all(listCaches(followed.caches).map((cache) => cache.synced));
    return { ...followed, share, part, forgotten, kept, synced };
  }

  it('lists everything, with the gained slots, before they are worked on', async () => {
    const { part, caches, asked, kept, synced, share, stop } = changing();
    await synced();
    for (const [slots, names] of [
      [[OWN_SLOT], ['demo-0']],
      [
        [OWN_SLOT, OTHER_SLOT],
        ['demo-0', 'demo-1-0'],
      ],
    ] as const) {
      const before = asked.length;
      await part.hold(new Set(slots), signal);
      const listed = asked.slice(before);
      expect(listed.filter(isList)).to.have.lengthOf(listCaches(caches).length);
      const bySlot = shareOf(...slots).selector() ?? '';
      expect(selectors(listed).get('marekvsclusters')).to.equal('');
      expect(selectors(listed).get('marekvsnodes')).to.equal(bySlot);
      expect(selectors(listed).get('pods')).to.equal(`${LABELS.managedBy}=${MANAGED_BY},${bySlot}`);
      expect(kept()).to.deep.equal(names);
      expect([...share.slots]).to.deep.equal(slots);
    }
    stop();
  });

  it('forgets what belongs to lost slots, in memories and in caches, and nothing else', async () => {
    const { part, caches, forgotten, kept, share, stop } = changing();
    await Promise.all(listCaches(caches).map((cache) => cache.synced));
    const both = new Set([OWN_SLOT, slotOf(keyOf(OTHER))]);
    await part.hold(both, new AbortController().signal);
    expect(kept()).to.deep.equal(['demo-0', 'demo-1-0']);
    const lost = new Set([OWN_SLOT]);
    await part.settled(lost);
    part.letGo(lost);
    expect(forgotten).to.deep.equal(['waits true false', 'forgets true false']);
    expect(kept()).to.deep.equal(['demo-1-0']);
    expect([...share.slots]).to.deep.equal([slotOf(keyOf(OTHER))]);
    stop();
  });
});
