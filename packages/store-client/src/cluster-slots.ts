// The full placement in one member's view, from `CLUSTER SLOTS` (557 KB, 3,383 ranges at replicationFactor 2): every range with
// all its homes, primary first. Fetch it once per proof, not per poll.

import type { RespValue } from './resp-value.ts';

export interface SlotRange {
  readonly start: number;
  readonly end: number;
  /** Homes of the range, primary first. */
  readonly owners: readonly number[];
}

export interface SlotsTable {
  readonly ranges: readonly SlotRange[];
  /** Slots in all ranges; 16384 when the table covers everything. */
  readonly assignedSlots: number;
  /** 16 hex digits, see {@link digestOfSlots}. */
  readonly digest: string;
}

/** Reads the answer of CLUSTER SLOTS.
 *  @throws StoreProtocolError anything but ascending ranges, each with at least one distinct home */
export function parseClusterSlots(_answer: RespValue): SlotsTable {
  throw new Error('parseClusterSlots: not yet');
}

/** 16 hex digits over the owner list of every partition's slots. Independent of how ranges are cut, so a table computed
 *  from `placementOf` compares equal to the server's. */
export function digestOfSlots(_ranges: readonly SlotRange[]): string {
  throw new Error('digestOfSlots: not yet');
}
