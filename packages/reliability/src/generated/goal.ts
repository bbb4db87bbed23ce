// The state that the world has to reach and keep, according to the user's last wish: the cluster well and at its size,
// or nothing changing while it is paused, or everything gone but its volumes.

import { ANNOTATIONS, clientServiceName, headlessServiceName, pdbName } from '@marekvs/api';
import type { Goal } from '../life/scenario.ts';
import { CLAIMS, CLUSTERS, NAME, NAMESPACE, type WorldView } from '../world/cluster/world-view.ts';
import type { MemberWorld } from '../world/member-world.ts';
import { type Wish, wantedSize } from './wish.ts';

/** Virtual milliseconds after faults stop. Ten seconds are usual. */
const GONE_WITHIN_MS = 60_000;
const STILL_WITHIN_MS = 180_000;
/** An undone removal is retried after ten minutes; a member that was killed several times restarts after five. */
const WELL_WITHIN_MS = 900_000;
/** Added for each node that is surplus or has to be replaced. */
const PER_REMOVAL_MS = 120_000;

/** With no write to nodes, Pods and volumes for this long, nothing is under way any more. Members that missed each
 *  other when they started meet after about a minute (docs/design/server.md#h7), and nobody restarts them while the
 *  cluster is paused. */
const QUIET_MS = 75_000;

/** @param keptVolumes volumes that the last deletion of the cluster had to leave behind */
export function goalOf(world: MemberWorld, wish: Wish, keptVolumes: readonly string[]): Goal {
  if (!wish.isThere)
    return {
      nodes: 0,
      withinMs: GONE_WITHIN_MS,
      unmet: () => unmetGone(world),
      problem: () => volumeProblem(world, wish, keptVolumes),
    };
  if (wish.isPaused) return { nodes: 0, withinMs: STILL_WITHIN_MS, unmet: stillness(world) };
  const nodes = wantedSize(wish);
  const removals = surplus(world, nodes) + leavingCount(world);
  return { nodes, withinMs: WELL_WITHIN_MS + removals * PER_REMOVAL_MS, unmet: () => unmetWell(world, wish) };
}

/** What keeps the cluster from being well and as wished; undefined when nothing does. */
export function unmetWell(world: WorldView, wish: Wish): string | undefined {
  const size = wantedSize(wish);
  if (!world.isHealthy(size)) return `not healthy at ${size}`;
  return (
    world
      .nodes()
      .map((node) => nodeProblem(world, node))
      .find(isText) ??
    childProblem(world) ??
    imageProblem(world, wish)
  );
}

type Node = ReturnType<WorldView['nodes']>[number];

function nodeProblem(world: WorldView, node: Node): string | undefined {
  const { metadata, spec } = node;
  const { name, uid, deletionTimestamp, ownerReferences = [] } = metadata;
  // Checked first: right after a deletion by hand the status is out of date.
  if (deletionTimestamp !== undefined) return `${name} is being deleted`;
  if (isForced(node)) return `${name} is forced out`;
  if (isVolumeTerminating(world, node)) return `the volume of ${name} is being deleted`;
  if (ownerReferences[0]?.uid !== world.cluster()?.metadata.uid) return `${name} belongs to another cluster`;
  if (spec.intent !== 'Active' || !spec.serving) return `${name} is ${spec.intent}, serving: ${spec.serving}`;
  if (world.member(spec.nodeId)?.phase !== 'Active') return `the member of ${name} is not Active`;
  const pod = world.pod(spec.nodeId);
  if (pod?.metadata.ownerReferences?.[0]?.uid !== uid || pod.metadata.deletionTimestamp !== undefined)
    return `${name} has no Pod of its own`;
  const [is, wanted] = [imageOf(pod), spec.template.image];
  return is === wanted ? undefined : `Pod ${name} runs ${is}, not ${wanted}`;
}

function childProblem({ kube: { server } }: WorldView): string | undefined {
  const children = [
    ['services', clientServiceName(NAME)],
    ['services', headlessServiceName(NAME)],
    ['poddisruptionbudgets.policy', pdbName(NAME)],
  ] as const;
  const missing = children.find(
    ([resource, name]) => server.find(resource, { namespace: NAMESPACE, name }) === undefined,
  );
  return missing === undefined ? undefined : `${missing.join(' ')} is missing`;
}

const STOPS: ReadonlySet<string> = new Set([
  'RolloutStopped',
  'RolloutPaused',
  'RolloutAwaitsApproval',
  'RolloutOnDelete',
]);

/** The image must reach every member, unless the status says why it does not. */
function imageProblem(world: WorldView, { image }: Wish): string | undefined {
  const others = world.nodes().filter(({ spec }) => spec.template.image !== image);
  if (others.length === 0 || STOPS.has(world.condition('RollingOut') ?? '')) return undefined;
  return `${others.map(({ metadata }) => metadata.name).join(', ')} keep an older image and nobody says so`;
}

function unmetGone(world: WorldView): string | undefined {
  if (world.cluster() !== undefined) return 'the cluster is there';
  const [node] = world.nodes();
  if (node !== undefined) return `${node.metadata.name} is there`;
  const [pod] = world.kube.server.list('pods');
  return pod === undefined ? undefined : `Pod ${pod.metadata.name} is there`;
}

function volumeProblem(world: WorldView, { whenDeleted }: Wish, kept: readonly string[]): string | undefined {
  const missing = kept.filter((name) => !world.claimNames().includes(name));
  if (missing.length > 0) return `the volumes ${missing.join(', ')} did not outlive their cluster`;
  const owned = world.kube.server.list(CLAIMS).find(({ metadata }) => metadata.ownerReferences !== undefined);
  return whenDeleted === 'Delete' && owned !== undefined ? `volume ${owned.metadata.name} is still there` : undefined;
}

/** Satisfied once the pause is observed and nothing has been written for a while. */
function stillness(world: MemberWorld): () => string | undefined {
  // Writes to the cluster are not counted: its status also changes with its clients. At rest they are checked too.
  const count = (): number => world.writes.filter(({ resource }) => !resource.startsWith(CLUSTERS)).length;
  let last = { writes: count(), atMs: world.nowMs };
  return () => {
    const writes = count();
    if (writes !== last.writes) last = { writes, atMs: world.nowMs };
    const cluster = world.cluster();
    if (cluster?.status?.observedGeneration !== cluster?.metadata.generation) return 'the pause is not observed';
    if (world.condition('Paused') !== 'True') return `Paused is ${world.condition('Paused')}`;
    return world.nowMs - last.atMs < QUIET_MS ? 'somebody still writes' : undefined;
  };
}

/** Nodes above the wanted number. A cluster that is not formed yet takes over every volume of its name
 *  (docs/decisions/volume-identity.md). */
function surplus(world: WorldView, nodes: number): number {
  const isFormed = world.cluster()?.status?.formed !== undefined;
  return Math.max(0, (isFormed ? world.nodeIds().length : world.claimNames().length) - nodes);
}

/** Nodes that have to go at any size. */
function leavingCount(world: WorldView): number {
  return world
    .nodes()
    .filter(
      (node) => node.metadata.deletionTimestamp !== undefined || isForced(node) || isVolumeTerminating(world, node),
    ).length;
}

function isVolumeTerminating(world: WorldView, { spec }: Node): boolean {
  return world.claim(spec.nodeId)?.metadata.deletionTimestamp !== undefined;
}

function isForced({ metadata }: Node): boolean {
  return metadata.annotations?.[ANNOTATIONS.forceRemove]?.startsWith(`${metadata.uid}/`) === true;
}

function imageOf(pod: { readonly spec?: unknown }): string | undefined {
  const { containers } = (pod.spec ?? {}) as { readonly containers?: readonly { readonly image?: string }[] };
  return containers?.[0]?.image;
}

function isText(text: string | undefined): boolean {
  return text !== undefined;
}
