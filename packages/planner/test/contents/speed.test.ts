// What a comparison costs the operator: processor time of the planner alone, the least of several runs, with bounds
// that hold on a slow machine.

import { EMPTY_DIGEST, homesAt, PARTITIONS, type PartitionDigest, placementOf } from '@marekvs/api';
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

function best(digestOf: DigestOf): number {
  return Math.min(...Array.from({ length: 5 }, () => compare(digestOf).cpuMs));
}

describe('the cost of a comparison of five members', () => {
  it('is one question for 64 partitions of a member and next to no time while all members are empty', function () {
    const empty = Buffer.from(EMPTY_DIGEST, 'latin1');
    const fresh = IDS.map(() => empty.toString('latin1'));
    const digestOf: DigestOf = (nodeId) => fresh[nodeId] ?? '';
    expect(compare(digestOf).questions).to.equal((IDS.length * PARTITIONS) / 64);
    const cpuMs = best(digestOf);
    if (this.test) this.test.title += ` (${cpuMs.toFixed(1)} ms)`;
    expect(cpuMs).to.be.below(150);
  });

  it('is well below half a second for 200,000 records that are equal everywhere', function () {
    const held = IDS.map(() => new Map<number, PartitionDigest>());
    for (let p = 0; p < PARTITIONS; p += 1) {
      // 49 records in 256 buckets leave about 45 of them filled.
      const digest = Array.from({ length: 256 }, (_, b) =>
        leb128(b % 6 === p % 6 ? (1n << 63n) + BigInt(b * p + 1) : 0n),
      );
      for (const id of homesAt(placementOf(IDS, 2), p))
        held[id]?.set(p, Buffer.from(digest.join(''), 'latin1').toString('latin1'));
    }
    const cpuMs = best((nodeId, partition) => held[nodeId]?.get(partition) ?? EMPTY_DIGEST);
    if (this.test) this.test.title += ` (${cpuMs.toFixed(1)} ms)`;
    expect(cpuMs).to.be.below(500);
  });
});
