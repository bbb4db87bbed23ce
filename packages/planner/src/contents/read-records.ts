// Reads the records of one bucket that the entries leave in doubt, from the source and from the home, in lists, and
// settles them. A list is believed only when it is whole: otherwise each half is asked for, down to single records.

import type { StoredRecord } from '@marekvs/api';
import type { ComparePairOptions, Dialogue } from './dialogue.ts';
import { MAX_HELD_BYTES, MAX_LIST, MAX_RECORD_DELAY_MS, RECHECK_MS } from './limits.ts';
import { type Coverage, coverageOf } from './records/record-coverage.ts';
import { keyText } from './records/record-key.ts';
import { decodeStoredValue, hlcOf } from './records/stored-value.ts';
import { keepWanted, sizeBytes, type Wanted } from './source-home-pair.ts';

export interface Doubt {
  readonly wanted: Wanted;
  /** The version that the source shows now. */
  readonly shown: bigint;
}

/** Whether all were compared as the source showed them, and are covered; which of them diverge. */
export interface Settled {
  isExact: boolean;
  readonly diverging: string[];
}

export function* readRecords(
  scan: ComparePairOptions,
  bucket: number,
  doubts: readonly Doubt[],
  settled: Settled,
): Dialogue<'read' | 'failed'> {
  for (const list of listsOf(doubts)) {
    const sources = new Map(list.flatMap(({ wanted }) => (wanted.source ? [[wanted, wanted.source] as const] : [])));
    if (list.some(({ wanted, shown }) => wanted.source && hlcOf(wanted.source.value) !== shown))
      settled.isExact = false;
    const unread = list.filter(({ wanted }) => wanted.source === undefined);
    const takeSource = (asked: readonly Doubt[], records: readonly StoredRecord[]): boolean => {
      const found = matchByVersion(asked, records);
      for (const [{ wanted, shown }, record] of found ?? []) {
        sources.set(wanted, record);
        if (hlcOf(record.value) !== shown) settled.isExact = false;
      }
      return found !== undefined;
    };
    if ((yield* inHalves(scan, scan.source.nodeId, bucket, unread, takeSource)) === 'failed') return 'failed';
    const known = list.filter(({ wanted }) => sources.has(wanted));
    const takeHome = (asked: readonly Doubt[], records: readonly StoredRecord[], nowMs: number): boolean => {
      const found = matchByKey(asked, sources, records);
      if (found === undefined) return false;
      settle(scan, bucket, found, settled, nowMs);
      return true;
    };
    if ((yield* inHalves(scan, scan.home.nodeId, bucket, known, takeHome)) === 'failed') return 'failed';
    keepSources(scan, bucket, sources);
  }
  return 'read';
}

/** What could not be read before is asked for alone: a list that a single record makes too large is lost whole. */
function listsOf(doubts: readonly Doubt[]): readonly (readonly Doubt[])[] {
  const lists: Doubt[][] = [];
  for (const doubt of doubts.filter(({ wanted }) => wanted.failures === 0)) {
    const last = lists.at(-1);
    if (last === undefined || last.length === MAX_LIST) lists.push([doubt]);
    else last.push(doubt);
  }
  return [...lists, ...doubts.filter(({ wanted }) => wanted.failures > 0).map((doubt) => [doubt])];
}

/** @param take false when the answer is not the whole list */
function* inHalves(
  scan: ComparePairOptions,
  nodeId: number,
  bucket: number,
  list: readonly Doubt[],
  take: (asked: readonly Doubt[], records: readonly StoredRecord[], nowMs: number) => boolean,
): Dialogue<'read' | 'failed'> {
  if (list.length === 0) return 'read';
  const hashes = list.map(({ wanted }) => wanted.mark.hash);
  const { answer, nowMs } = yield { kind: 'records', nodeId, partition: scan.partition, bucket, hashes };
  if (answer.kind !== 'records') {
    for (const { wanted } of list) noteFailure(wanted, nowMs);
    return 'failed';
  }
  if (take(list, answer.records, nowMs)) return 'read';
  if (list.length === 1) {
    for (const { wanted } of list) noteFailure(wanted, nowMs);
    return 'read';
  }
  const half = Math.ceil(list.length / 2);
  for (const part of [list.slice(0, half), list.slice(half)]) {
    if ((yield* inHalves(scan, nodeId, bucket, part, take)) === 'failed') return 'failed';
  }
  return 'read';
}

/** Answers name no hash: a record belongs to the one that the source shows in its version. Alone, it may be newer,
 *  since versions only grow. Undefined in any doubt. */
function matchByVersion(
  asked: readonly Doubt[],
  records: readonly StoredRecord[],
): ReadonlyMap<Doubt, StoredRecord> | undefined {
  const [only] = asked;
  const [first] = records;
  if (records.length !== asked.length || only === undefined || first === undefined) return undefined;
  if (asked.length === 1) return (hlcOf(first.value) ?? -1n) >= only.shown ? new Map([[only, first]]) : undefined;
  const byVersion = new Map(asked.map((doubt) => [doubt.shown, doubt]));
  const found = new Map<Doubt, StoredRecord>();
  for (const record of records) {
    const doubt = byVersion.get(hlcOf(record.value) ?? -1n);
    if (doubt !== undefined) found.set(doubt, record);
  }
  return found.size === asked.length ? found : undefined;
}

/** The same key is the same record. Undefined unless the home has sent each that was asked for, and nothing else. */
function matchByKey(
  asked: readonly Doubt[],
  sources: ReadonlyMap<Wanted, StoredRecord>,
  records: readonly StoredRecord[],
): readonly (readonly [wanted: Wanted, source: StoredRecord, home: StoredRecord])[] | undefined {
  const byKey = new Map(records.map((record) => [keyText(record.key), record]));
  if (records.length !== asked.length || byKey.size !== asked.length) return undefined;
  const found: (readonly [Wanted, StoredRecord, StoredRecord])[] = [];
  for (const { wanted } of asked) {
    const source = sources.get(wanted);
    const home = source && byKey.get(keyText(source.key));
    if (source === undefined || home === undefined) return undefined;
    found.push([wanted, source, home]);
  }
  return found;
}

function settle(
  scan: ComparePairOptions,
  bucket: number,
  found: readonly (readonly [Wanted, StoredRecord, StoredRecord])[],
  settled: Settled,
  nowMs: number,
): void {
  const done = new Set<Wanted>();
  for (const [wanted, source, home] of found) {
    wanted.failures = 0;
    const coverage: Coverage = coverageOf(home.value, source.value);
    if (coverage === 'diverging') settled.diverging.push(keyText(source.key));
    if (coverage !== 'missing') done.add(wanted);
  }
  if (done.size === 0) return;
  const rest = scan.pair.wanted.get(bucket)?.filter((one) => !done.has(one)) ?? [];
  keepWanted(scan.pair, bucket, rest, scan.ledger);
  scan.ledger.movedAtMs = nowMs;
}

/** Keeps copies, since a record is a view of all that came with it. One that cannot be decoded is covered only by an
 *  equal one: it is read again, since the source may have another one by then. */
function keepSources(scan: ComparePairOptions, bucket: number, sources: ReadonlyMap<Wanted, StoredRecord>): void {
  const wanted = scan.pair.wanted.get(bucket) ?? [];
  for (const one of wanted) {
    const record = sources.get(one);
    if (record === undefined || one.source !== undefined) continue;
    if (scan.ledger.heldBytes + sizeBytes(record) > MAX_HELD_BYTES) return;
    if (decodeStoredValue(record.value) === undefined) continue;
    one.source = { key: record.key.slice(), value: record.value.slice() };
    scan.ledger.heldBytes += sizeBytes(record);
  }
}

function noteFailure(wanted: Wanted, nowMs: number): void {
  wanted.askAgainAtMs = nowMs + Math.min(RECHECK_MS * 2 ** wanted.failures, MAX_RECORD_DELAY_MS);
  wanted.failures += 1;
}
