// A few lives that fast-check generates, and that a life that fails is found, shrunk and can be replayed. Hundreds of
// them: `npm run sim -- --scenario generated --seeds 300`.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type GeneratedLife, liveGenerated, violationText } from '../src/generated/generated-life.ts';
import { HANDS, type Hands } from '../src/generated/story.ts';

describe('a generated life', function () {
  this.timeout(120_000);

  for (const seed of [1, 2, 3, 4, 5, 6]) {
    it(`number ${seed} reaches what was asked for last, and comes to rest`, async () => {
      const { life } = await liveGenerated(seed);
      expect(life.report.violation).to.equal(undefined);
    });
  }

  it('has the same plan and the same transcript for the same number, to the last line', async () => {
    const [a, b] = [await liveGenerated(7), await liveGenerated(7)];
    expect(b.plan).to.deep.equal(a.plan);
    expect(b.life.world.transcript).to.deep.equal(a.life.world.transcript);
  });
});

describe('a planted fault', function () {
  this.timeout(120_000);

  /** A deletion of a Pod by hand also empties every volume. */
  const BROKEN: Hands = {
    ...HANDS,
    deletePod(scene, act) {
      for (const [, disk] of scene.world.kube.kubelet.disks())
        for (const { key } of disk.loadVersions()) disk.dropVersion(key);
      return HANDS.deletePod(scene, act);
    },
  };

  const firstFailure = async (): Promise<{ readonly seed: number; readonly found: GeneratedLife }> => {
    for (let seed = 1; seed <= 30; seed += 1) {
      const found = await liveGenerated(seed, { hands: BROKEN, maxLives: 20 });
      if (found.life.report.violation !== undefined) return { seed, found };
    }
    throw new Error('30 lives did not find it');
  };

  it('is found, shrinks to its one step, and is reported with the command that replays it', async () => {
    const { seed, found } = await firstFailure();
    expect(found.plan.steps.map(({ act }) => act.kind)).to.deep.equal(['deletePod']);
    const text = violationText(seed, found);
    expect(text).to.match(/^\d+ acknowledged writes are on no volume/);
    expect(text).to.match(/s {2}deletePod node \d\n/);
    expect(text).to.include(`--scenario generated --from ${seed} --seeds 1 --path ${found.path} --transcript`);
    expect(text).to.match(/user +deletes pods demo-\d/);
    const again = await liveGenerated(seed, { hands: BROKEN, path: found.path });
    expect([again.plan, again.lives]).to.deep.equal([found.plan, 1]);
    expect(again.life.world.transcript).to.deep.equal(found.life.world.transcript);
  });
});
