// Clusters sized by load: which member is asked what and when, what is reported, and what becomes of odd answers.
// Simulated members behind the real probe, a clock by hand.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  IDLE_INTERVAL_MS,
  SETTLED_INTERVAL_MS,
  WATCHED_INTERVAL_MS,
  WATCHED_STEP_MS,
} from '../src/members/probing-pace.ts';
import type { ClusterRates } from '../src/members/sampler.ts';
import { createSamplerRig } from './support/sampler-rig.ts';

/** Every member is known to serve nothing. */
async function idle(members = 3) {
  const rates: ClusterRates[] = [];
  const rig = createSamplerRig(members, (each) => void rates.push(each));
  rig.follow('watched');
  await rig.during(2 * IDLE_INTERVAL_MS);
  await rig.during(WATCHED_INTERVAL_MS - (rig.clock.monotonicMs() % WATCHED_INTERVAL_MS));
  rates.length = 0;
  return {
    ...rig,
    rates,
    read: (ms: number) => rig.during(ms).then((all) => all.filter((one) => one === 'figures' || one === 'both').length),
  };
}

describe('a cluster that is sized by load', () => {
  for (const members of [1, 2, 3, 5])
    it(`has the figures of at least one member read every 8 s, and of each in 24 s at most, with ${members} members`, async () => {
      const { read, end } = await idle(members);
      const counts = [await read(WATCHED_STEP_MS), await read(WATCHED_STEP_MS), await read(WATCHED_STEP_MS)];
      expect(Math.min(...counts)).to.be.at.least(1);
      expect(counts.reduce((a, b) => a + b)).to.equal(Math.max(3, members));
      await end();
    });

  it('has every member asked once in 24 s', async () => {
    const { clock, shown, sample, end } = await idle();
    const readAt = (id: number) => sample(id).rate?.toMs ?? 0;
    const startMs = clock.monotonicMs();
    await clock.run(WATCHED_INTERVAL_MS);
    for (const id of [0, 1, 2]) expect(readAt(id), `${id}`).to.be.greaterThan(startMs);
    expect(shown().commands).to.equal(0);
    await end();
  });

  it('has a known load of 0 when it serves nothing', async () => {
    const { during, rates, sample, end } = await idle();
    await during(10 * WATCHED_INTERVAL_MS);
    expect(new Set(rates.map(({ total, risen }) => `${total} ${risen}`))).to.deep.equal(new Set(['0 0']));
    for (const id of [0, 1, 2]) expect(sample(id).rate?.perSecond).to.equal(0);
    await end();
  });

  it('has its first commands reported within 8 s', async () => {
    const { during, rates, shown, end } = await idle();
    for (const id of [0, 1, 2]) shown(id).commands += 9_000;
    await during(WATCHED_STEP_MS);
    expect(rates.map(({ risen }) => Math.sign(risen))).to.include(1);
    await end();
  });

  it('has each rate measured from turn to turn', async () => {
    const { during, shown, sample, end } = await idle();
    const lengths = new Set<number>();
    for (let second = 0; second < 600; second += 1) {
      for (const id of [0, 1, 2]) shown(id).commands += 100;
      await during(1_000);
      if (second < 60) continue;
      for (const id of [0, 1, 2]) {
        const { fromMs = 0, toMs = 0 } = sample(id).rate ?? {};
        lengths.add(toMs - fromMs);
      }
    }
    expect([...lengths]).to.deep.equal([WATCHED_INTERVAL_MS]);
    await end();
  });

  it('has the rate of a restarted member forgotten, however soon that serves again', async () => {
    const { during, shown, sample, end } = await idle(1);
    shown().commands += 9_000;
    await during(WATCHED_STEP_MS);
    expect(sample().rate?.perSecond).to.be.greaterThan(0);
    Object.assign(shown(), { up: 1, commands: 9_500 });
    await during(WATCHED_STEP_MS);
    expect(sample().rate?.perSecond).to.equal(undefined);
    await end();
  });

  it('has it reported when no more commands are sent', async () => {
    const { during, rates, shown, end } = await idle();
    for (const id of [0, 1, 2]) shown(id).commands += 9_000;
    await during(WATCHED_INTERVAL_MS);
    expect(rates.at(-1)?.total).to.be.greaterThan(0);
    await during(2 * WATCHED_INTERVAL_MS);
    expect(rates.at(-1)?.total).to.equal(0);
    await end();
  });

  it('has no known load while a member gives no figures, which is then asked for everything', async () => {
    const { during, rates, shown, end } = await idle();
    for (const id of [0, 1, 2]) shown(id).isWithoutFigures = true;
    const asked = await during(WATCHED_STEP_MS);
    expect(asked).to.include.members(['figures', 'both']);
    await during(2 * WATCHED_INTERVAL_MS);
    expect(rates.at(-1)?.total).to.equal(undefined);
    await end();
  });

  for (const [what, change] of [
    ['is another one', { id: 7 }],
    ['has another membership', { members: 2 }],
    ['was started anew', { up: 1 }],
  ] as const)
    it(`has a member asked for everything at once that ${what}`, async () => {
      const { during, shown, end } = await idle(1);
      Object.assign(shown(), change);
      expect((await during(WATCHED_STEP_MS)).slice(0, 2)).to.deep.equal(['figures', 'list']);
      await end();
    });

  it('has a hanging member reported as silent within 24 s and two more', async () => {
    for (const id of [0, 1, 2]) {
      const { during, shown, sample, end } = await idle();
      shown(id).isSilent = true;
      await during(WATCHED_INTERVAL_MS + 2_000);
      expect(sample(id).answer.kind, `${id}`).to.equal('silent');
      await end();
    }
  });

  it('is not asked as often when it is idle and no longer sized by load', async () => {
    const { follow, read, end } = await idle();
    follow('settled');
    await read(SETTLED_INTERVAL_MS);
    expect(await read(WATCHED_INTERVAL_MS)).to.equal(0);
    follow('watched');
    await read(WATCHED_STEP_MS);
    expect(await read(WATCHED_INTERVAL_MS)).to.equal(3);
    await end();
  });
});
