// A stable 64-bit digest of a sequence of small numbers, to compare what members say without keeping it. Two
// independent 32-bit lanes (murmur-style). It guards against accidents, not against a member that lies on purpose.

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
