// Seeded simulation of mode `single`: whatever happens to processes, clocks and the network, never two valid grants at
// once, and one again soon after the trouble ends. The message names a failing seed: run it alone with SEED=n, more
// with SEEDS_COUNT=n.
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type Candidate, createLeaseWorld, type LeaseWorld, type StartOptions } from './support/lease-world.ts';
import { createRandom, type Random } from './support/random.ts';

const { SEED, SEEDS_COUNT = '1000' } = process.env;
const SEEDS = SEED === undefined ? Array.from({ length: Number(SEEDS_COUNT) }, (_, i) => i + 1) : [Number(SEED)];
const TROUBLE_MS = 240_000;
/** Fence by the slowest clock, one retry, one renewal, some round trips. */
const RECOVERY_MS = 17_500 / 0.97 + 8000 * 1.2 + 4000 + 1000;

/** Packets are lost until it is over. */
interface Trouble {
  isOver: boolean;
}

interface Result {
  readonly overlaps: readonly string[];
  readonly hasLeaderAfterwards: boolean;
  readonly terms: number;
}

describe('leader election, simulated', function () {
  this.timeout(1_200_000);

  it(`never has two valid grants at once and always finds a leader again, over ${SEEDS.length} seeds`, async () => {
    let terms = 0;
    for (const seed of SEEDS) {
      const result = await simulate(seed);
      expect(result.overlaps, `seed ${seed}`).to.deep.equal([]);
      expect(result.hasLeaderAfterwards, `seed ${seed} finds a leader`).to.equal(true);
      terms += result.terms;
    }
    expect(terms, 'the trouble really ends terms').to.be.greaterThan(SEEDS.length * 2);
  });

  it('can find an overlap: candidates with a shorter lease in mind are caught', async () => {
    const hasty = { leaseMs: 9000, marginMs: 0, renewMs: 2000, clockRateError: 0 };
    let caught = 0;
    for (let seed = 1; seed <= 25; seed++) {
      const { overlaps } = await simulate(seed, (index) => (index === 0 ? {} : { election: hasty }));
      if (overlaps.length > 0) caught++;
    }
    expect(caught).to.be.greaterThan(3);
  });
});

async function simulate(seed: number, extra: (index: number) => StartOptions = () => ({})): Promise<Result> {
  const random = createRandom(seed);
  const world = createLeaseWorld();
  const trouble: Trouble = { isOver: false };
  const overlaps: string[] = [];
  let terms = 0;
  let wasLeader = '';
  const check = (): void => {
    const leaders = world.leaders();
    if (leaders.length > 1) overlaps.push(`${Math.round(world.time.monotonicMs())} ms: ${leaders.join(' and ')}`);
    const leader = leaders[0] ?? '';
    if (leader !== '' && leader !== wasLeader) terms++;
    wasLeader = leader;
  };

  const count = random.chance(0.5) ? 2 : 3;
  const boot = (index: number, podUid: string): Candidate => {
    const rate = 1 + random.between(-0.03, 0.03);
    const options = extra(index);
    const election = { random: random.next, ...options.election };
    const candidate = world.start(`op-${index}`, { rate, podUid, election });
    setNetwork(candidate, random, trouble);
    return candidate;
  };
  const running: { candidate: Candidate; index: number; podUid: string }[] = [];
  for (let index = 0; index < count; index++) {
    const podUid = `pod-${index}`;
    running.push({ candidate: boot(index, podUid), index, podUid });
    await world.run(random.between(0, 3000), check);
  }

  const untilMs = world.time.monotonicMs() + TROUBLE_MS;
  while (world.time.monotonicMs() < untilMs) {
    await world.run(random.between(2000, 16_000), check);
    disturb(world, random, running, boot, trouble);
  }
  trouble.isOver = true;
  for (const { candidate } of running) {
    candidate.resume();
    setNetwork(candidate, random, trouble);
  }
  await world.run(RECOVERY_MS + 60_000, check);
  const hasLeaderAfterwards = world.leaders().length === 1;
  for (const { candidate } of running) {
    void candidate.stop();
    candidate.crash();
  }
  return { overlaps, hasLeaderAfterwards, terms };
}

function disturb(
  world: LeaseWorld,
  random: Random,
  running: { candidate: Candidate; index: number; podUid: string }[],
  boot: (index: number, podUid: string) => Candidate,
  trouble: Trouble,
): void {
  // The leader is the most interesting victim.
  const leader = running.find(({ candidate }) => candidate.election.leftMs() > 0);
  const victim = leader !== undefined && random.chance(0.7) ? leader : random.pick(running);
  const { candidate } = victim;
  const fault = random.next();
  if (fault < 0.3) {
    candidate.pause();
    world.time.after(random.between(500, 45_000), () => candidate.resume());
  } else if (fault < 0.5) {
    candidate.network.there = () => Number.POSITIVE_INFINITY;
    world.time.after(random.between(1000, 40_000), () => setNetwork(candidate, random, trouble));
  } else if (fault < 0.6) {
    candidate.network.back = () => Number.POSITIVE_INFINITY;
    world.time.after(random.between(1000, 30_000), () => setNetwork(candidate, random, trouble));
  } else if (fault < 0.7) {
    candidate.network.there = () => random.between(3000, 60_000);
    world.time.after(random.between(1000, 20_000), () => setNetwork(candidate, random, trouble));
  } else if (fault < 0.78) {
    candidate.network.watchLag = () => random.between(5000, 25_000);
    world.time.after(random.between(1000, 30_000), () => setNetwork(candidate, random, trouble));
  } else if (fault < 0.86) {
    candidate.crash();
    // The kubelet restarts the container in the same pod, or the pod is replaced under the same name.
    if (random.chance(0.5)) victim.podUid = `${victim.podUid}x`;
    victim.candidate = boot(victim.index, victim.podUid);
  } else if (fault < 0.9) {
    void candidate.stop();
    world.time.after(30_000, () => {
      if (candidate.isDead) return;
      candidate.crash();
      victim.podUid = `${victim.podUid}y`;
      victim.candidate = boot(victim.index, victim.podUid);
    });
  } else if (fault < 0.93) {
    world.server.remove();
  } else if (fault < 0.96) {
    world.server.edit({
      holderIdentity: 'somebody',
      leaseDurationSeconds: 1,
      renewTime: '2099-01-01T00:00:00.000000Z',
    });
  } else {
    candidate.jumpWall(random.between(-3_600_000, 3_600_000));
  }
}

function setNetwork({ network }: Candidate, random: Random, trouble: Trouble): void {
  network.there = () => (random.chance(trouble.isOver ? 0 : 0.03) ? Number.POSITIVE_INFINITY : random.between(1, 50));
  network.back = () => (random.chance(trouble.isOver ? 0 : 0.03) ? Number.POSITIVE_INFINITY : random.between(1, 50));
  network.watchLag = () => random.between(1, 100);
}
