// What users do in a plan, with kubectl's verbs. Each hand returns whether it took effect: a missing object cannot be
// edited, and a protected one is not deleted.

import { ANNOTATIONS, LABELS } from '@marekvs/api';
import { CLAIMS, CLUSTERS, NAME, NAMESPACE, NODES } from '../world/cluster/world-view.ts';
import type { Act } from './plan.ts';
import type { Scene } from './scene.ts';
import { FIRST_IMAGE, type Wish } from './wish.ts';

type UserKind =
  | 'size'
  | 'image'
  | 'labels'
  | 'memory'
  | 'update'
  | 'rollout'
  | 'pause'
  | 'resume'
  | 'hibernate'
  | 'wake'
  | 'deadline'
  | 'retention'
  | 'protection'
  | 'deleteCluster'
  | 'createCluster'
  | 'deleteNode'
  | 'takeFinalizer'
  | 'deletePod'
  | 'deleteClaim'
  | 'deleteService'
  | 'removeFirst'
  | 'force'
  | 'clients';

export type Hand<K extends Act['kind']> = (scene: Scene, act: Extract<Act, { readonly kind: K }>) => boolean;

export const USER_HANDS: { readonly [K in UserKind]: Hand<K> } = {
  size: (scene, { nodes }) => edit(scene, { nodes }),
  image: (scene, { image }) => edit(scene, { image }),
  labels: (scene, { team }) => edit(scene, { podMetadata: { labels: { team } } }),
  memory: (scene, { memory }) => edit(scene, { resources: { memory } }),
  update: (scene, { kind: _, ...update }) => edit(scene, { update }),
  rollout(scene, { order }) {
    const { world, wish } = scene;
    if (!wish().isThere) return false;
    const revision = world.cluster()?.status?.update?.revision ?? '';
    const [key, value] = {
      pause: [ANNOTATIONS.rolloutPaused, 'true'] as const,
      resume: [ANNOTATIONS.rolloutPaused, 'false'] as const,
      retry: [ANNOTATIONS.rolloutRetry, String(world.nowMs)] as const,
      approve: [ANNOTATIONS.rolloutApproved, revision] as const,
    }[order];
    world.annotate(CLUSTERS, NAME, { [key]: value });
    return true;
  },
  pause: (scene) => edit(scene, { paused: true }),
  resume: (scene) => edit(scene, { paused: null }),
  hibernate: (scene) => edit(scene, { hibernated: true }),
  wake: (scene) => edit(scene, { hibernated: null }),
  deadline: (scene, { seconds }) => edit(scene, { removal: { deadlineSeconds: seconds } }),
  retention: (scene, { whenScaled }) => edit(scene, { volumeRetention: { whenScaled } }),
  protection: (scene, { isOn }) => edit(scene, { deletionProtection: isOn }),
  deleteCluster,
  createCluster({ world, wish }, { nodes, whenDeleted }) {
    if (wish().isThere) return false;
    create(world, { ...wish(), nodes, whenDeleted });
    return true;
  },
  deleteNode(scene, { node }) {
    const name = nodeNameAt(scene, node);
    return name !== undefined && removeUnprotected(scene, NODES, name);
  },
  takeFinalizer(scene, { node }) {
    const { world } = scene;
    const name = nodeNameAt(scene, node);
    if (name === undefined) return false;
    world.kube.transcript.add('user', `takes the finalizers of ${name} off`);
    world.kube.server.patch(NODES, { namespace: NAMESPACE, name }, { metadata: { finalizers: [] } });
    return true;
  },
  deletePod(scene, { node }) {
    const name = nodeNameAt(scene, node);
    return name !== undefined && removeUnprotected(scene, 'pods', name);
  },
  deleteClaim(scene, { node }) {
    const name = nodeNameAt(scene, node);
    return name !== undefined && removeUnprotected(scene, CLAIMS, `data-${name}`);
  },
  deleteService: (scene) => removeUnprotected(scene, 'services', NAME),
  removeFirst(scene, { node }) {
    const name = nodeNameAt(scene, node);
    if (name === undefined) return false;
    scene.world.annotate(NODES, name, { 'marekvs.io/remove-first': 'true' });
    return true;
  },
  force(scene, { node, isRightUid }) {
    const { world } = scene;
    const name = nodeNameAt(scene, node);
    const found = world.nodes().find(({ metadata }) => metadata.name === name);
    if (name === undefined || found === undefined) return false;
    const uid = isRightUid ? found.metadata.uid : '00000000-0000-4000-8000-000000000000';
    world.annotate(NODES, name, { 'marekvs.io/force-remove': `${uid}/its disk ticks` });
    return true;
  },
  clients({ world, fate, wish }, { writesPerSecond, forMs }) {
    // Members of an earlier cluster may be given up with their volumes, so clients start only when those are gone.
    if (!wish().isThere || hasForeignPods(world)) return false;
    world.kube.transcript.add('clients', `write ${writesPerSecond} times a second`);
    world.startWriters({ clients: 2, writesPerSecond: writesPerSecond / 2, keys: 100 });
    fate.undoAfter(forMs, () => world.stopWriters());
    return true;
  },
};

/** Like `kubectl create` of the wished cluster. */
export function create(world: Scene['world'], wish: Pick<Wish, 'nodes' | 'replicationFactor' | 'whenDeleted'>): void {
  const { nodes, replicationFactor, whenDeleted } = wish;
  world.apply({ image: FIRST_IMAGE, nodes, replicationFactor, volumeRetention: { whenDeleted } });
}

function edit({ world, wish }: Scene, spec: Readonly<Record<string, unknown>>): boolean {
  if (!wish().isThere) return false;
  world.edit(spec);
  return true;
}

/** With `whenDeleted: Delete` the data is given up: clients stop first, and the ledger forgets their writes. */
function deleteCluster(scene: Scene): boolean {
  const { world, wish } = scene;
  if (!wish().isThere || wish().isProtected) return false;
  if (wish().whenDeleted === 'Delete') {
    world.stopWriters();
    world.kube.ledger.forget();
  }
  scene.keptVolumes = wish().whenDeleted === 'Retain' ? keptVolumes(world) : [];
  world.removeObject(CLUSTERS, NAME);
  return true;
}

/** Volumes whose deletion has not begun, neither by a person nor by the current removal. */
function keptVolumes(world: Scene['world']): readonly string[] {
  const operation = world.cluster()?.status?.operation;
  const reclaimedUid = operation?.phase === 'Reclaiming' ? operation.target?.pvcUID : undefined;
  return world.kube.server
    .list(CLAIMS)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined && metadata.uid !== reclaimedUid)
    .map(({ metadata }) => metadata.name);
}

/** The name of the nth node, modulo their number. */
function nodeNameAt({ world }: Scene, index: number): string | undefined {
  const nodes = world.nodes();
  return nodes[index % Math.max(1, nodes.length)]?.metadata.name;
}

/** Like the admission policies of config/components/deletion-protection, goes by the label. */
function removeUnprotected({ world }: Scene, resource: string, name: string): boolean {
  const found = world.kube.server.find(resource, { namespace: NAMESPACE, name });
  if (found === undefined || found.metadata.labels?.[LABELS.protected] === 'true') return false;
  world.removeObject(resource, name);
  return true;
}

function hasForeignPods(world: Scene['world']): boolean {
  const uid = world.cluster()?.metadata.uid;
  return world.kube.server.list('pods').some(({ metadata }) => metadata.labels?.[LABELS.clusterUid] !== uid);
}
