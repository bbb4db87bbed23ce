// Compares pairs of a partition in which many buckets differ by taking the whole partition as a stream from each member
// (docs/design/server.md#a-partition-as-a-stream): bucket by bucket that would cost the members twenty times as much.

import {
  bucketDigests,
  EMPTY_BUCKET,
  type PartitionDigest,
  type PartitionStream,
  type RecordMark,
  type RecordMarks,
  STREAM_PAGE,
} from '@marekvs/api';
import type { Dialogue } from './dialogue.ts';
import { bucketPlace, type Diverging, type Judged } from './judged.ts';
import { MAX_LOCATED, SAMPLE_BUCKETS } from './limits.ts';
import type { WidePair, Work } from './partition-scan.ts';
import {
  type Asking,
  type DigestsAt,
  type DigestsOf,
  inTurns,
  readDigests,
  readEntries,
  readStreams,
  type StreamRound,
} from './read-streams.ts';
import { differingBuckets } from './records/bucket-digests.ts';
import { coverageOf } from './records/record-coverage.ts';
import { keyText } from './records/record-key.ts';
import { hlcOf } from './records/stored-value.ts';
import { createWanted, keepWanted, type Ledger, narrow } from './source-home-pair.ts';

export interface CompareStreamsOptions extends StreamRound {
  readonly wide: readonly WidePair[];
  readonly ledger: Ledger;
  readonly judged: Judged;
}

/** What a pair's streams show. */
interface Judgement extends WidePair {
  readonly missing: ReadonlySet<bigint>;
  readonly diverging: Diverging;
}

/** Each record of a stream is true by itself. But a source's stream is a list of everything it holds only when that is
 *  shown: pages are taken by offset, so that a record written meanwhile shifts them, and a page larger than a frame is
 *  dropped without a sign. It is shown by three things together:
 *    - the source's digest is the same before and after, so nothing was written meanwhile;
 *    - every page but the last is full, so what is missing is whole pages of 256 records;
 *    - the entries of 16 buckets all turn up in it. The records of a page fall into buckets at random: that none of 256
 *      is in any of 16 buckets of 256 happens with a probability of (15/16)^256, which is 7e-8.
 *  A home's stream needs none of that: what is not in it counts as missing, and its bucket is compared. */
export function* compareStreams(round: CompareStreamsOptions): Dialogue {
  for (const { pair } of round.wide) pair.isUnproven = true;
  const members = new Set(round.wide.flatMap(({ work, pair }) => [work.source, pair.home]));
  const before = (yield* readDigests(round, members))?.digests;
  if (before === undefined) return;
  begin(round, before);
  const works = new Set(round.wide.filter(({ pair }) => !pair.isCovered).map(({ work }) => work));
  const samples = new Map<Work, readonly RecordMark[]>();
  for (const work of works) {
    const sample = yield* readEntries(round, work, before, sampleOf(openBuckets(round, work), before.get(work.source)));
    if (sample === undefined) return;
    samples.set(
      work,
      [...sample.values()].flatMap((marks) => [...marks]),
    );
  }
  const streams = yield* readStreams(round, members);
  if (streams === undefined) return;
  const whole: Work[] = [];
  for (const work of works) {
    const isShown = yield* isWhole(round, work, streams.get(work.source), samples.get(work) ?? []);
    if (isShown === undefined) return;
    if (isShown) whole.push(work);
  }
  const judgements: Judgement[] = [];
  for (const one of round.wide.filter(({ work, pair }) => whole.includes(work) && !pair.isCovered)) {
    const judgement = yield* judge(round, one, streams);
    if (judgement === undefined) return;
    judgements.push(judgement);
  }
  const located = new Map<Work, ReadonlyMap<number, RecordMarks>>();
  for (const work of whole) {
    const versions = new Set(
      judgements.filter((one) => one.work === work && isToLocate(one)).flatMap(({ missing }) => [...missing]),
    );
    const found = versions.size === 0 ? new Map() : yield* readEntries(round, work, before, openBuckets(round, work));
    if (found === undefined) return;
    located.set(work, found);
  }
  const after = yield* readDigests(round, members);
  if (after === undefined) return;
  for (const one of judgements) {
    const { source } = one.work;
    if (before.get(source) === after.digests.get(source)) conclude(round, one, located.get(one.work), before, after);
  }
}

/** Since the scan read them, more may have become equal. */
function begin({ partition, wide, ledger, judged }: CompareStreamsOptions, before: DigestsOf): void {
  for (const { work, pair } of wide) {
    const source = before.get(work.source) ?? '';
    work.isSteady &&= work.digest === source;
    work.digest = source;
    narrow(pair, { partition, source, home: before.get(pair.home) ?? '' }, ledger, judged);
  }
}

function openBuckets({ wide }: CompareStreamsOptions, work: Work): readonly number[] {
  const pairs = wide.filter((one) => one.work === work).map(({ pair }) => pair);
  return [...new Set(pairs.flatMap(({ open }) => [...(open ?? [])]))].sort((a, b) => a - b);
}

/** Buckets spread over the open ones, and others with records where there are too few. */
function sampleOf(open: readonly number[], digest: PartitionDigest | undefined): readonly number[] {
  const pieces = bucketDigests(digest ?? '') ?? [];
  const others = pieces.flatMap((piece, bucket) => (piece === EMPTY_BUCKET || open.includes(bucket) ? [] : [bucket]));
  const spread = [...spreadOf(open, SAMPLE_BUCKETS), ...spreadOf(others, SAMPLE_BUCKETS)];
  return spread.slice(0, SAMPLE_BUCKETS);
}

function spreadOf(buckets: readonly number[], most: number): readonly number[] {
  return buckets.filter(
    (_, i) => Math.floor((i * most) / buckets.length) !== Math.floor(((i - 1) * most) / buckets.length),
  );
}

function* isWhole(
  round: CompareStreamsOptions,
  work: Work,
  stream: PartitionStream | undefined,
  sample: readonly RecordMark[],
): Asking<boolean> {
  if (stream === undefined) return false;
  const { pages } = stream;
  if (!pages.every((page, i) => (i < pages.length - 1 ? page.length === STREAM_PAGE : page.length < STREAM_PAGE)))
    return false;
  const left = new Map<bigint, number>();
  const counted = yield* inTurns(round, work, stream, ({ value }) => {
    const version = hlcOf(value);
    if (version !== undefined) left.set(version, (left.get(version) ?? 0) + 1);
  });
  if (counted === undefined) return undefined;
  return sample.every(({ version }) => {
    const count = left.get(version) ?? 0;
    left.set(version, count - 1);
    return count > 0;
  });
}

function* judge(
  round: CompareStreamsOptions,
  { work, pair }: WidePair,
  streams: ReadonlyMap<number, PartitionStream>,
): Asking<Judgement> {
  const home = new Map<string, Uint8Array>();
  const missing = new Set<bigint>();
  const diverging: string[] = [];
  const known = yield* inTurns(round, work, streams.get(pair.home), ({ key, value }) => {
    home.set(keyText(key), value);
  });
  if (known === undefined) return undefined;
  const judged = yield* inTurns(round, work, streams.get(work.source), ({ key, value }) => {
    const text = keyText(key);
    const there = home.get(text);
    const coverage = there === undefined ? 'missing' : coverageOf(there, value);
    if (coverage === 'diverging') diverging.push(text);
    else if (coverage === 'missing') missing.add(hlcOf(value) ?? -1n);
  });
  return judged === undefined ? undefined : { work, pair, missing, diverging };
}

function isToLocate({ missing }: Judgement): boolean {
  return missing.size > 0 && missing.size <= MAX_LOCATED;
}

/** Closes every bucket without a missing record. What was settled is remembered if the home did not change either. */
function conclude(
  round: CompareStreamsOptions,
  one: Judgement,
  entries: ReadonlyMap<number, RecordMarks> | undefined,
  before: DigestsOf,
  after: DigestsAt,
): void {
  const { work, pair, missing, diverging } = one;
  pair.isScanned = true;
  if (missing.size > MAX_LOCATED || !isLocated(one, entries)) return;
  pair.isUnproven = false;
  pair.isLocated = true;
  const home = before.get(pair.home);
  if (home === after.digests.get(pair.home)) remember(round, one, before.get(work.source) ?? '', home ?? '');
  if (diverging.length > 0) pair.diverging.set(String(round.partition), diverging);
  for (const bucket of pair.open ?? []) {
    const lacking = [...(entries?.get(bucket) ?? [])].filter(({ version }) => missing.has(version));
    const wanted = lacking.map((mark) => createWanted(mark, after.nowMs));
    keepWanted(pair, bucket, wanted, round.ledger);
  }
  round.ledger.movedAtMs = after.nowMs;
}

/** Whether every missing record was found in one of the open buckets; in any doubt nothing is closed. */
function isLocated({ pair, missing }: Judgement, entries: ReadonlyMap<number, RecordMarks> | undefined): boolean {
  const found = new Set<bigint>();
  for (const bucket of pair.open ?? []) for (const { version } of entries?.get(bucket) ?? []) found.add(version);
  return [...missing].every((version) => found.has(version));
}

/** In which bucket a register diverges is not known, so then it is remembered for the partition as a whole; otherwise
 *  for each bucket as well, so that a later change of one costs only that. */
function remember(round: CompareStreamsOptions, one: Judgement, source: PartitionDigest, home: PartitionDigest): void {
  const { pair, missing, diverging } = one;
  if (missing.size > 0) return;
  const open = pair.open ?? new Uint8Array(0);
  // Other buckets were covered at an earlier look, perhaps by something that the home has given up since.
  const isAll = diverging.length > 0 || differingBuckets(source, home).every((bucket) => open.includes(bucket));
  if (isAll) round.judged.notePartition(round.partition, source, home, diverging);
  if (diverging.length > 0) return;
  const [sources, homes] = [bucketDigests(source), bucketDigests(home)];
  for (const bucket of open)
    round.judged.noteBucket(bucketPlace(round.partition, bucket), sources?.[bucket] ?? '', homes?.[bucket] ?? '', []);
}
