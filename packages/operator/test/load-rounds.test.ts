// Clusters sized by load are asked in rounds: which member is asked what, what is reported, and what becomes of odd
// answers. Simulated members behind the real probe, a clock by hand.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { IDLE_INTERVAL_MS, ROUND_MS, SETTLED_INTERVAL_MS, WATCHED_INTERVAL_MS } from '../src/members/probing-pace.ts';
import type { ClusterRates } from '../src/members/sampler.ts';
import { createSamplerRig } from './support/sampler-rig.ts';

/** Every member is known to serve nothing. */
async function idle(members = 3) {
  const rates: ClusterRates[] = [];
  const rig = createSamplerRig(members, (each) => void rates.push(each));
  rig.follow('watched');
  await rig.during(2 * IDLE_INTERVAL_MS);
  const untilRoundMs = ROUND_MS - (rig.clock.monotonicMs() % ROUND_MS);
  await rig.during(untilRoundMs);
  rates.length = 0;
  return { ...rig, rates, served: (ms: number) => rig.during(ms).then((all) => all.filter((one) => one === 'round')) };
}

describe('a cluster that is sized by load', () => {
  for (const [members, inRounds] of [
    [1, [1, 1, 1]],
    [2, [1, 1, 1]],
    [3, [1, 1, 1]],
    [5, [1, 2, 2]],
  ] as const)
    it(`has at least one member asked in every round, with ${members} members`, async () => {
      const { served, end } = await idle(members);
      const asked: number[] = [];
      for (let round = 0; round < 3; round += 1) asked.push((await served(ROUND_MS)).length);
      expect(asked.sort()).to.deep.equal([...inRounds]);
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

  it('is asked in all other respects like one of a fixed size', async () => {
    const asked = async (pace: 'settled' | 'watched') => {
      const rig = createSamplerRig(3);
      rig.follow(pace);
      await rig.during(SETTLED_INTERVAL_MS + 2 * IDLE_INTERVAL_MS);
      const all = await rig.during(8 * IDLE_INTERVAL_MS);
      await rig.end();
      return all.filter((one) => one !== 'round').sort();
    };
    expect(await asked('watched')).to.deep.equal(await asked('settled'));
  });

  it('has a known load of 0 when it serves nothing, which rounds do not report again', async () => {
    const { during, rates, sample, end } = await idle();
    const asked = await during(10 * WATCHED_INTERVAL_MS);
    // Each other question reports as usual.
    expect(rates).to.have.lengthOf(asked.filter((one) => one === 'glance').length);
    for (const id of [0, 1, 2]) expect(sample(id).rate?.perSecond).to.equal(0);
    await end();
  });

  it('has its first commands reported in the round in which a member shows them, and is asked more often from then on', async () => {
    const { during, rates, shown, end } = await idle();
    for (const id of [0, 1, 2]) shown(id).commands += 9_000;
    await during(ROUND_MS);
    expect(rates.map(({ risen }) => Math.sign(risen))).to.include(1);
    const asked = await during(SETTLED_INTERVAL_MS);
    expect(asked.filter((one) => one === 'figures' || one === 'both')).to.have.lengthOf.at.least(2);
    await end();
  });

  it('has each rate measured from round to round, whatever is asked in between', async () => {
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
    // A rate over the few seconds since another question would hide the earlier load, and a rise with it.
    expect([...lengths]).to.deep.equal([WATCHED_INTERVAL_MS]);
    await end();
  });

  it('has the rate of a restarted member forgotten, however soon that serves again', async () => {
    const { during, shown, sample, end } = await idle(1);
    shown().commands += 9_000;
    await during(ROUND_MS);
    expect(sample().rate?.perSecond).to.be.greaterThan(0);
    Object.assign(shown(), { up: 1, commands: 9_500 });
    await during(ROUND_MS);
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
    const asked = await during(ROUND_MS);
    expect(asked).to.include.members(['round', 'both']);
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
      expect((await during(ROUND_MS)).slice(0, 2)).to.deep.equal(['round', 'both']);
      await end();
    });

  it('has a hanging member reported as silent within a round for each member and two seconds', async () => {
    for (const id of [0, 1, 2]) {
      const { during, shown, sample, end } = await idle();
      shown(id).isSilent = true;
      await during(WATCHED_INTERVAL_MS + 2_000);
      expect(sample(id).answer.kind, `${id}`).to.equal('silent');
      await end();
    }
  });

  for (const pace of ['settled', 'measuring', 'moving', 'operation'] as const)
    it(`is not asked in rounds while its pace is ${pace}`, async () => {
      const { follow, served, end } = await idle();
      follow(pace);
      expect(await served(2 * WATCHED_INTERVAL_MS)).to.deep.equal([]);
      follow('watched');
      expect(await served(2 * WATCHED_INTERVAL_MS)).to.not.deep.equal([]);
      await end();
    });

  it('is no longer asked in rounds once it is forgotten', async () => {
    const { sampler, served, clock, end } = await idle();
    sampler.forget('default/demo');
    expect(await served(WATCHED_INTERVAL_MS)).to.deep.equal([]);
    expect(clock.pendingTimers).to.equal(0);
    await end();
  });
});
