// A StatefulSet's members are taken over by operators that die before or after each of their writes, lose its answer,
// or send it late: the end is the same, no acknowledged write is lost, and no process of a member ends on the way.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { disturbWrite } from '../src/fate/write-faults.ts';
import { live } from '../src/life/life.ts';
import { adopt, adoptAndGoOn, adoptLate } from '../src/scenarios/adoption/adopting.ts';

const SEED = 17;
const WAYS = ['crashBefore', 'crashAfter', 'lose', 'late'] as const;

describe('members taken over from a StatefulSet', function () {
  this.timeout(60_000);

  for (const scenario of [adopt, adoptAndGoOn, adoptLate])
    it(`${scenario.name}: ${scenario.story}`, async () => {
      const { report } = await live(scenario, 1);
      expect(report.violation).to.equal(undefined);
      expect(report.acknowledged).to.be.above(300);
    });

  it('end the same whichever write fails; all four ways of each: npm run sim -- --scenario crash-at-every-write', async () => {
    const undisturbed = await live(adopt, SEED);
    const { writes } = undisturbed.report;
    expect(writes).to.be.within(20, 60);
    const end = undisturbed.world.endState();
    for (let nth = 1; nth <= writes; nth += 1) {
      const way = WAYS[nth % WAYS.length] ?? 'late';
      const { report, world } = await live(adopt, SEED, (begun, fate) => disturbWrite(begun, fate, nth, way));
      expect(report.violation, `${way} at write ${nth}`).to.equal(undefined);
      expect(world.endState(), `${way} at write ${nth}`).to.equal(end);
    }
  });
});
