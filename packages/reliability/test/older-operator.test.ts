// An operator of before rolling updates takes over in the middle of a turn, at whatever moment, and later the present one again: meanwhile
// nothing is begun or ended, and why is said; afterwards every member has the image, and nothing is lost.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { olderOperator } from '../src/mutants/realm.ts';
import { live } from '../src/run/life.ts';
import { goal, NEXT } from '../src/scenarios/rolling.ts';
import { rested, type Scenario } from '../src/scenarios/scenario.ts';

/** It says what keeps it: for as long as a stalled operation needs to be one. */
const SAID_MS = 60_000;

const olderTakesOver: Scenario = {
  name: 'older-takes-over',
  story: 'An operator of before rolling updates takes over in the middle of a turn, and later the present one again.',
  async run(world, fate) {
    const present = world.makeOperator;
    const older = await olderOperator();
    await rested(world, fate, 3);
    world.edit({ image: NEXT });
    await world.until(() => world.cluster()?.status?.operation?.roll !== undefined, 60_000, 'a turn begins');
    await world.advance(fate.between(0, 25_000));
    const turn = world.cluster()?.status?.operation;
    world.endOperator(world.operator);
    world.makeOperator = older;
    const other = world.startOperator();
    await world.advance(fate.between(SAID_MS, 2 * SAID_MS));
    const { status } = world.cluster() ?? {};
    if (turn?.roll !== undefined) {
      if (status?.operation?.id !== turn.id || status.operation.roll === undefined)
        world.kube.violated(`the record of the turn has become ${JSON.stringify(status?.operation)}`);
      if (world.condition('Ready') !== 'OperationInProgress')
        world.kube.violated(`Ready says ${world.condition('Ready')} while a turn stands still`);
    }
    world.endOperator(other);
    world.makeOperator = present;
    world.startOperator();
    return goal(world, 3, NEXT);
  },
};

describe('an operator of before rolling updates', function () {
  this.timeout(180_000);

  for (const seed of [1, 2, 3, 4, 5, 6])
    it(`stalls in the middle of a turn without harm, and says so (seed ${seed})`, async () => {
      expect((await live(olderTakesOver, seed)).report.violation).to.equal(undefined);
    });
});
