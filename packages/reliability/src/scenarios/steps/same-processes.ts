// Which members still run as before, for stories in which members change hands but no process and no volume may change.

import type { MemberWorld } from '../../world/member-world.ts';

/** @returns a function that names the members whose process or volume has changed since this call */
export function sameProcesses(world: MemberWorld, ids: readonly number[]): () => string | undefined {
  const before = new Map(ids.map((id) => [id, identityOf(world, id)]));
  return () => {
    const changed = ids.filter((id) => identityOf(world, id) !== before.get(id));
    return changed.length === 0 ? undefined : `demo-${changed.join(' and demo-')} is not the process it was`;
  };
}

/** Identifies one life of one process on one volume. */
function identityOf(world: MemberWorld, id: number): string {
  const { metadata, status } = world.pod(id) ?? {};
  const [container] = (status?.containerStatuses ?? []) as readonly { readonly restartCount: number }[];
  return `${metadata?.uid} ${container?.restartCount} ${world.claim(id)?.metadata.uid}`;
}
