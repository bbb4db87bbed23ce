// A partition in which many buckets stay different is compared by streams of both sides, and a stream counts only when
// it is shown to be whole.

import { homesAt, PARTITIONS, type PartitionStream, placementOf } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type ContentAnswer, Judged } from '../../src/index.ts';
import { Driven, register, requestOf, string } from './support/driving.ts';

const IDS = [0, 1, 2];
const P = 77;
const [FIRST = 0, SECOND = 0] = homesAt(placementOf(IDS, 2), P);
const STRAY = IDS.find((id) => id !== FIRST && id !== SECOND) ?? 0;
const COUNT = 1000n;

const one = (sources: readonly number[], judged?: Judged, nowMs = 1000) =>
  new Driven(requestOf(IDS, { sources }), nowMs, judged);

/** Registers of the same ranks, in newer versions at the home. */
function differing(
  driven: Driven,
  partition = P,
  count = COUNT,
  [first, second] = homesAt(placementOf(IDS, 2), partition),
): Driven {
  for (let hash = 0n; hash < count; hash += 1n) {
    driven.put(partition, register(hash, 1n + hash, Number(hash % 20n)), first ?? 0);
    driven.put(partition, register(hash, 100_000n + hash, Number(hash % 20n)), second ?? 0);
  }
  return driven;
}

const streams = (driven: Driven) => driven.questions('stream').map(({ nodeId }) => nodeId);

/** Streams of this member are changed like this. */
function spoiling(
  driven: Driven,
  nodeId: number,
  spoil: (stream: PartitionStream) => PartitionStream | undefined,
): Driven {
  driven.answering = (question, member): ContentAnswer | undefined => {
    if (question.kind !== 'stream' || question.nodeId !== nodeId) return undefined;
    const answer = member.answer(question);
    return answer.kind === 'stream' && answer.stream ? { kind: 'stream', stream: spoil(answer.stream) } : answer;
  };
  return driven;
}

describe('a partition in which many buckets differ', () => {
  it('is looked at again a second later, and then taken as a stream from both sides', () => {
    const driven = differing(one([FIRST]));
    driven.settle();
    expect(driven.questions('entries').length + driven.questions('stream').length).to.equal(0);
    driven.runUntil(2000);
    expect(driven.comparison.figures()).to.deep.include({ isComplete: true, missing: [] });
    expect(streams(driven)).to.deep.equal([FIRST, SECOND]);
    expect(driven.questions('records')).to.deep.equal([]);
    // 16 buckets of the source show that its stream is whole.
    expect(driven.questions('entries').map(({ nodeId }) => nodeId)).to.deep.equal([FIRST, FIRST]);
  });

  it('gives others their turn after every 2,048 records that are judged', () => {
    const driven = differing(one([FIRST]), P, 5_000n).runUntil(2000);
    expect(driven.comparison.figures().isComplete).to.equal(true);
    // The source's stream is gone through twice, the home's once.
    expect(driven.questions('turn')).to.have.length(6);
    expect(
      differing(one([FIRST]), P, 2_000n)
        .runUntil(2000)
        .questions('turn'),
    ).to.have.length(0);
  });

  it('closes nothing when its member is given up between two turns', () => {
    const driven = differing(one([FIRST]), P, 5_000n);
    driven.answering = (question) => (question.kind === 'turn' ? { kind: 'failed' } : undefined);
    driven.runUntil(2_500);
    expect(driven.questions('turn').length).to.be.greaterThan(0);
    expect(driven.comparison.figures()).to.deep.include({ isComplete: false });
  });

  it('is taken once from each side when both are compared with each other', () => {
    const driven = differing(one(IDS)).runUntil(2000);
    expect(driven.comparison.figures().isComplete).to.equal(true);
    expect(streams(driven).sort()).to.deep.equal([FIRST, SECOND].sort());
  });

  it('is compared by its buckets when the source is no home of it, which would say nothing', () => {
    const driven = one([STRAY]);
    for (let hash = 0n; hash < 20n; hash += 1n) {
      driven.put(P, register(hash, 1n + hash, 3), STRAY);
      driven.put(P, register(hash, 100n + hash, 3), FIRST, SECOND);
    }
    driven.runUntil(10_000);
    expect(driven.comparison.figures().isComplete).to.equal(true);
    expect(streams(driven)).to.deep.equal([]);
  });

  it('is not taken as a stream while its home is empty and copies are on their way', () => {
    const driven = one([FIRST]);
    for (let hash = 0n; hash < 40n; hash += 1n) driven.put(P, string(hash, 1n + hash), FIRST);
    driven.runUntil(10_000);
    expect(streams(driven)).to.deep.equal([]);
    expect(driven.comparison.figures().missing[0]?.records).to.equal(40);
  });

  it('shows which records are missing, and these are waited for', () => {
    const driven = differing(one([FIRST]));
    driven.put(P, string(5000n, 1n << 40n), FIRST);
    driven.put(P, string(5001n, (1n << 40n) + 1n), FIRST);
    driven.runUntil(2000);
    expect(driven.comparison.figures().missing).to.deep.equal([
      { sourceId: FIRST, homeId: SECOND, partitions: 1, records: 2 },
    ]);
    driven.put(P, string(5000n, 1n << 40n), SECOND);
    driven.put(P, string(5001n, (1n << 40n) + 1n), SECOND);
    driven.runUntil(4000);
    expect(driven.comparison.figures().isComplete).to.equal(true);
    expect(streams(driven)).to.deep.equal([FIRST, SECOND]);
  });

  it('is compared by its buckets when a member says nothing or has too much, and is not asked for again', () => {
    for (const id of [FIRST, SECOND]) {
      const driven = differing(one([FIRST]));
      spoiling(driven, id, () => undefined).runUntil(60_000);
      expect(driven.comparison.figures().isComplete).to.equal(true);
      expect(streams(driven).filter((nodeId) => nodeId === id)).to.have.length(1);
    }
  });

  it('waits with all others when their member fails while thousands of them are to be taken', () => {
    const driven = one([FIRST]);
    for (let partition = 0; partition < PARTITIONS; partition += 1)
      if (homesAt(placementOf(IDS, 2), partition).includes(FIRST)) differing(driven, partition, 12n);
    driven.answering = (question) =>
      question.kind === 'stream' && question.nodeId === FIRST && streams(driven).length > 100
        ? { kind: 'failed' }
        : undefined;
    driven.runUntil(2_500);
    expect(streams(driven).length).to.be.greaterThan(100);
    expect(driven.comparison.figures().isComplete).to.equal(false);
  }).timeout(20_000);

  it('is not asked for by the same number again before the member answers again', () => {
    const judged = new Judged();
    const first = differing(one([FIRST], judged)).runUntil(2000);
    first.put(P, string(5000n, 1n << 40n), FIRST);
    for (let hash = 0n; hash < COUNT; hash += 1n)
      first.put(P, register(hash, 200_000n + hash, Number(hash % 20n)), SECOND);
    const again = one([FIRST], judged, 3000).with(first);
    again.runUntil(22_000);
    expect(streams(again)).to.deep.equal([]);
    again.put(P, string(5000n, 1n << 40n), SECOND);
    again.runUntil(24_000);
    expect(streams(again)).to.deep.equal([FIRST, SECOND]);
    expect(again.comparison.figures().isComplete).to.equal(true);
  });

  it('costs nothing in a later comparison while both members stay as they are, also after a restart', () => {
    const judged = new Judged();
    const first = differing(one([FIRST], judged)).runUntil(2000);
    const request = requestOf(IDS, { sources: [FIRST] });
    const restarted = { ...request, members: request.members.map((member) => ({ ...member, generation: 2 })) };
    const again = new Driven(restarted, 3000, judged).with(first).settle();
    expect(again.comparison.figures().isComplete).to.equal(true);
    expect(again.asked.every(({ question }) => question.kind === 'digests')).to.equal(true);
  });

  it('costs nothing again however many there are, though not every bucket is remembered', () => {
    const owned = Array.from({ length: PARTITIONS }, (_, partition) => partition)
      .filter((partition) => homesAt(placementOf(IDS, 2), partition).includes(FIRST))
      .slice(0, 60);
    const judged = new Judged();
    const first = one([FIRST], judged);
    for (const partition of owned) differing(first, partition, 600n);
    expect(first.runUntil(60_000).comparison.figures().isComplete).to.equal(true);
    const again = one([FIRST], judged, 100_000).with(first).runUntil(100_100);
    expect(again.comparison.figures().isComplete).to.equal(true);
    expect(again.questions('entries').length + streams(again).length).to.equal(0);
  }).timeout(20_000);

  it('costs only what has changed when a single record has', () => {
    const judged = new Judged();
    const first = differing(one([FIRST], judged)).runUntil(2000);
    first.put(P, register(7n, 300_000n, 7), FIRST);
    const again = one([FIRST], judged, 3000).with(first).runUntil(20_000);
    expect(again.comparison.figures().isComplete).to.equal(true);
    const buckets = again.questions('entries', FIRST).flatMap((q) => (q.kind === 'entries' ? q.buckets : []));
    expect(new Set(buckets)).to.deep.equal(new Set([7]));
    expect(streams(again)).to.deep.equal([]);
  });

  it('does not keep other partitions waiting, and no more than two are under way', () => {
    const driven = one([FIRST]);
    const partitions = Array.from({ length: PARTITIONS }, (_, p) => p).filter((p) =>
      homesAt(placementOf(IDS, 2), p).includes(FIRST),
    );
    for (const p of partitions.slice(0, 10)) {
      const [home = 0] = homesAt(placementOf(IDS, 2), p).filter((id) => id !== FIRST);
      differing(driven, p, 200n, [FIRST, home]);
    }
    driven.settle();
    expect(driven.comparison.figures().partitionsDone).to.equal(PARTITIONS - 10);
    driven.runUntil(2000);
    expect(driven.comparison.figures().isComplete).to.equal(true);
    expect(streams(driven).filter((id) => id === FIRST)).to.have.length(10);
  });
});

describe('the stream of a source', () => {
  /** Complete only much later, by the buckets. */
  function expectUnproven(driven: Driven): void {
    driven.put(P, string(5000n, 1n << 40n), FIRST);
    driven.runUntil(2000);
    expect(streams(driven)).to.deep.equal([FIRST, SECOND]);
    const { isComplete, missing } = driven.comparison.figures();
    expect(isComplete).to.equal(false);
    expect(missing, 'nothing was concluded').to.deep.equal([]);
    driven.runUntil(60_000);
    expect(driven.comparison.figures().missing).to.deep.equal([
      { sourceId: FIRST, homeId: SECOND, partitions: 1, records: 1 },
    ]);
    driven.put(P, string(5000n, 1n << 40n), SECOND);
    expect(driven.runUntil(70_000).comparison.figures().isComplete).to.equal(true);
  }

  it('proves nothing without one of its pages', () => {
    for (const page of [0, 1, 2]) {
      expectUnproven(spoiling(differing(one([FIRST])), FIRST, ({ pages }) => ({ pages: pages.toSpliced(page, 1) })));
    }
  });

  it('proves nothing without its last page', () => {
    expectUnproven(spoiling(differing(one([FIRST])), FIRST, ({ pages }) => ({ pages: pages.slice(0, -1) })));
  });

  it('proves nothing when a page but the last is not full', () => {
    const short = ({ pages }: PartitionStream) => ({ pages: [pages[0]?.slice(1) ?? [], ...pages.slice(1)] });
    expectUnproven(spoiling(differing(one([FIRST])), FIRST, short));
  });

  it('proves nothing when the source was written while it was sent', () => {
    const driven = differing(one([FIRST]));
    let version = 1n << 41n;
    spoiling(driven, SECOND, (stream) => {
      version += 1n;
      driven.put(P, string(6000n, version), FIRST, SECOND);
      return stream;
    });
    expectUnproven(driven);
  });

  it('proves nothing with a record that is no record, which no entry can be found for', () => {
    // The members show an entry of a version for it, as they would for any value.
    const driven = differing(one([FIRST]));
    driven.put(P, string(5000n, 1n << 40n), FIRST);
    const isOdd = (value: Uint8Array) => Buffer.from(value).readBigUInt64BE(1) === 1n << 40n;
    spoiling(driven, FIRST, ({ pages }) => ({
      pages: pages.map((page) =>
        page.map((record) => (isOdd(record.value) ? { ...record, value: record.value.slice(0, 3) } : record)),
      ),
    }));
    driven.runUntil(2000);
    expect(streams(driven)).to.deep.equal([FIRST, SECOND]);
    expect(driven.comparison.figures().isComplete).to.equal(false);
    driven.runUntil(60_000);
    expect(driven.comparison.figures().missing[0]?.records).to.equal(1);
  });

  it('proves nothing when it has no record at all', () => {
    expectUnproven(spoiling(differing(one([FIRST])), FIRST, () => ({ pages: [] })));
  });
});

describe('the stream of a home', () => {
  it('may lack a page: its records are looked for one by one', () => {
    const driven = spoiling(differing(one([FIRST])), SECOND, ({ pages }) => ({ pages: pages.slice(1) }));
    driven.runUntil(2000);
    expect(driven.comparison.figures().missing[0]?.records).to.equal(256);
    driven.runUntil(60_000);
    expect(driven.comparison.figures().isComplete).to.equal(true);
  });

  it('is not remembered when the home was written meanwhile', () => {
    const judged = new Judged();
    const driven = differing(one([FIRST], judged));
    spoiling(driven, SECOND, (stream) => {
      driven.put(P, string(6000n, 1n << 41n), SECOND);
      return stream;
    });
    driven.runUntil(2000);
    expect(driven.comparison.figures().isComplete).to.equal(true);
    driven.member(SECOND).drop(P, 6000n);
    const again = one([FIRST], judged, 3000).with(driven).settle();
    expect(again.comparison.figures().isComplete).to.equal(false);
  });
});
