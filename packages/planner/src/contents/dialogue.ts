// How a comparison of records asks: as a dialogue that yields a question, is given its answer, and ends when nothing is
// left to ask.

import type { PartitionDigest } from '@marekvs/api';
import type { ContentAnswer, ContentQuestion } from './comparison.ts';
import type { Judged } from './judged.ts';
import type { Ledger, Pair } from './source-home-pair.ts';

export interface ComparePairOptions {
  readonly pair: Pair;
  readonly partition: number;
  readonly buckets: readonly number[];
  readonly source: Side;
  readonly home: Side;
  readonly ledger: Ledger;
  readonly judged: Judged;
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

/** @typeParam T what it has found out in the end */
export type Dialogue<T = void> = Generator<ContentQuestion, T, AnswerAt>;
