// Buckets whose entries are too many together: compared a few at a time, and none is forgotten.

import { homesAt, placementOf } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { MAX_ENTRIES } from '../../src/contents/limits.ts';
import type { ContentAnswer, ContentQuestion } from '../../src/index.ts';
import { Driven, requestOf, string } from './support/driving.ts';
import type { ModelMember } from './support/model.ts';

const IDS = [0, 1, 2];
const [A = 0, B = 1] = homesAt(placementOf(IDS, 2), 7);

/** The same records on both homes, and one more in each of these buckets on A. */
function differing(buckets: readonly number[], each = 1): Driven {
  const driven = new Driven(requestOf(IDS, { sources: [A], purpose: 'removal' }));
  for (const bucket of buckets) {
    for (let i = 0; i < each; i += 1) driven.put(7, string(BigInt(bucket + 256 * i), 5n), A, B);
    driven.put(7, string(BigInt(bucket + 256 * each), 5n), A);
  }
  return driven;
}

/** Gives the first buckets only, as a member's answer does that would be too large. */
const onlyFirst =
  (count: number) =>
  (question: ContentQuestion, member: ModelMember): ContentAnswer | undefined => {
    if (question.kind !== 'entries') return undefined;
    const answer = member.answer(question);
    return answer.kind === 'entries'
      ? { kind: 'entries', entries: new Map([...answer.entries].slice(0, count)) }
      : answer;
  };

const bucketsAsked = (driven: Driven, nodeId: number) =>
  driven.asked.flatMap(({ question }) =>
    question.kind === 'entries' && question.nodeId === nodeId ? [question.buckets] : [],
  );

describe('buckets that are left out of an answer', () => {
  const buckets = [3, 50, 51, 90, 200];

  it('are not asked of the home, and are compared at the next look', () => {
    const driven = differing(buckets);
    driven.answering = onlyFirst(2);
    driven.settle();
    expect(bucketsAsked(driven, A)).to.deep.equal([buckets]);
    expect(bucketsAsked(driven, B)).to.deep.equal([[3, 50]]);
    driven.runUntil(driven.nowMs + 1_000);
    expect(bucketsAsked(driven, A).at(-1)?.[0], 'the first that was left out comes first').to.equal(51);
  });

  it('count as missing until they are compared, and the comparison ends when they are', () => {
    const driven = differing(buckets);
    driven.answering = onlyFirst(1);
    driven.settle();
    expect(driven.comparison.figures().isComplete).to.equal(false);
    for (const bucket of buckets) driven.put(7, string(BigInt(bucket + 256), 5n), B);
    driven.runUntil(60_000);
    expect(driven.comparison.figures().isComplete).to.equal(true);
  });

  it('do not close a bucket that the home has left out', () => {
    const driven = differing(buckets);
    driven.answering = (question, member) => (question.nodeId === B ? onlyFirst(1)(question, member) : undefined);
    driven.runUntil(20_000);
    const { isComplete, missing } = driven.comparison.figures();
    expect(isComplete).to.equal(false);
    expect(missing.map(({ records }) => records)).to.deep.equal([buckets.length]);
  });

  it('are those beyond 16,384 entries of the source, whatever it gives', () => {
    const each = MAX_ENTRIES / 2;
    const driven = differing([3, 50, 51], each);
    driven.settle();
    expect(bucketsAsked(driven, B)).to.deep.equal([[3]]);
  });

  it('are no answer when there is nothing else in it', () => {
    const driven = differing(buckets);
    driven.answering = (question) =>
      question.kind === 'entries' ? { kind: 'entries', entries: new Map() } : undefined;
    driven.settle();
    expect(bucketsAsked(driven, B)).to.deep.equal([]);
    expect(driven.comparison.figures().isComplete).to.equal(false);
  });
});
