// verify over what the real operator writes: both controllers over an API server in memory and simulated members, on
// virtual time.

import { MemberWorld } from '@marekvs/reliability';
import { START_WALL_MS } from '@marekvs/simulator';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { EXIT } from '../src/index.ts';
import { type FakeResult, leaseAnswer, runFake } from './support/fake-cli.ts';

const verify = (world: MemberWorld, line = 'verify demo'): Promise<FakeResult> => {
  return runFake(line.split(' '), {
    server: world.kube.server,
    nowMs: START_WALL_MS + world.nowMs,
    meanwhile: (ms) => world.advance(ms),
    extra: ({ path }) => leaseAnswer(path, START_WALL_MS + world.nowMs),
  });
};

describe('verify, over what the real operator writes,', function () {
  this.timeout(60_000);

  it('has the members compared and shows each of them, every time it is run', async () => {
    const world = new MemberWorld({ seed: 1 });
    await world.formed(3);
    for (const time of ['first', 'second']) {
      const { code, out, err } = await verify(world);
      expect([code, err], `${time}: ${out}`).to.deep.equal([EXIT.fine, '']);
      expect(out)
        .to.include('12,288 partitions compared, no record is missing')
        .and.match(/demo-0 +about \d+ +4,096 of 4,096 +none\n.*demo-1 .*\n.*demo-2 /);
    }
  });

  it('ends although clients write', async () => {
    const world = new MemberWorld({ seed: 2 });
    await world.formed(3);
    world.startWriters({ clients: 4, writesPerSecond: 100, keys: 500 });
    await world.advance(10_000);
    const { code, out } = await verify(world);
    expect(code, out).to.equal(EXIT.fine);
    expect(out).to.match(/demo-1 +about [1-9][\d,]* /);
  });

  it('names the member that keeps the operator from comparing', async () => {
    const world = new MemberWorld({ seed: 3 });
    await world.formed(3);
    world.freeze(1);
    await world.until(() => world.condition('Ready') !== 'True', 120_000, 'the silence is noticed');
    const { code, err, out } = await verify(world, 'verify demo --timeout 1m');
    expect(code, out + err).to.equal(EXIT.blocked);
    expect(err).to.match(/demo-1/);
  });
});
