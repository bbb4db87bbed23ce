// What a comparison by streams asks the members: digests, the entries of some buckets, and whole streams, whose records
// are then taken some at a time. compare-streams.ts says what follows from the answers.

import type { PartitionDigest, PartitionStream, RecordMarks, StoredRecord } from '@marekvs/api';
import type { Dialogue } from './dialogue.ts';
import { MAX_BUCKETS, MAX_JUDGED_AT_ONCE, MAX_STREAM_ENTRIES } from './limits.ts';
import type { Work } from './partition-scan.ts';

/** The partition that is compared, and the members that are asked about it. */
export interface StreamRound {
  readonly partition: number;
  /** Of a member by its index. */
  nodeIdOf(member: number): number;
  /** @param isSilent the member gave no stream */
  onStream(member: number, isSilent: boolean, nowMs: number): void;
}

export interface DigestsAt {
  /** By index of the member. */
  readonly digests: DigestsOf;
  readonly nowMs: number;
}

export type DigestsOf = ReadonlyMap<number, PartitionDigest>;

/** Undefined: something could not be read. */
export type Asking<T> = Dialogue<T | undefined>;

export function* readDigests(round: StreamRound, members: Iterable<number>): Asking<DigestsAt> {
  const digests = new Map<number, PartitionDigest>();
  let nowMs = 0;
  for (const member of members) {
    const { answer, nowMs: atMs } = yield {
      kind: 'digests',
      nodeId: round.nodeIdOf(member),
      partitions: [round.partition],
    };
    const [digest] = answer.kind === 'digests' ? answer.digests : [];
    if (digest === undefined) return undefined;
    digests.set(member, digest);
    nowMs = atMs;
  }
  return { digests, nowMs };
}

/** Undefined also when they are more than a stream has. */
export function* readEntries(
  round: StreamRound,
  work: Work,
  digests: DigestsOf,
  buckets: readonly number[],
): Asking<ReadonlyMap<number, RecordMarks>> {
  const { partition } = round;
  const nodeId = round.nodeIdOf(work.source);
  const own = digests.get(work.source) ?? '';
  const found = new Map<number, RecordMarks>();
  let count = 0;
  for (let from = 0; from < buckets.length; from += MAX_BUCKETS) {
    const some = buckets.slice(from, from + MAX_BUCKETS);
    const { answer } = yield { kind: 'entries', nodeId, partition, buckets: some, own };
    if (answer.kind !== 'entries') return undefined;
    for (const bucket of some) {
      const marks = answer.entries.get(bucket);
      count += marks?.length ?? 0;
      if (marks === undefined || count > MAX_STREAM_ENTRIES) return undefined;
      found.set(bucket, marks);
    }
  }
  return found;
}

export function* readStreams(
  round: StreamRound,
  members: Iterable<number>,
): Asking<ReadonlyMap<number, PartitionStream>> {
  const found = new Map<number, PartitionStream>();
  for (const member of members) {
    const { answer, nowMs } = yield { kind: 'stream', nodeId: round.nodeIdOf(member), partition: round.partition };
    if (answer.kind !== 'stream') return undefined;
    round.onStream(member, answer.stream === undefined, nowMs);
    if (answer.stream === undefined) return undefined;
    found.set(member, answer.stream);
  }
  return found;
}

/** The records of a stream, some at a time: between them others have their turn.
 *  @returns undefined when the member was given up meanwhile */
export function* inTurns(
  round: StreamRound,
  { source }: Work,
  stream: PartitionStream | undefined,
  take: (record: StoredRecord) => void,
): Asking<'taken'> {
  let taken = 0;
  for (const record of (stream?.pages ?? []).flat()) {
    take(record);
    taken += 1;
    if (taken % MAX_JUDGED_AT_ONCE > 0) continue;
    const { answer } = yield { kind: 'turn', nodeId: round.nodeIdOf(source) };
    if (answer.kind !== 'turn') return undefined;
  }
  return 'taken';
}
