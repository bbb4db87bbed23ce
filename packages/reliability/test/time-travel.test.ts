// One seed of the stories in which API servers are behind, and a test that an old state is really shown. Many seeds:
// `npm run sim -- --scenario time-travel --seeds 500`.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { live } from '../src/life/life.ts';
import { theScenario } from '../src/scenarios/catalogue.ts';

const NAMES = [
  'killed-at-each-phase-time-travel',
  'gap-time-travel',
  'volume-swapped-time-travel',
  'cluster-replaced-time-travel',
  'retention-time-travel',
  'one-of-two-time-travel',
];

describe('operators that are shown an old state', function () {
  this.timeout(60_000);
  for (const name of NAMES) {
    const scenario = theScenario(name);
    it(`${name}: ${scenario.story}`, async () => {
      const { report } = await live(scenario, 1);
      expect(report.violation).to.equal(undefined);
      expect((report.faults.timeTravel ?? 0) + (report.faults.serverBehind ?? 0)).to.be.above(0);
    });
  }

  it('see the same old states for the same seed, to the last line, and others for another seed', async () => {
    const lines = async (seed: number): Promise<readonly string[]> =>
      (await live(theScenario('cluster-replaced-time-travel'), seed)).world.transcript;
    const first = await lines(1);
    expect(await lines(1)).to.deep.equal(first);
    expect(await lines(2)).to.not.deep.equal(first);
  });
});
