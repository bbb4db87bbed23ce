// RESP2 bytes in, values out; no I/O. Chunks may be split anywhere. Everything that a hostile or broken peer could
// inflate is bounded: depth, length of lines and bulk strings, number of elements. After an error the decoder cannot be
// used again: RESP cannot resynchronise.

import { ByteQueue } from './byte-queue.ts';
import { StoreProtocolError, StoreTooLargeError } from './errors.ts';
import { RespErrorReply, type RespValue } from './resp-value.ts';

export interface RespLimits {
  /** Longest simple string, error or length line, in bytes; default 64 KiB. */
  readonly maxLineBytes?: number | undefined;
  /** Longest bulk string; default 4 MiB. */
  readonly maxBulkBytes?: number | undefined;
  /** Values in one reply, all levels together; default 200,000 (CLUSTER SLOTS at replicationFactor 2 has about
   *  41,000). */
  readonly maxElements?: number | undefined;
  /** Arrays in arrays; default 8 (CLUSTER SHARDS needs 4). */
  readonly maxDepth?: number | undefined;
}

interface OpenArray {
  readonly items: RespValue[];
  remaining: number;
}

const SIMPLE = 0x2b;
const ERROR = 0x2d;
const INTEGER = 0x3a;
const BULK = 0x24;
const ARRAY = 0x2a;
const text = new TextDecoder();

export class RespDecoder {
  readonly #queue = new ByteQueue();
  readonly #open: OpenArray[] = [];
  readonly #maxLineBytes: number;
  readonly #maxBulkBytes: number;
  readonly #maxElements: number;
  readonly #maxDepth: number;
  #elements = 0;
  /** Length of the bulk string whose header has been read, or -1. */
  #bulk = -1;
  /** Short bulk strings of the current array, by their last bytes. A slot table repeats the same few addresses and ids
   *  ten thousand times: as separate views they would take ten times the memory of the answer. */
  #seen: (Uint8Array | undefined)[] | undefined;
  #failure: unknown;

  constructor(limits: RespLimits = {}) {
    this.#maxLineBytes = limits.maxLineBytes ?? 65_536;
    this.#maxBulkBytes = limits.maxBulkBytes ?? 4 * 1024 * 1024;
    this.#maxElements = limits.maxElements ?? 200_000;
    this.#maxDepth = limits.maxDepth ?? 8;
  }

  /** Takes a chunk; it must not be changed afterwards, bulk strings are views into it. */
  push(chunk: Uint8Array): void {
    this.#queue.push(chunk);
  }

  /** The next complete reply, or undefined while it is not all there. Call until undefined.
   *  @throws StoreProtocolError not RESP2; StoreTooLargeError beyond a limit; the same again on every later call */
  next(): RespValue | undefined {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      return this.#next();
    } catch (failure) {
      this.#failure = failure;
      throw failure;
    }
  }

  #next(): RespValue | undefined {
    for (;;) {
      let value: RespValue | undefined = this.#element();
      if (value === undefined) return undefined;
      // #element has opened an array, whose items follow. Any other value may complete the innermost open array.
      if (value === OPENED) continue;
      for (;;) {
        const parent = this.#open.at(-1);
        if (parent === undefined) {
          this.#elements = 0;
          this.#seen = undefined;
          return value;
        }
        parent.items.push(value);
        parent.remaining -= 1;
        if (parent.remaining > 0) break;
        this.#open.pop();
        value = parent.items;
      }
    }
  }

  /** One scalar, one empty array, or OPENED for an array whose items follow. */
  #element(): RespValue | undefined {
    const queue = this.#queue;
    if (this.#bulk >= 0) return this.#bulkBody();
    if (queue.length === 0) return undefined;
    const type = queue.bytes[queue.start];
    if (type !== BULK && type !== INTEGER && type !== ARRAY && type !== SIMPLE && type !== ERROR) {
      throw new StoreProtocolError(`not a RESP2 reply: type byte 0x${(type ?? 0).toString(16).padStart(2, '0')}`);
    }
    const end = queue.lineEnd();
    if ((end < 0 ? queue.end : end) - queue.start > this.#maxLineBytes) {
      throw new StoreTooLargeError(this.#maxLineBytes, `a line of more than ${this.#maxLineBytes} bytes`);
    }
    if (end < 0) return undefined;
    if (queue.bytes[end] !== 0x0d) throw new StoreProtocolError('a RESP line that does not end in CRLF');
    this.#countElement();
    const from = queue.start + 1;
    if (type === SIMPLE || type === ERROR) {
      const line = text.decode(queue.bytes.subarray(from, end));
      queue.skipLine();
      return type === SIMPLE ? line : new RespErrorReply(line);
    }
    const number = parseInteger(queue.bytes, from, end);
    queue.skipLine();
    if (type === INTEGER) return number;
    if (number === -1) return null;
    if (number < 0) throw new StoreProtocolError(`a negative length: ${number}`);
    return type === BULK ? this.#openBulk(number) : this.#openArray(number);
  }

  #countElement(): void {
    this.#elements += 1;
    if (this.#elements > this.#maxElements) {
      throw new StoreTooLargeError(this.#maxElements, `more than ${this.#maxElements} values in one reply`);
    }
  }

  #openBulk(length: number): RespValue | undefined {
    if (length > this.#maxBulkBytes) {
      throw new StoreTooLargeError(this.#maxBulkBytes, `a bulk string of ${length} bytes, limit ${this.#maxBulkBytes}`);
    }
    this.#bulk = length;
    return this.#bulkBody();
  }

  #bulkBody(): RespValue | undefined {
    const queue = this.#queue;
    if (queue.length < this.#bulk + 2) return undefined;
    const body = this.#takeBulk(this.#bulk);
    this.#bulk = -1;
    if (queue.bytes[queue.start] !== 0x0d || queue.bytes[queue.start + 1] !== 0x0a) {
      throw new StoreProtocolError('a bulk string that is longer than announced');
    }
    queue.start += 2;
    return body;
  }

  #takeBulk(length: number): Uint8Array {
    const { bytes, start } = this.#queue;
    if (length === 0 || length > MAX_SHARED_BYTES || this.#open.length === 0) return this.#queue.take(length);
    this.#seen ??= new Array<Uint8Array | undefined>(SEEN_SLOTS);
    const last = start + length - 1;
    const at = (length + 31 * (bytes[last] ?? 0) + 7 * (bytes[last - 1] ?? 0)) % SEEN_SLOTS;
    const known = this.#seen[at];
    if (known !== undefined && isAt(known, length, bytes, start)) {
      this.#queue.start += length;
      return known;
    }
    const body = this.#queue.take(length);
    this.#seen[at] = body;
    return body;
  }

  #openArray(length: number): RespValue {
    if (length === 0) return [];
    if (this.#elements + length > this.#maxElements) {
      throw new StoreTooLargeError(this.#maxElements, `an array of ${length} values, limit ${this.#maxElements}`);
    }
    if (this.#open.length >= this.#maxDepth) {
      throw new StoreTooLargeError(this.#maxDepth, `arrays nested deeper than ${this.#maxDepth}`);
    }
    this.#open.push({ items: [], remaining: length });
    return OPENED;
  }
}

const MAX_SHARED_BYTES = 64;
const SEEN_SLOTS = 64;

function isAt(known: Uint8Array, length: number, bytes: Uint8Array, start: number): boolean {
  if (known.length !== length) return false;
  for (let i = 0; i < length; i += 1) if (known[i] !== bytes[start + i]) return false;
  return true;
}

/** Marks, by identity, that an array has been opened; never leaves this file. */
const OPENED: readonly RespValue[] = [];

/** A decimal integer of at most ±2^53 in bytes[from..end).
 *  @throws StoreProtocolError for anything else, also for the nothing between the type byte and CRLF */
export function parseInteger(bytes: Uint8Array, from: number, end: number): number {
  const isNegative = bytes[from] === 0x2d;
  const first = isNegative || bytes[from] === 0x2b ? from + 1 : from;
  let value = 0;
  for (let at = first; at < end; at += 1) {
    const digit = (bytes[at] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) throw new StoreProtocolError('a RESP integer with something else than digits');
    value = value * 10 + digit;
  }
  if (first >= end || value > Number.MAX_SAFE_INTEGER) throw new StoreProtocolError('a RESP integer out of range');
  return isNegative && value !== 0 ? -value : value;
}
