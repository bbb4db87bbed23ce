// What one candidate knows about the lease, and how a late answer or event changes that.
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Grant, OwnershipChange } from '../src/lease/grant.ts';
import { createLeaderElection } from '../src/lease/leader-election.ts';
import { createLeaseFeed } from '../src/lease/lease-feed.ts';
import { createLeaseIdentity } from '../src/lease/lease-record.ts';
import { createLeaseView, fenceMs } from '../src/lease/lease-view.ts';
import { createManualClock } from './support/manual-clock.ts';
import { createOneLease, leaseRecord } from './support/one-lease.ts';

const IDENTITY = createLeaseIdentity('op-0', 'uid', 'boot');
const TIMING = { leaseMs: 15_000, clockRateError: 0.03, marginMs: 1_500 };

describe('the lease as a candidate knows it', () => {
  const known = () => {
    const view = createLeaseView(IDENTITY, TIMING);
    view.note(leaseRecord('200', { holder: 'now' }), 0, false);
    return view;
  };

  it('is not changed by an earlier event', () => {
    const view = known();
    expect(view.note(leaseRecord('199', { holder: 'before' }), 1_000, false)).to.equal(false);
    expect(view.record?.holder).to.equal('now');
  });
  it('is what was just read, however old that looks (F59)', () => {
    const view = known();
    expect(view.note(leaseRecord('199', { holder: 'restored' }), 1_000, true)).to.equal(true);
    expect(view.record?.holder).to.equal('restored');
  });
  it('says nothing of the last holder when it is made anew without one, and still nothing when it is labelled (F25)', () => {
    const view = known();
    const anew = leaseRecord('300', { uid: 'another', holder: '' });
    view.note(anew, 1_000, false);
    const before = view.next();
    view.note({ ...anew, resourceVersion: '301', labels: { team: 'a' } }, 2_000, false);
    expect(before).to.include({ notBeforeMs: 1_000 + fenceMs(TIMING) });
    expect(view.next()).to.include({ notBeforeMs: 1_000 + fenceMs(TIMING) });
  });
});

describe('a late answer or event at a candidate that leads', () => {
  async function leading() {
    const clock = createManualClock();
    const lease = createOneLease(leaseRecord('100'));
    const feed = createLeaseFeed();
    const election = createLeaderElection({ api: lease.api, feed, identity: IDENTITY, clock, random: () => 0.5 });
    const changes: OwnershipChange[] = [];
    const end = new AbortController();
    const ended = election.run(end.signal);
    await clock.run(10);
    election.onChange((change) => changes.push(change));
    const grant = election.grant('any') as Grant;
    expect(grant).to.not.equal(undefined);
    async function stop(): Promise<void> {
      end.abort();
      await clock.run(10);
      await ended;
    }
    return { clock, lease, feed, election, changes, grant, stop };
  }

  it('leads to a read when it says that the lease is gone, and not to a write', async () => {
    const { clock, lease, feed, election, grant, stop } = await leading();
    feed.push(undefined);
    await clock.run(10_000);
    expect([lease.creates, election.grant('any') === grant]).to.deep.equal([0, true]);
    await stop();
  });

  it('does not delay its notes until the next renewal: a write that failed is tried again after a second', async () => {
    const { clock, lease, election, stop } = await leading();
    const before = lease.current.resourceVersion;
    const { update } = lease.api;
    let tries = 0;
    lease.api.update = (...call) => (++tries === 1 ? Promise.reject(new Error('lost')) : update(...call));
    election.renewNow();
    await clock.run(1_300);
    expect(tries).to.equal(2);
    expect(lease.current.resourceVersion).to.not.equal(before);
    await stop();
  });

  it('begins no term when it answers a renewal and another candidate has the lease by now', async () => {
    const { clock, lease, feed, election, changes, stop } = await leading();
    const answer = lease.hold();
    await clock.run(4_500);
    lease.current = leaseRecord('300', { holder: 'another' });
    feed.push(lease.current);
    answer();
    await clock.run(100);
    expect(election.grant('any')).to.equal(undefined);
    expect(changes).to.deep.equal([{ gained: [], lost: [0] }]);
    await stop();
  });

  it('begins another term when the last one ran out unnoticed, whose grants stay invalid', async () => {
    const { clock, lease, election, changes, grant, stop } = await leading();
    await clock.run(3_900);
    const answer = lease.hold();
    await clock.run(200);
    // Stopped for longer than its old term may last, and for less than the term that it is just being given.
    clock.freeze(9_700);
    answer();
    await new Promise(setImmediate);
    expect(grant.signal.aborted).to.equal(true);
    expect(election.grant('any')).to.not.equal(grant);
    expect(changes).to.deep.equal([
      { gained: [], lost: [0] },
      { gained: [0], lost: [] },
    ]);
    await stop();
  });

  it('begins no term when the time of that term is over, too', async () => {
    const { clock, lease, changes, stop } = await leading();
    await clock.run(3_900);
    const answer = lease.hold();
    await clock.run(200);
    clock.freeze(60_000);
    answer();
    const next = lease.hold();
    await new Promise(setImmediate);
    expect(changes.flatMap(({ gained }) => gained)).to.deep.equal([]);
    next();
    await stop();
  });
});
