// Members that hold records, as they show them over their mesh port: digests and entries, after 2 ms.

import { BUCKETS, EMPTY_DIGEST, type RecordMark, type StoredRecord } from '@marekvs/api';
import type { Clock } from '@marekvs/runtime';
import { type ContentClient, type ContentReader, StoreUnreachableError } from '@marekvs/store-client';

export interface FakeRecords extends ContentClient {
  /** Writes or overwrites a record on these members. */
  put(nodeIds: readonly number[], partition: number, mark: RecordMark): void;
  /** Members that refuse connections and break those that are open. */
  readonly refusing: Set<number>;
  questions: number;
}

export function createFakeRecords(clock: Clock): FakeRecords {
  /** By member, partition and hash. */
  const records = new Map<number, Map<number, Map<bigint, RecordMark>>>();

  const bucketsOf = (nodeId: number, partition: number): readonly RecordMark[][] => {
    const buckets = Array.from({ length: BUCKETS }, (): RecordMark[] => []);
    for (const mark of records.get(nodeId)?.get(partition)?.values() ?? [])
      buckets[Number(mark.hash & 0xffn)]?.push(mark);
    return buckets;
  };

  /** Computed once for every change, since sweeps ask for the same again and again. */
  const digests = new Map<string, string>();
  function digestAt(nodeId: number, partition: number): string {
    const key = `${nodeId} ${partition}`;
    const digest =
      digests.get(key) ??
      (records.get(nodeId)?.has(partition) === true ? digestOf(bucketsOf(nodeId, partition)) : EMPTY_DIGEST);
    digests.set(key, digest);
    return digest;
  }

  function reader(nodeId: number): ContentReader {
    async function answer<T>(make: () => T, signal: AbortSignal | undefined): Promise<T> {
      fake.questions += 1;
      await clock.delay(2, signal);
      if (fake.refusing.has(nodeId)) throw new StoreUnreachableError('closed', 'connection closed');
      return make();
    }
    return {
      digests: (partitions, options) =>
        answer(() => partitions.map((partition) => digestAt(nodeId, partition)), options?.signal),
      entries: (partition, buckets, _own, options) =>
        answer(() => {
          const all = bucketsOf(nodeId, partition);
          return new Map(buckets.map((bucket) => [bucket, all[bucket] ?? []]));
        }, options?.signal),
      records: (partition, _bucket, hashes, options) =>
        answer(
          () =>
            hashes.flatMap((hash) => {
              const mark = records.get(nodeId)?.get(partition)?.get(hash);
              return mark === undefined ? [] : [stringOf(mark)];
            }),
          options?.signal,
        ),
      stream: (_partition, options) => answer(() => undefined, options?.signal),
      close() {},
    };
  }

  const fake: FakeRecords = {
    refusing: new Set(),
    questions: 0,
    async open(_address, { nodeId }) {
      if (fake.refusing.has(nodeId)) throw new StoreUnreachableError('refused', 'connection refused');
      return reader(nodeId);
    },
    put(nodeIds, partition, mark) {
      for (const nodeId of nodeIds) {
        digests.delete(`${nodeId} ${partition}`);
        const partitions = records.get(nodeId) ?? new Map<number, Map<bigint, RecordMark>>();
        const marks = partitions.get(partition) ?? new Map<bigint, RecordMark>();
        records.set(nodeId, partitions.set(partition, marks.set(mark.hash, mark)));
      }
    },
  };
  return fake;
}

/** A string of that version. */
function stringOf({ hash, version }: RecordMark): StoredRecord {
  const key = Buffer.alloc(8);
  key.writeBigUInt64BE(hash);
  const value = Buffer.alloc(20, 'v');
  value.fill(0, 0, 19);
  value.writeBigUInt64BE(version, 1);
  return { key, value };
}

/** XOR over the records of a bucket, all buckets one after the other. */
function digestOf(buckets: readonly RecordMark[][]): string {
  return buckets.map((marks) => leb128(marks.reduce((sum, mark) => sum ^ mixed(mark), 0n))).join('');
}

function mixed({ hash, version, content }: RecordMark): bigint {
  return BigInt.asUintN(
    64,
    (hash ^ (version * 0x9e3779b97f4a7c15n) ^ (content * 0xc2b2ae3d27d4eb4fn)) * 0xff51afd7ed558ccdn,
  );
}

function leb128(number: bigint): string {
  let text = '';
  let left = number;
  for (; left >= 0x80n; left >>= 7n) text += String.fromCharCode(Number(left & 0x7fn) | 0x80);
  return text + String.fromCharCode(Number(left));
}
