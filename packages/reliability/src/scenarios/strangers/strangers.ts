// Objects that name a cluster without being its own: copies of a node under another name or in another namespace, and
// owner references that were edited on a live one. Nobody's protection ends because of them.

import type { MarekvsNode } from '@marekvs/api';
import { idsWithout, rested, type Scenario } from '../../life/scenario.ts';
import { CLUSTERS, NAMESPACE, NODES } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';

const STRANGER = 'stranger';
/** Somebody's own, by which the copy stays for as long as he likes. */
const HELD = ['example.com/backup'];
/** The copy with another spec.clusterName. */
const COPY = 'copy-1';

export const STRANGER_STORIES: readonly Scenario[] = [
  {
    name: 'copied',
    story:
      'A node is copied to another namespace and to another clusterName; then its Pod is deleted, the cluster grows and shrinks, the original is deleted, and the copies: all of it as without them.',
    async run(world, fate) {
      await rested(world, fate, 4);
      copyAround(world, HELD);
      await world.until(() => reasonOn(world, NAMESPACE, COPY) === 'NodeForeign', 60_000, 'the copy is called foreign');
      world.removeObject('pods', 'demo-1');
      await world.until(() => world.member(1)?.phase === 'Active' && world.isHealthy(4), 300_000, 'its Pod is back');
      world.edit({ nodes: 5 });
      await world.until(() => world.isHealthy(5), 300_000, '5 members');
      world.edit({ nodes: 4 });
      await world.advance(fate.between(0, 60_000));
      await world.until(() => world.isHealthy(4), 600_000, '4 members');
      world.removeObject(NODES, 'demo-1');
      await world.advance(fate.between(0, 60_000));
      world.removeObject(NODES, COPY);
      world.kube.server.patch(NODES, { namespace: STRANGER, name: 'demo-1' }, { metadata: { finalizers: [] } });
      return { nodes: 4, ids: [0, 2, 3, 4], problem: () => leftOver(world) };
    },
  },
  {
    name: 'copied-and-back',
    story:
      'A cluster with copies of its node is deleted and made again at once under its name: what is left of the first is nothing to the second.',
    async run(world, fate) {
      await rested(world, fate, 3);
      copyAround(world);
      await world.advance(fate.between(0, 10_000));
      world.removeObject(CLUSTERS, 'demo');
      await world.until(() => world.cluster() === undefined, 60_000, 'it is gone');
      await world.advance(fate.between(1_000, 5_000));
      world.apply({ nodes: 3 });
      return { nodes: 3, problem: () => leftOver(world) };
    },
  },
  {
    name: 'copied-and-gone',
    story:
      'A node is copied to another namespace and to another clusterName, and the cluster is deleted: it goes as without the copies, and so do they.',
    async run(world, fate) {
      await rested(world, fate, 3);
      copyAround(world);
      await world.advance(fate.between(0, 20_000));
      world.removeObject(CLUSTERS, 'demo');
      return { nodes: 0, problem: () => leftOver(world) };
    },
  },
  {
    name: 'namesakes',
    story:
      'In a namespace of somebody else there are a node and a Pod of our names, which name our UIDs, while the cluster shrinks; then that namespace is deleted.',
    async run(world, fate) {
      await rested(world, fate, 4);
      makeStranger(world);
      for (const id of [2, 3]) {
        copy(world, id, { namespace: STRANGER });
        copyPod(world, id);
      }
      world.edit({ nodes: 3 });
      await world.advance(fate.between(0, 90_000));
      world.kube.transcript.add('user', `deletes namespace ${STRANGER}`);
      world.kube.server.remove('namespaces', { name: STRANGER });
      return { nodes: 3, ids: [0, 1, 2], problem: () => leftOver(world) };
    },
  },
  {
    name: 'owner-edited',
    story:
      'The owner reference of a live node is edited while the cluster is to shrink, and put right after a while: it counts no more, its member and its data stay, and then the cluster shrinks.',
    async run(world, fate) {
      await rested(world, fate, 4);
      const id = fate.whole(0, 2);
      const process = world.processOf(id);
      const before = editOwner(world, id, fate.pick([{ controller: false }, { name: 'other' }]));
      world.edit({ nodes: 3 });
      await world.advance(fate.between(10_000, 90_000));
      if (world.processOf(id) !== process) world.kube.violated(`demo-${id} has lost its process`);
      setOwner(world, id, before);
      return { nodes: 3, ids: [0, 1, 2] };
    },
  },
  {
    name: 'owner-of-nobody',
    story:
      'The owner reference of a live node gets a UID that nobody has, so that the garbage collector deletes the node: its member stays until the reference is put right, and is then replaced.',
    async run(world, fate) {
      await rested(world, fate, 4);
      const id = fate.whole(0, 3);
      const process = world.processOf(id);
      const before = editOwner(world, id, { uid: 'of-an-older-backup' });
      const isDeleted = (): boolean => world.node(id)?.metadata.deletionTimestamp !== undefined;
      await world.until(isDeleted, 30_000, 'the node is collected');
      await world.advance(fate.between(5_000, 60_000));
      if (world.processOf(id) !== process) world.kube.violated(`demo-${id} has lost its process`);
      setOwner(world, id, before);
      return { nodes: 4, ids: idsWithout(4, id) };
    },
  },
];

/** @param finalizers of the one in the other namespace, which the garbage collector ends */
function copyAround(world: MemberWorld, finalizers?: readonly string[]): void {
  makeStranger(world);
  copy(world, 1, { namespace: STRANGER, ...(finalizers === undefined ? {} : { finalizers }) });
  copy(world, 1, { name: COPY, clusterName: 'copy' });
}

function makeStranger(world: MemberWorld): void {
  world.kube.server.create('namespaces', { metadata: { name: STRANGER } });
}

/** What `kubectl get -o yaml`, an editor and `kubectl create` make of a node. */
function copy(
  world: MemberWorld,
  id: number,
  { namespace = NAMESPACE, name = `demo-${id}`, clusterName = 'demo', finalizers }: Copy,
): void {
  world.kube.transcript.add('user', `copies demo-${id} to ${namespace}/${name} of ${clusterName}`);
  const { metadata, spec } = nodeOf(world, id);
  const { labels = {}, ownerReferences = [] } = metadata;
  world.kube.server.create(NODES, {
    metadata: { name, namespace, labels, finalizers: finalizers ?? metadata.finalizers ?? [], ownerReferences },
    spec: { ...spec, clusterName },
  });
}

interface Copy {
  readonly namespace?: string;
  readonly name?: string;
  readonly clusterName?: string;
  readonly finalizers?: readonly string[];
}

/** No host is to take it: what it would run is another story. */
function copyPod(world: MemberWorld, id: number): void {
  const pod = world.pod(id);
  if (pod === undefined) throw new Error(`demo-${id} has no Pod`);
  const { name, labels = {}, annotations = {}, ownerReferences = [] } = pod.metadata;
  const { nodeName: _host, ...spec } = pod.spec ?? {};
  world.kube.server.create('pods', {
    metadata: { name, namespace: STRANGER, labels, annotations, ownerReferences },
    spec: { ...spec, nodeSelector: { 'example.com/none': 'true' } },
  });
}

type Owners = NonNullable<MarekvsNode['metadata']['ownerReferences']>;

function editOwner(world: MemberWorld, id: number, change: Partial<Owners[number]>): Owners {
  const before = nodeOf(world, id).metadata.ownerReferences ?? [];
  setOwner(
    world,
    id,
    before.map((owner) => ({ ...owner, ...change })),
  );
  return before;
}

function setOwner(world: MemberWorld, id: number, ownerReferences: Owners): void {
  world.kube.transcript.add('user', `edits the owner of demo-${id}: ${JSON.stringify(ownerReferences)}`);
  world.kube.server.patch(NODES, { namespace: NAMESPACE, name: `demo-${id}` }, { metadata: { ownerReferences } });
}

function nodeOf(world: MemberWorld, id: number): MarekvsNode {
  const node = world.node(id);
  if (node === undefined) throw new Error(`there is no demo-${id}`);
  return node;
}

function reasonOn(world: MemberWorld, namespace: string, name: string): string | undefined {
  const node = world.kube.server.find(NODES, { namespace, name }) as unknown as MarekvsNode | undefined;
  return node?.status?.conditions?.find(({ type }) => type === 'Ready')?.reason;
}

/** The collector takes what names an owner that is not there, in its own namespace; nothing may hold it. */
function leftOver(world: MemberWorld): string | undefined {
  const left = [NODES, 'pods'].flatMap((resource) =>
    world.kube.server
      .list(resource)
      .filter(({ metadata }) => metadata.namespace === STRANGER || metadata.name === COPY)
      .map(({ metadata }) => `${resource} ${metadata.namespace}/${metadata.name}`),
  );
  return left.length === 0 ? undefined : `left over: ${left.join(', ')}`;
}
