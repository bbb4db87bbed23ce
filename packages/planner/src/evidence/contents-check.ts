// Answers: does the comparison that belongs to a proof say that everything is covered, recently enough, and by recent
// enough answers? Anything else is the sentence a person reads.

import type { ComparisonReport } from '../contents/request.ts';
import { countText, type Hold, hold } from '../values/hold.ts';
import { type Check, failed, passed } from './checks.ts';
import { divergingText, missingText, progressText, unreadableText } from './report-text.ts';

export interface ContentsNeeded {
  readonly monotonicMs: number;
  /** Answers over connections opened before do not count; undefined: nothing counts yet. */
  readonly sinceMs: number | undefined;
  /** At most this many milliseconds may have passed since the end of the sweep that covered everything. */
  readonly maxAgeMs: number;
  /** Name of a member for a person. */
  readonly nameOf: (nodeId: number) => string;
  /** Registers that no other home has are in the way, unless a person has said why they are not; undefined: they are
   *  never, as nothing is removed. */
  readonly registers?: { readonly accepted: string | undefined } | undefined;
}

/** What a proof records of its comparison. */
export interface Covered {
  /** Monotonic: whatever was held at this moment was seen on every other home. */
  readonly atMs: number;
  readonly partitions: number;
  /** An estimate; undefined when it is not known. */
  readonly records: number | undefined;
}

/** How old the last answer may be when something is done on it: only copies of what others hold reach an isolated
 *  member, and what has changed is compared again every few seconds. */
export const FRESH_MS = 15_000;

/** A sweep may take this long: members that answer more slowly, for all of their partitions, have to be waited for. */
const LONGEST_SWEEP_MS = 60_000;

/** When nothing has moved for this long, what is missing will not arrive by itself. */
export const STUCK_MS = 600_000;

export function contentsCheck(
  report: ComparisonReport | undefined,
  needed: ContentsNeeded,
): { readonly check: Check; readonly covered: Covered | undefined } {
  const open = (value: string, why: Hold) => ({ check: failed('contents', value, why), covered: undefined });
  const { sinceMs, monotonicMs, maxAgeMs, nameOf } = needed;
  if (report?.problem !== undefined)
    return open('unreadable', hold('ContentsUnreadable', unreadableText(report.problem, nameOf), true));
  const isCounting = sinceMs !== undefined && (report?.startedAtMs ?? Number.NEGATIVE_INFINITY) >= sinceMs;
  if (report === undefined || !isCounting)
    return open('not compared', hold('ComparingContents', 'the comparison of contents begins'));
  const { coveredAtMs } = report;
  if (report.state === 'complete' && coveredAtMs !== undefined && !isOutdated(report, monotonicMs, maxAgeMs)) {
    const partitions = report.partitionsTotal;
    const diverging = divergingText(report.diverging);
    if (diverging !== undefined && needed.registers !== undefined && needed.registers.accepted === undefined)
      return open('registers diverge', hold('RegistersDiverge', divergingMessage(diverging), true));
    const accepted = diverging === undefined ? '' : `, ${diverging} diverge${acceptedText(needed.registers?.accepted)}`;
    const check = passed('contents', `${countText(partitions)} partitions covered${accepted}`);
    return { check, covered: { atMs: coveredAtMs, partitions, records: sumOf(report.records) } };
  }
  const text = progressText(report, nameOf);
  if (report.missing.length === 0) return open(text, hold('ComparingContents', text));
  if (monotonicMs - report.movedAtMs > STUCK_MS) return open(text, stuckHold(report, nameOf));
  return open(text, hold('RecordsMissing', text));
}

/** Whether a complete comparison is too old to rely on. @param maxAgeMs since its last sweep */
export function isOutdated(
  { coveredAtMs, sweptAtMs }: Pick<ComparisonReport, 'coveredAtMs' | 'sweptAtMs'>,
  nowMs: number,
  maxAgeMs: number,
): boolean {
  const ageMs = nowMs - (sweptAtMs ?? Number.NEGATIVE_INFINITY);
  const wholeMs = nowMs - (coveredAtMs ?? Number.NEGATIVE_INFINITY);
  return ageMs > maxAgeMs || wholeMs > LONGEST_SWEEP_MS + maxAgeMs;
}

/** What is missing no longer changes, so the sentence stays the same. */
export function stuckHold(report: ComparisonReport, nameOf: (nodeId: number) => string): Hold {
  const what = missingText(report.missing, nameOf) ?? 'records are missing';
  const where = report.missing.reduce((sum, { partitions }) => sum + partitions, 0);
  const message = `${what}, in ${countText(where)} ${where === 1 ? 'partition' : 'partitions'}, and nothing has arrived for ${STUCK_MS / 60_000} minutes`;
  return hold('ReplicationStuck', message, true);
}

function divergingMessage(registers: string): string {
  return `no other home has ${registers}, and the server never copies them: merge the keys through a copy on every member, or accept it (kubectl mkv verify --show-keys)`;
}

function acceptedText(reason: string | undefined): string {
  return reason === undefined ? '' : `, accepted: ${reason}`;
}

function sumOf(records: ReadonlyMap<number, number>): number | undefined {
  if (records.size === 0) return undefined;
  let sum = 0;
  for (const about of records.values()) sum += about;
  return sum;
}
