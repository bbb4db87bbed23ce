// What happens while members are stopped or woken: clients write, members and operators end, and in the end all run.

import type { Fate } from '../../fate/fate.ts';
import { type Goal, ids } from '../../life/scenario.ts';
import type { MemberWorld } from '../../world/member-world.ts';

export function write(world: MemberWorld, fate: Fate): void {
  fate.count('load');
  world.startWriters({ clients: 2, writesPerSecond: fate.between(5, 30), keys: 150 });
}

/** Kills a member or deletes its Pod, if any member runs. */
export function hit(world: MemberWorld, fate: Fate, except?: number): void {
  const there = world.nodeIds().filter((id) => id !== except && world.member(id) !== undefined);
  if (there.length === 0) return;
  const id = fate.pick(there);
  if (fate.chance(0.5)) {
    fate.count('memberKilled');
    world.kill(id);
  } else {
    fate.count('podDeleted');
    world.removeObject('pods', `demo-${id}`);
  }
}

/** Ends the operator and starts another one a while later, `times` times. */
export async function killedOften(world: MemberWorld, fate: Fate, times: number): Promise<void> {
  world.restartMs = fate.between(500, 6_000);
  for (let n = 0; n < times; n += 1) {
    await world.advance(fate.between(200, 5_000));
    world.endOperator(world.operator);
    fate.count('operatorKilled');
    await world.advance(world.restartMs);
    world.startOperator();
  }
}

export function awake(nodes: number): Goal {
  return { nodes, ids: ids(0, nodes - 1), withinMs: 300_000 };
}
