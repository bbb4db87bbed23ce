// One scan of one partition: the digests of all members that may hold part of it, each asked once and used both as
// source and as home.

import type { PartitionDigest } from '@marekvs/api';
import type { Dialogue } from './dialogue.ts';
import type { Pair } from './source-home-pair.ts';

export const ASKED: unique symbol = Symbol('asked');
/** The digest could not be read in this scan. */
export const FAILED: unique symbol = Symbol('failed');

export interface PartitionScan {
  readonly partition: number;
  /** An answer that belongs to an earlier sweep changes nothing. */
  readonly sweep: number;
  /** By index of the member; undefined when it was not needed so far. */
  readonly digests: (PartitionDigest | typeof ASKED | typeof FAILED | undefined)[];
  /** Sources whose digest was read and that have something to compare. */
  readonly works: Work[];
  /** Pairs that are to be compared by streams when every digest was read. */
  wide: readonly WidePair[];
  /** Number of answers it waits for. */
  pending: number;
}

export interface WidePair {
  readonly work: Work;
  readonly pair: Pair;
}

/** A partition of a source with records, until it is covered. */
export interface Work {
  readonly source: number;
  readonly pairs: readonly Pair[];
  digest: PartitionDigest;
  /** The source showed this digest at every scan and lost no record: once covered, this is what is covered. */
  isSteady: boolean;
  /** A scan found it not covered. */
  isOpen: boolean;
}

/** A comparison of records that is under way. */
export interface Talk {
  readonly scan: PartitionScan;
  readonly dialogue: Dialogue;
  /** Called when nothing is left to ask. */
  end(nowMs: number): void;
}
