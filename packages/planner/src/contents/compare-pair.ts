// Compares some open buckets of a pair: asks the source first and the home after it, then reads the records of which
// the home shows something else. A dialogue: it yields a question and is given its answer.

import { bucketDigests, type RecordMark, type RecordMarks } from '@marekvs/api';
import type { ComparePairOptions, Dialogue } from './dialogue.ts';
import { bucketPlace } from './judged.ts';
import { MAX_ENTRIES, OLDER_PATIENCE_MS } from './limits.ts';
import { type Doubt, readRecords, type Settled } from './read-records.ts';
import { judgeMarks, type MarkVerdict } from './records/mark-coverage.ts';
import { createWanted, keepWanted, type Wanted } from './source-home-pair.ts';

interface DoubtfulBucket {
  readonly bucket: number;
  readonly doubts: readonly Doubt[];
  readonly settled: Settled;
}

export function* comparePair(scan: ComparePairOptions): Dialogue {
  const { partition, buckets, source, home, pair } = scan;
  const sourceAt = yield { kind: 'entries', nodeId: source.nodeId, partition, buckets, own: source.own };
  if (sourceAt.answer.kind !== 'entries') return;
  const some = someBuckets(buckets, sourceAt.answer.entries);
  const homeAt = yield { kind: 'entries', nodeId: home.nodeId, partition, buckets: some, own: home.own };
  if (homeAt.answer.kind !== 'entries') return;
  const { entries: homeEntries } = homeAt.answer;
  const compared = someBuckets(some, homeEntries);
  const left = buckets.find((bucket) => !compared.includes(bucket));
  if (left !== undefined) pair.fromBucket = left;
  const doubtful: DoubtfulBucket[] = [];
  const pieces = bucketDigests(source.own) ?? [];
  for (const bucket of compared) {
    const piece = pieces[bucket] ?? '';
    const isFirst = !pair.wanted.has(bucket);
    // What a home once had it still has: all that counts is that the source has nothing else now.
    const isExact = isFirst || pair.seen.get(bucket) === piece;
    const shown = sourceAt.answer.entries.get(bucket) ?? [];
    const atHome = homeEntries.get(bucket) ?? [];
    const doubts = judgeBucket(scan, bucket, shown, atHome, homeAt.nowMs);
    const diverging = isFirst ? [] : [...(pair.diverging.get(bucketPlace(partition, bucket)) ?? [])];
    if (doubts.length > 0) doubtful.push({ bucket, doubts, settled: { isExact, diverging } });
    if (isFirst && pair.wanted.has(bucket)) pair.seen.set(bucket, piece);
  }
  pair.isScanned = true;
  for (const { bucket, doubts, settled } of doubtful) {
    const end = yield* readRecords(scan, bucket, doubts, settled);
    pair.diverging.set(bucketPlace(partition, bucket), settled.diverging);
    if (end === 'failed') return;
  }
  yield* remember(scan, doubtful);
}

/** The first of these buckets that have no more than MAX_ENTRIES together, or the very first of them. */
function someBuckets(buckets: readonly number[], entries: ReadonlyMap<number, RecordMarks>): readonly number[] {
  const some: number[] = [];
  let count = 0;
  for (const bucket of buckets) {
    const marks = entries.get(bucket);
    if (marks === undefined) continue;
    count += marks.length;
    if (some.length > 0 && count > MAX_ENTRIES) break;
    some.push(bucket);
  }
  return some;
}

/** Keeps what is missing, and returns the doubts that only the records themselves can settle. */
function judgeBucket(
  scan: ComparePairOptions,
  bucket: number,
  shown: RecordMarks,
  atHome: RecordMarks,
  nowMs: number,
): readonly Doubt[] {
  const before = scan.pair.wanted.get(bucket);
  const there = byHash(atHome);
  const doubts: Doubt[] = [];
  const missing: Wanted[] = [];
  const judge = (mark: RecordMark, source: RecordMark, known: Wanted | undefined): void => {
    const verdict = judgeMarks(mark, source, there.get(mark.hash));
    if (verdict === 'covered') return;
    const wanted = known ?? createWanted(mark, nowMs);
    missing.push(wanted);
    if (isWorthReading(wanted, verdict, nowMs)) doubts.push({ wanted, shown: source.version });
  };
  if (before === undefined) {
    for (const mark of shown) judge(mark, mark, undefined);
  } else {
    const now = byHash(shown);
    for (const wanted of before) {
      const source = now.get(wanted.mark.hash);
      if (source === undefined) scan.onGone();
      else judge(wanted.mark, source, wanted);
    }
  }
  if (missing.length < (before ?? shown).length) scan.ledger.movedAtMs = nowMs;
  keepWanted(scan.pair, bucket, missing, scan.ledger);
  return doubts;
}

function byHash(marks: RecordMarks): ReadonlyMap<bigint, RecordMark> {
  const found = new Map<bigint, RecordMark>();
  for (const mark of marks) found.set(mark.hash, mark);
  return found;
}

function isWorthReading({ sinceMs, askAgainAtMs }: Wanted, verdict: MarkVerdict, nowMs: number): boolean {
  if (nowMs < askAgainAtMs) return false;
  return verdict === 'doubtful' || (verdict === 'older' && nowMs - sinceMs >= OLDER_PATIENCE_MS);
}

/** What was settled by reading records is remembered by the digests of its buckets, if they are still the same: then
 *  nothing in them has changed meanwhile. */
function* remember(
  { pair, partition, source, home, judged }: ComparePairOptions,
  read: readonly DoubtfulBucket[],
): Dialogue {
  const exact = read.filter(({ bucket, settled }) => settled.isExact && !pair.wanted.has(bucket));
  if (exact.length === 0) return;
  const sides: (readonly (string | undefined)[])[] = [];
  for (const { nodeId, own } of [source, home]) {
    const { answer } = yield { kind: 'digests', nodeId, partitions: [partition] };
    if (answer.kind !== 'digests') return;
    const after = bucketDigests(answer.digests[0] ?? '');
    sides.push((bucketDigests(own) ?? []).map((piece, bucket) => (piece === after?.[bucket] ? piece : undefined)));
  }
  const [atSource, atHome] = sides;
  for (const { bucket, settled } of exact) {
    const [one, other] = [atSource?.[bucket], atHome?.[bucket]];
    if (one !== undefined && other !== undefined)
      judged.noteBucket(bucketPlace(partition, bucket), one, other, settled.diverging);
  }
}
