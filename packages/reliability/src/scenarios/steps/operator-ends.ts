// The process of the operator ends, and another one takes over.

import type { Fate } from '../../fate/fate.ts';
import type { MemberWorld } from '../../world/member-world.ts';

export async function replaceOperator(world: MemberWorld, fate: Fate, awayMs = world.restartMs): Promise<void> {
  fate.count('operatorKilled');
  world.endOperator(world.operator);
  await world.advance(awayMs);
  world.startOperator();
}

/** Replaces the operator `times` times; each process lives from `leastMs` to `mostMs`. */
export async function replaceOperators(
  world: MemberWorld,
  fate: Fate,
  times: number,
  leastMs: number,
  mostMs: number,
): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    await world.advance(fate.between(leastMs, mostMs));
    await replaceOperator(world, fate);
  }
}
