// The comparison of contents, pure: takes answers in, gives the next questions out. Knows no clock or connection.

import type { PartitionDigest, PartitionStream, RecordMarks, StoredRecord } from '@marekvs/api';
import type { Judged } from './judged.ts';
import type { ComparisonReport, ComparisonRequest } from './request.ts';

/** One call to one member. */
export type ContentQuestion =
  | { readonly kind: 'digests'; readonly nodeId: number; readonly partitions: readonly number[] }
  | {
      readonly kind: 'entries';
      readonly nodeId: number;
      readonly partition: number;
      readonly buckets: readonly number[];
      readonly own: PartitionDigest;
    }
  | {
      readonly kind: 'records';
      readonly nodeId: number;
      readonly partition: number;
      readonly bucket: number;
      readonly hashes: readonly bigint[];
    }
  | { readonly kind: 'stream'; readonly nodeId: number; readonly partition: number }
  /** Nothing is asked of the member: much was computed, and others are to have their turn before it goes on. */
  | { readonly kind: 'turn'; readonly nodeId: number };

export type ContentAnswer =
  | { readonly kind: 'digests'; readonly digests: readonly PartitionDigest[] }
  /** At least of one bucket that was asked for: others were too many together. */
  | { readonly kind: 'entries'; readonly entries: ReadonlyMap<number, RecordMarks> }
  | { readonly kind: 'records'; readonly records: readonly StoredRecord[] }
  /** Undefined: the member said nothing, or has more than is taken. */
  | { readonly kind: 'stream'; readonly stream: PartitionStream | undefined }
  | { readonly kind: 'turn' }
  /** No usable answer came: the question is asked again later. */
  | { readonly kind: 'failed' };

export type ComparisonFigures = Pick<
  ComparisonReport,
  | 'coveredAtMs'
  | 'sweptAtMs'
  | 'partitionsDone'
  | 'partitionsTotal'
  | 'missing'
  | 'diverging'
  | 'records'
  | 'scannedAtMs'
  | 'movedAtMs'
> & { readonly isComplete: boolean };

export interface Comparison {
  /** The next question for this member; undefined when there is none now. At most one question per member is
   *  outstanding: its answer is given back before the next is asked for. */
  next(nodeId: number, nowMs: number): ContentQuestion | undefined;
  /** Takes one answer in. An answer to a question that is not outstanding changes nothing. */
  take(question: ContentQuestion, answer: ContentAnswer, nowMs: number): void;
  /** Milliseconds until there may be a question again, when no member has one now and none is outstanding; undefined
   *  when nothing is left to ask: the comparison is complete and no sweep is under way. */
  idleForMs(nowMs: number): number | undefined;
  /** Begins another sweep over what is covered: only what has changed since is compared again. Changes nothing unless
   *  the comparison is complete and no sweep is under way. Until the new sweep ends or finds something that is not
   *  covered, everything counts as covered as of the sweep before. */
  sweep(nowMs: number): void;
  /** It will go on much later: keeps little more than what is covered and how much is missing. No question may be
   *  outstanding. */
  rest(nowMs: number): void;
  figures(): ComparisonFigures;
  /** The users' keys of the registers that diverge, one character a byte: only for a person who may read them. */
  divergingKeys(): readonly string[];
}

/** @param judged what earlier comparisons of the cluster have found out; they go on to use it */
export type CreateComparison = (request: ComparisonRequest, nowMs: number, judged?: Judged) => Comparison;
