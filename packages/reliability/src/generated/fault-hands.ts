// The faults of a plan: to members, to the network between them, and to operators. Each hand returns whether it took
// effect: a member that does not run cannot be killed.

import { freezeFor } from '../fate/member-faults.ts';
import type { MemberWorld } from '../world/member-world.ts';
import type { Hand } from './user-hands.ts';

type FaultKind = 'kill' | 'freeze' | 'metrics' | 'cut' | 'operatorKilled' | 'secondOperator' | 'lag' | 'write';

export const FAULT_HANDS: { readonly [K in FaultKind]: Hand<K> } = {
  kill({ world }, { node }) {
    const id = runningAt(world, node);
    if (id === undefined) return false;
    world.kill(id);
    return true;
  },
  freeze({ world, fate }, { node, forMs }) {
    const id = runningAt(world, node);
    if (id === undefined) return false;
    freezeFor(world, fate, id, forMs);
    return true;
  },
  metrics({ world, fate }, { node, how, forMs }) {
    const id = runningAt(world, node);
    if (id === undefined) return false;
    const process = world.processOf(id);
    world.setKnobs(id, { metrics: how });
    fate.undoAfter(forMs, () => {
      if (world.member(id) !== undefined && world.processOf(id) === process) world.setKnobs(id, { metrics: 'ok' });
    });
    return true;
  },
  cut({ world, fate }, { node, from, forMs }) {
    const [a, b] = [runningAt(world, node), runningAt(world, from)];
    if (a === undefined || b === undefined || a === b) return false;
    world.cut(a, b);
    fate.undoAfter(forMs, () => world.heal());
    return true;
  },
  operatorKilled({ world }) {
    const { operator } = world;
    if (!operator.isAlive) return false;
    operator.crash();
    return true;
  },
  secondOperator({ world, fate }, { forMs }) {
    const other = world.startOperator();
    fate.undoAfter(forMs, () => world.endOperator(other));
    return true;
  },
  lag(scene, { resource, ms, forMs }) {
    scene.delayWatches(resource, ms, forMs);
    return true;
  },
  write(scene, { nth, end }) {
    scene.spoilWrite(nth, end);
    return true;
  },
};

/** The nth running member, modulo their number. */
function runningAt(world: MemberWorld, index: number): number | undefined {
  const running = world.nodeIds().filter((id) => world.member(id) !== undefined);
  return running[index % Math.max(1, running.length)];
}
