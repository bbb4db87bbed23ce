// Faults of members, their hosts and the network between them, and of the operator as a process. Each returns whether
// it took effect: a member that does not run at the moment cannot be killed.

import { CLAIMS, CLUSTERS, NODES } from '../world/cluster/world-view.ts';
import type { MemberWorld } from '../world/member-world.ts';
import type { Fate, Fault } from './fate.ts';

export type Strike = (world: MemberWorld, fate: Fate) => boolean;

/** By the kind under which each is counted. */
export const STRIKES = {
  memberKilled(world, fate) {
    const id = pickRunning(world, fate);
    if (id === undefined) return false;
    world.kill(id);
    return true;
  },
  memberFrozen(world, fate) {
    const id = pickRunning(world, fate);
    if (id === undefined) return false;
    freezeFor(world, fate, id, fate.between(500, 12_500));
    return true;
  },
  metricsHang: (world, fate) => spoilMetrics(world, fate, 'hang'),
  metricsError: (world, fate) => spoilMetrics(world, fate, 'error'),
  metricsGarbage: (world, fate) => spoilMetrics(world, fate, 'garbage'),
  networkCut(world, fate) {
    const [a, b] = [pickRunning(world, fate), pickRunning(world, fate)];
    if (a === undefined || b === undefined || a === b) return false;
    world.cut(a, b);
    fate.undoAfter(fate.between(0, 20_000), () => world.heal());
    return true;
  },
  meshPortSpoilt(world, fate) {
    return turn(world, fate, pickRunning(world, fate), { contents: fate.pick(['hang', 'close', 'garbage']) }, 30_000);
  },
  secondObserver(world, fate) {
    const stranger = world.kube.addStranger({ everyMs: fate.between(100, 2_000), staysMs: 2_000 });
    fate.undoAfter(fate.between(0, 30_000), () => stranger.stop());
    return true;
  },
  pushesLost(world, fate) {
    return turn(world, fate, pickRunning(world, fate), { pushLossRate: fate.pick([0.3, 1]) }, 15_000);
  },
  /** Anti-entropy falls behind by seconds when many partitions differ; pushes go on. */
  repairsLate(world, fate) {
    const differingPartitionMs = fate.between(20, 200);
    const untilMs = fate.between(10_000, 60_000);
    const turned = world.nodeIds().filter((id) => turn(world, fate, id, { differingPartitionMs }, untilMs));
    return turned.length > 0;
  },
  podDeleted(world, fate) {
    const id = fate.pick(world.nodeIds());
    // Its last process would take along what a person has given up with the volume.
    const isVolumeGoing = world.claim(id)?.metadata.deletionTimestamp !== undefined;
    if (world.pod(id) === undefined || isVolumeGoing) return false;
    world.removeObject('pods', `demo-${id}`);
    return true;
  },
  twoOperators(world, fate) {
    const other = world.startOperator();
    fate.undoAfter(fate.between(0, 30_000), () => world.endOperator(other));
    return true;
  },
  operatorKilled(world) {
    const { operator } = world;
    if (!operator.isAlive) return false;
    operator.crash();
    return true;
  },
} as const satisfies Partial<Record<Fault, Strike>>;

/** Freezes a process and thaws it after `ms`, unless another process runs by then. */
export function freezeFor(world: MemberWorld, fate: Fate, id: number, ms: number): void {
  const process = world.processOf(id);
  world.freeze(id);
  fate.undoAfter(ms, () => {
    if (!world.kube.network.isFrozen(process)) return;
    world.kube.transcript.add('world', `thaws ${process}`);
    world.kube.network.thaw(process);
    world.noteStrike(id);
  });
}

/** Delays watches of one kind of object, or of all, from now on; `none` changes nothing. */
export function delayWatches(world: MemberWorld, fate: Fate, slow: string, fromMs: number, toMs: number): void {
  if (slow === 'none') return;
  fate.count('watchLag');
  world.kube.transcript.add('world', `watches of ${slow} are ${fromMs} to ${toMs} ms late`);
  world.lagMs = (resource) =>
    !fate.isOver && (slow === 'all' || slow === resource) ? fate.between(fromMs, toMs) : fate.between(2, 22);
}

export const WATCHED: readonly string[] = [NODES, CLUSTERS, 'pods', CLAIMS];

function spoilMetrics(world: MemberWorld, fate: Fate, metrics: 'hang' | 'error' | 'garbage'): boolean {
  return turn(world, fate, pickRunning(world, fate), { metrics }, 30_000);
}

/** Sets knobs of a running member, and resets them within `maxMs` unless another process runs by then. */
function turn(
  world: MemberWorld,
  fate: Fate,
  id: number | undefined,
  knobs: Readonly<Record<string, unknown>>,
  maxMs: number,
): boolean {
  if (id === undefined || world.member(id) === undefined) return false;
  const process = world.processOf(id);
  const usual = Object.fromEntries(Object.keys(knobs).map((name) => [name, null]));
  world.setKnobs(id, knobs);
  fate.undoAfter(fate.between(0, maxMs), () => {
    if (world.member(id) !== undefined && world.processOf(id) === process) world.setKnobs(id, usual);
  });
  return true;
}

function pickRunning(world: MemberWorld, fate: Fate): number | undefined {
  const running = world.nodeIds().filter((id) => world.member(id) !== undefined);
  return running.length === 0 ? undefined : fate.pick(running);
}
