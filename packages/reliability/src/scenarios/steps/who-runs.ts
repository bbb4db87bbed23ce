// The processes and volumes of the cluster, so that a story can tell whether a member was restarted or moved.

import { restartsOf } from '../../world/cluster/pod-resources.ts';
import type { MemberWorld } from '../../world/member-world.ts';

export function podsOf(world: MemberWorld): readonly (string | undefined)[] {
  return world.nodeIds().map((id) => world.pod(id)?.metadata.uid);
}

/** The UID of each Pod, and how often its container has been restarted. */
export function livesOf(world: MemberWorld): string {
  return world
    .nodeIds()
    .map((id) => `${world.pod(id)?.metadata.uid} ${restartsOf(world.pod(id))}`)
    .join(', ');
}

export function volumesOf(world: MemberWorld): string {
  return world
    .nodeIds()
    .map((id) => world.claim(id)?.metadata.uid)
    .join();
}
