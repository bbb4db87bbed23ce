// Modes `ring` and `static`, one scripted fault at a time. The random ones are in sharding.simulation.test.ts.
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { replicaLease } from '../src/sharding/lease-table.ts';
import { formatRegister, parseRegister } from '../src/sharding/register.ts';
import { SLOTS } from '../src/sharding/slots.ts';
import { BASE, createShareWorld, installed, KEYS, type Replica, type ShareWorld } from './support/share-world.ts';

const RING = { kind: 'ring' } as const;
const ONLY_SLOW_PASSES = { rules: RING, passMs: () => 700 };

function judged(): ShareWorld {
  const world = createShareWorld((slot, names) => {
    const said = world.replicas.map(({ name, lines }) => `${name}\n  ${lines.slice(-12).join('\n  ')}`);
    throw new Error(
      `${world.time.monotonicMs()} slot ${slot} has two owners: ${names.join(' and ')}\n${said.join('\n')}`,
    );
  });
  return world;
}

const isAllOwned = (world: ShareWorld) => (): boolean => world.owned() === SLOTS;

function isShared(world: ShareWorld, count: number): () => boolean {
  return () =>
    isAllOwned(world)() &&
    world.replicas.length === count &&
    world.replicas.every((one) => Math.abs(world.partOf(one) - SLOTS / count) < 1);
}

async function ring(count: number): Promise<{ world: ShareWorld; replicas: readonly Replica[] }> {
  const world = judged();
  installed(world, count);
  const replicas = Array.from({ length: count }, (_, ordinal) => world.start(ordinal, ONLY_SLOW_PASSES));
  await world.until(isShared(world, count), 10_000, 'all is shared');
  await world.run(5_000);
  return { world, replicas };
}

const generationOf = (world: ShareWorld): number | undefined =>
  parseRegister(world.server.read(BASE)?.annotations?.[KEYS.register])?.generation;

describe('mode ring', () => {
  it('shares among those that are there, a few seconds after they came', async () => {
    const { world } = await ring(3);
    expect(world.replicas.map(world.partOf).sort()).to.deep.equal([85, 85, 86]);
  });

  it('writes nothing but renewals once all is shared', async () => {
    const { world } = await ring(3);
    const before = world.server.writes;
    await world.run(60_000);
    // Three leases of their own and the leader's, every four seconds.
    expect(world.server.writes - before).to.be.within(56, 64);
  });

  it('hands the slots of one that ends over within two seconds', async () => {
    const { world, replicas } = await ring(3);
    replicas[0]?.stop();
    expect(await world.until(isShared(world, 2), 5_000, 'two have all')).to.be.below(2_000);
  });

  it('takes the slots of one that dies within 20 seconds, the coordinator included', async () => {
    for (const dead of [0, 1, 2]) {
      const { world, replicas } = await ring(3);
      replicas[dead]?.crash();
      expect(await world.until(isShared(world, 2), 25_000, 'two have all')).to.be.below(20_000);
    }
  });

  it('moves only what the new one gets', async () => {
    const { world, replicas } = await ring(3);
    world.server.create(replicaLease(BASE, 3), {});
    const before = replicas.map(({ ownership }) => ownership.slots);
    world.start(3, ONLY_SLOW_PASSES);
    await world.until(isShared(world, 4), 10_000, 'four share');
    for (const [index, { ownership }] of replicas.entries())
      expect([...ownership.slots].every((slot) => before[index]?.has(slot))).to.equal(true);
  });

  it('goes on without a coordinator: what everybody has it keeps', async () => {
    const { world, replicas } = await ring(3);
    const holder = world.server.read(BASE)?.holder;
    const coordinator = replicas.find(({ name }) => name === holder);
    coordinator?.crash();
    await world.run(10_000);
    expect(world.replicas.map((one) => world.partOf(one) >= 85)).to.deep.equal([true, true]);
  });

  it('frozen for a minute, it has nothing when it wakes up, and gets its part again', async () => {
    const { world, replicas } = await ring(3);
    replicas[1]?.pause();
    await world.run(60_000);
    expect(world.owned()).to.equal(SLOTS);
    replicas[1]?.resume();
    await world.run(1);
    expect(world.partOf(replicas[1] as Replica)).to.equal(0);
    await world.until(isShared(world, 3), 15_000, 'three share again');
  });

  it('cut off from the API server, it stops by itself before others take its part', async () => {
    const { world, replicas } = await ring(2);
    const one = replicas[0] as Replica;
    one.network.there = () => Number.POSITIVE_INFINITY;
    one.network.watchLag = () => 60_000;
    await world.run(14_500);
    expect(world.partOf(one)).to.equal(0);
    await world.until(isAllOwned(world), 10_000, 'the other has all');
  });

  it('waits for the pass that is under way in a slot it gives up, and ends it by force when that lasts', async () => {
    const world = judged();
    installed(world, 2);
    world.start(0, { rules: RING, passMs: () => 30_000 });
    await world.until(isAllOwned(world), 10_000, 'one has all');
    await world.run(3_000);
    world.start(1, ONLY_SLOW_PASSES);
    expect(await world.until(isShared(world, 2), 10_000, 'two share')).to.be.below(5_000);
  });

  it('a damaged register stops nobody, and is put right', async () => {
    const { world } = await ring(3);
    const before = world.replicas.map(world.partOf);
    for (const garbage of ['', 'x', '{"generation":900}', '{"generation":1e400,"now":"","sum":""}']) {
      world.server.edit(BASE, { annotations: { [KEYS.register]: garbage } });
      await world.run(1_000);
      expect(world.replicas.map(world.partOf)).to.deep.equal(before);
      await world.until(() => generationOf(world) !== undefined, 10_000, 'a register is there again');
    }
    await world.run(5_000);
    expect(world.replicas.map(world.partOf)).to.deep.equal(before);
  });

  it('a register of the past, put back by hand, gives nobody anything', async () => {
    const { world } = await ring(2);
    const past = world.server.read(BASE)?.annotations?.[KEYS.register] ?? '';
    world.server.create(replicaLease(BASE, 2), {});
    world.start(2, ONLY_SLOW_PASSES);
    await world.until(isShared(world, 3), 10_000, 'three share');
    const generation = generationOf(world) ?? 0;
    world.server.edit(BASE, { annotations: { [KEYS.register]: past } });
    await world.run(10_000);
    expect(generationOf(world)).to.be.above(generation);
    expect(isShared(world, 3)()).to.equal(true);
  });

  it('a register that a hand has changed is nobody’s word', async () => {
    const { world } = await ring(2);
    const register = parseRegister(world.server.read(BASE)?.annotations?.[KEYS.register]);
    if (register === undefined) throw new Error('no register');
    const forged = formatRegister({ ...register, now: register.now.map(() => 0) });
    const text = forged.replace(/"sum":"[^"]*"/, '"sum":"0"');
    world.server.edit(BASE, { annotations: { [KEYS.register]: text } });
    await world.run(10_000);
    expect(isShared(world, 2)()).to.equal(true);
  });

  it('a register deleted with all leases is made again when nobody can believe in the old one any more', async () => {
    const { world } = await ring(3);
    for (const name of [BASE, ...[0, 1, 2].map((ordinal) => replicaLease(BASE, ordinal))]) world.server.remove(name);
    await world.run(14_500);
    expect(world.owned()).to.equal(0);
    await world.until(isShared(world, 3), 60_000, 'three share again');
  });

  it('one whose lease was deleted keeps its part as long as it may, and nobody takes it before', async () => {
    const { world } = await ring(3);
    world.server.remove(replicaLease(BASE, 1));
    await world.until(isShared(world, 3), 60_000, 'three share again');
  });

  it('two Pods of one number have it one after the other', async () => {
    const { world } = await ring(2);
    const twin = world.start(1, { ...ONLY_SLOW_PASSES, podUid: 'another-pod' });
    await world.run(30_000);
    expect(world.partOf(twin)).to.equal(0);
    await world.stopped(world.replicas[1]);
    await world.until(() => world.partOf(twin) === 128, 15_000, 'the twin has the part');
  });

  it('clocks an hour apart make no difference', async () => {
    const { world, replicas } = await ring(3);
    replicas[0]?.jumpWall(-3_600_000);
    replicas[2]?.jumpWall(3_600_000);
    await world.run(30_000);
    expect(isShared(world, 3)()).to.equal(true);
    replicas[1]?.crash();
    await world.until(isShared(world, 2), 20_000, 'two have all');
  });
});

describe('mode static', () => {
  const of = (count: number) => ({ rules: { kind: 'static', count } as const, passMs: () => 700 });

  async function fixed(count: number): Promise<ShareWorld> {
    const world = judged();
    installed(world, count);
    for (let ordinal = 0; ordinal < count; ordinal += 1) world.start(ordinal, of(count));
    await world.until(isShared(world, count), 10_000, 'all is shared');
    return world;
  }

  it('has its part by its number, without being told', async () => {
    const world = await fixed(3);
    expect(world.server.read(BASE)?.annotations?.[KEYS.register]).to.equal(undefined);
  });

  it('leaves the part of one that died to the one that comes back', async () => {
    const world = await fixed(3);
    world.replicas[1]?.crash();
    await world.run(60_000);
    expect(world.owned()).to.be.below(SLOTS);
    world.start(1, of(3));
    await world.until(isShared(world, 3), 5_000, 'it is back');
  });

  it('grows from 2 to 3 by a rollout without an overlap, and without a pause longer than a restart', async () => {
    const world = await fixed(2);
    world.server.create(replicaLease(BASE, 2), {});
    world.start(2, of(3));
    await world.run(20_000);
    expect(world.owned()).to.equal(SLOTS);
    for (const ordinal of [1, 0]) {
      await world.stopped(world.replicas.find((one) => one.ordinal === ordinal));
      world.start(ordinal, of(3));
      await world.run(3_000);
    }
    expect(isShared(world, 3)()).to.equal(true);
  });

  it('shrinks from 3 to 2: the part of the last is taken when it has ended, or when its lease is long dead', async () => {
    for (const isKilled of [false, true]) {
      const world = await fixed(3);
      const last = world.replicas[2];
      if (isKilled) last?.crash();
      else await world.stopped(last);
      for (const ordinal of [1, 0]) {
        await world.stopped(world.replicas.find((one) => one.ordinal === ordinal));
        world.start(ordinal, of(2));
        await world.run(1_000);
      }
      expect(await world.until(isShared(world, 2), 30_000, 'two have all')).to.be.below(isKilled ? 20_000 : 2_000);
    }
  });

  it('takes nothing from a count of which a lease was just deleted', async () => {
    const world = await fixed(3);
    world.server.remove(replicaLease(BASE, 2));
    await world.stopped(world.replicas[1]);
    world.start(1, of(2));
    await world.until(isAllOwned(world), 60_000, 'all is owned again');
  });
});

describe('modes that are mixed', () => {
  it('a ring takes nothing from those that share by number, and nothing from one that leads alone', async () => {
    const world = judged();
    installed(world, 2);
    const fixed = world.start(0, { rules: { kind: 'static', count: 1 }, passMs: () => 700 });
    await world.until(isAllOwned(world), 10_000, 'one has all');
    const other = world.start(1, ONLY_SLOW_PASSES);
    await world.run(30_000);
    expect(world.partOf(other)).to.equal(0);
    expect(other.ownership.waiting).to.match(/shares by other rules/);
    fixed.stop();
    await world.until(() => world.partOf(other) === SLOTS, 5_000, 'the ring has all');
  });

  it('whoever leads alone has everything: those that share stop at once', async () => {
    const { world } = await ring(2);
    world.server.edit(BASE, { holder: 'single-0_uid_boot' });
    await world.run(50);
    expect(world.owned()).to.equal(0);
    expect(world.replicas[0]?.ownership.waiting).to.match(/single-0_uid_boot leads alone/);
  });
});
