// The entries of one bucket as they are kept: three numbers each in one array of 24 bytes an entry. As objects of
// bigints they would take ten times as much, and one answer of a member has up to 65,536.

import type { RecordMark, RecordMarks } from '@marekvs/api';

const NUMBERS = 3;

export class PackedMarks implements RecordMarks {
  readonly length: number;
  readonly #numbers: BigUint64Array;

  /** @param next gives hash, version and content of each, one number after the other */
  constructor(length: number, next: () => bigint) {
    this.length = length;
    this.#numbers = new BigUint64Array(length * NUMBERS);
    for (let at = 0; at < this.#numbers.length; at += 1) this.#numbers[at] = next();
  }

  *[Symbol.iterator](): Iterator<RecordMark> {
    const numbers = this.#numbers;
    for (let at = 0; at < numbers.length; at += NUMBERS) {
      yield { hash: numbers[at] ?? 0n, version: numbers[at + 1] ?? 0n, content: numbers[at + 2] ?? 0n };
    }
  }
}
