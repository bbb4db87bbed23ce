// Which member is asked when: bounded, fair, and repeated after a while.

import { homesAt, PARTITIONS, placementOf } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { RECHECK_MS, WINDOW } from '../../src/contents/limits.ts';
import type { ContentAnswer, ContentQuestion } from '../../src/index.ts';
import { counter, Driven, requestOf, string } from './support/driving.ts';

const IDS = [0, 1, 2];
const FAILED: ContentAnswer = { kind: 'failed' };
const partitionsOf = (question: ContentQuestion | undefined) =>
  question?.kind === 'digests' ? question.partitions : [];

describe('the questions of a comparison', () => {
  it('go to each member one at a time', () => {
    const { comparison, members, nowMs } = new Driven(requestOf(IDS));
    const question = comparison.next(0, nowMs);
    expect(partitionsOf(question)).to.have.length(64);
    expect(comparison.next(0, nowMs)).to.equal(undefined);
    expect(comparison.next(1, nowMs)?.nodeId).to.equal(1);
    if (question !== undefined) comparison.take(question, members.get(0)?.answer(question) ?? FAILED, nowMs);
    expect(comparison.next(0, nowMs)?.nodeId).to.equal(0);
  });

  it('never go to an id that is not a member', () => {
    expect(new Driven(requestOf(IDS)).comparison.next(9, 1000)).to.equal(undefined);
  });

  it('are answered once: an answer without an outstanding question changes nothing', () => {
    const driven = new Driven(requestOf(IDS));
    const { comparison, nowMs } = driven;
    const question = comparison.next(0, nowMs);
    if (question === undefined) throw new Error('no question');
    const answer = driven.member(0).answer(question);
    comparison.take({ ...question }, answer, nowMs);
    comparison.take({ ...question, nodeId: 9 }, answer, nowMs);
    expect(comparison.next(0, nowMs)).to.equal(undefined);
    comparison.take(question, answer, nowMs);
    const before = comparison.figures();
    expect(before.partitionsDone).to.equal(64);
    comparison.take(question, answer, nowMs);
    expect(comparison.figures()).to.deep.equal(before);
  });

  it('stay within the window while one member does not answer at all', () => {
    const { comparison, members, nowMs } = new Driven(requestOf(IDS));
    const asked = new Set<number>();
    for (let round = 0; round < 100; round += 1) {
      for (const id of [0, 1]) {
        const question = comparison.next(id, nowMs);
        for (const partition of partitionsOf(question)) asked.add(partition);
        if (question !== undefined) comparison.take(question, members.get(id)?.answer(question) ?? FAILED, nowMs);
      }
      if (round === 0) expect(comparison.next(2, nowMs)).to.not.equal(undefined);
    }
    expect(asked.size).to.equal(WINDOW);
  });

  it('are repeated after a second, and not before, for what is missing', () => {
    const driven = new Driven(requestOf([0, 1], { sources: [0] }));
    driven.put(5, string(1n, 1n), 0);
    driven.settle();
    expect(driven.comparison.idleForMs(driven.nowMs)).to.equal(RECHECK_MS);
    const before = driven.asked.length;
    driven.nowMs += RECHECK_MS - 1;
    expect(driven.settle().asked.length).to.equal(before);
    driven.nowMs += 1;
    const again = driven.settle().asked.slice(before);
    expect(again.map(({ question }) => question.kind)).to.deep.equal(['digests', 'digests', 'entries', 'entries']);
  });

  it('alternate between records and new digests', () => {
    const driven = new Driven(requestOf([0, 1], { sources: [0] }));
    for (let p = 0; p < PARTITIONS; p += 1) driven.put(p, string(1n, 1n), 0);
    driven.settle();
    const kinds = driven.asked.filter(({ question }) => question.nodeId === 0).map(({ question }) => question.kind);
    // Both kinds go on to the end, rather than first all digests and then all entries or the other way round.
    const firstEntries = kinds.indexOf('entries');
    const lastDigests = kinds.lastIndexOf('digests');
    expect(firstEntries).to.be.below(5);
    expect(lastDigests).to.be.above(kinds.length * 0.9);
    expect(driven.comparison.figures().missing).to.deep.equal([
      { sourceId: 0, homeId: 1, partitions: PARTITIONS, records: PARTITIONS },
    ]);
  });
});

describe('a member that fails', () => {
  it('is left alone for a second, then asked for one partition, then for everything again', () => {
    const driven = new Driven(requestOf(IDS));
    let isDown = true;
    driven.answering = ({ nodeId }) => (nodeId === 2 && isDown ? FAILED : undefined);
    driven.settle();
    expect(driven.comparison.figures().partitionsDone).to.equal(2 * PARTITIONS);
    const tries = () => driven.asked.filter(({ question }) => question.nodeId === 2);
    expect(tries()).to.have.length(1);
    driven.runUntil(10_000);
    expect(
      tries()
        .slice(1)
        .map(({ question }) => partitionsOf(question).length),
    ).to.deep.equal(new Array(9).fill(1));
    expect(
      tries()
        .slice(1)
        .map(({ atMs }) => atMs),
    ).to.deep.equal([2, 3, 4, 5, 6, 7, 8, 9, 10].map((s) => s * 1000));
    isDown = false;
    driven.runUntil(12_000);
    expect(driven.comparison.figures().isComplete).to.equal(true);
  });

  it('costs the other members next to nothing while it is down', () => {
    const driven = new Driven(requestOf(IDS));
    for (let p = 0; p < PARTITIONS; p += 1) driven.put(p, string(1n, 1n), ...homesAt(placementOf(IDS, 2), p));
    driven.answering = ({ nodeId }) => (nodeId === 2 ? FAILED : undefined);
    driven.settle();
    const before = driven.asked.length;
    driven.runUntil(61_000);
    expect(driven.asked.length - before).to.be.below(5 * 60);
  });

  it('does not keep records that other members lack from being found and covered', () => {
    const p =
      Array.from({ length: PARTITIONS }, (_, i) => i).filter((i) => !homesAt(placementOf(IDS, 2), i).includes(2))[9] ??
      0;
    const driven = new Driven(requestOf(IDS));
    driven.put(p, string(1n, 1n), 0);
    driven.answering = ({ nodeId }) => (nodeId === 2 ? FAILED : undefined);
    driven.runUntil(5000);
    expect(driven.comparison.figures().missing).to.deep.equal([{ sourceId: 0, homeId: 1, partitions: 1, records: 1 }]);
    driven.put(p, string(1n, 1n), 1);
    driven.runUntil(7000);
    expect(driven.comparison.figures()).to.deep.include({ missing: [], partitionsDone: 2 * PARTITIONS });
  });

  it('proves nothing by an answer that does not fit the question', () => {
    const wrong: readonly ContentAnswer[] = [
      { kind: 'digests', digests: [] },
      { kind: 'digests', digests: new Array<string>(64).fill('') },
      { kind: 'digests', digests: new Array<string>(64).fill('\0'.repeat(255)) },
      { kind: 'digests', digests: new Array<string>(65).fill('\0'.repeat(256)) },
      { kind: 'entries', entries: new Map() },
      { kind: 'records', records: [] },
    ];
    for (const answer of wrong) {
      const driven = new Driven(requestOf([0, 1]));
      driven.answering = () => answer;
      driven.runUntil(5000);
      expect(driven.comparison.figures()).to.deep.include({ partitionsDone: 0, isComplete: false });
      driven.answering = () => undefined;
      expect(driven.runUntil(9000).comparison.figures().isComplete).to.equal(true);
    }
  });

  it('proves nothing by entries that omit a bucket', () => {
    const driven = new Driven(requestOf([0, 1], { sources: [0] }));
    driven.put(5, string(1n, 1n), 0);
    driven.answering = ({ kind }) => (kind === 'entries' ? { kind, entries: new Map() } : undefined);
    expect(driven.runUntil(5000).comparison.figures()).to.deep.include({ isComplete: false, missing: [] });
  });
});

describe('a record that cannot be read', () => {
  it('is asked for less and less often, and delays no other', () => {
    const driven = new Driven(requestOf([0, 1], { sources: [0] }));
    for (const hash of [1n, 2n, 3n]) {
      driven.put(5, string(hash, 1n), 0);
      driven.put(5, string(hash, 2n), 1);
    }
    driven.put(6, counter(1n, 1n, { 0: 1n }), 0);
    driven.put(6, counter(1n, 2n, { 0: 1n, 1: 1n }), 1);
    driven.answering = (question) => {
      return question.kind === 'records' && question.hashes.includes(1n) && question.partition === 5
        ? FAILED
        : undefined;
    };
    driven.runUntil(10_000);
    expect(driven.comparison.figures().missing).to.deep.equal([{ sourceId: 0, homeId: 1, partitions: 1, records: 1 }]);
    driven.runUntil(301_000);
    const tries = driven
      .questions('records')
      .filter((q) => q.kind === 'records' && q.hashes.includes(1n) && q.partition === 5);
    expect(tries.length).to.be.within(6, 12);
    driven.answering = () => undefined;
    expect(driven.runUntil(370_000).comparison.figures().isComplete).to.equal(true);
  });
});
