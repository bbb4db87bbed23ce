// The fields of one message, read one after the other. Bounds are checked at every step, and numbers must have their
// shortest form: only then are digests equal exactly when their bytes are.

import { BUCKETS, PARTITIONS } from '@marekvs/api';
import { StoreProtocolError } from '../errors.ts';

const words = new DataView(new ArrayBuffer(8));

export class MessageFields {
  readonly #bytes: Uint8Array;
  #at = 0;
  // The number read last, in two halves: most numbers are small, and there are too many of 64 bits to build each from
  // bigints byte by byte.
  #low = 0;
  #high = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new StoreProtocolError('a message that ends too early');
    this.#at += 1;
    return byte;
  }

  bool(): boolean {
    const byte = this.byte();
    if (byte > 1) throw new StoreProtocolError('a truth value that is neither 0 nor 1');
    return byte === 1;
  }

  /** A number below 2^32. @throws StoreProtocolError when it is larger than `max` */
  small(max: number): number {
    this.#number();
    if (this.#high !== 0 || this.#low > max) throw new StoreProtocolError('a number that is too large for its field');
    return this.#low;
  }

  large(): bigint {
    this.#number();
    words.setUint32(0, this.#low, true);
    words.setUint32(4, this.#high, true);
    return words.getBigUint64(0, true);
  }

  partition(): number {
    return this.small(PARTITIONS - 1);
  }

  /** The number of items that follow. @throws StoreProtocolError when they, of at least `itemBytes` each, do not fit */
  count(itemBytes: number): number {
    return this.small(Math.floor(this.remaining / itemBytes));
  }

  /** The next bytes, as a view. */
  view(length: number): Uint8Array {
    if (length > this.remaining) throw new StoreProtocolError('a message that ends too early');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** The bucket digests as they are, one character for each byte. */
  digests(): string {
    if (this.small(0xffff) !== BUCKETS) throw new StoreProtocolError(`not the digests of ${BUCKETS} buckets`);
    const from = this.#at;
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) this.#number();
    const { buffer, byteOffset } = this.#bytes;
    // Not a TextDecoder: its latin1 is another code page, in which some bytes become other characters.
    return Buffer.from(buffer, byteOffset + from, this.#at - from).toString('latin1');
  }

  end(): void {
    if (this.remaining > 0) throw new StoreProtocolError('a message that is longer than its fields');
  }

  /** LEB128: seven bits a byte, the lowest first, at most ten bytes. */
  #number(): void {
    let low = 0;
    let middle = 0;
    let high = 0;
    for (let i = 0; ; i += 1) {
      const byte = this.byte();
      const bits = byte & 0x7f;
      if (i < 4) low |= bits << (7 * i);
      else if (i < 8) middle |= bits << (7 * (i - 4));
      else high |= bits << (7 * (i - 8));
      if (i === 9 && byte > 1) throw new StoreProtocolError('a number of more than 64 bits');
      if (byte >= 0x80) continue;
      if (byte === 0 && i > 0) throw new StoreProtocolError('a number that is not in its shortest form');
      this.#low = (low | (middle << 28)) >>> 0;
      this.#high = ((middle >>> 4) | (high << 24)) >>> 0;
      return;
    }
  }
}
