// Values in, RESP bytes out; no I/O. For both ends: commands of the client and answers of the simulated member.
// Maps and nulls differ between RESP2 and RESP3, all else is the same; the caller says which was agreed in HELLO.

import { RespErrorReply, type RespValue } from './resp-value.ts';

export type RespVersion = 2 | 3;

const encoder = new TextEncoder();

/** Collects one or many RESP values into one growing buffer. */
export class RespWriter {
  #bytes: Uint8Array;
  #length = 0;

  constructor(initialBytes = 256) {
    this.#bytes = new Uint8Array(initialBytes);
  }

  get length(): number {
    return this.#length;
  }

  /** The bytes so far as a view; writing on does not change it, `clear` does. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  /** `+text`. @throws RangeError when the text holds CR or LF */
  simple(text: string): this {
    return this.#line(0x2b, text);
  }

  /** `-message`; the first word is the code. @throws RangeError when the message holds CR or LF */
  error(message: string): this {
    return this.#line(0x2d, message);
  }

  /** `:n`. @throws RangeError unless a safe integer */
  integer(value: number): this {
    if (!Number.isSafeInteger(value)) throw new RangeError(`RESP integer ${value}: not a safe integer`);
    return this.#number(0x3a, value);
  }

  bulk(value: string | Uint8Array): this {
    const bytes = typeof value === 'string' ? encoder.encode(value) : value;
    this.#number(0x24, bytes.length);
    this.#reserve(bytes.length + 2);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    return this.#crlf();
  }

  /** `$-1` in RESP2, `_` in RESP3. */
  null(version: RespVersion = 2): this {
    return version === 3 ? this.#line(0x5f, '') : this.#number(0x24, -1);
  }

  /** `*n`: the next n values belong to it. */
  array(length: number): this {
    return this.#number(0x2a, length);
  }

  /** The next 2·n values are n pairs: `%n` in RESP3, a flat array in RESP2. */
  map(pairs: number, version: RespVersion = 2): this {
    return version === 3 ? this.#number(0x25, pairs) : this.array(2 * pairs);
  }

  /** Any value as it was decoded. */
  value(value: RespValue): this {
    if (value === null) return this.null();
    if (typeof value === 'string') return this.simple(value);
    if (typeof value === 'number') return this.integer(value);
    if (value instanceof Uint8Array) return this.bulk(value);
    if (value instanceof RespErrorReply) return this.error(value.message);
    this.array(value.length);
    for (const item of value) this.value(item);
    return this;
  }

  /** One command: an array of bulk strings. */
  command(parts: readonly (string | Uint8Array)[]): this {
    this.array(parts.length);
    for (const part of parts) this.bulk(part);
    return this;
  }

  #line(type: number, text: string): this {
    if (/[\r\n]/.test(text)) throw new RangeError('a RESP line must not hold CR or LF');
    const bytes = encoder.encode(text);
    this.#reserve(bytes.length + 3);
    this.#bytes[this.#length] = type;
    this.#bytes.set(bytes, this.#length + 1);
    this.#length += bytes.length + 1;
    return this.#crlf();
  }

  #number(type: number, value: number): this {
    this.#reserve(24);
    this.#bytes[this.#length] = type;
    this.#length += 1;
    const digits = String(value);
    for (let i = 0; i < digits.length; i += 1) this.#bytes[this.#length + i] = digits.charCodeAt(i);
    this.#length += digits.length;
    return this.#crlf();
  }

  #crlf(): this {
    this.#reserve(2);
    this.#bytes[this.#length] = 0x0d;
    this.#bytes[this.#length + 1] = 0x0a;
    this.#length += 2;
    return this;
  }

  #reserve(more: number): void {
    if (this.#bytes.length - this.#length >= more) return;
    const larger = new Uint8Array(2 * (this.#length + more));
    larger.set(this.bytes());
    this.#bytes = larger;
  }
}

export const encodeSimple = (text: string): Uint8Array => new RespWriter(text.length + 3).simple(text).bytes();
export const encodeError = (message: string): Uint8Array => new RespWriter(message.length + 3).error(message).bytes();
export const encodeInteger = (value: number): Uint8Array => new RespWriter(24).integer(value).bytes();
export const encodeBulk = (value: string | Uint8Array): Uint8Array =>
  new RespWriter(value.length + 32).bulk(value).bytes();
export const encodeNull = (version: RespVersion = 2): Uint8Array => new RespWriter(8).null(version).bytes();
/** Any value, arrays included. */
export const encodeValue = (value: RespValue): Uint8Array => new RespWriter().value(value).bytes();
/** One command as a client sends it. */
export const encodeCommand = (parts: readonly (string | Uint8Array)[]): Uint8Array =>
  new RespWriter().command(parts).bytes();
