// Tests of the world that wait for something: mocha does not pick this file up. Each says what it waits for.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { MemberWorld } from './support/member-world.ts';

describe('a removal in the world (waiting)', function () {
  this.timeout(240_000);

  // Waits for: a pass that stores a record must not give up the test keys' report. Settling ends, Reclaiming stores a new proof
  // every 24 s, since `store()` asks for no audit, the report is forgotten and the rounds count from the next one.
  it('deletes the volume only after the proof of the survivors, where the policy says so', async () => {
    const world = new MemberWorld({ seed: 13 });
    await world.formed(4, { volumeRetention: { whenScaled: 'Delete' } });
    await world.advance(45_000);
    world.startWriters();
    await world.advance(5_000);
    world.stopWriters();
    await world.advance(45_000);
    world.edit({ nodes: 3 });
    await world.until(() => world.isHealthy(3), 300_000, '3 of 4 stay');
    expect(world.cluster()?.status?.lastOperation?.proof?.post?.stage).to.equal('Post');
    await world.until(() => world.claim(3) === undefined, 10_000, 'the volume goes');
    expect(world.checkLedger().lost).to.deep.equal([]);
  });
});
