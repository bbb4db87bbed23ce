// Compares some open buckets of a pair: asks the source first and the home after it, then reads the records of which
// the home shows something else. A dialogue: it yields a question and is given its answer.

import type { PartitionDigest, RecordMark, StoredRecord } from '@marekvs/api';
import type { ContentAnswer, ContentQuestion } from './comparison.ts';
import { judgeMarks, type MarkVerdict } from './covered.ts';
import { covers } from './covers.ts';
import { MAX_RECORD_DELAY_MS, OLDER_PATIENCE_MS, RECHECK_MS } from './limits.ts';
import { keepWanted, type Ledger, type Pair, type Wanted } from './pair.ts';
import { hlcOf } from './stored-value.ts';

export interface ComparePairOptions {
  readonly pair: Pair;
  readonly partition: number;
  readonly buckets: readonly number[];
  readonly source: Side;
  readonly home: Side;
  readonly ledger: Ledger;
  /** A wanted record is no longer at the source. */
  readonly onGone: () => void;
}

/** A member and its own digest of the partition, as just read. */
export interface Side {
  readonly nodeId: number;
  readonly own: PartitionDigest;
}

export interface AnswerAt {
  readonly answer: ContentAnswer;
  readonly nowMs: number;
}

export type Dialogue = Generator<ContentQuestion, void, AnswerAt>;

interface Doubt {
  readonly bucket: number;
  readonly wanted: Wanted;
}

export function* comparePair(scan: ComparePairOptions): Dialogue {
  const { partition, buckets, source, home, pair } = scan;
  const sourceAt = yield { kind: 'entries', nodeId: source.nodeId, partition, buckets, own: source.own };
  if (sourceAt.answer.kind !== 'entries') return;
  const homeAt = yield { kind: 'entries', nodeId: home.nodeId, partition, buckets, own: home.own };
  if (homeAt.answer.kind !== 'entries') return;
  const doubts: Doubt[] = [];
  for (const bucket of buckets) {
    const shown = sourceAt.answer.entries.get(bucket) ?? [];
    doubts.push(...judgeBucket(scan, bucket, shown, homeAt.answer.entries.get(bucket) ?? [], homeAt.nowMs));
  }
  pair.isScanned = true;
  for (const doubt of doubts) if ((yield* readRecords(scan, doubt)) === 'failed') return;
}

/** Keeps what is missing, and returns the doubts that only the records themselves can settle. */
function judgeBucket(
  scan: ComparePairOptions,
  bucket: number,
  shown: readonly RecordMark[],
  atHome: readonly RecordMark[],
  nowMs: number,
): readonly Doubt[] {
  const now = new Map(shown.map((mark) => [mark.hash, mark]));
  const there = new Map(atHome.map((mark) => [mark.hash, mark]));
  const before = scan.pair.wanted.get(bucket);
  const wanted = before ?? shown.map((mark) => firstWanted(mark, nowMs));
  const doubts: Doubt[] = [];
  const missing = wanted.filter((one) => {
    const source = now.get(one.mark.hash);
    if (source === undefined) scan.onGone();
    const verdict = source === undefined ? 'covered' : judgeMarks(one.mark, source, there.get(one.mark.hash));
    if (isWorthReading(one, verdict, nowMs)) doubts.push({ bucket, wanted: one });
    return verdict !== 'covered';
  });
  if (missing.length < wanted.length) scan.ledger.movedAtMs = nowMs;
  keepWanted(scan.pair, bucket, missing, scan.ledger);
  return doubts;
}

function isWorthReading({ sinceMs, askAgainAtMs }: Wanted, verdict: MarkVerdict, nowMs: number): boolean {
  if (nowMs < askAgainAtMs) return false;
  const isLong = nowMs - sinceMs >= OLDER_PATIENCE_MS;
  return verdict === 'doubtful' || (verdict === 'older' && isLong);
}

function firstWanted(mark: RecordMark, nowMs: number): Wanted {
  return { mark, sinceMs: nowMs, source: undefined, failures: 0, askAgainAtMs: Number.NEGATIVE_INFINITY };
}

/** The source's record is read once and kept, the home's at every scan: what the source held then has to show up at the
 *  home, however often both are written. */
function* readRecords(
  scan: ComparePairOptions,
  { bucket, wanted }: Doubt,
): Generator<ContentQuestion, 'read' | 'failed', AnswerAt> {
  if (wanted.source === undefined) {
    const { answer, nowMs } = yield recordOf(scan, scan.source.nodeId, bucket, wanted);
    if (answer.kind !== 'records') return noteFailure(wanted, nowMs);
    // Versions only grow: no conclusion is drawn from a record older than what its member has already shown.
    const record = onlyOf(answer.records);
    const version = record === undefined ? undefined : hlcOf(record.value);
    wanted.source = version !== undefined && version >= wanted.mark.version ? record : undefined;
    if (wanted.source === undefined) return 'read';
  }
  const { answer, nowMs } = yield recordOf(scan, scan.home.nodeId, bucket, wanted);
  if (answer.kind !== 'records') return noteFailure(wanted, nowMs);
  wanted.failures = 0;
  const record = onlyOf(answer.records);
  if (record !== undefined && covers(record.value, wanted.source.value)) {
    const rest = scan.pair.wanted.get(bucket)?.filter((one) => one !== wanted) ?? [];
    keepWanted(scan.pair, bucket, rest, scan.ledger);
    scan.ledger.movedAtMs = nowMs;
  }
  return 'read';
}

function recordOf(scan: ComparePairOptions, nodeId: number, bucket: number, { mark }: Wanted): ContentQuestion {
  return { kind: 'records', nodeId, partition: scan.partition, bucket, hashes: [mark.hash] };
}

function onlyOf(records: readonly StoredRecord[]): StoredRecord | undefined {
  return records.length === 1 ? records[0] : undefined;
}

function noteFailure(wanted: Wanted, nowMs: number): 'failed' {
  wanted.askAgainAtMs = nowMs + Math.min(RECHECK_MS * 2 ** wanted.failures, MAX_RECORD_DELAY_MS);
  wanted.failures += 1;
  return 'failed';
}
