// The existing operator's rule (docs/design/server.md#the-existing-operator): one ordinal less whenever all of the
// StatefulSet's Pods are ready and the gauge of any one member that answers reads 0. It re-reconciles on its own status
// patch, and the set is Parallel.

import type { MemberWorld } from '../world/member-world.ts';
import { isReady, type OtherRule, runningIds } from './rule.ts';

/** From its own status patch to the next reconcile (both changes within 0.12 s:
 *  docs/design/server.md#the-existing-operator). */
export const NEXT_RECONCILE_MS = 100;
const LIMIT_MS = 300_000;

export const gaugeRule: OtherRule = {
  name: 'existing operator',
  story: 'The gauge of one member reads 0 and as many Pods are ready as there shall be.',
  async shrink(world, wanted) {
    let replicas = runningIds(world).length;
    const startedMs = world.nowMs;
    const missingWhenCalledSafe: number[] = [];
    while (replicas > wanted) {
      if (world.nowMs - startedMs > LIMIT_MS) throw new Error(`the gauge rule is still at ${replicas}`);
      if (mayShrink(world, replicas)) {
        missingWhenCalledSafe.push(world.checkLedger().incomplete.length);
        replicas -= 1;
        world.removeObject('pods', `demo-${replicas}`);
      }
      await world.advance(NEXT_RECONCILE_MS);
    }
    return { tookMs: world.nowMs - startedMs, missingWhenCalledSafe };
  },
};

/** The whole condition of the rule. */
export function mayShrink(world: MemberWorld, replicas: number): boolean {
  return readyReplicas(world) >= replicas && underreplicated(world) === 0;
}

/** As in the status of the set, a Pod that is terminating counts while it is still ready. */
function readyReplicas(world: MemberWorld): number {
  return world.kube.server
    .list('pods')
    .filter(({ metadata }) => isReady(world, Number(metadata.name.split('-').at(-1)))).length;
}

/** The largest gauge of the members that answer; the others are ignored. */
function underreplicated(world: MemberWorld): number {
  const gauges = runningIds(world).flatMap((id) =>
    world.member(id) === undefined
      ? []
      : [world.kube.network.metric(world.processOf(id), 'cluster_underreplicated_partitions')],
  );
  return gauges.length === 0 ? 0 : Math.max(...gauges);
}
