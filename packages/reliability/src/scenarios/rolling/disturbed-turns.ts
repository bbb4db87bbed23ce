// Members take their turns, and in the middle of that something ends, is cut off, or is heard of late: does the image
// reach all of them all the same?

import { delayWatches, WATCHED } from '../../fate/member-faults.ts';
import { isLeavingPod, rested, type Scenario } from '../../life/scenario.ts';
import { CLUSTERS } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { delayRepairs, missPushes } from '../steps/only-there.ts';
import { replaceOperators } from '../steps/operator-ends.ts';
import { strike } from '../steps/strike.ts';
import { comesBackLate, goal, NEXT } from './images.ts';

export const rolloutDisturbed: Scenario = {
  name: 'rollout-disturbed',
  story: 'In the middle of it a node or a Pod is deleted, a volume is lost, a member is killed, or the operator.',
  async run(world, fate) {
    await rested(world, fate, 4);
    world.edit({ image: NEXT });
    await world.advance(fate.between(0, 45_000));
    await strike(world, fate);
    return goal(world, 4, NEXT);
  },
};

export const rolloutKilled: Scenario = {
  name: 'rollout-killed',
  story: 'The operator ends again and again while the members get another image, and another one takes over.',
  async run(world, fate) {
    await rested(world, fate, 3);
    world.restartMs = fate.between(500, 8_000);
    world.edit({ image: NEXT });
    await replaceOperators(world, fate, 6, 500, 9_000);
    return goal(world, 3, NEXT);
  },
};

export const rolloutUnpushed: Scenario = {
  name: 'rollout-unpushed',
  story:
    'What clients write through the member whose turn it is reaches nobody for a while: it is not restarted before it has.',
  async run(world, fate) {
    await rested(world, fate, 3);
    delayRepairs(world, fate.between(12_000, 20_000));
    await missPushes(world, 2, 5_000);
    world.edit({ image: NEXT });
    await world.advance(fate.between(60_000, 90_000));
    delayRepairs(world, 0);
    return goal(world, 3, NEXT);
  },
};

export const rolloutBeside: Scenario = {
  name: 'rollout-beside',
  story: 'Another member goes down right when the one whose turn it is was told to leave: that one waits for it.',
  async run(world, fate) {
    await rested(world, fate, 3);
    world.edit({ image: NEXT });
    await isLeavingPod(world, 2);
    await world.advance(fate.between(0, 1_500));
    fate.count('podDeleted');
    if (world.pod(0) !== undefined) world.removeObject('pods', 'demo-0');
    return goal(world, 3, NEXT);
  },
};

export const rolloutCut: Scenario = {
  name: 'rollout-cut',
  story:
    'A member gets what it missed with another image, and is cut off from another one for less than half a minute: the update does not stop for that.',
  async run(world, fate) {
    await rested(world, fate, 4);
    neverStops(world);
    await comesBackLate(world, fate, 3);
    await world.advance(fate.between(10_000, 30_000));
    fate.count('networkCut');
    world.cut(
      ...fate.pick<[number, number]>([
        [3, 0],
        [1, 3],
        [0, 1],
      ]),
    );
    await world.advance(fate.between(5_000, 20_000));
    world.heal();
    delayRepairs(world, 0);
    return goal(world, 4, NEXT);
  },
};

export const rolloutFiguresLate: Scenario = {
  name: 'rollout-figures-late',
  story:
    'One member gives no figures any more while another one is restarted with another image, so that the last it counted were too few, and that one ends once again: the update does not stop for that.',
  async run(world, fate) {
    await rested(world, fate, 4);
    neverStops(world);
    const late = fate.whole(0, 2);
    world.edit({ image: NEXT });
    await world.until(() => world.pod(3) === undefined, 120_000, 'demo-3 is restarted');
    // Its statistics are updated every 2 s.
    await world.advance(fate.between(2_500, 3_000));
    fate.count('metricsHang');
    world.setKnobs(late, { metrics: 'hang' });
    await world.until(() => world.member(3)?.phase === 'Active', 120_000, 'it is back');
    await world.advance(fate.between(26_000, 32_000));
    fate.count('memberKilled');
    world.kill(3);
    await world.advance(fate.between(8_000, 12_000));
    world.setKnobs(late, { metrics: null });
    return goal(world, 4, NEXT);
  },
};

export const rolloutOfTwo: Scenario = {
  name: 'rollout-of-two',
  story:
    'Two operators believe to be the only one while members get another image, and hear of some things late: one member at a time, and all of them.',
  async run(world, fate) {
    await rested(world, fate, 4);
    fate.count('twoOperators');
    const other = world.startOperator();
    delayWatches(world, fate, fate.pick([...WATCHED, 'all', 'none']), 1_000, 5_000);
    await world.advance(fate.between(0, 5_000));
    world.edit({ image: NEXT });
    await world.advance(fate.between(20_000, 90_000));
    world.endOperator(other);
    return goal(world, 4, NEXT);
  },
};

function neverStops(world: MemberWorld): void {
  world.kube.server.onEvent(({ resource }) => {
    const stopped = resource === CLUSTERS ? world.cluster()?.status?.update?.stopped : undefined;
    if (stopped !== undefined) world.kube.violated(`the update has stopped at ${stopped.node}: ${stopped.message}`);
  });
}
