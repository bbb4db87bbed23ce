// Mode `single`, one scripted fault at a time. Random faults are in leader-election.simulation.test.ts.
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { OwnershipChange } from '../src/lease/grant.ts';
import { createLeaderElection } from '../src/lease/leader-election.ts';
import { createLeaseFeed } from '../src/lease/lease-feed.ts';
import { createLeaseIdentity } from '../src/lease/lease-record.ts';
import { type Candidate, createLeaseWorld, type LeaseWorld, START_WALL_MS } from './support/lease-world.ts';

const NEVER = (): number => Number.POSITIVE_INFINITY;
/** What the manifests install: a lease that was never held. */
const INSTALLED = {};

function grantOf(candidate: Candidate): boolean {
  return candidate.election.grant('any-uid') !== undefined;
}

/** A leader and a standby on an installed lease, after some seconds. */
async function leaderAndStandby(): Promise<{ world: LeaseWorld; leader: Candidate; standby: Candidate }> {
  const world = createLeaseWorld();
  world.server.create(INSTALLED);
  const leader = world.start('op-0');
  await world.run(100);
  const standby = world.start('op-1');
  await world.run(5000);
  expect(grantOf(leader)).to.equal(true);
  return { world, leader, standby };
}

describe('leader election', () => {
  it('takes an installed, never held lease at once', async () => {
    const world = createLeaseWorld();
    world.server.create(INSTALLED);
    const candidate = world.start('op-0');
    await world.run(10);
    expect(grantOf(candidate)).to.equal(true);
  });

  it('waits the fence time before it leads on a lease that it had to create, since a missing lease is not a released one', async () => {
    const world = createLeaseWorld();
    const candidate = world.start('op-0');
    await world.run(17_400);
    expect(grantOf(candidate)).to.equal(false);
    await world.run(100);
    expect(grantOf(candidate)).to.equal(true);
  });

  it('writes times with six fractional digits, the identity, and a growing number of transitions', async () => {
    const { world, leader, standby } = await leaderAndStandby();
    const spec = world.server.current?.spec;
    expect(spec?.renewTime).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(spec?.acquireTime).to.match(/\.\d{6}Z$/);
    expect(spec?.holderIdentity).to.equal('op-0_uid-op-0_boot-1');
    expect(spec?.leaseDurationSeconds).to.equal(15);
    leader.crash();
    await world.run(20_000);
    expect(grantOf(standby)).to.equal(true);
    expect(world.server.current?.spec.leaseTransitions).to.equal((spec?.leaseTransitions ?? 0) + 1);
  });

  it('costs 15 updates a minute while leading and nothing while standing by', async () => {
    const { world, leader, standby } = await leaderAndStandby();
    const [leaderBefore, standbyBefore] = [leader.requests, standby.requests];
    await world.run(600_000);
    expect(leader.requests - leaderBefore).to.be.within(149, 151);
    expect(standby.requests - standbyBefore).to.equal(0);
  });

  it('counts validity from before the renewal was sent', async () => {
    const world = createLeaseWorld();
    world.server.create(INSTALLED);
    const candidate = world.start('op-0');
    candidate.network.there = () => 1000;
    candidate.network.back = () => 1000;
    // The read took 1001 ms, so the update was sent then, and answered at 3001 ms.
    await world.run(4000);
    expect(candidate.election.leftMs()).to.equal(13_500 - (4000 - 1001));
  });

  it('takes over 17.4 s after the last change it saw, not sooner', async () => {
    const { world, leader, standby } = await leaderAndStandby();
    leader.crash();
    const sentAtMs = Date.parse(world.server.current?.spec.renewTime ?? '') - START_WALL_MS;
    const seenAtMs = sentAtMs + leader.network.there() + standby.network.watchLag();
    await world.run(seenAtMs + 17_427 - world.time.monotonicMs());
    expect(grantOf(standby)).to.equal(false);
    await world.run(10);
    expect(grantOf(standby)).to.equal(true);
  });

  it('takes a released lease within one watch event', async () => {
    const { world, leader, standby } = await leaderAndStandby();
    const ended = leader.stop();
    await world.run(20);
    await ended;
    expect(grantOf(leader)).to.equal(false);
    expect(grantOf(standby)).to.equal(true);
  });

  it('lets a new boot of the same pod take its old lease at once', async () => {
    const { world, leader } = await leaderAndStandby();
    leader.crash();
    const next = world.start('op-0', { podUid: 'uid-op-0' });
    await world.run(50);
    expect(grantOf(next)).to.equal(true);
  });

  it('does not let another pod of the same name take the lease at once (F27)', async () => {
    const { world, leader } = await leaderAndStandby();
    const twin = world.start('op-0', { podUid: 'uid-of-the-twin' });
    await world.run(60_000);
    expect([grantOf(leader), grantOf(twin)]).to.deep.equal([true, false]);
  });

  it('goes on leading after 5 s without an answer, and after 5 s of refusals (F1)', async () => {
    const { world, leader } = await leaderAndStandby();
    const lost: OwnershipChange[] = [];
    leader.election.onChange((change) => lost.push(change));
    const healthy = leader.network.there;
    leader.network.there = NEVER;
    await world.run(5000);
    leader.network.there = healthy;
    await world.run(20_000);
    leader.network.isReadOnly = true;
    await world.run(5000);
    leader.network.isReadOnly = false;
    await world.run(20_000);
    expect(lost).to.deep.equal([]);
  });

  it('stops by itself when the API server is away for 5 min, and leads again without a restart (F1)', async () => {
    const { world, leader, standby } = await leaderAndStandby();
    const changes: OwnershipChange[] = [];
    leader.election.onChange((change) => changes.push(change));
    for (const { network } of [leader, standby]) network.there = NEVER;
    await world.run(13_600);
    expect(world.leaders()).to.deep.equal([]);
    const before = leader.requests;
    await world.run(300_000);
    expect(leader.requests - before, 'attempts in 5 min').to.be.below(40);
    for (const { network } of [leader, standby]) network.there = () => 1;
    await world.run(20_000);
    expect(world.leaders()).to.have.length(1);
    expect(changes[0]).to.deep.equal({ gained: [], lost: [0] });
  });

  it('lets its grant lapse while writes are refused although reads work (F33)', async () => {
    const { world, leader } = await leaderAndStandby();
    leader.network.isReadOnly = true;
    const grant = leader.election.grant('x');
    await world.run(13_600);
    expect(grantOf(leader)).to.equal(false);
    expect(grant?.signal.aborted).to.equal(true);
  });

  it('gives no grant after its process was stopped for 60 s, even before any timer has run (F21)', async () => {
    const { world, leader, standby } = await leaderAndStandby();
    const grant = leader.election.grant('x');
    leader.pause();
    await world.run(60_000);
    expect(grantOf(standby)).to.equal(true);
    expect(grantOf(leader)).to.equal(false);
    expect(grant?.left()).to.equal(0);
    expect(grant?.signal.aborted).to.equal(true);
    leader.resume();
    await world.run(60_000);
    expect(world.leaders()).to.deep.equal([standby.name]);
  });

  it('gives up leading and joins again after its event loop was blocked for 20 s (F22)', async () => {
    const { world, leader, standby } = await leaderAndStandby();
    const changes: OwnershipChange[] = [];
    leader.election.onChange((change) => changes.push(change));
    leader.pause();
    await world.run(20_000);
    leader.resume();
    await world.run(1000);
    expect(changes).to.deep.equal([{ gained: [], lost: [0] }]);
    standby.crash();
    await world.run(20_000);
    expect(grantOf(leader)).to.equal(true);
  });

  it('does not act after ten minutes of suspend before it has the lease again (F23)', async () => {
    const { world, leader, standby } = await leaderAndStandby();
    standby.crash();
    const grant = leader.election.grant('x');
    leader.pause();
    await world.run(600_000);
    expect(grantOf(leader)).to.equal(false);
    leader.resume();
    await world.run(1000);
    expect(grantOf(leader)).to.equal(true);
    expect(grant?.signal.aborted, 'the old grant stays over').to.equal(true);
    expect(grant?.left()).to.equal(0);
  });

  it('is not affected by a wall clock that jumps an hour either way (F24)', async () => {
    for (const jumpMs of [3_600_000, -3_600_000]) {
      const { world, leader, standby } = await leaderAndStandby();
      leader.jumpWall(jumpMs);
      standby.jumpWall(-jumpMs);
      await world.run(60_000);
      expect(world.leaders()).to.deep.equal([leader.name]);
    }
  });

  it('stops by its own validity after the lease was deleted, creates a placeholder, and leads again after the fence (F25)', async () => {
    const { world, leader, standby } = await leaderAndStandby();
    world.server.remove();
    await world.run(1000);
    expect(world.server.current?.spec.holderIdentity).to.match(/^fencing:/);
    expect(grantOf(leader), 'its validity goes on').to.equal(true);
    await world.run(13_000);
    expect(world.leaders()).to.deep.equal([]);
    await world.run(5000);
    expect(world.leaders()).to.have.length(1);
    expect([leader.name, standby.name]).to.include(world.leaders()[0]);
  });

  it('does not accept a release when somebody deleted the lease and created an empty one (F25)', async () => {
    const { world, leader, standby } = await leaderAndStandby();
    leader.pause();
    world.server.remove();
    world.server.create({});
    await world.run(17_000);
    expect(grantOf(standby)).to.equal(false);
    await world.run(1000);
    expect(grantOf(standby)).to.equal(true);
  });

  it('yields at once to a foreign holder in its lease, and waits for it as for any other, whatever times it has (F26)', async () => {
    const { world, leader } = await leaderAndStandby();
    const edit = { holderIdentity: 'x', leaseDurationSeconds: 86_400, renewTime: '2099-01-01T00:00:00.000000Z' };
    world.server.edit(edit);
    await world.run(10);
    expect(grantOf(leader)).to.equal(false);
    await world.run(17_300);
    expect(world.leaders()).to.deep.equal([]);
    await world.run(300);
    expect(world.leaders()).to.have.length(1);
  });

  it('does not believe a release when a hand takes the name out of the lease under a leader that does not hear of it (F26)', async () => {
    const { world, leader, standby } = await leaderAndStandby();
    leader.pause();
    world.server.edit({ holderIdentity: '' });
    await world.run(17_000);
    expect(grantOf(standby)).to.equal(false);
    await world.run(1000);
    expect(grantOf(standby)).to.equal(true);
  });

  it('keeps its term when somebody labels the lease', async () => {
    const { world, leader } = await leaderAndStandby();
    const changes: OwnershipChange[] = [];
    leader.election.onChange((change) => changes.push(change));
    for (let i = 0; i < 10; i++) {
      world.server.edit({});
      await world.run(3000);
    }
    expect(changes).to.deep.equal([]);
    expect(grantOf(leader)).to.equal(true);
  });

  it('keeps its term when late watch events are about the holder before it', async () => {
    const { world, leader, standby } = await leaderAndStandby();
    standby.network.watchLag = () => 3000;
    await world.run(10_000);
    leader.crash();
    await world.run(30_000);
    const changes: OwnershipChange[] = [];
    standby.election.onChange((change) => changes.push(change));
    await world.run(30_000);
    expect(grantOf(standby)).to.equal(true);
    expect(changes).to.deep.equal([]);
  });

  it('never blanks a successor’s lease when it leaves late (F36)', async () => {
    const { world, leader, standby } = await leaderAndStandby();
    leader.network.there = NEVER;
    await world.run(20_000);
    expect(grantOf(standby)).to.equal(true);
    leader.network.there = () => 1;
    leader.network.watchLag = () => 60_000;
    const changes: OwnershipChange[] = [];
    standby.election.onChange((change) => changes.push(change));
    const ended = leader.stop();
    await world.run(10_000);
    await ended;
    expect(world.server.current?.spec.holderIdentity).to.equal('op-1_uid-op-1_boot-2');
    // A holder whose lease was blanked gives up, and takes the lease again.
    expect(changes).to.deep.equal([]);
    expect(grantOf(standby)).to.equal(true);
  });

  it('ends although the release is not answered', async () => {
    const { world, leader } = await leaderAndStandby();
    leader.network.there = NEVER;
    let isOver = false;
    const ended = leader.stop().then(() => {
      isOver = true;
    });
    await world.run(9000);
    await ended;
    expect(isOver).to.equal(true);
  });

  it('finds out that a renewal without an answer was applied', async () => {
    const { world, leader } = await leaderAndStandby();
    const changes: OwnershipChange[] = [];
    leader.election.onChange((change) => changes.push(change));
    leader.network.back = NEVER;
    await world.run(4000);
    leader.network.back = () => 1;
    await world.run(30_000);
    expect(changes).to.deep.equal([]);
    expect(grantOf(leader)).to.equal(true);
  });

  it('refuses times that leave no room for two renewals', () => {
    const create = (): unknown =>
      createLeaderElection({
        api: { read: NEVER_ANSWERS, create: NEVER_ANSWERS, update: NEVER_ANSWERS },
        feed: createLeaseFeed(),
        identity: createLeaseIdentity('op-0', ''),
        leaseMs: 5000,
      });
    expect(create).to.throw(RangeError, /5000 ms/);
  });
});

const NEVER_ANSWERS = (): Promise<never> => new Promise(() => {});
