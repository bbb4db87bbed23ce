// A scenario: a story that makes a cluster, lets something happen to it, and states the expected end. life/closing.ts
// checks that end, and that the cluster is then at rest.

import type { MarekvsClusterSpec } from '@marekvs/api';
import type { Fate } from '../fate/fate.ts';
import { CLUSTERS, type MemberWorld } from '../world/member-world.ts';

export interface Scenario {
  readonly name: string;
  /** One sentence. */
  readonly story: string;
  /** Draws from `fate` alone. Calls `fate.begin()` between forming the cluster and the story.
   *  @throws Error naming what did not happen within its limit of virtual time */
  run(world: MemberWorld, fate: Fate): Promise<Goal>;
}

/** The state that the cluster must reach once faults have stopped, and keep. */
export interface Goal {
  /** Healthy at this size; 0: the cluster is gone with everything but its volumes. */
  readonly nodes: number;
  /** The ids of the nodes, where they are certain. */
  readonly ids?: readonly number[];
  /** Virtual milliseconds after faults stop; default ten minutes. */
  readonly withinMs?: number;
  /** How long nobody writes in the end, in virtual milliseconds; default one minute. */
  readonly restMs?: number;
  /** Replaces healthy at a size: what is still missing, or undefined. */
  readonly unmet?: () => string | undefined;
  /** True when it was reported that a node goes without proof: records that only it held are on its volume, and need
   *  not be served. */
  readonly isRiskReported?: () => boolean;
  /** Another condition of the end: what is wrong, or undefined. */
  readonly problem?: () => string | undefined;
}

/** For lives that outlast it. A spec may not ask for less than an hour, but one that was stored before that rule keeps
 *  what it has, and the world takes it as stored: so a life need not last for hours. */
export const SHORT_GRACE = { gcGraceSeconds: 300 };

/** A cluster that has taken writes, is at rest, and is old enough for a removal. Then the story begins. */
export async function rested(
  world: MemberWorld,
  fate: Fate,
  nodes: number,
  spec: Partial<MarekvsClusterSpec> = {},
): Promise<void> {
  await world.formed(nodes, spec);
  world.startWriters({ clients: 2, writesPerSecond: 20, keys: 150 });
  await world.advance(10_000);
  world.stopWriters();
  await world.advance(50_000);
  fate.begin();
}

/** What keeps the cluster from being healthy at this size without an update; undefined when nothing does. */
export function unlessAtRest(world: MemberWorld, nodes: number): string | undefined {
  return world.isHealthy(nodes) && world.condition('RollingOut') !== 'True' ? undefined : `not at rest at ${nodes}`;
}

/** Waits until the current operation is in one of these phases. */
export async function reached(world: MemberWorld, ...phases: readonly string[]): Promise<void> {
  await world.until(() => phases.includes(world.operationPhase() ?? ''), 180_000, phases.join(' or '));
}

/** Waits until the door of the target may be closed: its Pod ends next, and starts again on its volume. */
export async function isSealing(world: MemberWorld): Promise<void> {
  const isPermitted = (): boolean => world.nodes().some(({ spec }) => spec.intent === 'Sealed');
  await world.until(isPermitted, 180_000, 'the target may be sealed');
}

/** Waits until the process behind the closed door runs. */
export async function isSealed(world: MemberWorld, id: number): Promise<void> {
  const { network } = world.kube;
  const isClosed = (): boolean => world.member(id)?.phase === 'Leaving' && !network.isRespOpen(world.processOf(id));
  await isSealing(world);
  await world.until(isClosed, 180_000, `the door of ${id} is closed`);
}

/** As `reached`, and holds Proving until `goOn`: a proof takes only seconds, too short for anything to happen. */
export async function pausedIn(world: MemberWorld, phase: string): Promise<{ goOn(): void }> {
  const { kube } = world;
  const knobs = { ...kube.knobs };
  const set = (contents: string): void => {
    for (const id of world.nodeIds()) if (world.member(id) !== undefined) world.setKnobs(id, { contents });
  };
  if (phase === 'Proving') {
    await isSealing(world);
    kube.knobs = { ...knobs, contents: 'close' };
    set('close');
  }
  await reached(world, phase);
  return {
    goOn() {
      kube.knobs = knobs;
      if (phase === 'Proving') set('ok');
    },
  };
}

/** Waits until the Pod of a deleted node is being deleted. */
export async function podEnding(world: MemberWorld, id: number): Promise<void> {
  const isEnding = (): boolean => isDeleted(world, id) && world.pod(id)?.metadata.deletionTimestamp !== undefined;
  await world.until(isEnding, 180_000, `the Pod of ${id} ends`);
}

/** Waits until the Pod of a deleted node has ended, and the node is still there. */
export async function podEnded(world: MemberWorld, id: number): Promise<void> {
  await world.until(() => isDeleted(world, id) && world.pod(id) === undefined, 180_000, 'the Pod has ended');
}

function isDeleted(world: MemberWorld, id: number): boolean {
  return world.node(id)?.metadata.deletionTimestamp !== undefined;
}

export function ids(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/** The ids 0 to `last` without `gone`: a new node never takes an id that was used. */
export function idsWithout(last: number, ...gone: readonly number[]): readonly number[] {
  return ids(0, last).filter((id) => !gone.includes(id));
}

/** For `ms`, the begin of a removal is a violation. */
export function forbidRemoval(world: MemberWorld, when: string, ms: number): void {
  const untilMs = world.nowMs + ms;
  world.kube.server.onEvent(({ resource }) => {
    const target = resource === CLUSTERS ? world.cluster()?.status?.operation?.target : undefined;
    if (target !== undefined && world.nowMs < untilMs)
      world.kube.violated(`the removal of ${target.name} begins ${when}`);
  });
}

/** Waits until the Pod is marked as leaving: from then on only a restart takes the removal back. */
export async function isLeavingPod(world: MemberWorld, id: number): Promise<void> {
  const isLeaving = (): boolean => world.pod(id)?.metadata.annotations?.['marekvs.io/leaving'] === 'true';
  await world.until(isLeaving, 180_000, `demo-${id} is told to leave`);
}

/** The reasons for which the operation was blocked during `ms`. */
export async function reasonsFor(world: MemberWorld, ms: number): Promise<ReadonlySet<string>> {
  const reasons = new Set<string>();
  const forget = world.kube.server.onEvent(({ resource }) => {
    const reason = resource === CLUSTERS ? world.cluster()?.status?.operation?.blocked?.reason : undefined;
    if (reason !== undefined) reasons.add(reason);
  });
  await world.advance(ms);
  forget();
  return reasons;
}

export function missingReason(reasons: ReadonlySet<string>, reason: string): string | undefined {
  return reasons.has(reason) ? undefined : `${reason} was not said, only ${[...reasons].join(', ')}`;
}

/** For `ms`, nothing of this resource can be created. */
export function refuseFor(world: MemberWorld, ms: number, refused: string): void {
  world.fateOf = ({ verb, resource }) => (verb === 'create' && resource === refused ? 'unavailable' : 'pass');
  world.kube.clock.after(ms, () => {
    world.fateOf = () => 'pass';
  });
}
