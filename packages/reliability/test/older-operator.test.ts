// An operator of before rolling updates takes over in the middle of a turn, at whatever moment: nothing is
// begun or ended, and why is said.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { live } from '../src/run/life.ts';
import { olderTakesOver } from '../src/scenarios/older-operator.ts';

describe('an operator of before rolling updates', function () {
  this.timeout(180_000);

  for (const seed of [1, 2, 3])
    it(`stalls in the middle of a turn without harm, and says so (seed ${seed})`, async () => {
      expect((await live(olderTakesOver, seed)).report.violation).to.equal(undefined);
    });
});
