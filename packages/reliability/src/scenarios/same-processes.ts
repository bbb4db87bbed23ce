// Who still runs as now: stories in which members change hands, and no process and no volume may.

import type { MemberWorld } from '../world/member-world.ts';

/** @returns says which of these members are another process, or on another volume, than at the time of this call */
export function sameProcesses(world: MemberWorld, ids: readonly number[]): () => string | undefined {
  const before = new Map(ids.map((id) => [id, identityOf(world, id)]));
  return () => {
    const changed = ids.filter((id) => identityOf(world, id) !== before.get(id));
    return changed.length === 0 ? undefined : `demo-${changed.join(' and demo-')} is not the process it was`;
  };
}

/** One life of one process on one volume. */
function identityOf(world: MemberWorld, id: number): string {
  const { metadata, status } = world.pod(id) ?? {};
  const [container] = (status?.containerStatuses ?? []) as readonly { readonly restartCount: number }[];
  return `${metadata?.uid} ${container?.restartCount} ${world.claim(id)?.metadata.uid}`;
}
