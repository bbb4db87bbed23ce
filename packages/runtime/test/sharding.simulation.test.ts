// Modes `ring` and `static` under random faults, and replicas that lead alone beside them (support/share-lives.ts).
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createRandom } from './support/random.ts';
import { COUNT, live } from './support/share-lives.ts';
import { createShareWorld, installed } from './support/share-world.ts';

/** The message names a failing seed: SHARE_FROM=n SHARE_SEEDS=n runs it alone. */
const { SHARE_FROM = '1', SHARE_SEEDS = '5' } = process.env;

describe('sharing under random faults', function () {
  this.timeout(120_000);
  for (const mode of ['ring', 'static'] as const) {
    it(`${mode}: never gives a slot two owners, and gives all slots an owner in the end`, async () => {
      let faults = 0;
      for (let seed = Number(SHARE_FROM); seed <= Number(SHARE_SEEDS); seed += 1) faults += await live(seed, mode);
      expect(faults).to.be.above(10 * (Number(SHARE_SEEDS) - Number(SHARE_FROM)));
    });
  }

  it('can find an overlap: a replica that assumes a shorter lease frees those of others too early', async () => {
    let caught = 0;
    for (let seed = 1; seed <= 6; seed += 1) {
      let overlaps = 0;
      const random = createRandom(seed);
      const world = createShareWorld(() => {
        overlaps += 1;
      });
      installed(world, COUNT);
      const hasty = { leaseMs: 6_000, marginMs: 0, renewMs: 1_500, clockRateError: 0 };
      for (let ordinal = 0; ordinal < COUNT; ordinal += 1)
        world.start(ordinal, {
          rules: { kind: 'ring' },
          passMs: () => 500,
          ...(ordinal === 0 ? { timing: hasty } : {}),
        });
      await world.run(20_000);
      for (const one of world.replicas.slice(1)) {
        one.pause();
        world.time.after(random.between(9_000, 12_000), one.resume);
      }
      await world.run(30_000);
      if (overlaps > 0) caught += 1;
    }
    expect(caught).to.be.above(3);
  });
});
