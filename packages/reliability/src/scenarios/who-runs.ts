// Answers: which processes does the cluster have, so that a story can tell whether somebody was restarted?

import type { MemberWorld } from '../world/member-world.ts';
import { restartsOf } from '../world/pod-resources.ts';

export function podsOf(world: MemberWorld): readonly (string | undefined)[] {
  return world.nodeIds().map((id) => world.pod(id)?.metadata.uid);
}

/** Who runs, and how often each has been started. */
export function livesOf(world: MemberWorld): string {
  return world
    .nodeIds()
    .map((id) => `${world.pod(id)?.metadata.uid} ${restartsOf(world.pod(id))}`)
    .join(', ');
}
