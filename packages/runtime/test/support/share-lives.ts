// Lives of replicas that share, or lead alone, under faults that are drawn from a seed: pauses, partitions, lost
// answers, watches that lag, clocks that run fast or slow or jump, crashes, deleted and edited leases, and modes that
// change. No two may work on one slot at any instant, and when faults end everything is owned.
import { replicaLease } from '../../src/sharing/leases/lease-table.ts';
import { SLOTS } from '../../src/sharing/slots/slots.ts';
import { createRandom, type Random } from './random.ts';
import { BASE, KEYS } from './share-keys.ts';
import { createShareWorld, installed, type Replica, type ShareWorld, type StartReplica } from './share-world.ts';

const FAULTS_MS = 240_000;
const MAX_RATE_ERROR = 0.025;
export const COUNT = 3;
/** The number of a replica that leads alone. */
const SINGLE = 20;
const NEVER = (): number => Number.POSITIVE_INFINITY;

interface Life {
  readonly world: ShareWorld;
  readonly random: Random;
  rulesOf(ordinal: number): StartReplica['rules'];
}

/** @param podUid of a Pod whose container starts again; by default a new Pod */
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

/** For this long, then as before. */
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
  /** Its host is gone as far as anybody knows: another Pod gets its name while it still runs. */
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
  /** A replica leads alone again for a while, beside those that share: either waits for the other. */
  alone(life) {
    const one = begin(life, SINGLE);
    life.world.time.after(life.random.between(5_000, 90_000), () => one.stop());
  },
  /** An edit by hand, or by a program that does not know these leases. */
  edit({ world, random }, one) {
    const garbage = ['', 'ring', 'ring 0', 'static 0/3', 'static 2/3', 'no'];
    const change = random.pick([
      { holder: random.pick(['', 'somebody']) },
      { annotations: { [KEYS.share]: random.pick(garbage) } },
    ]);
    world.server.edit(replicaLease(BASE, one.ordinal), change);
  },
  deleteLeader({ world }) {
    world.server.remove(BASE);
  },
  damage({ world, random }) {
    world.server.edit(BASE, { annotations: { [KEYS.register]: random.pick(['', '{}', 'no', '{"generation":7}']) } });
  },
};

/** @returns the number of faults @throws Error with the seed and the story, when two replicas work on one slot */
export async function live(seed: number, mode: 'ring' | 'static'): Promise<number> {
  const random = createRandom(seed);
  const world = createShareWorld((slot, names) => {
    const said = world.replicas.map(({ name, lines }) => `${name}\n  ${lines.slice(-12).join('\n  ')}`);
    const story = told.slice(-12).join('\n');
    throw new Error(
      `seed ${seed}: at ${world.time.monotonicMs()} slot ${slot} has two owners: ${names.join(' and ')}\n${story}\n${said.join('\n')}`,
    );
  });
  const told: string[] = [];
  // The count of mode static decreases and increases in the middle, one replica after the other.
  const counts = new Map([0, 1, 2].map((ordinal) => [ordinal, COUNT]));
  const life: Life = {
    world,
    random,
    rulesOf: (ordinal) =>
      ordinal === SINGLE
        ? { kind: 'single' }
        : mode === 'ring'
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
  for (const alone of world.replicas.filter((one) => one.ordinal === SINGLE)) await world.stopped(alone);
  for (let ordinal = 0; ordinal < COUNT; ordinal += 1) {
    for (const old of world.replicas.filter((one) => one.ordinal === ordinal)) old.crash();
    begin(life, ordinal);
  }
  await world.until(() => world.owned() === SLOTS, 120_000, `seed ${seed}: all is owned when faults have ended`);
  return told.length;
}
