// A replica that leads alone, and when it may begin: each guard by itself. Its behaviour beside replicas that share is
// in sharding.test.ts.
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { OwnershipChange } from '../src/lease/grant.ts';
import { createLeaseIdentity, type LeaseRecord } from '../src/lease/lease-record.ts';
import { fenceMs } from '../src/lease/lease-view.ts';
import { replicaLease } from '../src/sharing/leases/lease-table.ts';
import { createSoleOwnership } from '../src/sharing/sole-ownership.ts';
import { createManualClock } from './support/manual-clock.ts';
import { createOneLease, LEASE, leaseRecord } from './support/one-lease.ts';
import { KEYS } from './support/share-keys.ts';

const FENCE_MS = fenceMs({ leaseMs: 15_000, clockRateError: 0.03, marginMs: 1_500 });
/** A replica that shares has written it last. */
const MARKED = leaseRecord('100', { annotations: { mark: 'ring' } });
/** It was created where none was. */
const PLACEHOLDER = leaseRecord('100', { holder: 'fencing:somebody' });

async function begun(first: LeaseRecord) {
  const clock = createManualClock();
  // A process does not begin with its clock.
  await clock.run(60_000);
  const lease = createOneLease(first);
  const identity = createLeaseIdentity('op-0', 'uid', 'boot');
  const options = { api: lease.api, identity, baseName: LEASE, keys: KEYS, clock, random: () => 0.5 };
  const sole = createSoleOwnership(options);
  const changes: OwnershipChange[] = [];
  sole.onChange((change) => changes.push(change));
  sole.listed();
  const end = new AbortController();
  const ended = sole.run(end.signal);
  await clock.run(10);
  return {
    clock,
    lease,
    sole,
    changes,
    /** The watch has the version of the server. */
    hears: () => sole.observe(LEASE, lease.current),
    works: () => sole.grant('any') !== undefined,
    async stop() {
      end.abort();
      await clock.run(10);
      await ended;
    },
  };
}

describe('a replica that leads alone', () => {
  it('begins when its watch has reached the version with which its term began, and not before', async () => {
    const { sole, hears, works, stop } = await begun(leaseRecord('100'));
    expect([works(), sole.waiting]).to.deep.equal([false, 'the watch of leases is behind']);
    sole.observe(LEASE, leaseRecord('100'));
    expect([works(), sole.waiting]).to.deep.equal([false, 'the watch of leases is behind']);
    hears();
    expect([works(), sole.waiting]).to.deep.equal([true, undefined]);
    await stop();
  });

  it('waits for leases that have been missing since it looked, where replicas have shared, and keeps the mark until then', async () => {
    const { clock, lease, sole, hears, works, stop } = await begun(MARKED);
    hears();
    await clock.run(FENCE_MS - 600);
    expect(works()).to.equal(false);
    expect(sole.waiting).to.match(/^the lease of replica \d+ has not been missing for long$/);
    expect(lease.current.annotations).to.include({ mark: 'ring' });
    await clock.run(1_200);
    expect(works()).to.equal(true);
    await clock.run(5_000);
    expect(lease.current.annotations, 'by its next renewal').to.include({ mark: '' });
    await stop();
  });

  it('waits for a lease that was deleted while it waited for a placeholder, also through its own renewals', async () => {
    const { clock, sole, hears, works, stop } = await begun(PLACEHOLDER);
    hears();
    const theirs = leaseRecord('90', { name: replicaLease(LEASE, 1), uid: 'theirs', holder: 'replica-1' });
    sole.observe(theirs.name, theirs);
    await clock.run(12_000);
    sole.observe(theirs.name, undefined);
    await clock.run(FENCE_MS - 12_000);
    hears();
    expect(sole.waiting).to.match(/^the lease of replica 1 has not been missing for long$/);
    await clock.run(11_000);
    hears();
    expect(works()).to.equal(false);
    await clock.run(2_000);
    expect(works()).to.equal(true);
    await stop();
  });

  it('reports that it has lost everything when its term ends', async () => {
    const { sole, changes, hears, works, stop } = await begun(leaseRecord('100'));
    hears();
    sole.observe(LEASE, leaseRecord('200', { holder: 'another' }));
    expect(works()).to.equal(false);
    expect(changes).to.deep.equal([
      { gained: [0], lost: [] },
      { gained: [], lost: [0] },
    ]);
    await stop();
  });
});
