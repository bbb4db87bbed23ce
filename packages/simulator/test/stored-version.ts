// Reads a version back from the bytes of a record: what member/records/stored-record.ts writes, the other way round.

import type { StoredRecord } from '@marekvs/api';
import type { Counter, Dot, Element, Register, Stamp, Version } from '../src/member/basics/messages.ts';
import { clockOf } from '../src/member/records/hlc.ts';
import { readValueOf } from '../src/member/records/merging.ts';

/** @throws RangeError when anything is missing or left over */
export function versionOf({ key, value }: StoredRecord): Version {
  const bytes = new Bytes(value);
  const flags = bytes.number(1);
  const stamp = { clock: bytes.clock(), origin: bytes.number(2) };
  const deadline = bytes.number(8);
  const isDead = (flags & 1) !== 0;
  const plain: Version = {
    ...stamp,
    key: recordKeyOf(new Bytes(key)),
    value: '',
    isDead,
    ...(deadline === 0 ? {} : { expiresAtMs: deadline }),
  };
  const merged = mergedOf((flags >> 2) & 7, isDead || (flags & 2) !== 0, bytes);
  if (merged === undefined) return { ...plain, value: bytes.rest() };
  bytes.end();
  return { ...plain, merged, value: readValueOf(merged) };
}

function recordKeyOf(bytes: Bytes): string {
  bytes.number(2);
  const letter = bytes.text(1);
  if (letter === 's') return bytes.rest();
  const key = bytes.text(bytes.length());
  return key + String.fromCharCode(0x100 + letter.charCodeAt(0)) + bytes.rest();
}

function mergedOf(kind: number, isDeadOrHead: boolean, bytes: Bytes): Element | Counter | Register | undefined {
  if (kind >= 1 && kind <= 3) return elementOf(bytes);
  if (isDeadOrHead) return undefined;
  if (kind === 7) return { kind: 'register', rank: bytes.number(1) };
  return kind === 6 ? counterOf(bytes) : undefined;
}

function elementOf(bytes: Bytes): Element {
  const live: Dot[] = bytes.list(() => ({ ...bytes.dotStamp(), value: bytes.text(bytes.length()) }));
  return { kind: 'element', live, covered: bytes.list(() => bytes.dotStamp()) };
}

function counterOf(bytes: Bytes): Counter {
  const base = { clock: bytes.clock(), origin: bytes.number(2), value: bytes.number(8) };
  const slots = bytes.list(() => ({ id: bytes.number(2), increments: bytes.number(8), decrements: bytes.number(8) }));
  return { kind: 'counter', base, slots };
}

class Bytes {
  readonly #text: string;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#text = Buffer.from(bytes).toString('latin1');
  }

  text(length: number): string {
    if (this.#at + length > this.#text.length) throw new RangeError('record ends early');
    this.#at += length;
    return this.#text.slice(this.#at - length, this.#at);
  }

  rest(): string {
    return this.text(this.#text.length - this.#at);
  }

  end(): void {
    if (this.rest() !== '') throw new RangeError('record goes on');
  }

  number(width: 1 | 2 | 8): number {
    const buffer = Buffer.from(this.text(width).padStart(8, '\0'), 'latin1');
    return Number(buffer.readBigInt64BE());
  }

  clock(): number {
    return clockOf(this.text(8));
  }

  dotStamp(): Stamp {
    const origin = this.number(2);
    return { clock: this.clock(), origin };
  }

  /** LEB128. */
  length(): number {
    let length = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.number(1);
      length += (byte & 0x7f) * factor;
      if (byte < 0x80) return length;
    }
  }

  list<T>(read: () => T): T[] {
    return Array.from({ length: this.number(1) }, read);
  }
}
