// A campaign runs thousands of lives in one process, so what one life leaves in memory would burden all that follow.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { MemberWorld } from '../src/index.ts';
import { live } from '../src/life/life.ts';
import type { Scenario } from '../src/life/scenario.ts';
import { theScenario } from '../src/scenarios/catalogue.ts';

const brokenOff: Scenario = {
  name: 'broken off',
  story: 'Something goes wrong while the operator is at work.',
  async run(world) {
    await world.formed(3);
    world.edit({ nodes: 4 });
    await world.advance(5);
    throw new Error('it goes wrong');
  },
};

describe('a life that is over', function () {
  this.timeout(60_000);

  for (const scenario of [theScenario('password-rotated'), theScenario('killed-at-each-phase'), brokenOff])
    it(`leaves nothing of its world in memory: ${scenario.name}`, async () => {
      const world = await worldOf(scenario);
      await collectGarbage(() => world.deref() === undefined);
      expect(world.deref()).to.equal(undefined);
    });
});

async function worldOf(scenario: Scenario): Promise<WeakRef<MemberWorld>> {
  const { world, report } = await live(scenario, 1);
  expect(report.violation !== undefined).to.equal(scenario === brokenOff);
  return new WeakRef(world);
}

/** Collects several times, because one collection may miss garbage: a collection that had begun before keeps what it
 *  had  marked, and what was just read is kept until the end of the turn. */
async function collectGarbage(isEnough: () => boolean): Promise<void> {
  // Only a context that is created after the flag was set has gc.
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('there is no gc()');
  for (let count = 0; count < 10 && !isEnough(); count += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
}
