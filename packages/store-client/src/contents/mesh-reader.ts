// The ContentReader over a link into the mesh: which messages each question takes, and which answers count. Answers to
// something that was not asked are ignored; of two answers the first one counts.

import {
  BUCKETS,
  bucketDigests,
  PARTITIONS,
  type PartitionDigest,
  type PartitionStream,
  type RecordMark,
  type StoredRecord,
} from '@marekvs/api';
import type { RoundTripLimits } from '../connection.ts';
import { StoreProtocolError, StoreTooLargeError, StoreUnreachableError } from '../errors.ts';
import type { CallOptions } from '../store-client.ts';
import {
  type ContentReader,
  MAX_BUCKETS,
  MAX_PARTITIONS,
  MAX_RECORDS,
  MAX_STREAM_BYTES,
  MAX_STREAM_RECORDS,
} from './content-reader.ts';
import { numberPiece } from './leb128.ts';
import type { MeshLink, TakeMessage } from './mesh-link.ts';
import type { MemberMessage, ObserverMessage } from './mesh-messages.ts';

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
    const take = this.#repeatingRoots(questions, (message) => {
      if (message.kind !== 'merkleBuckets' || !partitions.includes(message.partition)) return undefined;
      if (!found.has(message.partition)) found.set(message.partition, message.digests);
      return found.size === partitions.length ? found : undefined;
    });
    await this.#link.exchange(`digests of ${partitions.length} partitions`, questions, take, this.#limitsOf(options));
    return partitions.flatMap((partition) => found.get(partition) ?? []);
  }

  async entries(
    partition: number,
    buckets: readonly number[],
    own: PartitionDigest,
    options?: CallOptions,
  ): Promise<ReadonlyMap<number, readonly RecordMark[]>> {
    checkNumbers('partition', [partition], 1, PARTITIONS);
    checkNumbers('buckets', buckets, MAX_BUCKETS, BUCKETS);
    const digests = this.#changed(own, buckets);
    const found = new Map<number, readonly RecordMark[]>();
    const take = (message: MemberMessage): typeof found | undefined => {
      if (message.kind !== 'bucketKeys' || message.partition !== partition) return undefined;
      if (!buckets.includes(message.bucket)) return undefined;
      if (!found.has(message.bucket)) found.set(message.bucket, message.records);
      return found.size === buckets.length ? found : undefined;
    };
    const tried = `entries of ${buckets.length} buckets`;
    const question: ObserverMessage = { kind: 'merkleBuckets', partition, digests };
    return this.#link.exchange(tried, [question], take, this.#limitsOf(options));
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
    const found: (readonly StoredRecord[])[] = [];
    const take = this.#repeatingRoots([last], (message) => {
      if (message.kind === 'merkleBuckets' && message.partition === partition) return found;
      if (message.kind !== 'repairOps' || message.partition !== partition) return undefined;
      if (message.records.length > 0) found.push(message.records);
      return undefined;
    });
    const question: ObserverMessage = { kind: 'requestKeys', partition, bucket, hashes };
    await this.#link.exchange(`${hashes.length} records`, [question, last], take, this.#limitsOf(options));
    // Of two answers one is for another observer.
    return found.length === 1 ? (found[0] ?? []) : [];
  }

  async stream(partition: number, options?: CallOptions): Promise<PartitionStream | undefined> {
    checkNumbers('partition', [partition], 1, PARTITIONS);
    const limits = this.#limitsOf(options);
    const pages: (readonly StoredRecord[])[] = [];
    let records = 0;
    const take = (message: MemberMessage): PartitionStream | undefined => {
      if (message.kind === 'bootstrapDone') return message.partition === partition ? { pages } : undefined;
      if (message.kind !== 'bootstrapChunk' || message.partition !== partition) return undefined;
      records += message.records.length;
      if (records > MAX_STREAM_RECORDS)
        throw new StoreTooLargeError(MAX_STREAM_RECORDS, `a partition of more than ${MAX_STREAM_RECORDS} records`);
      pages.push(message.records);
      return undefined;
    };
    try {
      const bounded = { ...limits, maxBytes: Math.min(limits.maxBytes, MAX_STREAM_BYTES) };
      const bulk = await this.#bulkLink(limits);
      return await bulk.exchange('one partition', [{ kind: 'bootstrapReq', partition }], take, bounded);
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
  #repeatingRoots<T extends object>(questions: readonly RootQuestion[], take: TakeMessage<T>): TakeMessage<T> {
    const repeats = new Map(questions.map(({ partition }) => [partition, 0]));
    return (message) => {
      if (message.kind !== 'merkleRootMatch') return take(message);
      const count = repeats.get(message.partition);
      if (count === undefined) return undefined;
      if (count === MAX_REPEATS) throw new StoreProtocolError('a member that takes any root for its own');
      repeats.set(message.partition, count + 1);
      this.#link.send(this.#rootQuestion(message.partition));
      return undefined;
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
