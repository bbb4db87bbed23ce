// The planner's own comparison over members that hold records: what is complete here is on every home, and only then.

import { homesAt, PARTITIONS, placementOf } from '@marekvs/api';
import type { ComparisonRequest } from '@marekvs/planner';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { createComparisons } from '../src/comparisons/comparisons.ts';
import { COMPARED, comparedMember, comparisonRequest } from './support/fake-comparison.ts';
import { createFakeRecords } from './support/fake-records.ts';

const ALL = [1, 2, 3];
const RECORDS = 3_000;
const PLACEMENT = placementOf(ALL, 2);
/** Homed by member 1 and one other. */
const PARTITION = Array.from({ length: PARTITIONS }, (_, pid) => pid).find((pid) => homes(pid).includes(1)) ?? -1;

function homes(partition: number): readonly number[] {
  return homesAt(PLACEMENT, partition);
}

const record = (hash: number, version = 1) => ({ hash: BigInt(hash), version: BigInt(version), content: 77n });

/** Three members with every record at both of its homes, and comparisons that run. */
function rig() {
  const clock = createManualClock();
  const members = createFakeRecords(clock);
  for (let i = 0; i < RECORDS; i += 1) members.put(homes((i * 7) % PARTITIONS), (i * 7) % PARTITIONS, record(i * 31));
  const comparisons = createComparisons({
    contents: members,
    clock,
    random: () => 0,
    onProgress: () => {},
  });
  const stop = new AbortController();
  const done = comparisons.run(stop.signal);
  return {
    clock,
    members,
    want: (change: Partial<ComparisonRequest> = {}) =>
      comparisons.want(
        COMPARED,
        comparisonRequest({ members: ALL.map((id) => comparedMember(id)), sources: ALL, ...change }),
      ),
    report: () => comparisons.report(COMPARED),
    async end() {
      stop.abort();
      await clock.run(0);
      await done;
      expect(clock.pendingTimers).to.equal(0);
    },
  };
}

describe('the comparison of three members', () => {
  it('is complete after a second of waiting and some hundred questions when every record is on both homes', async () => {
    const { clock, members, want, report, end } = rig();
    want();
    await clock.run(1_000);
    expect(report()).to.deep.include({
      state: 'complete',
      startedAtMs: 0,
      coveredAtMs: 0,
      missing: [],
      partitionsDone: 3 * PARTITIONS,
      partitionsTotal: 3 * PARTITIONS,
    });
    expect([...(report()?.records.values() ?? [])].reduce((a, b) => a + b, 0)).to.be.closeTo(2 * RECORDS, RECORDS / 20);
    expect(members.questions).to.be.at.most(400);
    await end();
  });

  it('is not complete while one record lacks one home, and is a second after it arrived', async () => {
    const { clock, members, want, report, end } = rig();
    members.put([1], PARTITION, record(5, 9));
    want();
    await clock.run(30_000);
    const homeId = homes(PARTITION).find((id) => id !== 1);
    expect(report()?.state).to.equal('running');
    expect(report()?.missing).to.deep.equal([{ sourceId: 1, homeId, partitions: 1, records: 1 }]);
    members.put(homes(PARTITION), PARTITION, record(5, 9));
    await clock.run(1_500);
    expect(report()).to.deep.include({ state: 'complete', missing: [] });
    await end();
  });

  it('is no longer complete when a sweep finds a new record on one home only', async () => {
    const { clock, members, want, report, end } = rig();
    want({ purpose: 'removal', sources: [1], isKeptFresh: true });
    await clock.run(5_000);
    expect(report()?.state).to.equal('complete');
    expect(report()?.coveredAtMs).to.be.at.least(2_000);
    members.put([1], PARTITION, record(6, 3));
    await clock.run(3_500);
    expect(report()).to.deep.include({ state: 'running', coveredAtMs: undefined });
    members.put(homes(PARTITION), PARTITION, record(6, 3));
    const copiedAtMs = clock.monotonicMs();
    await clock.run(10_000);
    expect(report()?.state).to.equal('complete');
    expect(report()?.coveredAtMs).to.be.at.least(copiedAtMs);
    await end();
  });

  it('is never complete while a member cannot be read, and is once it can', async () => {
    const { clock, members, want, report, end } = rig();
    members.refusing.add(2);
    want();
    await clock.run(120_000);
    expect(report()).to.deep.include({ state: 'running', coveredAtMs: undefined });
    expect(report()?.problem).to.deep.equal({ nodeId: 2, error: 'connection refused' });
    // Meanwhile members 1 and 3 were compared with each other.
    expect(report()?.partitionsDone).to.be.greaterThan(PARTITIONS);
    members.refusing.clear();
    await clock.run(10_000);
    expect(report()).to.deep.include({ state: 'complete', problem: undefined });
    await end();
  });

  it('is complete in the end also at rest, at eight partitions a second', async () => {
    const { clock, want, report, end } = rig();
    want({ purpose: 'routine' });
    await clock.run(500_000);
    expect(report()?.state).to.equal('running');
    await clock.run(300_000);
    expect(report()?.state).to.equal('complete');
    await end();
  });
});
