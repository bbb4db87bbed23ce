// What a comparison costs the operator: how much it asks, and processor time of the planner alone, the least of several
// runs, compared with that of a simple way to read the same digests.

import { bucketDigests, EMPTY_DIGEST, homesAt, PARTITIONS, type PartitionDigest, placementOf } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type ContentAnswer, type ContentQuestion, createComparison } from '../../src/index.ts';
import { requestOf } from './support/driving.ts';
import { leb128 } from './support/model.ts';

const IDS = [0, 1, 2, 3, 4];
type DigestOf = (nodeId: number, partition: number) => PartitionDigest;

/** A whole comparison; answers are made beforehand, as text that is nobody else's. */
function compare(digestOf: DigestOf): { readonly cpuMs: number; readonly questions: number } {
  const comparison = createComparison(requestOf(IDS), 0);
  let questions = 0;
  let cpuMs = 0;
  for (let isAsking = true; isAsking; ) {
    isAsking = false;
    for (const id of IDS) {
      const asked = timed(() => comparison.next(id, 0));
      cpuMs += asked.cpuMs;
      const question = asked.result;
      if (question === undefined) continue;
      isAsking = true;
      questions += 1;
      const answer = answerOf(question, digestOf);
      cpuMs += timed(() => comparison.take(question, answer, 0)).cpuMs;
    }
  }
  expect(comparison.figures().isComplete).to.equal(true);
  return { cpuMs, questions };
}

function answerOf(question: ContentQuestion, digestOf: DigestOf): ContentAnswer {
  if (question.kind !== 'digests') throw new Error(`asks ${question.kind} of equal members`);
  return { kind: 'digests', digests: question.partitions.map((partition) => digestOf(question.nodeId, partition)) };
}

function timed<T>(run: () => T): { readonly result: T; readonly cpuMs: number } {
  const before = process.cpuUsage();
  const result = run();
  const { user, system } = process.cpuUsage(before);
  return { result, cpuMs: (user + system) / 1000 };
}

describe('a comparison of five members', () => {
  it('is one question for 64 partitions of a member while all members are empty', () => {
    const fresh = IDS.map(() => Buffer.from(EMPTY_DIGEST, 'latin1').toString('latin1'));
    expect(compare((nodeId) => fresh[nodeId] ?? '').questions).to.equal((IDS.length * PARTITIONS) / 64);
  });

  it('takes less processor time for 200,000 equal records than taking every digest apart four times', function () {
    const held = IDS.map(() => new Map<number, PartitionDigest>());
    for (let p = 0; p < PARTITIONS; p += 1) {
      // 49 records in 256 buckets leave about 45 of them filled.
      const digest = Array.from({ length: 256 }, (_, b) =>
        leb128(b % 6 === p % 6 ? (1n << 63n) + BigInt(b * p + 1) : 0n),
      );
      for (const id of homesAt(placementOf(IDS, 2), p))
        held[id]?.set(p, Buffer.from(digest.join(''), 'latin1').toString('latin1'));
    }
    const all = held.flatMap((digests) => [...digests.values()]);
    expect(all).to.have.lengthOf(2 * PARTITIONS);
    const digestOf: DigestOf = (nodeId, partition) => held[nodeId]?.get(partition) ?? EMPTY_DIGEST;
    // Side by side, so that the speed and the load of the machine are the same for both.
    const rounds = Array.from({ length: 5 }, () => ({
      compared: compare(digestOf).cpuMs,
      takenApart: timed(() => all.every((digest) => bucketDigests(digest)?.length === 256)).cpuMs,
    }));
    const best = (part: 'compared' | 'takenApart') => Math.min(...rounds.map((round) => round[part]));
    const text = `${best('compared').toFixed(1)} of ${best('takenApart').toFixed(1)} ms`;
    if (this.test) this.test.title += ` (${text})`;
    expect(best('compared'), text).to.be.below(4 * best('takenApart'));
  });
});
