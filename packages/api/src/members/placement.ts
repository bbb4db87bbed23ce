// Which members home which partition, exactly as the real server computes it (docs/design/server.md#placement).
// Pure arithmetic: no phases but the `leaving` set given by the caller, no I/O. Who is a member is decided elsewhere.
// XXH3-64 runs on 32-bit halves because BigInt would cost about 100 times more in the loop over all partitions.

import { oncePer } from '../values/once-per.ts';

/** Number of partitions of every cluster; fixed in the server (docs/design/server.md#placement). */
export const PARTITIONS = 4096;
/** Number of hash slots clients see; four neighbouring slots make one partition. */
export const SLOTS = 16384;
/** The highest id a node may have; 65535 is the server's mark for an unknown origin
 *  (docs/design/server.md#placement). */
export const MAX_NODE_ID = 65534;

/** The homes of every partition for one set of members. Shared and cached: treat as read-only. */
export interface Placement {
  /** Distinct ids, ascending. */
  readonly ids: readonly number[];
  readonly replicationFactor: number;
  /** Homes per partition: min(replicationFactor, ids.length). */
  readonly width: number;
  /** Owners of partition p are at `p * width .. p * width + width - 1`, best first. */
  readonly owners: ArrayLike<number>;
}

// XXH3 constants: the mixed secret of 4-byte inputs with seed 0, and the multiplier of rrmxmx, as 32-bit halves.
const SECRET_HIGH = 0xc73ab174;
const SECRET_LOW = 0xc5ecd5a2;
const MULTIPLIER_HIGH = 0x9fb21c65;
const MULTIPLIER_LOW = 0x1e98df25;
const MULTIPLIER_LOW_1 = MULTIPLIER_LOW >>> 16;
const MULTIPLIER_LOW_0 = MULTIPLIER_LOW & 0xffff;

/** Upper half of (high:low) * multiplier mod 2^64; the lower half is plain `Math.imul(low, MULTIPLIER_LOW)`. */
function multiplyHigh(high: number, low: number): number {
  const low1 = low >>> 16;
  const low0 = low & 0xffff;
  const cross01 = Math.imul(low0, MULTIPLIER_LOW_1);
  const cross10 = Math.imul(low1, MULTIPLIER_LOW_0);
  const middle = (Math.imul(low0, MULTIPLIER_LOW_0) >>> 16) + (cross01 & 0xffff) + (cross10 & 0xffff);
  const carry = Math.imul(low1, MULTIPLIER_LOW_1) + (cross01 >>> 16) + (cross10 >>> 16) + (middle >>> 16);
  return (carry + Math.imul(high, MULTIPLIER_LOW) + Math.imul(low, MULTIPLIER_HIGH)) | 0;
}

/** XXH3-64 of the four bytes node_le || pid_le; writes the upper half to `out[0]`, the lower to `out[1]`. */
function hashInto(out: Uint32Array, nodeId: number, pid: number): void {
  const input = nodeId | (pid << 16);
  const high0 = input ^ SECRET_HIGH;
  const low0 = input ^ SECRET_LOW;
  let high = high0 ^ ((low0 << 17) | (high0 >>> 15)) ^ ((high0 << 24) | (low0 >>> 8));
  let low = low0 ^ ((high0 << 17) | (low0 >>> 15)) ^ ((low0 << 24) | (high0 >>> 8));
  let product = multiplyHigh(high, low);
  low = Math.imul(low, MULTIPLIER_LOW);
  high = product;
  low ^= (high >>> 3) + 4;
  product = multiplyHigh(high, low);
  low = Math.imul(low, MULTIPLIER_LOW);
  high = product;
  out[0] = high ^ (high >>> 28);
  out[1] = low ^ ((low >>> 28) | (high << 4));
}

const scratch = new Uint32Array(2);

/** The homes of all partitions. Cached for the last 64 different inputs (16 KiB each with two copies); 50 members take
 *  a few milliseconds. */
export function placementOf(ids: Iterable<number>, replicationFactor: number): Placement {
  const sorted = distinctAscending(ids);
  const key = `${checkFactor(replicationFactor)}:${sorted.join()}`;
  const known = cache.get(key);
  cache.delete(key); // set again below: a Map keeps insertion order, so the first key is the least recently used
  const placement = known ?? {
    ids: sorted,
    replicationFactor,
    width: Math.min(replicationFactor, sorted.length),
    owners: Uint16Array.from(rank(sorted, replicationFactor, 0, PARTITIONS)),
  };
  cache.set(key, placement);
  for (const oldest of cache.keys()) {
    if (cache.size <= CACHED_PLACEMENTS) break;
    cache.delete(oldest);
  }
  return placement;
}

const CACHED_PLACEMENTS = 64;
const cache = new Map<string, Placement>();

/** How many partitions each member homes; what `marekvs_cluster_owned_partitions` reads on a settled member. */
export function ownedCounts(ids: Iterable<number>, replicationFactor: number): ReadonlyMap<number, number> {
  return countsOf(placementOf(ids, replicationFactor));
}

/** Cached, because counting takes a quarter of a megabyte, and every pass over every node needs the result. */
const countsOf = oncePer(({ ids, owners }: Placement): ReadonlyMap<number, number> => {
  const counts = new Uint32Array(MAX_NODE_ID + 2);
  for (let i = 0; i < owners.length; i += 1) counts[owners[i] ?? 0] = (counts[owners[i] ?? 0] ?? 0) + 1;
  return new Map(ids.map((id) => [id, counts[id] ?? 0]));
});

/** The homes of one partition of a placement, best first. */
export function homesAt({ owners, width }: Placement, pid: number): readonly number[] {
  checkPartition(pid);
  const homes: number[] = [];
  for (let i = pid * width; i < (pid + 1) * width; i += 1) homes.push(owners[i] ?? 0);
  return homes;
}

/** Top-N insertion of every member into every partition of [from, to). `ascending` has no duplicates. */
function rank(ascending: readonly number[], factor: number, from: number, to: number): number[] {
  const width = Math.min(factor, ascending.length);
  const size = (to - from) * width;
  const owners = new Array<number>(size).fill(0);
  const highs = new Uint32Array(size);
  const lows = new Uint32Array(size);
  for (let n = 0; n < ascending.length; n += 1) {
    // Descending ids with a strict comparison: on equal scores the higher id, seen first, stays ahead.
    const id = ascending[ascending.length - 1 - n] ?? 0;
    for (let pid = from; pid < to; pid += 1) {
      hashInto(scratch, id, pid);
      const high = scratch[0] ?? 0;
      const low = scratch[1] ?? 0;
      const first = (pid - from) * width;
      let at = first + Math.min(n, width);
      while (at > first && isGreater(high, low, highs[at - 1] ?? 0, lows[at - 1] ?? 0)) {
        if (at < first + width) {
          owners[at] = owners[at - 1] ?? 0;
          highs[at] = highs[at - 1] ?? 0;
          lows[at] = lows[at - 1] ?? 0;
        }
        at -= 1;
      }
      if (at < first + width) {
        owners[at] = id;
        highs[at] = high;
        lows[at] = low;
      }
    }
  }
  return owners;
}

function isGreater(high: number, low: number, otherHigh: number, otherLow: number): boolean {
  return high > otherHigh || (high === otherHigh && low > otherLow);
}

function distinctAscending(ids: Iterable<number>): readonly number[] {
  const distinct = [...new Set(ids)];
  for (const id of distinct) checkId(id);
  return distinct.sort((a, b) => a - b);
}

function checkId(id: number): void {
  // 65535 is a legal u16 for the server's hash although no node may carry it.
  if (!Number.isInteger(id) || id < 0 || id > MAX_NODE_ID + 1) throw new RangeError(`node id ${id}: not in 0..65535`);
}

function checkPartition(pid: number): void {
  if (!Number.isInteger(pid) || pid < 0 || pid >= PARTITIONS) throw new RangeError(`partition ${pid}: not in 0..4095`);
}

function checkFactor(factor: number): number {
  if (!Number.isInteger(factor) || factor < 1) throw new RangeError(`replication factor ${factor}: not 1 or more`);
  return factor;
}

const CRC16_TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  return crc & 0xffff;
});

/** The slot of a key: CRC16/XMODEM mod 16384, of the part in the first non-empty `{…}` when there is one. */
export function slotOfKey(key: Uint8Array | string): number {
  const bytes = typeof key === 'string' ? new TextEncoder().encode(key) : key;
  const open = bytes.indexOf(0x7b);
  const close = open < 0 ? -1 : bytes.indexOf(0x7d, open + 1);
  const isTagged = close > open + 1;
  let crc = 0;
  for (let i = isTagged ? open + 1 : 0; i < (isTagged ? close : bytes.length); i += 1) {
    crc = ((crc << 8) & 0xffff) ^ (CRC16_TABLE[(crc >>> 8) ^ (bytes[i] ?? 0)] ?? 0);
  }
  return crc % SLOTS;
}

/** The partition a slot belongs to: four neighbouring slots each. */
export function partitionOfSlot(slot: number): number {
  if (!Number.isInteger(slot) || slot < 0 || slot >= SLOTS) throw new RangeError(`slot ${slot}: not in 0..16383`);
  return slot >>> 2;
}

/** The partition of a key. */
export function partitionOfKey(key: Uint8Array | string): number {
  return partitionOfSlot(slotOfKey(key));
}
