// Which image does each member run, and has another one reached all of them? For every story in which images change.

import { containerOf } from '@marekvs/simulator';
import type { Fate } from '../../fate/fate.ts';
import { type Goal, unlessAtRest } from '../../life/scenario.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { delayRepairs } from '../steps/only-there.ts';

export const NEXT = 'marekvs:next';
/** A turn under load takes about twenty seconds; a failed one that goes back takes two minutes. */
export const WITHIN_MS = 600_000;

/** Under load this member gets another image, serves, and lacks for long what it missed: its turn lasts as long. */
export async function comesBackLate(world: MemberWorld, fate: Fate, id: number): Promise<void> {
  fate.count('load');
  world.startWriters({ clients: 2, writesPerSecond: 20, keys: 100, isAware: fate.chance(0.5) });
  world.edit({ image: NEXT });
  await world.until(() => imageOf(world, id) === NEXT, 120_000, 'it is restarted');
  delayRepairs(world, 20_000);
  await world.until(() => imageOf(world, id) === NEXT && isLetIn(world, id), 120_000, 'it is let in again');
}

/** Healthy at this size, and every member runs this image. */
export function goal(world: MemberWorld, nodes: number, image: string, problem?: () => string | undefined): Goal {
  const unmet = (): string | undefined => unlessAtRest(world, nodes) ?? unlessAll(world, image);
  return { nodes, withinMs: WITHIN_MS, unmet, ...(problem === undefined ? {} : { problem }) };
}

export function unlessAll(world: MemberWorld, image: string): string | undefined {
  return hasImage(world, image) ? undefined : `not everybody runs ${image}`;
}

export function hasImage(world: MemberWorld, image: string): boolean {
  return world.nodeIds().every((id) => imageOf(world, id) === image);
}

export function imageOf(world: MemberWorld, id: number): string {
  const pod = world.pod(id);
  return pod === undefined ? '' : (containerOf(pod).image ?? '');
}

/** Whether its Pod is behind the Service and has the image its node was given last. */
export function isLetIn(world: MemberWorld, id: number): boolean {
  const { labels = {} } = world.pod(id)?.metadata ?? {};
  return labels['marekvs.io/serving'] === 'true' && world.node(id)?.spec.template.image === imageOf(world, id);
}
