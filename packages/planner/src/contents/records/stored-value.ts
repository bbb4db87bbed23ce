// What a member stores for one record, decoded as far as it decides how two members' records merge
// (docs/design/server.md#how-records-merge). Total: what is not exactly one of the known layouts is undefined.

/** When and where a record was written last; the greater wins wherever records replace each other. */
export interface Version {
  readonly hlc: bigint;
  readonly origin: number;
}

export interface StoredValue {
  readonly version: Version;
  /** Wall clock, milliseconds; undefined: the record does not expire. */
  readonly deadlineMs: bigint | undefined;
  readonly isTombstone: boolean;
  /** The record that stands for a whole collection. */
  readonly isHead: boolean;
  /** The server's number of the kind of record. */
  readonly type: number;
  readonly content: Content;
  readonly payload: Uint8Array;
}

export type Content =
  /** Newer replaces older: strings, list elements, stream entries, heads, and tombstones of counters and registers. */
  | { readonly kind: 'replaced' }
  /** Hash fields, members of sets and sorted sets, parts of JSON documents, also dead: additions and removals merge. */
  | Element
  | Counter
  | Register;

/** A HyperLogLog register: the higher rank wins, whatever the versions. */
export interface Register {
  readonly kind: 'register';
  readonly rank: number;
}

export interface Element {
  readonly kind: 'element';
  /** Additions that no known removal covers, the newest first. Each is told by its version alone. */
  readonly live: readonly Version[];
  /** Additions that were removed, the newest first. */
  readonly covered: readonly Version[];
}

export interface Counter {
  readonly kind: 'counter';
  /** When and where it was set last; what was counted since is in the slots. */
  readonly base: Version;
  /** By the member that counted. */
  readonly slots: ReadonlyMap<number, { readonly increments: bigint; readonly decrements: bigint }>;
}

/** Flags u8, version u64, origin u16, deadline u64; big-endian, like all numbers here. */
const ENVELOPE_BYTES = 19;

const TOMBSTONE = 0x01;
const HEAD = 0x02;
const TYPE_SHIFT = 2;
/** Other flags are of a newer server: what they change is not known. */
const KNOWN_FLAGS = 0x1f;
const COUNTER = 6;
const REGISTER = 7;

export function decodeStoredValue(value: Uint8Array): StoredValue | undefined {
  if (value.length < ENVELOPE_BYTES) return undefined;
  const envelope = viewOf(value);
  const flags = envelope.getUint8(0);
  if (flags > KNOWN_FLAGS) return undefined;
  const type = flags >> TYPE_SHIFT;
  const isTombstone = (flags & TOMBSTONE) !== 0;
  const isHead = (flags & HEAD) !== 0;
  const payload = value.subarray(ENVELOPE_BYTES);
  const content = contentOf(type, isHead, isTombstone, payload);
  if (content === undefined) return undefined;
  const deadline = envelope.getBigUint64(11);
  return {
    version: { hlc: envelope.getBigUint64(1), origin: envelope.getUint16(9) },
    deadlineMs: deadline === 0n ? undefined : deadline,
    isTombstone,
    isHead,
    type,
    content,
    payload,
  };
}

/** The version that the entries show of a record, which is in every stored value, decodable or not. */
export function hlcOf(value: Uint8Array): bigint | undefined {
  return value.length < ENVELOPE_BYTES ? undefined : viewOf(value).getBigUint64(1);
}

/** Greater than 0 when `a` is newer. */
export function compareVersions(a: Version, b: Version): number {
  if (a.hlc !== b.hlc) return a.hlc > b.hlc ? 1 : -1;
  return a.origin - b.origin;
}

function contentOf(type: number, isHead: boolean, isTombstone: boolean, payload: Uint8Array): Content | undefined {
  if (isHead) return REPLACED;
  if (isElementType(type)) return elementOf(payload);
  if (isTombstone) return REPLACED;
  if (type === COUNTER) return counterOf(payload);
  return type === REGISTER ? registerOf(payload) : REPLACED;
}

const REPLACED: Content = { kind: 'replaced' };

function isElementType(type: number): boolean {
  return type >= 1 && type <= 3;
}

function registerOf(payload: Uint8Array): Content | undefined {
  const [rank] = payload;
  return rank === undefined || payload.length > 1 ? undefined : { kind: 'register', rank };
}

/** Origin u16, version u64. */
const DOT_BYTES = 10;

/** Most additions and most removals that a record keeps, the newest of each. More than 255 cannot be written. */
export const MAX_LIVE = 4;
export const MAX_COVERED = 255;

/** Count of live additions u8, each with a value and before it its length; then count of covered ones u8. */
export function elementOf(payload: Uint8Array): Element | undefined {
  const view = viewOf(payload);
  const liveCount = payload[0] ?? MAX_LIVE + 1;
  if (liveCount > MAX_LIVE) return undefined;
  const live: Version[] = [];
  let at = 1;
  for (let left = liveCount; left > 0; left -= 1) {
    const dot = dotAt(view, at);
    const length = lengthAt(payload, at + DOT_BYTES);
    if (dot === undefined || length === undefined) return undefined;
    live.push(dot);
    at = length.end + length.value;
  }
  const coveredCount = payload[at];
  if (coveredCount === undefined || payload.length !== at + 1 + coveredCount * DOT_BYTES) return undefined;
  const covered: Version[] = [];
  for (at += 1; at < payload.length; at += DOT_BYTES) {
    const dot = dotAt(view, at);
    if (dot === undefined) return undefined;
    covered.push(dot);
  }
  return areNewestFirst(live) && areNewestFirst(covered) ? { kind: 'element', live, covered } : undefined;
}

function dotAt(view: DataView, at: number): Version | undefined {
  if (at + DOT_BYTES > view.byteLength) return undefined;
  return { origin: view.getUint16(at), hlc: view.getBigUint64(at + 2) };
}

/** LEB128, of a length within the payload. */
function lengthAt(payload: Uint8Array, from: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  let scale = 1;
  for (let at = from; at < payload.length; at += 1) {
    const byte = payload[at] ?? 0;
    value += (byte & 0x7f) * scale;
    if (at + 1 + value > payload.length) return undefined;
    if (byte < 0x80) return { value, end: at + 1 };
    scale *= 0x80;
  }
  return undefined;
}

function areNewestFirst(dots: readonly Version[]): boolean {
  return dots.every((dot, i) => {
    const before = dots[i - 1];
    return before === undefined || compareVersions(before, dot) > 0;
  });
}

/** Base version u64, base origin u16, base value i64, number of slots u8. */
const COUNTER_BYTES = 19;
/** Node id u16, increments u64, decrements u64; ascending by id. */
const SLOT_BYTES = 18;

function counterOf(payload: Uint8Array): Counter | undefined {
  if (payload.length < COUNTER_BYTES) return undefined;
  const view = viewOf(payload);
  const count = view.getUint8(COUNTER_BYTES - 1);
  if (payload.length !== COUNTER_BYTES + count * SLOT_BYTES) return undefined;
  const slots = new Map<number, { increments: bigint; decrements: bigint }>();
  let before = -1;
  for (let at = COUNTER_BYTES; at < payload.length; at += SLOT_BYTES) {
    const nodeId = view.getUint16(at);
    if (nodeId <= before) return undefined;
    before = nodeId;
    slots.set(nodeId, { increments: view.getBigUint64(at + 2), decrements: view.getBigUint64(at + 10) });
  }
  return { kind: 'counter', base: { hlc: view.getBigUint64(0), origin: view.getUint16(8) }, slots };
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
