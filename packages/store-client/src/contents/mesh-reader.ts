// The ContentReader over a link into the mesh: which messages each question takes, and which answers count. Answers to
// something that was not asked are ignored; of two answers the first one counts.

import {
  BUCKETS,
  bucketDigests,
  PARTITIONS,
  type PartitionDigest,
  type PartitionStream,
  type RecordMarks,
  type StoredRecord,
} from '@marekvs/api';
import type { RoundTripLimits } from '../connection.ts';
import { StoreProtocolError, StoreTooLargeError, StoreUnreachableError } from '../errors.ts';
import type { CallOptions } from '../store-client.ts';
import {
  type ContentReader,
  MAX_BUCKETS,
  MAX_ENTRIES,
  MAX_PARTITIONS,
  MAX_RECORDS,
  MAX_STREAM_BYTES,
  MAX_STREAM_RECORDS,
} from './content-reader.ts';
import { numberPiece } from './leb128.ts';
import type { Answering, MeshLink } from './mesh-link.ts';
import type { ObserverMessage } from './mesh-messages.ts';

type LimitsOf = (options: CallOptions | undefined) => RoundTripLimits;
type RootQuestion = ObserverMessage & { readonly kind: 'merkleRoot' };

/** How often a partition's root is asked again when a member confirms a random one, which it should never do. */
const MAX_REPEATS = 3;

export interface MeshReaderParts {
  readonly link: MeshLink;
  /** Starts a connection for streams. */
  readonly openBulk: () => MeshLink;
  readonly limitsOf: LimitsOf;
  readonly random: () => bigint;
}

export class MeshReader implements ContentReader {
  readonly #link: MeshLink;
  readonly #openBulk: () => MeshLink;
  readonly #limitsOf: LimitsOf;
  readonly #random: () => bigint;
  #bulk: MeshLink | undefined;

  constructor({ link, openBulk, limitsOf, random }: MeshReaderParts) {
    this.#link = link;
    this.#openBulk = openBulk;
    this.#limitsOf = limitsOf;
    this.#random = random;
  }

  async digests(partitions: readonly number[], options?: CallOptions): Promise<readonly PartitionDigest[]> {
    checkNumbers('partitions', partitions, MAX_PARTITIONS, PARTITIONS);
    const found = new Map<number, PartitionDigest>();
    const questions = partitions.map((partition) => this.#rootQuestion(partition));
    const answering = this.#repeatingRoots(questions, {
      wants: (head) =>
        head.kind === 'merkleBuckets' && partitions.includes(head.partition) && !found.has(head.partition),
      take(message) {
        if (message.kind === 'merkleBuckets') found.set(message.partition, message.digests);
      },
      answer: () => (found.size === partitions.length ? found : undefined),
    });
    const tried = `digests of ${partitions.length} partitions`;
    await this.#link.exchange(tried, questions, answering, this.#limitsOf(options));
    return partitions.flatMap((partition) => found.get(partition) ?? []);
  }

  async entries(
    partition: number,
    buckets: readonly number[],
    own: PartitionDigest,
    options?: CallOptions,
  ): Promise<ReadonlyMap<number, RecordMarks>> {
    checkNumbers('partition', [partition], 1, PARTITIONS);
    checkNumbers('buckets', buckets, MAX_BUCKETS, BUCKETS);
    const digests = this.#changed(own, buckets);
    const found = new Map<number, RecordMarks>();
    const answered = new Set<number>();
    let entries = 0;
    /** Buckets that are wanted and whose frame is not complete. */
    let pending = 0;
    const answering: Answering<typeof found> = {
      wants(head) {
        if (head.kind !== 'bucketKeys' || head.partition !== partition) return false;
        if (!buckets.includes(head.bucket) || answered.has(head.bucket)) return false;
        answered.add(head.bucket);
        const isLeftOut = entries > 0 && entries + head.count > MAX_ENTRIES;
        if (isLeftOut) return false;
        entries += head.count;
        pending += 1;
        return true;
      },
      take(message) {
        if (message.kind !== 'bucketKeys') return;
        pending -= 1;
        found.set(message.bucket, message.records);
      },
      answer: () => (answered.size === buckets.length && pending === 0 ? found : undefined),
    };
    const tried = `entries of ${buckets.length} buckets`;
    const question: ObserverMessage = { kind: 'merkleBuckets', partition, digests };
    return this.#link.exchange(tried, [question], answering, this.#limitsOf(options));
  }

  /** A member does not answer for records that it lacks, or that are larger than a frame. So the partition's root is
   *  asked after them: a member answers in order, so once that answer is there, none for the records will come. */
  async records(
    partition: number,
    bucket: number,
    hashes: readonly bigint[],
    options?: CallOptions,
  ): Promise<readonly StoredRecord[]> {
    checkNumbers('partition', [partition], 1, PARTITIONS);
    checkNumbers('bucket', [bucket], 1, BUCKETS);
    checkOnce('records', hashes, MAX_RECORDS);
    const last = this.#rootQuestion(partition);
    let found: readonly StoredRecord[] = [];
    let answers = 0;
    let isOver = false;
    const answering = this.#repeatingRoots([last], {
      wants(head) {
        if (head.kind === 'merkleBuckets') return head.partition === partition;
        if (head.kind !== 'repairOps' || head.partition !== partition || head.count === 0) return false;
        answers += 1;
        return answers === 1;
      },
      take(message) {
        if (message.kind === 'repairOps') found = message.records;
        else if (message.kind === 'merkleBuckets') isOver = true;
      },
      // Of two answers one is for another observer.
      answer: () => (isOver ? (answers === 1 ? found : []) : undefined),
    });
    const question: ObserverMessage = { kind: 'requestKeys', partition, bucket, hashes };
    const tried = `${hashes.length} records`;
    return this.#link.exchange(tried, [question, last], answering, this.#limitsOf(options));
  }

  async stream(partition: number, options?: CallOptions): Promise<PartitionStream | undefined> {
    checkNumbers('partition', [partition], 1, PARTITIONS);
    const limits = this.#limitsOf(options);
    const pages: (readonly StoredRecord[])[] = [];
    let records = 0;
    let isOver = false;
    const answering: Answering<PartitionStream> = {
      wants(head) {
        if (head.kind === 'bootstrapDone') return head.partition === partition;
        if (head.kind !== 'bootstrapChunk' || head.partition !== partition) return false;
        records += head.count;
        if (records <= MAX_STREAM_RECORDS) return true;
        throw new StoreTooLargeError(MAX_STREAM_RECORDS, `a partition of more than ${MAX_STREAM_RECORDS} records`);
      },
      take(message) {
        if (message.kind === 'bootstrapDone') isOver = true;
        else if (message.kind === 'bootstrapChunk') pages.push(message.records);
      },
      answer: () => (isOver ? { pages } : undefined),
    };
    try {
      const bounded = { ...limits, maxBytes: Math.min(limits.maxBytes, MAX_STREAM_BYTES) };
      const bulk = await this.#bulkLink(limits);
      return await bulk.exchange('one partition', [{ kind: 'bootstrapReq', partition }], answering, bounded);
    } catch (error) {
      this.#closeBulk();
      if (error instanceof StoreUnreachableError && error.reason === 'timeout') return undefined;
      throw error;
    }
  }

  close(): void {
    this.#closeBulk();
    this.#link.close();
  }

  async #bulkLink(limits: RoundTripLimits): Promise<MeshLink> {
    if (this.#bulk !== undefined) return this.#bulk;
    this.#bulk = this.#openBulk();
    await this.#bulk.open(limits);
    return this.#bulk;
  }

  #closeBulk(): void {
    this.#bulk?.close();
    this.#bulk = undefined;
  }

  /** Asks with a root that cannot be right, so that the member answers with its own digests. 0 is the empty root. */
  #rootQuestion(partition: number): RootQuestion {
    return { kind: 'merkleRoot', partition, root: this.#random() || 1n };
  }

  /** Asks again, with another root, whenever a member confirms the root of one of these questions. */
  #repeatingRoots<T extends object>(questions: readonly RootQuestion[], answering: Answering<T>): Answering<T> {
    const repeats = new Map(questions.map(({ partition }) => [partition, 0]));
    return {
      wants: (head) => (head.kind === 'merkleRootMatch' ? repeats.has(head.partition) : answering.wants(head)),
      take: (message) => {
        if (message.kind !== 'merkleRootMatch') {
          answering.take(message);
          return;
        }
        const count = repeats.get(message.partition) ?? 0;
        if (count === MAX_REPEATS) throw new StoreProtocolError('a member that takes any root for its own');
        repeats.set(message.partition, count + 1);
        this.#link.send(this.#rootQuestion(message.partition));
      },
      answer: answering.answer,
    };
  }

  /** The member's own digest with only these buckets replaced: the member sends entries for no others. */
  #changed(own: PartitionDigest, buckets: readonly number[]): PartitionDigest {
    const pieces = bucketDigests(own);
    if (pieces === undefined) throw new RangeError('not the digest of a partition');
    return pieces
      .map((piece, bucket) => (buckets.includes(bucket) ? otherPiece(piece, this.#random()) : piece))
      .join('');
  }
}

function otherPiece(piece: string, random: bigint): string {
  const other = numberPiece(random);
  return other === piece ? numberPiece(random ^ 1n) : other;
}

function checkNumbers(name: string, values: readonly number[], most: number, limit: number): void {
  checkOnce(name, values, most);
  for (const value of values) {
    if (!(Number.isInteger(value) && value >= 0 && value < limit))
      throw new RangeError(`${name} ${value}: not in 0..${limit - 1}`);
  }
}

function checkOnce(name: string, values: readonly unknown[], most: number): void {
  if (values.length < 1 || values.length > most) throw new RangeError(`${values.length} ${name}: not 1..${most}`);
  if (new Set(values).size < values.length) throw new RangeError(`${name}: one of them twice`);
}
