// Answers observers, which compare contents over the mesh port: the digests of any partition, the entries of a bucket,
// records. Questions wait in the queue of anti-entropy and cost the member as much time. Nothing is changed, and
// observers are not told apart: the one that last said Hello under the observers' number gets every answer.

import { BUCKETS, type PartitionDigest } from '@marekvs/api';
import { digestCostMs, observerNode, scanCostMs, scanCostPerRecordMs } from '../basics/constants.ts';
import type { ContentAnswer, ContentQuestion } from '../basics/messages.ts';
import type { MemberContext } from '../interfaces/context.ts';
import { bucketPieces } from '../records/bucket-pieces.ts';
import { recordMark, textHash } from '../records/record-hash.ts';
import { frameBytes, storedRecord } from '../records/stored-record.ts';
import type { RepairLane } from '../replication/repair-lane.ts';
import { restlessDigest, restlessEntries } from '../settings/hostility.ts';
import { spoilt } from '../settings/spoilt-records.ts';
import { ObserverStreams } from './observer-streams.ts';

const every: readonly number[] = Array.from({ length: BUCKETS }, (_, bucket) => bucket);

export class Observers {
  readonly #context: MemberContext;
  readonly #lane: RepairLane;
  readonly #streams: ObserverStreams;
  /** The digests that a hostile member gave last, by partition. */
  readonly #invented = new Map<number, PartitionDigest>();

  constructor(context: MemberContext, lane: RepairLane) {
    this.#context = context;
    this.#lane = lane;
    this.#streams = new ObserverStreams(context);
  }

  /** Questions that arrive together are one job, and their answers are sent together. */
  ask(questions: readonly ContentQuestion[]): void {
    const { slowStore, contents } = this.#context.knobs();
    if (slowStore || contents === 'hang') return;
    this.#lane.add(() => {
      const answers: ContentAnswer[] = [];
      let cost = 0;
      for (const question of questions) cost += this.#answer(question, answers);
      if (answers.length > 0) this.#context.send(observerNode, { kind: 'answered', answers });
      return cost;
    });
  }

  #answer(question: ContentQuestion, answers: ContentAnswer[]): number {
    switch (question.kind) {
      case 'root':
        return this.#answerRoot(question.partition, question.root, answers);
      case 'roots':
        return this.#answerRoots(question.partitions, answers);
      case 'buckets':
        return this.#answerBuckets(question, answers);
      case 'records':
        return this.#answerRecords(question, answers);
      case 'stream':
        this.#streams.begin(question.partition);
        return 0;
    }
  }

  #answerRoot(partition: number, root: bigint | undefined, answers: ContentAnswer[]): number {
    const digest = this.#digestOf(partition);
    const isMatch = root !== undefined && root === textHash(digest);
    answers.push(isMatch ? { kind: 'match', partition } : { kind: 'digest', partition, digest });
    return digestCostMs + this.#scanMs(partition);
  }

  #answerRoots(partitions: readonly number[], answers: ContentAnswer[]): number {
    let cost = 0;
    const digests: PartitionDigest[] = [];
    for (const partition of partitions) {
      digests.push(this.#digestOf(partition));
      cost += digestCostMs + this.#scanMs(partition);
    }
    answers.push({ kind: 'digests', partitions, digests });
    return cost;
  }

  #answerBuckets(
    { partition, digest, changed }: Extract<ContentQuestion, { kind: 'buckets' }>,
    answers: ContentAnswer[],
  ): number {
    const { store, world } = this.#context;
    const { random } = world;
    const own = this.#invented.get(partition) ?? store.digestOf(partition);
    const differing = new Set([...changed, ...differingBuckets(digest, own)]);
    for (const bucket of differing) {
      const entries = this.#isRestless() ? restlessEntries(random) : store.bucketOf(partition, bucket).map(recordMark);
      answers.push({ kind: 'entries', partition, bucket, entries });
    }
    return digestCostMs + differing.size * (scanCostMs + this.#scanMs(partition));
  }

  #answerRecords(
    { partition, bucket, hashes }: Extract<ContentQuestion, { kind: 'records' }>,
    answers: ContentAnswer[],
  ): number {
    const { store, knobs } = this.#context;
    const wanted = new Set(hashes);
    const versions = store.bucketOf(partition, bucket).filter((version) => wanted.has(recordMark(version).hash));
    // Records that are not there are left out, and a frame above the limit is lost as a whole.
    const records = versions.map(storedRecord);
    if (records.length > 0 && frameBytes(records) <= knobs().maxFrameBytes)
      answers.push({ kind: 'records', partition, records: spoilt(records, knobs().records) });
    return scanCostMs + this.#scanMs(partition);
  }

  #digestOf(partition: number): PartitionDigest {
    const { store, knobs, world } = this.#context;
    if (this.#isRestless()) {
      const digest = restlessDigest(world.random);
      this.#invented.set(partition, digest);
      return digest;
    }
    return knobs().contents === 'garbage' ? GARBAGE : store.digestOf(partition);
  }

  #isRestless(): boolean {
    const { hostile } = this.#context.knobs();
    return hostile.includes('restlessContents') || hostile.includes('largestFrames');
  }

  #scanMs(partition: number): number {
    return this.#context.store.sizeOf(partition) * scanCostPerRecordMs;
  }
}

/** Does not parse as 256 numbers. */
const GARBAGE: PartitionDigest = 'ÿ'.repeat(16);

/** All buckets when one of the texts is no digest. */
function differingBuckets(theirs: PartitionDigest, own: PartitionDigest): readonly number[] {
  if (theirs === own) return [];
  const [left, right] = [bucketPieces(theirs), bucketPieces(own)];
  return every.filter((bucket) => left === undefined || left[bucket] !== right?.[bucket]);
}
