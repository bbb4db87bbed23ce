// Records that the entries leave in doubt are read in lists, one a bucket and side, and only a whole list is believed.

import { homesAt, placementOf, type StoredRecord } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type ContentAnswer, type ContentQuestion, Judged } from '../../src/index.ts';
import { counter, Driven, register, requestOf, string } from './support/driving.ts';

const IDS = [0, 1];
const P = 77;
const [FIRST = 0, SECOND = 0] = homesAt(placementOf(IDS, 2), P);
const ask = (judged?: Judged) => new Driven(requestOf(IDS, { sources: [FIRST] }), 1000, judged);

/** So many strings in one bucket, newer at the home. */
function doubtful(count: number, judged?: Judged): Driven {
  const driven = ask(judged);
  for (let i = 0n; i < BigInt(count); i += 1n) {
    driven.put(P, string(5n + 256n * i, 10n + i), FIRST);
    driven.put(P, string(5n + 256n * i, 2000n + i), SECOND);
  }
  return driven;
}

const listsOf = (driven: Driven, nodeId?: number) =>
  driven.questions('records', nodeId).map((q) => (q.kind === 'records' ? q.hashes.length : 0));

describe('records in doubt', () => {
  it('are read in one question a bucket and side', () => {
    const driven = doubtful(100).settle();
    expect(driven.comparison.figures().isComplete).to.equal(true);
    expect(listsOf(driven, FIRST)).to.deep.equal([100]);
    expect(listsOf(driven, SECOND)).to.deep.equal([100]);
  });

  it('are read 256 at a time', () => {
    const driven = doubtful(300).settle();
    expect(driven.comparison.figures().isComplete).to.equal(true);
    expect(listsOf(driven, FIRST)).to.deep.equal([256, 44]);
  });

  it('are read in halves when together they are larger than a frame, down to one that never comes', () => {
    const driven = doubtful(8);
    const large = 5n + 256n * 3n;
    driven.answering = (q) =>
      q.kind === 'records' && q.hashes.includes(large) ? { kind: 'records', records: [] } : undefined;
    driven.settle();
    expect(listsOf(driven, FIRST)).to.deep.equal([8, 4, 2, 2, 1, 1, 4]);
    expect(driven.comparison.figures().missing[0]?.records).to.equal(1);
    const before = driven.asked.length;
    driven.runUntil(3000);
    // From then on only that one is asked for, alone and more and more rarely.
    const later = driven.asked
      .slice(before)
      .flatMap(({ question }) => (question.kind === 'records' ? [question.hashes] : []));
    expect(later).to.deep.equal([[large]]);
    driven.answering = () => undefined;
    expect(driven.runUntil(70_000).comparison.figures().isComplete).to.equal(true);
  });

  it('are not covered by a newer counter that lacks a count of one of them', () => {
    const driven = ask();
    for (let i = 0n; i < 10n; i += 1n) {
      driven.put(P, counter(5n + 256n * i, 10n + i, { 1: i }), FIRST);
      driven.put(P, counter(5n + 256n * i, 100n + i, { 1: 7n }), SECOND);
    }
    driven.settle();
    expect(driven.comparison.figures().missing[0]?.records).to.equal(2);
    driven.put(P, counter(5n + 256n * 8n, 200n, { 1: 8n }), SECOND);
    driven.put(P, counter(5n + 256n * 9n, 201n, { 1: 9n }), SECOND);
    driven.runUntil(3000);
    expect(driven.comparison.figures().isComplete).to.equal(true);
    expect(listsOf(driven, FIRST), 'the source was read once').to.deep.equal([10]);
  });
});

describe('an answer about records', () => {
  const record = (hash: bigint, version: bigint): StoredRecord => {
    const driven = ask();
    driven.put(P, string(hash, version), FIRST);
    const question: ContentQuestion = { kind: 'records', nodeId: FIRST, partition: P, bucket: 0, hashes: [hash] };
    const answer = driven.member(FIRST).answer(question);
    const [only] = answer.kind === 'records' ? answer.records : [];
    if (only === undefined) throw new Error('no record');
    return only;
  };
  const strange = record(9n, 77n);
  const cases: Record<string, (records: readonly StoredRecord[]) => readonly StoredRecord[]> = {
    'that is a part of the list': (records) => records.slice(1),
    'with a record twice': (records) => [...records, ...records.slice(0, 1)],
    'with one record twice and another not at all': (records) => [...records.slice(1), ...records.slice(-1)],
    'with a record that nobody asked for': (records) => [...records.slice(1), strange],
    'about other records altogether': (records) => records.map(() => strange),
    'of no record': () => [],
  };
  for (const [title, spoil] of Object.entries(cases)) {
    for (const [side, nodeId] of [
      ['source', FIRST],
      ['home', SECOND],
    ] as const) {
      it(`of the ${side} ${title} proves nothing`, () => {
        const driven = doubtful(4);
        driven.answering = (question, member): ContentAnswer | undefined => {
          if (question.kind !== 'records' || question.nodeId !== nodeId || question.hashes.length < 2) return undefined;
          const answer = member.answer(question);
          return answer.kind === 'records' ? { kind: 'records', records: spoil(answer.records) } : answer;
        };
        driven.settle();
        expect(driven.comparison.figures().isComplete, 'each was asked for alone').to.equal(true);
        expect(listsOf(driven, nodeId)).to.deep.equal([4, 2, 1, 1, 2, 1, 1]);
      });
    }
  }

  it('of the source with an older version than it has shown proves nothing', () => {
    const driven = ask();
    driven.put(P, string(5n, 10n), FIRST);
    driven.put(P, string(5n, 11n), SECOND);
    driven.answering = (q) =>
      q.kind === 'records' && q.nodeId === FIRST ? { kind: 'records', records: [record(5n, 9n)] } : undefined;
    expect(driven.settle().comparison.figures().isComplete).to.equal(false);
    expect(driven.questions('records', SECOND)).to.deep.equal([]);
  });

  it('of the home about another key proves nothing', () => {
    const driven = ask();
    driven.put(P, string(5n, 10n), FIRST);
    driven.put(P, string(5n, 11n), SECOND);
    driven.answering = (q) =>
      q.kind === 'records' && q.nodeId === SECOND ? { kind: 'records', records: [record(6n, 99n)] } : undefined;
    expect(driven.settle().comparison.figures().isComplete).to.equal(false);
  });
});

describe('what was settled by reading records', () => {
  it('is not read again by a later comparison while both members stay as they are', () => {
    const judged = new Judged();
    const first = doubtful(3, judged).settle();
    const again = ask(judged).with(first).settle();
    expect(again.comparison.figures().isComplete).to.equal(true);
    expect(again.questions('records').length + again.questions('entries').length).to.equal(0);
  });

  it('is read again when the source or the home has changed', () => {
    for (const id of [FIRST, SECOND]) {
      const judged = new Judged();
      const first = doubtful(3, judged).settle();
      first.put(P, string(5n, 3000n), id);
      const again = ask(judged).with(first).settle();
      expect(again.questions('records', FIRST)).to.have.length(id === FIRST ? 1 : 1);
      expect(again.comparison.figures().isComplete).to.equal(id === SECOND);
    }
  });

  it('is not read again either when a home was behind for long', () => {
    const judged = new Judged();
    const first = ask(judged);
    first.put(P, register(5n, 10n, 3), FIRST);
    first.put(P, register(5n, 9n, 4), SECOND);
    first.put(P, string(5n + 256n, 1n), FIRST);
    first.runUntil(3000).put(P, string(5n + 256n, 1n), SECOND);
    expect(first.runUntil(12_000).comparison.figures().isComplete).to.equal(true);
    const again = ask(judged).with(first).settle();
    expect(again.comparison.figures().isComplete).to.equal(true);
    expect(again.questions('entries')).to.deep.equal([]);
  });

  it('is not remembered when the source changed between two looks at it', () => {
    const judged = new Judged();
    const first = ask(judged);
    first.put(P, register(5n, 10n, 3), FIRST);
    first.put(P, register(5n, 9n, 4), SECOND);
    first.runUntil(3000).put(P, string(5n + 256n, 1n), FIRST);
    expect(first.runUntil(12_000).comparison.figures().isComplete, 'as of the beginning').to.equal(true);
    const again = ask(judged).with(first).settle();
    expect(again.comparison.figures().isComplete).to.equal(false);
  });

  it('is not remembered when a member changed while it was read', () => {
    for (const id of [FIRST, SECOND]) {
      const judged = new Judged();
      const first = doubtful(3, judged);
      first.answering = (question) => {
        if (question.kind === 'records' && question.nodeId === id)
          first.put(P, string(5n + 256n * 9n, 7n), FIRST, SECOND);
        return undefined;
      };
      first.settle();
      first.member(FIRST).drop(P, 5n + 256n * 9n);
      first.member(SECOND).drop(P, 5n + 256n * 9n);
      const again = ask(judged).with(first).settle();
      expect(again.questions('records')).to.have.length(2);
    }
  });
});
