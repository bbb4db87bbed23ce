// Modes `ring` and `static`, one scripted fault at a time. Random faults are in sharding.simulation.test.ts.
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { replicaLease } from '../src/sharing/leases/lease-table.ts';
import { formatRegister, parseRegister } from '../src/sharing/ring/register.ts';
import { ordinalAssignment, slotsOf } from '../src/sharing/slots/assignment.ts';
import { SLOTS } from '../src/sharing/slots/slots.ts';
import { BASE, KEYS } from './support/share-keys.ts';
import {
  createShareWorld,
  installed,
  type Replica,
  type ShareWorld,
  type StartReplica,
} from './support/share-world.ts';

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
  it('divides the slots among the present replicas a few seconds after they came', async () => {
    const { world } = await ring(3);
    expect(world.replicas.map(world.partOf).sort()).to.deep.equal([85, 85, 86]);
  });

  it('writes only renewals once all slots are assigned', async () => {
    const { world } = await ring(3);
    const before = world.server.writes;
    await world.run(60_000);
    // The replicas' three leases and the leader's, every four seconds.
    expect(world.server.writes - before).to.be.within(56, 64);
  });

  it('hands over the slots of a replica that ends within two seconds', async () => {
    const { world, replicas } = await ring(3);
    replicas[0]?.stop();
    expect(await world.until(isShared(world, 2), 5_000, 'two have all')).to.be.below(2_000);
  });

  it('reassigns the slots of a replica that dies within 20 seconds, also of the coordinator', async () => {
    for (const dead of [0, 1, 2]) {
      const { world, replicas } = await ring(3);
      replicas[dead]?.crash();
      expect(await world.until(isShared(world, 2), 25_000, 'two have all')).to.be.below(20_000);
    }
  });

  it('moves only the slots that a new replica gets', async () => {
    const { world, replicas } = await ring(3);
    world.server.create(replicaLease(BASE, 3), {});
    const before = replicas.map(({ ownership }) => ownership.slots);
    world.start(3, ONLY_SLOW_PASSES);
    await world.until(isShared(world, 4), 10_000, 'four share');
    for (const [index, { ownership }] of replicas.entries())
      expect([...ownership.slots].every((slot) => before[index]?.has(slot))).to.equal(true);
  });

  it('goes on without a coordinator: every replica keeps its slots', async () => {
    const { world, replicas } = await ring(3);
    const holder = world.server.read(BASE)?.holder;
    const coordinator = replicas.find(({ name }) => name === holder);
    coordinator?.crash();
    await world.run(10_000);
    expect(world.replicas.map((one) => world.partOf(one) >= 85)).to.deep.equal([true, true]);
  });

  it('takes all slots from a replica that was frozen for a minute, and gives it its part again', async () => {
    const { world, replicas } = await ring(3);
    replicas[1]?.pause();
    await world.run(60_000);
    expect(world.owned()).to.equal(SLOTS);
    replicas[1]?.resume();
    await world.run(1);
    expect(world.partOf(replicas[1] as Replica)).to.equal(0);
    await world.until(isShared(world, 3), 15_000, 'three share again');
  });

  it('makes a replica without the API server stop by itself before others take its slots', async () => {
    const { world, replicas } = await ring(2);
    const one = replicas[0] as Replica;
    one.network.there = () => Number.POSITIVE_INFINITY;
    one.network.watchLag = () => 60_000;
    await world.run(14_500);
    expect(world.partOf(one)).to.equal(0);
    await world.until(isAllOwned(world), 10_000, 'the other has all');
  });

  it('completes a pass under way in a slot that is given up (F29)', async () => {
    const { world, replicas } = await ring(2);
    world.server.create(replicaLease(BASE, 2), {});
    world.start(2, ONLY_SLOW_PASSES);
    await world.until(isShared(world, 3), 10_000, 'three share');
    expect(replicas.map((one) => one.abortedPasses)).to.deep.equal([0, 0]);
  });

  it('waits for a pass under way in a slot that is given up, and aborts it when that takes too long', async () => {
    const world = judged();
    installed(world, 2);
    world.start(0, { rules: RING, passMs: () => 30_000 });
    await world.until(isAllOwned(world), 10_000, 'one has all');
    await world.run(3_000);
    world.start(1, ONLY_SLOW_PASSES);
    expect(await world.until(isShared(world, 2), 10_000, 'two share')).to.be.below(5_000);
  });

  it('goes on with a damaged register, which is repaired', async () => {
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

  it('gives no slots to any replica by an old register that is restored by hand', async () => {
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

  it('does not follow a register that was edited by hand', async () => {
    const { world } = await ring(2);
    const register = parseRegister(world.server.read(BASE)?.annotations?.[KEYS.register]);
    if (register === undefined) throw new Error('no register');
    const forged = formatRegister({ ...register, now: register.now.map(() => 0) });
    const text = forged.replace(/"sum":"[^"]*"/, '"sum":"0"');
    world.server.edit(BASE, { annotations: { [KEYS.register]: text } });
    await world.run(10_000);
    expect(isShared(world, 2)()).to.equal(true);
  });

  it('creates a register that was deleted with all leases again when no replica can rely on the old one', async () => {
    const { world } = await ring(3);
    for (const name of [BASE, ...[0, 1, 2].map((ordinal) => replicaLease(BASE, ordinal))]) world.server.remove(name);
    await world.run(14_500);
    expect(world.owned()).to.equal(0);
    await world.until(isShared(world, 3), 60_000, 'three share again');
  });

  it('leaves a replica whose lease was deleted its slots while it may have them, and no other takes them before', async () => {
    const { world } = await ring(3);
    world.server.remove(replicaLease(BASE, 1));
    await world.until(isShared(world, 3), 60_000, 'three share again');
  });

  it('gives the slots of a number to two Pods one after the other', async () => {
    const { world } = await ring(2);
    const twin = world.start(1, { ...ONLY_SLOW_PASSES, podUid: 'another-pod' });
    await world.run(30_000);
    expect(world.partOf(twin)).to.equal(0);
    await world.stopped(world.replicas[1]);
    await world.until(() => world.partOf(twin) === 128, 15_000, 'the twin has the part');
  });

  it('works alike with clocks an hour apart', async () => {
    const { world, replicas } = await ring(3);
    replicas[0]?.jumpWall(-3_600_000);
    replicas[2]?.jumpWall(3_600_000);
    await world.run(30_000);
    expect(isShared(world, 3)()).to.equal(true);
    replicas[1]?.crash();
    await world.until(isShared(world, 2), 20_000, 'two have all');
  });
});

describe('leases that were edited by hand', () => {
  const NOTES = [
    '',
    'ring',
    'ring -1',
    'ring 999999999999999',
    'ring 1e9',
    'static 9/3',
    'static 1/99',
    'x'.repeat(10_000),
  ];

  it('cost time and nothing else when their notes are garbage for a moment', async () => {
    for (const share of NOTES) {
      const { world } = await ring(3);
      world.server.edit(replicaLease(BASE, 1), { annotations: { [KEYS.share]: share } });
      await world.run(1_000);
      world.replicas[0]?.stop();
      await world.until(isShared(world, 2), 60_000, `two have all, after ${share.slice(0, 20)}`);
    }
  });

  it('cost time and nothing else when another holder, or none, is named', async () => {
    for (const holder of ['', 'somebody', 'replica-2_uid-2_boot']) {
      const { world } = await ring(3);
      world.server.edit(replicaLease(BASE, 1), { holder });
      await world.until(isShared(world, 3), 60_000, `three share again, after ${holder}`);
    }
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

  /** One replica after the other ends and comes back, from the last to the first, as a StatefulSet does it. */
  async function rolled(world: ShareWorld, options: StartReplica): Promise<void> {
    for (const one of [...world.replicas].sort((a, b) => b.ordinal - a.ordinal)) {
      await world.stopped(one);
      world.start(one.ordinal, options);
      await world.run(5_000);
    }
  }

  it('gives a replica its slots by its number, and at once after all were stopped', async () => {
    const world = await fixed(3);
    const first = generationOf(world);
    for (const one of [...world.replicas]) await world.stopped(one);
    for (const ordinal of [0, 1, 2]) world.start(ordinal, of(3));
    expect(await world.until(isShared(world, 3), 10_000, 'three share')).to.be.below(1_000);
    for (const one of world.replicas)
      expect(one.ownership.slots).to.deep.equal(slotsOf(ordinalAssignment(3), one.ordinal));
    expect(generationOf(world)).to.equal(first);
  });

  it('leaves the slots of a replica that died to the one that comes back', async () => {
    const world = await fixed(3);
    world.replicas[1]?.crash();
    await world.run(60_000);
    expect(world.owned()).to.be.below(SLOTS);
    world.start(1, of(3));
    await world.until(isShared(world, 3), 5_000, 'it is back');
  });

  it('grows from 2 to 3 by a rollout, and leaves no slot alone but those of a replica that restarts', async () => {
    const world = await fixed(2);
    world.server.create(replicaLease(BASE, 2), {});
    world.start(2, of(3));
    await world.run(20_000);
    expect(world.owned()).to.equal(SLOTS);
    await rolled(world, of(3));
    expect(isShared(world, 3)()).to.equal(true);
  });

  it('shrinks from 3 to 2 when the first replica of the new count coordinates, also beside one that lives, or has died', async () => {
    for (const how of ['lives', 'stopped', 'crashed'] as const) {
      const world = await fixed(3);
      const last = world.replicas[2];
      if (how === 'crashed') last?.crash();
      if (how === 'stopped') await world.stopped(last);
      for (const ordinal of [1, 0]) {
        await world.stopped(world.replicas.find((one) => one.ordinal === ordinal));
        world.start(ordinal, of(2));
        await world.run(1_000);
      }
      // The one that lives coordinates now, and counts three.
      if (how === 'lives') expect([world.owned(), await world.stopped(last)]).to.deep.equal([SLOTS, undefined]);
      const tookMs = await world.until(isShared(world, 2), 30_000, `two have all: the last ${how}`);
      expect(tookMs).to.be.below(how === 'crashed' ? 20_000 : 2_000);
    }
  });

  it('follows a ring, and is followed by one, without a slot that nobody has for longer than a restart', async () => {
    const { world } = await ring(2);
    for (const options of [of(2), ONLY_SLOW_PASSES]) {
      await rolled(world, options);
      expect(isShared(world, 2)()).to.equal(true);
    }
  });

  it('gives the slots of a number to two Pods one after the other', async () => {
    const world = await fixed(2);
    const twin = world.start(1, { ...of(2), podUid: 'another-pod' });
    await world.run(30_000);
    expect(world.partOf(twin)).to.equal(0);
    await world.stopped(world.replicas.find((one) => one.ordinal === 1));
    await world.until(() => world.partOf(twin) === 128, 15_000, 'the twin has the part');
  });
});

describe('with mixed modes', () => {
  it('nothing is taken beside a replica whose note cannot be read: it may work by other rules', async () => {
    const world = judged();
    installed(world, 1);
    const [holderIdentity, note] = ['replica-1_of_before', 'static 1/2'];
    world.server.create(replicaLease(BASE, 1), { holderIdentity }, { [KEYS.share]: note });
    const other = world.start(0, ONLY_SLOW_PASSES);
    await world.run(17_000);
    expect(world.owned()).to.equal(0);
    expect(other.ownership.waiting).to.equal(`${holderIdentity} shares by other rules`);
    await world.until(isAllOwned(world), 10_000, 'it has ended');
  });

  const SINGLE = { rules: { kind: 'single' } as const, passMs: () => 700 };

  it('a replica that leads alone begins at once where none shares', async () => {
    for (const leases of [0, 3]) {
      const world = judged();
      installed(world, leases);
      world.start(20, SINGLE);
      expect(await world.until(isAllOwned(world), 5_000, 'it has all')).to.be.below(100);
    }
  });

  it('a replica that leads alone begins beside running ones two seconds later, when they have let go', async () => {
    const { world, replicas } = await ring(3);
    const single = world.start(20, SINGLE);
    await world.run(20_000);
    expect(world.partOf(single), 'as long as the ring has a coordinator').to.equal(0);
    const coordinator = replicas.find(({ name }) => name === world.server.read(BASE)?.holder);
    // The replica that leads alone gets the lease first.
    for (const other of replicas) if (other !== coordinator) other.network.there = () => 300;
    coordinator?.stop();
    await world.until(() => world.server.read(BASE)?.holder === single.name, 5_000, 'it has the lease');
    expect(await world.until(() => world.partOf(single) === SLOTS, 5_000, 'it has all')).to.be.below(2_000);
    await world.run(60_000);
    expect(world.partOf(single)).to.equal(SLOTS);
  });

  it('a replica that leads alone waits for a frozen one until that can no longer rely on its lease', async () => {
    const { world, replicas } = await ring(2);
    const single = world.start(20, SINGLE);
    await world.run(5_000);
    const coordinator = replicas.find(({ name }) => name === world.server.read(BASE)?.holder);
    const other = replicas.find((one) => one !== coordinator);
    other?.pause();
    coordinator?.stop();
    await world.until(() => world.server.read(BASE)?.holder === single.name, 30_000, 'it has the lease');
    await world.run(8_000);
    expect(world.partOf(single)).to.equal(0);
    expect(single.ownership.waiting).to.match(/replica-\d_.* has not let go/);
    await world.until(() => world.partOf(single) === SLOTS, 15_000, 'it has all');
    other?.resume();
    await world.run(30_000);
    expect(world.partOf(single)).to.equal(SLOTS);
  });

  it('a replica that leads alone waits for one whose lease was deleted', async () => {
    const { world, replicas } = await ring(2);
    const single = world.start(20, SINGLE);
    await world.run(5_000);
    const coordinator = replicas.find(({ name }) => name === world.server.read(BASE)?.holder);
    const other = replicas.find((one) => one !== coordinator) as Replica;
    // That replica cannot learn of it, and cannot create another.
    other.network.there = () => Number.POSITIVE_INFINITY;
    other.network.watchLag = () => 60_000;
    world.server.remove(replicaLease(BASE, other.ordinal));
    coordinator?.stop();
    await world.until(() => world.partOf(single) === SLOTS, 40_000, 'it has all');
    expect(world.partOf(other)).to.equal(0);
  });

  it('a ring takes over from a replica that leads alone when that has ended, and hands back again', async () => {
    const { world } = await ring(2);
    for (let round = 0; round < 3; round += 1) {
      const single = world.start(20, SINGLE);
      for (const one of [...world.replicas]) if (one !== single) await world.stopped(one);
      // For numbers without a lease it is unknown since when: one may just have been deleted.
      await world.until(() => world.partOf(single) === SLOTS, 20_000, 'one has all');
      for (const ordinal of [0, 1]) world.start(ordinal, ONLY_SLOW_PASSES);
      await world.run(10_000);
      expect(world.partOf(single)).to.equal(SLOTS);
      await world.stopped(single);
      await world.until(isShared(world, 2), 10_000, 'two share');
    }
  });

  it('a replica that leads alone has everything, and those that share stop at once', async () => {
    const { world } = await ring(2);
    world.server.edit(BASE, { holder: 'single-0_uid_boot' });
    await world.run(50);
    expect(world.owned()).to.equal(0);
    expect(world.replicas[0]?.ownership.waiting).to.match(/single-0_uid_boot leads alone/);
  });
});

describe('replicas of another format (F31)', () => {
  const LATER = { ...ONLY_SLOW_PASSES, format: '2/512' };
  const hold = (replicas: readonly Replica[]): number =>
    replicas.reduce((sum, one) => sum + one.ownership.slots.size, 0);
  const holder = (world: ShareWorld, ordinal: number) => world.server.read(replicaLease(BASE, ordinal))?.holder;

  it('have no part beside those that were there first, which go on taking over from each other', async () => {
    const { world, replicas } = await ring(3);
    await world.stopped(replicas[2]);
    const later = world.start(2, LATER);
    await world.run(30_000);
    expect(hold(replicas.slice(0, 2))).to.equal(SLOTS);
    expect([later.ownership.slots.size, holder(world, 2)]).to.deep.equal([0, '']);
    expect(later.ownership.waiting).to.match(/^replica-\d_\S+ shares in format 1\/256, which is not the 2\/512 of/);
    expect([later.isRefused, replicas[0]?.isRefused]).to.deep.equal([true, false]);
    replicas[1]?.crash();
    await world.until(() => hold(replicas.slice(0, 1)) === SLOTS, 25_000, 'the last of the first has all');
    expect(later.ownership.slots.size).to.equal(0);
  });

  it('have everything when the last of the first has ended, and share it', async () => {
    const { world, replicas } = await ring(3);
    for (const ordinal of [2, 1, 0]) {
      await world.stopped(replicas[ordinal]);
      world.start(ordinal, LATER);
      await world.run(5_000);
    }
    await world.until(() => hold(world.replicas) === SLOTS, 30_000, 'all is shared anew');
    for (const one of world.replicas) expect(one.ownership.slots.size).to.be.within(85, 86);
  });

  it('have nothing when both formats begin at once, since neither knows what the other has', async () => {
    for (const rules of [{ kind: 'ring' }, { kind: 'static', count: 1 }] as const) {
      const world = judged();
      installed(world, 2);
      const first = world.start(0, { ...ONLY_SLOW_PASSES, rules });
      const later = world.start(1, { ...LATER, rules: rules.kind === 'ring' ? rules : { kind: 'static', count: 2 } });
      await world.run(30_000);
      expect(hold([first, later])).to.equal(0);
      await world.stopped(first);
      await world.until(() => later.ownership.slots.size > 0, 30_000, 'the other has its part');
    }
  });

  it('do not follow a register in the first format, however valid it looks', async () => {
    const { world, replicas } = await ring(1);
    await world.stopped(replicas[0]);
    const later = world.start(0, LATER);
    await world.run(10_000);
    expect(later.ownership.slots.size, 'somebody may work by a register that nobody can read').to.equal(0);
    await world.until(() => later.ownership.slots.size === SLOTS, 30_000, 'it has all by one of its own');
  });
});
