// The full placement in one member's view, from `CLUSTER SLOTS` (557 KB, 3,383 ranges at replicationFactor 2): every
// range with all its homes, primary first. With it, tests show that the placement that the operator computes is the
// server's.

import { SLOTS } from '@marekvs/api';
import { NumberDigest } from '../../src/cluster-nodes.ts';
import { StoreProtocolError } from '../../src/errors.ts';
import { parseNodeId } from '../../src/node-id.ts';
import type { RespValue } from '../../src/resp-value.ts';

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
 *  @throws StoreProtocolError anything but ascending ranges, each with at least one home and no home twice */
export function parseClusterSlots(answer: RespValue): SlotsTable {
  if (!Array.isArray(answer)) throw new StoreProtocolError('CLUSTER SLOTS did not answer with an array');
  const ranges = answer.map((entry: RespValue) => parseRange(entry));
  let previousEnd = -1;
  let assignedSlots = 0;
  for (const { start, end } of ranges) {
    if (start <= previousEnd) throw new StoreProtocolError(`CLUSTER SLOTS goes back at slot ${start}`);
    previousEnd = end;
    assignedSlots += end - start + 1;
  }
  return { ranges, assignedSlots, digest: digestOfSlots(ranges) };
}

/** 16 hex digits over the owners of every slot. Independent of how equal neighbours are cut into ranges, so a table
 *  computed from `placementOf` compares equal to the server's. `ranges` are ascending. */
export function digestOfSlots(ranges: readonly SlotRange[]): string {
  const digest = new NumberDigest();
  for (let i = 0; i < ranges.length; ) {
    const { start, end, owners } = ranges[i] ?? NO_RANGE;
    let mergedEnd = end;
    for (i += 1; i < ranges.length; i += 1) {
      const next = ranges[i] ?? NO_RANGE;
      if (next.start !== mergedEnd + 1 || !isSame(next.owners, owners)) break;
      mergedEnd = next.end;
    }
    digest.add((start << 16) | mergedEnd).add(owners.length);
    for (const owner of owners) digest.add(owner);
  }
  return digest.hex();
}

const NO_RANGE: SlotRange = { start: -1, end: -1, owners: [] };

function isSame(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((id, i) => id === right[i]);
}

function parseRange(entry: RespValue): SlotRange {
  if (!Array.isArray(entry)) throw new StoreProtocolError('CLUSTER SLOTS has an entry that is no array');
  const [start, end, ...nodes] = entry as readonly RespValue[];
  if (typeof start !== 'number' || typeof end !== 'number' || start < 0 || end < start || end >= SLOTS) {
    throw new StoreProtocolError('CLUSTER SLOTS has a range outside 0..16383');
  }
  const owners = nodes.map(idOf);
  if (owners.length === 0) throw new StoreProtocolError(`CLUSTER SLOTS gives slot ${start} no home`);
  if (new Set(owners).size !== owners.length)
    throw new StoreProtocolError(`CLUSTER SLOTS gives slot ${start} a home twice`);
  return { start, end, owners };
}

/** The id in `[ip, port, id40]`. */
function idOf(node: RespValue): number {
  const id: RespValue | undefined = Array.isArray(node) ? node[2] : undefined;
  const number = id instanceof Uint8Array ? parseNodeId(id) : undefined;
  if (number === undefined) throw new StoreProtocolError('CLUSTER SLOTS has a home without a node id');
  return number;
}
