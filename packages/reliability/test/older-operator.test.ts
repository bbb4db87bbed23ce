// An operator from before rolling updates takes over in the middle of a turn, at any moment: it begins and ends
// nothing, and reports why.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { live } from '../src/life/life.ts';
import { olderTakesOver } from '../src/scenarios/rolling/older-operator.ts';

describe('an operator from before rolling updates', function () {
  this.timeout(180_000);

  for (const seed of [1, 2, 3])
    it(`stops in the middle of a turn without harm, and says so (seed ${seed})`, async () => {
      expect((await live(olderTakesOver, seed)).report.violation).to.equal(undefined);
    });
});
