// Short lives of replicas that share or lead alone, each with the one event that some guard is there for. No two may
// work on one slot at any instant. The tests of sharding.test.ts ask how long things take; these stories only whether
// they are safe.

import { replicaLease } from '../../src/sharing/leases/lease-table.ts';
import type { ShareRules } from '../../src/sharing/ring/ring-plan.ts';
import { SLOTS } from '../../src/sharing/slots/slots.ts';
import { BASE, KEYS } from './share-keys.ts';
import { createShareWorld, installed, type Replica, type ShareWorld } from './share-world.ts';

const PASSES = { passMs: () => 900 };
const RING = { rules: { kind: 'ring' } as const, ...PASSES };
const ALONE = { rules: { kind: 'single' } as const, ...PASSES };
const NEVER = (): number => Number.POSITIVE_INFINITY;
/** The number of a replica that leads alone. */
const SINGLE = 20;

/** Nobody runs yet. */
function worldOf(count: number): ShareWorld {
  const world = createShareWorld((slot, names) => {
    throw new Error(`slot ${slot} has two owners: ${names.join(' and ')}`);
  });
  installed(world, count);
  return world;
}

async function begin(rules: ShareRules, count: number): Promise<{ world: ShareWorld; replicas: readonly Replica[] }> {
  const world = worldOf(count);
  const replicas = Array.from({ length: count }, (_, ordinal) => world.start(ordinal, { rules, ...PASSES }));
  await world.until(() => world.owned() === SLOTS, 10_000, 'everything has an owner');
  await world.run(5_000);
  return { world, replicas };
}

const fixed = (count: number): ShareRules => ({ kind: 'static', count });

function coordinatorOf(world: ShareWorld): Replica {
  const found = world.replicas.find(({ name }) => name === world.server.read(BASE)?.holder);
  if (found === undefined) throw new Error('nobody coordinates');
  return found;
}

function otherThan(one: Replica, replicas: readonly Replica[]): Replica {
  const found = replicas.find((other) => other !== one);
  if (found === undefined) throw new Error('there is no other');
  return found;
}

/** It receives nothing and is not heard. */
function cutOff({ network }: Replica): void {
  network.there = NEVER;
  network.watchLag = () => 120_000;
}

/** Its lease is deleted, and it does not hear of it. */
function loseLease(world: ShareWorld, one: Replica): void {
  cutOff(one);
  world.server.remove(replicaLease(BASE, one.ordinal));
}

export const SHARE_STORIES = {
  async 'a replica comes and another ends'() {
    const { world } = await begin(RING.rules, 2);
    world.server.create(replicaLease(BASE, 2), {});
    const third = world.start(2, RING);
    await world.run(10_000);
    await world.stopped(third);
    await world.run(10_000);
  },
  async 'those that coordinate end one after the other'() {
    const { world } = await begin(RING.rules, 3);
    for (const how of ['crash', 'stop'] as const) {
      const first = coordinatorOf(world);
      const others = world.replicas.filter((one) => one !== first);
      const had = others.map(({ ownership }) => ownership.slots.size);
      first[how]();
      await world.until(
        () => {
          const less = others.find(({ ownership }, index) => ownership.slots.size < (had[index] ?? 0));
          if (less !== undefined && world.owned() < SLOTS) throw new Error(`${less.name} has given up what is its own`);
          return world.owned() === SLOTS && !world.replicas.includes(first);
        },
        60_000,
        'the others have everything',
      );
      await world.run(5_000);
    }
  },
  async 'two come while one is slow to let go'() {
    const { world, replicas } = await begin(RING.rules, 2);
    for (const { network } of replicas) network.watchLag = () => 1_500;
    for (const ordinal of [2, 3]) {
      world.server.create(replicaLease(BASE, ordinal), {});
      world.start(ordinal, RING);
      await world.run(2_600);
    }
    await world.run(15_000);
  },
  async 'a replica is frozen and wakes up'() {
    const { world, replicas } = await begin(RING.rules, 3);
    replicas[1]?.pause();
    await world.run(40_000);
    replicas[1]?.resume();
    await world.run(20_000);
  },
  async 'a Pod of the same number comes'() {
    for (const rules of [RING.rules, fixed(2)]) {
      const { world, replicas } = await begin(rules, 2);
      if (replicas[1] !== undefined) cutOff(replicas[1]);
      world.start(1, { rules, ...PASSES, podUid: 'another' });
      await world.run(30_000);
    }
  },
  async 'a lease is deleted under a replica that does not hear of it'() {
    const { world, replicas } = await begin(RING.rules, 3);
    loseLease(world, otherThan(coordinatorOf(world), replicas));
    await world.run(40_000);
  },
  async 'a lease is deleted and made again, free, under a replica that does not hear of it'() {
    for (const rules of [RING.rules, fixed(3)]) {
      const { world, replicas } = await begin(rules, 3);
      const one = otherThan(coordinatorOf(world), replicas);
      cutOff(one);
      world.start(one.ordinal, { rules, ...PASSES, podUid: 'another' });
      await world.run(1_000);
      world.server.remove(replicaLease(BASE, one.ordinal));
      world.server.create(replicaLease(BASE, one.ordinal), {});
      await world.run(40_000);
    }
  },
  async 'a lease is made again, free, and edited, under a replica that does not hear of it'() {
    for (const rules of [RING.rules, fixed(3)]) {
      const { world, replicas } = await begin(rules, 3);
      const one = otherThan(coordinatorOf(world), replicas);
      cutOff(one);
      world.start(one.ordinal, { rules, ...PASSES, podUid: 'another' });
      await world.run(1_000);
      world.server.remove(replicaLease(BASE, one.ordinal));
      world.server.create(replicaLease(BASE, one.ordinal), {});
      await world.run(100);
      world.server.edit(replicaLease(BASE, one.ordinal), { annotations: { team: 'a' } });
      await world.run(40_000);
    }
  },
  async 'a lease is given to somebody else by hand'() {
    const { world, replicas } = await begin(RING.rules, 2);
    const one = otherThan(coordinatorOf(world), replicas);
    one.network.there = NEVER;
    world.server.edit(replicaLease(BASE, one.ordinal), { holder: '', isWhole: true });
    world.start(one.ordinal, { ...RING, podUid: 'another' });
    await world.run(30_000);
  },
  async 'a lease is freed by hand under a replica that does not hear of it'() {
    for (const rules of [RING.rules, fixed(3)]) {
      const { world, replicas } = await begin(rules, 3);
      const one = otherThan(coordinatorOf(world), replicas);
      cutOff(one);
      world.server.edit(replicaLease(BASE, one.ordinal), { holder: '' });
      if (rules.kind === 'static') world.start(one.ordinal, { rules, ...PASSES, podUid: 'another' });
      await world.run(40_000);
    }
  },
  async 'the register and all leases are deleted'() {
    const { world, replicas } = await begin(RING.rules, 3);
    const [lost] = replicas;
    if (lost !== undefined) cutOff(lost);
    for (const { ordinal } of replicas) world.server.remove(replicaLease(BASE, ordinal));
    world.server.remove(BASE);
    for (const one of replicas.slice(1)) one.crash();
    for (const ordinal of [1, 2]) world.start(ordinal, { ...RING, podUid: `another-${ordinal}` });
    await world.run(60_000);
  },
  async 'a register of the past is put back by hand'() {
    const { world } = await begin(RING.rules, 2);
    const past = world.server.read(BASE)?.annotations?.[KEYS.register] ?? '';
    world.server.create(replicaLease(BASE, 2), {});
    world.start(2, RING);
    await world.run(10_000);
    await world.stopped(world.replicas.find(({ ordinal }) => ordinal === 0));
    world.server.edit(BASE, { annotations: { [KEYS.register]: past } });
    world.start(0, RING);
    await world.run(20_000);
  },
  async 'the register is damaged while a replica hears of nothing'() {
    const { world, replicas } = await begin(RING.rules, 3);
    const one = otherThan(coordinatorOf(world), replicas);
    cutOff(one);
    // The others have its slots by now, by a register that it has never received.
    await world.run(25_000);
    world.server.edit(BASE, { annotations: { [KEYS.register]: 'damaged' } });
    // No replica can repair it for a while.
    for (const other of world.replicas) other.network.there = NEVER;
    one.network.there = () => 1;
    one.network.watchLag = () => 2;
    one.relist();
    await world.run(8_000);
  },
  async 'one comes back while its coordinator hears late'() {
    const { world } = await begin(RING.rules, 2);
    const coordinator = coordinatorOf(world);
    const register = (): string => world.server.read(BASE)?.annotations?.[KEYS.register] ?? '';
    const first = register();
    coordinator.network.watchLag = () => 4_000;
    for (const ordinal of [2, 3]) world.server.create(replicaLease(BASE, ordinal), {});
    world.start(2, RING);
    await world.run(1_500);
    const late = world.start(3, RING);
    await world.until(() => register() !== first, 15_000, 'the third has a part');
    late.crash();
    // Long enough for a decision by the earlier register, and too short to receive the present one.
    await world.run(3_000);
    world.start(3, RING);
    await world.run(15_000);
  },
  async 'a count is lowered while the last one lives'() {
    const { world, replicas } = await begin(fixed(3), 3);
    for (const ordinal of [1, 0]) {
      await world.stopped(replicas[ordinal]);
      world.start(ordinal, { rules: fixed(2), ...PASSES });
    }
    await world.run(20_000);
  },
  async 'a count is lowered after a lease was deleted under the last one'() {
    const { world, replicas } = await begin(fixed(3), 3);
    const [first, second, last] = replicas;
    if (last !== undefined) cutOff(last);
    world.server.remove(replicaLease(BASE, 2));
    for (const one of [second, first]) {
      await world.stopped(one);
      world.start(one?.ordinal ?? 0, { rules: fixed(2), ...PASSES });
    }
    await world.run(40_000);
  },
  async 'a lease is made and deleted while the watch of another replica is cut, which coordinates next'() {
    const world = worldOf(2);
    for (const ordinal of [0, 1]) world.start(ordinal, RING);
    await world.run(30_000);
    const coordinator = coordinatorOf(world);
    const deaf = otherThan(coordinator, world.replicas);
    deaf.network.watchLag = () => 200_000;
    world.server.create(replicaLease(BASE, 2), {});
    const third = world.start(2, RING);
    await world.until(() => third.ownership.slots.size > 0, 10_000, 'the third has what the coordinator had');
    loseLease(world, third);
    await world.stopped(coordinator);
    deaf.network.watchLag = () => 2;
    deaf.relist();
    await world.run(30_000);
  },
  async 'a ring begins beside those that share by number'() {
    const { world, replicas } = await begin(fixed(2), 2);
    await world.stopped(replicas[0]);
    world.start(0, RING);
    await world.run(20_000);
  },
  async 'one that shares by number begins beside a ring'() {
    const { world, replicas } = await begin(RING.rules, 2);
    await world.stopped(replicas[0]);
    world.start(0, { rules: fixed(2), ...PASSES });
    await world.run(20_000);
  },
  async 'one that leads alone comes first, beside replicas that still run'() {
    const { world, replicas } = await begin(RING.rules, 3);
    world.start(SINGLE, ALONE);
    // By now the numbers without a lease are known to have none.
    await world.run(25_000);
    const coordinator = coordinatorOf(world);
    for (const other of replicas) if (other !== coordinator) other.network.there = () => 300;
    for (const other of replicas) if (other !== coordinator) other.network.watchLag = () => 400;
    coordinator.stop();
    await world.run(40_000);
  },
  async 'one that leads alone comes, leaves, and comes again, while a replica hears late'() {
    const { world, replicas } = await begin(RING.rules, 2);
    const alone = world.start(SINGLE, ALONE);
    await world.stopped(replicas[0]);
    await world.run(25_000);
    const [late] = replicas.filter((one) => !one.isDead);
    await world.stopped(alone);
    await world.until(() => world.owned() === SLOTS, 30_000, 'the ring has all again');
    await world.run(5_000);
    const again = world.start(SINGLE + 1, ALONE);
    await world.run(3_000);
    if (late !== undefined) late.pause();
    await world.until(() => world.server.read(BASE)?.holder === again.name, 60_000, 'it has the lease again');
    await world.run(30_000);
  },
  async 'one that leads alone comes beside a frozen replica'() {
    const { world, replicas } = await begin(RING.rules, 2);
    world.start(SINGLE, ALONE);
    // By now the numbers without a lease are known to have none.
    await world.run(25_000);
    const coordinator = coordinatorOf(world);
    otherThan(coordinator, replicas).pause();
    coordinator.stop();
    await world.run(40_000);
  },
  async 'one that leads alone comes after a lease was deleted'() {
    const { world, replicas } = await begin(RING.rules, 2);
    world.start(SINGLE, ALONE);
    // By now the numbers without a lease are known to have none.
    await world.run(25_000);
    const coordinator = coordinatorOf(world);
    loseLease(world, otherThan(coordinator, replicas));
    coordinator.stop();
    await world.run(40_000);
  },
} satisfies Readonly<Record<string, () => Promise<void>>>;

export type ShareStory = keyof typeof SHARE_STORIES;
