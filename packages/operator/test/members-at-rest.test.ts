// What members are asked at rest: as little as shows that nothing has changed. Simulated members behind the real
// probe, a clock by hand.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { IDLE_INTERVAL_MS, REST_STEP_MS, SETTLED_INTERVAL_MS } from '../src/members/probing-pace.ts';
import { BOOT, createSamplerRig } from './support/sampler-rig.ts';

const FIGURES_TOO = ['figures', 'glance'];

/** Asked twice, so that it is known to serve nothing. */
async function idle(members = 1) {
  const rig = createSamplerRig(members);
  rig.follow('settled');
  expect(new Set(await rig.during(0))).to.deep.equal(new Set(['both']));
  expect(new Set(await rig.during(SETTLED_INTERVAL_MS))).to.deep.equal(new Set(FIGURES_TOO));
  return { ...rig, next: () => rig.during(rig.clock.nextTimerInMs() ?? 0) };
}

describe('a member that serves nothing', () => {
  for (const members of [1, 2, 3, 12, 20])
    it(`is asked whether anything has changed, every four minutes for its figures, and every 16 for its list, with ${members} members`, async () => {
      const { during, end } = await idle(members);
      await during(IDLE_INTERVAL_MS);
      const asked = await during(32 * IDLE_INTERVAL_MS);
      const count = (what: string) => asked.filter((one) => one === what).length / members;
      // A list comes with the figures.
      expect(count('both')).to.be.closeTo(4, 0.6);
      expect(count('figures')).to.be.closeTo(12, 1);
      await end();
    });

  it('is asked every 30 s, so that a member of its cluster is asked every 10 s', async () => {
    const { clock, during, sampler, end } = await idle(3);
    await during(IDLE_INTERVAL_MS);
    const startMs = clock.monotonicMs();
    const atMs: number[] = [];
    for (let second = 0; second < 720; second += 1)
      if ((await during(1_000)).length > 0) atMs.push(clock.monotonicMs() - startMs);
    expect(atMs).to.have.lengthOf(72);
    for (const [n, ms] of atMs.slice(1).entries()) expect(ms - (atMs[n] ?? 0)).to.equal(REST_STEP_MS);
    for (const { answer } of sampler.followed()) expect(answer.kind).to.equal('serving');
    await end();
  });

  for (const [what, change] of [
    ['its count of changes', { epoch: 2 }],
    ['its generation', { generation: BOOT + 9 }],
    ['how many members it knows', { members: 2 }],
    ['its id', { id: 7 }],
  ] as const)
    it(`is asked for everything at once when ${what} has changed`, async () => {
      const { next, shown, end } = await idle();
      expect(await next()).to.deep.equal(['glance']);
      Object.assign(shown(), change);
      expect(await next()).to.deep.equal(['glance', 'both']);
      await end();
    });

  it('is asked for its figures at once when a client has connected, but no more often when that sends nothing', async () => {
    const { next, shown, end } = await idle();
    expect(await next()).to.deep.equal(['glance']);
    shown().clients = 1;
    expect(await next()).to.deep.equal(['glance', 'figures']);
    expect(await next()).to.deep.equal(['glance']);
    await end();
  });

  it('is asked for its figures every 30 s from its first command on, and so are the others', async () => {
    const { next, during, shown, sample, end } = await idle(3);
    await during(IDLE_INTERVAL_MS);
    const serve = () => {
      for (const id of [0, 1, 2]) Object.assign(shown(id), { clients: 1, commands: shown(id).commands + 500 });
    };
    serve();
    // The first member whose turn it is.
    await next();
    expect(await during(SETTLED_INTERVAL_MS - 1)).to.include('figures');
    for (const id of [0, 1, 2]) expect(sample(id).rate?.perSecond, `${id}`).to.be.greaterThan(0);
    serve();
    const asked = await during((SETTLED_INTERVAL_MS * 4) / 3);
    expect(asked.filter((one) => one === 'figures')).to.have.lengthOf.at.least(3);
    await end();
  });

  for (const members of [2, 3, 5, 12, 30])
    it(`that somebody else has drained shows within 10 s in one of ${members} lists, whenever that was`, async () => {
      for (let waitMs = 0; waitMs < 30_000; waitMs += 3_700) {
        const { during, shown, changes, end } = await idle(members);
        await during(3 * IDLE_INTERVAL_MS + waitMs);
        changes.length = 0;
        shown(1).primaries = 0;
        for (let id = 0; id < members; id += 1) Object.assign(shown(id), { epoch: 2, slots: '00000000000000bb' });
        await during(REST_STEP_MS);
        expect(changes, `after ${waitMs} ms`).to.not.deep.equal([]);
        await end();
      }
    });

  it('is silent within a minute after it began to hang, whichever it is and whenever that was', async () => {
    for (const id of [0, 1, 2])
      for (let waitMs = 0; waitMs < IDLE_INTERVAL_MS; waitMs += 8_000) {
        const { follow, during, shown, sample, changes, end } = await idle(3);
        await during(IDLE_INTERVAL_MS + waitMs);
        changes.length = 0;
        shown(id).isSilent = true;
        // The others drop it, as with gossip.
        await during(5_000);
        for (const other of [0, 1, 2].filter((one) => one !== id))
          Object.assign(shown(other), { epoch: 2, members: 2, primaries: 9 });
        // The pass after an answer that shows that sets the pace to ask every member closely.
        for (let second = 0; second < 55 && sample(id).answer.kind !== 'silent'; second += 1) {
          await during(1_000);
          if (changes.length > 0) follow('moving');
        }
        expect(sample(id).answer.kind, `${id} after ${waitMs} ms`).to.equal('silent');
        await end();
      }
  });

  it('is asked for everything again when a probe without markers has lost its list', async () => {
    const { next, shown, end } = await idle();
    // The eighth brief probe brings figures.
    for (let probe = 2; probe < 8; probe += 1) await next();
    shown().up = 1;
    expect(await next(), 'its figures are those of another process').to.deep.equal(['figures', 'list']);
    expect(await next()).to.deep.equal(['both']);
    await end();
  });
});

describe('a member of a cluster with load', () => {
  it('is asked for its figures every 30 s, and each time whether it still accepts commands', async () => {
    const { follow, during, shown, end } = createSamplerRig();
    follow('settled');
    await during(0);
    for (let probe = 0; probe < 5; probe += 1) {
      shown().commands += 500;
      expect(await during(SETTLED_INTERVAL_MS)).to.deep.equal(FIGURES_TOO);
    }
    await end();
  });

  it('is asked for its list when its figures show that the list may have changed', async () => {
    for (const change of [{ members: 2 }, { up: 1 }]) {
      const { follow, during, shown, end } = createSamplerRig();
      follow('settled');
      await during(0);
      Object.assign(shown(), change);
      expect(await during(SETTLED_INTERVAL_MS), JSON.stringify(change)).to.deep.equal(['figures', 'list']);
      await end();
    }
  });
});

describe('a member of a cluster in which something is expected to change', () => {
  it('is asked for everything every second', async () => {
    const { follow, during, end } = createSamplerRig();
    follow('moving');
    expect(await during(2_000)).to.deep.equal(['both', 'both', 'both']);
    await end();
  });
});
