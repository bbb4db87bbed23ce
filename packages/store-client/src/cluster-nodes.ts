// One member's view of the cluster, from `CLUSTER NODES`. The server prints no phase and no dead member
// (docs/design/server.md#cluster-commands): joining and leaving members look alike here, both without slots. The
// planner tells them apart. One pass over the bytes: an answer is 36 KB, almost all of it slot ranges, and an operator
// reads hundreds a minute.

import { isIPv4 } from 'node:net';
import { INTEGER_RANGES, SLOTS } from '@marekvs/api';
import { StoreProtocolError, StoreTooLargeError } from './errors.ts';

/** One line of CLUSTER NODES: one member as another (or itself) sees it. */
export interface MemberLine {
  /** Node id, 0..65535. */
  readonly id: number;
  readonly ip: string;
  readonly respPort: number;
  readonly gossipPort: number;
  /** True on the line of the member that answered. */
  readonly myself: boolean;
  /** Start of the member's process, in Unix seconds. */
  readonly generation: number;
  /** Slots this member is primary of (0 = joining or leaving). */
  readonly primarySlots: number;
  /** Ranges as printed; adjacent ones are not merged by the server. */
  readonly rangeCount: number;
  /** 16 hex digits over the ranges as printed. Range borders depend on the owner lists too, so equal digests on all
   *  members are strong evidence of one placement. */
  readonly slotsDigest: string;
}

const LF = 0x0a;
const HEAD_BYTES = 128;
const RANGE_BYTES = 12;
const SPACE = 0x20;
const DASH = 0x2d;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Four times as many as a cluster can ask for: members that replace others, and those that are gone, come on top. */
const MAX_MEMBERS = 4 * INTEGER_RANGES.nodes.max;

/** Parses the payload of CLUSTER NODES. Lines come in the order of the answer (ids ascending on the real server).
 *  @throws StoreTooLargeError for more than `maxMembers` lines; StoreProtocolError for anything but complete lines of
 *  distinct members with ascending ranges, at most one `myself` */
export function parseClusterNodes(text: string | Uint8Array, maxMembers = MAX_MEMBERS): readonly MemberLine[] {
  const bytes = typeof text === 'string' ? encoder.encode(text) : text;
  const lines: MemberLine[] = [];
  let assigned = 0;
  for (let from = 0; from < bytes.length; ) {
    if (lines.length === maxMembers)
      throw new StoreTooLargeError(maxMembers, `CLUSTER NODES names more than ${maxMembers} members`);
    const headEnd = findRanges(bytes, from);
    const scan = scanRanges(bytes, headEnd);
    lines.push({ ...parseHead(decoder.decode(bytes.subarray(from, headEnd))), ...scan.slots });
    from = scan.next;
    assigned += scan.slots.primarySlots;
    if (assigned > SLOTS) throw new StoreProtocolError(`CLUSTER NODES assigns ${assigned} of ${SLOTS} slots`);
  }
  checkLines(lines);
  return lines;
}

/** Most bytes of an answer that names so many members: a range is at least one slot. */
export function maxBytesOfNodes(maxMembers = MAX_MEMBERS): number {
  return 1024 + maxMembers * HEAD_BYTES + SLOTS * RANGE_BYTES;
}

/** 16 hex digits over id, generation and slots of all lines, independent of their order and of the member that
 *  answered: two members with equal digests see the same members, generations and placement. */
export function digestOfNodes(lines: readonly MemberLine[]): string {
  const digest = new NumberDigest();
  for (const line of [...lines].sort((a, b) => a.id - b.id)) {
    digest
      .add(line.id)
      .add(line.generation >>> 0)
      .add(line.primarySlots)
      .add(line.rangeCount);
    digest.add(Number.parseInt(line.slotsDigest.slice(0, 8), 16)).add(Number.parseInt(line.slotsDigest.slice(8), 16));
  }
  return digest.hex();
}

/** The end of the eighth field: where the ranges, or the line end, begin. */
function findRanges(bytes: Uint8Array, from: number): number {
  let fields = 1;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === LF) return at;
    if (byte === SPACE) {
      if (fields === 8) return at;
      fields += 1;
    }
  }
  throw new StoreProtocolError('CLUSTER NODES is cut off');
}

// The server prints the id as a hexadecimal number of 40 digits (docs/design/server.md#cluster-commands).
const HEAD =
  /^0{36}([0-9a-f]{4}) ([0-9.]{7,15}):([0-9]{1,5})@([0-9]{1,5}) (myself,)?master - 0 0 ([0-9]{1,15}) connected$/;

function parseHead(head: string): Pick<MemberLine, 'id' | 'ip' | 'respPort' | 'gossipPort' | 'myself' | 'generation'> {
  const match = HEAD.exec(head);
  const [, id = '', ip = '', respPort, gossipPort, myself, generation] = match ?? [];
  const line = {
    id: Number.parseInt(id, 16),
    ip,
    respPort: Number(respPort),
    gossipPort: Number(gossipPort),
    myself: myself !== undefined,
    generation: Number(generation),
  };
  if (!match || !isIPv4(ip) || line.respPort > 65535 || line.gossipPort > 65535) {
    throw new StoreProtocolError(`CLUSTER NODES has a line that is no member: ${JSON.stringify(head.slice(0, 120))}`);
  }
  return line;
}

/** Reads ` s-e s-e …\n` from `from`; a single slot may stand for a range. */
function scanRanges(
  bytes: Uint8Array,
  from: number,
): { slots: Pick<MemberLine, 'primarySlots' | 'rangeCount' | 'slotsDigest'>; next: number } {
  const digest = new NumberDigest();
  let primarySlots = 0;
  let rangeCount = 0;
  let previousEnd = -1;
  let at = from;
  while (bytes[at] === SPACE) {
    at += 1;
    let start = 0;
    const startAt = at;
    for (let digit = (bytes[at] ?? 0) - 0x30; digit >= 0 && digit <= 9; digit = (bytes[at] ?? 0) - 0x30) {
      start = start * 10 + digit;
      at += 1;
    }
    let end = start;
    let isNumber = at > startAt && at - startAt <= 5;
    if (bytes[at] === DASH) {
      at += 1;
      end = 0;
      const endAt = at;
      for (let digit = (bytes[at] ?? 0) - 0x30; digit >= 0 && digit <= 9; digit = (bytes[at] ?? 0) - 0x30) {
        end = end * 10 + digit;
        at += 1;
      }
      isNumber &&= at > endAt && at - endAt <= 5;
    }
    if (!isNumber || start <= previousEnd || end < start || end >= SLOTS) {
      throw new StoreProtocolError(`CLUSTER NODES has a slot range that is none after slot ${previousEnd}`);
    }
    digest.add((start << 16) | end);
    primarySlots += end - start + 1;
    rangeCount += 1;
    previousEnd = end;
  }
  if (bytes[at] !== LF)
    throw new StoreProtocolError('CLUSTER NODES is cut off or has an odd byte among its slot ranges');
  return { slots: { primarySlots, rangeCount, slotsDigest: digest.hex() }, next: at + 1 };
}

function checkLines(lines: readonly MemberLine[]): void {
  if (lines.length === 0) throw new StoreProtocolError('CLUSTER NODES names no member');
  if (new Set(lines.map((line) => line.id)).size !== lines.length) {
    throw new StoreProtocolError('CLUSTER NODES names a member twice');
  }
  if (lines.filter((line) => line.myself).length > 1) throw new StoreProtocolError('CLUSTER NODES says myself twice');
}

// A stable 64-bit digest of a sequence of small numbers, to compare answers of members without keeping them. Two
// independent 32-bit lanes (murmur-style). Guards against accidents, not against a member that lies on purpose.
export class NumberDigest {
  #a = 0x9747b28c | 0;
  #b = 0x3c6ef372 | 0;

  /** Adds one number of 0..2^32-1. */
  add(value: number): this {
    let mixed = Math.imul(value ^ this.#a, 0xcc9e2d51);
    this.#a = Math.imul(mixed ^ (mixed >>> 15), 0x1b873593) ^ ((this.#a << 13) | (this.#a >>> 19));
    mixed = Math.imul(value ^ this.#b, 0x85ebca6b);
    this.#b = (Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) + ((this.#b << 7) | (this.#b >>> 25))) | 0;
    return this;
  }

  /** 16 hex digits. */
  hex(): string {
    return hex32(finish(this.#a)) + hex32(finish(this.#b));
  }
}

function finish(lane: number): number {
  let value = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return value ^ (value >>> 16);
}

function hex32(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}
