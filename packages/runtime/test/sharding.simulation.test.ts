// Modes `ring` and `static` under random faults: pauses, partitions, lost answers, watches that lag, clocks that run fast or slow or
// jump, crashes, deleted and edited leases. At no instant do two work on one slot, and when faults end everything is owned.
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { ShareRules } from '../src/sharding/foreign-claims.ts';
import { replicaLease } from '../src/sharding/lease-table.ts';
import { SLOTS } from '../src/sharding/slots.ts';
import { createRandom, type Random } from './support/random.ts';
import { BASE, createShareWorld, installed, KEYS, type Replica, type ShareWorld } from './support/share-world.ts';

/** A failing seed is in the message: SHARE_FROM=n SHARE_SEEDS=n runs it alone. */
const { SHARE_FROM = '1', SHARE_SEEDS = '5' } = process.env;
const FAULTS_MS = 240_000;
const MAX_RATE_ERROR = 0.025;
const COUNT = 3;
const NEVER = (): number => Number.POSITIVE_INFINITY;

interface Life {
  readonly world: ShareWorld;
  readonly random: Random;
  rulesOf(ordinal: number): ShareRules;
}

/** @param podUid of a Pod whose container starts again. Default: a Pod of its own. */
function begin(life: Life, ordinal: number, podUid = `pod-${life.random.next()}`): Replica {
  const { world, random, rulesOf } = life;
  const replica = world.start(ordinal, {
    rules: rulesOf(ordinal),
    rate: random.between(1 - MAX_RATE_ERROR, 1 + MAX_RATE_ERROR),
    holdMs: () => random.between(5, 800),
    passMs: () => random.between(10, 3_000),
    podUid,
  });
  replica.network.there = () => (random.chance(0.02) ? Number.POSITIVE_INFINITY : random.between(1, 60));
  replica.network.back = () => (random.chance(0.02) ? Number.POSITIVE_INFINITY : random.between(1, 60));
  replica.network.watchLag = () => random.between(1, 80);
  return replica;
}

/** For so long, then as before. */
function change<K extends 'there' | 'back' | 'watchLag'>(
  life: Life,
  { network }: Replica,
  what: K,
  ms: number,
  value: () => number,
): void {
  const usual = network[what];
  network[what] = value;
  life.world.time.after(ms, () => {
    network[what] = usual;
  });
}

const FAULTS: Readonly<Record<string, (life: Life, one: Replica) => void>> = {
  freeze({ world, random }, one) {
    one.pause();
    world.time.after(random.between(1_000, 60_000), one.resume);
  },
  cutOff(life, one) {
    change(life, one, life.random.pick(['there', 'back'] as const), life.random.between(2_000, 40_000), NEVER);
  },
  slow(life, one) {
    const lateMs = life.random.between(500, 20_000);
    change(life, one, life.random.pick(['there', 'back'] as const), 20_000, () => life.random.between(1, lateMs));
  },
  lag(life, one) {
    const lagMs = life.random.between(1_000, 25_000);
    change(life, one, 'watchLag', 20_000, () => lagMs);
  },
  kill(life, one) {
    one.crash();
    life.world.time.after(life.random.between(500, 40_000), () => void begin(life, one.ordinal, one.podUid));
  },
  /** Its host is gone, as far as anybody knows: another Pod takes its name, and it lives. */
  replace(life, one) {
    const twin = begin(life, one.ordinal);
    life.world.time.after(life.random.between(1_000, 30_000), () => (life.random.chance(0.5) ? one : twin).crash());
  },
  restart(life, one) {
    one.stop();
    life.world.time.after(life.random.between(500, 5_000), () => void begin(life, one.ordinal));
  },
  wall({ random }, one) {
    one.jumpWall(random.between(-3_600_000, 3_600_000));
  },
  deleteLease({ world }, one) {
    world.server.remove(replicaLease(BASE, one.ordinal));
  },
  deleteLeader({ world }) {
    world.server.remove(BASE);
  },
  damage({ world, random }) {
    world.server.edit(BASE, { annotations: { [KEYS.register]: random.pick(['', '{}', 'no', '{"generation":7}']) } });
  },
};

/** @returns how many faults there were */
async function live(seed: number, mode: 'ring' | 'static'): Promise<number> {
  const random = createRandom(seed);
  const world = createShareWorld((slot, names) => {
    const said = world.replicas.map(({ name, lines }) => `${name}\n  ${lines.slice(-12).join('\n  ')}`);
    const story = told.slice(-12).join('\n');
    throw new Error(
      `seed ${seed}: at ${world.time.monotonicMs()} slot ${slot} has two owners: ${names.join(' and ')}\n${story}\n${said.join('\n')}`,
    );
  });
  const told: string[] = [];
  // The count of mode static goes down and up in the middle, one replica after the other.
  const counts = new Map([0, 1, 2].map((ordinal) => [ordinal, COUNT]));
  const life: Life = {
    world,
    random,
    rulesOf: (ordinal) =>
      mode === 'ring'
        ? { kind: 'ring' }
        : { kind: 'static', count: Math.max(ordinal + 1, counts.get(ordinal) ?? COUNT) },
  };
  installed(world, random.chance(0.5) ? COUNT : 0);
  for (let ordinal = 0; ordinal < COUNT; ordinal += 1) begin(life, ordinal);
  while (world.time.monotonicMs() < FAULTS_MS) {
    await world.run(random.between(2_000, 20_000));
    const one = random.pick(world.replicas);
    if (one === undefined) continue;
    const name = random.pick(Object.keys(FAULTS));
    if (mode === 'static') counts.set(one.ordinal, random.pick([1, 2, 3]));
    told.push(`${world.time.monotonicMs()} ${name} ${one.name}`);
    FAULTS[name]?.(life, one);
  }
  await world.run(60_000);
  for (const ordinal of [0, 1, 2]) counts.set(ordinal, COUNT);
  for (let ordinal = 0; ordinal < COUNT; ordinal += 1) {
    for (const old of world.replicas.filter((one) => one.ordinal === ordinal)) old.crash();
    begin(life, ordinal);
  }
  await world.until(() => world.owned() === SLOTS, 120_000, `seed ${seed}: all is owned when faults have ended`);
  return told.length;
}

describe('sharing under random faults', function () {
  this.timeout(120_000);
  for (const mode of ['ring', 'static'] as const) {
    it(`${mode}: no slot ever has two owners, and all have one in the end`, async () => {
      let faults = 0;
      for (let seed = Number(SHARE_FROM); seed <= Number(SHARE_SEEDS); seed += 1) faults += await live(seed, mode);
      expect(faults).to.be.above(10 * (Number(SHARE_SEEDS) - Number(SHARE_FROM)));
    });
  }

  it('is able to find an overlap: a replica that believes in a shorter lease frees those of others too early', async () => {
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
