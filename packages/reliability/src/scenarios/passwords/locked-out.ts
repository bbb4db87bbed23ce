// The password changes, and nobody has kept the one before: do members that refuse the operator get it all the same, by
// restarts in turns, and is nobody else restarted?

import type { Fate } from '../../fate/fate.ts';
import type { Scenario } from '../../life/scenario.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { burst, delayRepairs } from '../steps/only-there.ts';
import { replaceOperators } from '../steps/operator-ends.ts';
import { goal, guarded, livesOf, putPassword, WINDOW_MS } from './guarded.ts';

export const LOCKED_OUT_STORIES: readonly Scenario[] = [
  {
    name: 'password-half-told',
    story:
      'The operator ends for good after it has told some members the new password, and nobody has kept the one before: the others are restarted in turns, and nobody else is.',
    async run(world, fate) {
      await guarded(world, fate, fate.whole(3, 5));
      const ids = world.nodeIds();
      const first = fate.whole(0, ids.length - 1);
      const untold = ids.filter((_, i) => i === first || fate.chance(0.4)).slice(0, ids.length - 1);
      for (const id of untold) world.freeze(id);
      const told = ids.filter((id) => !untold.includes(id));
      const lives = livesOf(world, told);
      putPassword(world, 'second password');
      const areTold = () => told.every((id) => world.member(id)?.requirepass === 'second password');
      await world.until(areTold, WINDOW_MS, 'some want the second');
      fate.count('operatorKilled');
      world.endOperator(world.operator);
      for (const id of untold) world.thaw(id);
      await world.advance(fate.between(1_000, 40_000));
      world.startOperator();
      return goal(world, 'second password', () =>
        livesOf(world, told) === lives ? undefined : 'somebody was restarted who wants it',
      );
    },
  },
  {
    name: 'password-all-unseen',
    story:
      'The password changes while no operator runs, and nobody keeps the previous one: all members are restarted, one at a time.',
    async run(world, fate) {
      await guarded(world, fate, fate.whole(3, 5));
      await unseenChange(world, fate);
      world.restartMs = fate.between(200, 3_000);
      if (fate.chance(0.5)) await replaceOperators(world, fate, 3, 10_000, 60_000);
      return goal(world, 'second password');
    },
  },
  {
    name: 'password-unpushed',
    story:
      'Nobody has kept the password of before, and the member that is the first to be restarted has records that nobody else has yet: it is not before they have them.',
    async run(world, fate) {
      await guarded(world, fate, 3);
      delayRepairs(world, fate.between(100_000, 140_000));
      await burst(world, 0, 60);
      await unseenChange(world, fate);
      await world.advance(150_000);
      delayRepairs(world, 0);
      return goal(world, 'second password');
    },
  },
  {
    name: 'password-beside-silent',
    story:
      'Nobody has kept the password of before, and one member hangs: no other member is kept from its clients before it is back.',
    async run(world, fate) {
      await guarded(world, fate, fate.whole(3, 4));
      const id = fate.pick(world.nodeIds());
      await unseenChange(world, fate);
      const lives = livesOf(world);
      await world.advance(fate.between(0, 50_000));
      fate.count('memberFrozen');
      world.freeze(id);
      await world.advance(fate.between(60_000, 120_000));
      const isTouched = world.nodes().some(({ spec }) => spec.intent === 'Leaving') || livesOf(world) !== lives;
      world.thaw(id);
      await world.advance(60_000);
      return goal(world, 'second password', () => (isTouched ? 'somebody was to be restarted beside it' : undefined));
    },
  },
  {
    name: 'password-rotated-plain',
    story:
      'The Secret gets another password and nobody keeps the one before: whatever becomes of the operator meanwhile, all come to want the new one.',
    async run(world, fate) {
      await guarded(world, fate, 3);
      putPassword(world, 'second password');
      world.restartMs = fate.between(200, 3_000);
      if (fate.chance(0.7)) await replaceOperators(world, fate, 3, 0, 300);
      return goal(world, 'second password');
    },
  },
];

/** Changes the password while no operator runs, so none knows the earlier password afterwards. */
async function unseenChange(world: MemberWorld, fate: Fate): Promise<void> {
  fate.count('operatorKilled');
  world.endOperator(world.operator);
  putPassword(world, 'second password');
  await world.advance(fate.between(1_000, 40_000));
  world.startOperator();
}
