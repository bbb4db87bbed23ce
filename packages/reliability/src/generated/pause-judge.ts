// While a cluster is paused the operator writes nothing to its Pods, volumes and nodes. Exceptions are finishing a
// removal past its point of no return (F62), and keeping its volumes from being deleted. The operator may observe the
// pause some time after it was requested.

import { CLAIMS, CLUSTERS, NODES } from '../world/cluster/world-view.ts';
import type { MemberWorld, WriteCall } from '../world/member-world.ts';

/** The slowest watch of a plan, plus the longest delay of a late request, plus what was under way. */
const NOTICED_MS = 20_000;
const PAUSED_RESOURCES: readonly string[] = ['pods', CLAIMS, NODES];
const FINISHING: readonly (string | undefined)[] = ['Deleting', 'Departing', 'Settling', 'Reclaiming', 'Closed'];

export function holdPauses(world: MemberWorld): { judge(write: WriteCall): void } {
  let pausedAtMs: number | undefined;
  world.kube.server.onEvent(({ resource, type }) => {
    if (resource !== CLUSTERS) return;
    const isPaused = type !== 'DELETED' && world.cluster()?.spec.paused === true;
    pausedAtMs = isPaused ? (pausedAtMs ?? world.nowMs) : undefined;
  });
  return {
    judge({ verb, resource, name }) {
      if (pausedAtMs === undefined || world.nowMs - pausedAtMs < NOTICED_MS || !PAUSED_RESOURCES.includes(resource))
        return;
      if (FINISHING.includes(world.operationPhase())) return;
      if (verb === 'patch' && resource !== 'pods' && world.cluster()?.spec.deletionProtection === true) return;
      const sinceS = ((world.nowMs - pausedAtMs) / 1_000).toFixed(0);
      world.kube.violated(`${verb} ${resource} ${name} in a cluster that has been paused for ${sinceS} s`);
    },
  };
}
