// How large is each volume, has every one got its size, and what does the status say when one cannot?

import { type Goal, unlessAtRest } from '../../life/scenario.ts';
import type { MemberWorld } from '../../world/member-world.ts';

export const WITHIN_MS = 900_000;

export function goal(
  world: MemberWorld,
  nodes: number,
  size: string | undefined,
  problem?: () => string | undefined,
): Goal {
  const unmet = (): string | undefined => {
    const unrest = unlessAtRest(world, nodes);
    if (unrest !== undefined) return unrest;
    if (world.condition('PendingChange') === 'True') return 'something is not in force';
    return size === undefined ? undefined : unlessSized(world, size);
  };
  return { nodes, withinMs: WITHIN_MS, unmet, ...(problem === undefined ? {} : { problem }) };
}

export function unlessSized(
  world: MemberWorld,
  size: string,
  but: ReadonlySet<number> = new Set(),
): string | undefined {
  const others = world.nodeIds().filter((id) => sizeOf(world, id) !== size && !but.has(id));
  return others.length === 0 ? undefined : `${others.join()} have not ${size}`;
}

interface ClaimStatus {
  readonly capacity?: { readonly storage?: string };
  readonly currentVolumeAttributesClassName?: string;
}

export function statusOf(world: MemberWorld, id: number): ClaimStatus {
  return (world.claim(id)?.status ?? {}) as ClaimStatus;
}

/** As in the status of its claim. */
export function sizeOf(world: MemberWorld, id: number): string | undefined {
  return statusOf(world, id).capacity?.storage;
}

export function stalledReason(world: MemberWorld): string | undefined {
  return world.cluster()?.status?.conditions?.find(({ type, status }) => type === 'Stalled' && status === 'True')
    ?.reason;
}
