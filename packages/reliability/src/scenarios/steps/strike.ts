// A strike in the middle of a change: a node, a Pod or a volume is deleted, or a member or the operator is killed.

import type { Fate } from '../../fate/fate.ts';
import { CLAIMS, NODES } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { replaceOperator } from './operator-ends.ts';

/** One strike drawn from `fate`; returns a second later. */
export async function strike(world: MemberWorld, fate: Fate): Promise<void> {
  const id = fate.pick(world.nodeIds());
  switch (fate.pick(['node', 'pod', 'volume', 'member', 'operator'] as const)) {
    case 'node':
      fate.count('nodeDeleted');
      world.removeObject(NODES, `demo-${id}`);
      break;
    case 'pod':
      fate.count('podDeleted');
      if (world.pod(id) !== undefined) world.removeObject('pods', `demo-${id}`);
      break;
    case 'volume':
      fate.count('volumeDeleted');
      world.removeObject(CLAIMS, `data-demo-${id}`);
      break;
    case 'member':
      fate.count('memberKilled');
      if (world.member(id) !== undefined) world.kill(id);
      break;
    default:
      await replaceOperator(world, fate);
  }
  await world.advance(1_000);
}
