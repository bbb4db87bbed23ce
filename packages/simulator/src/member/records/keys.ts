// The keys of records, and from key to partition (docs/design/server.md#placement): CRC16/XMODEM of the key or of its
// {tag}, 14 bits, four slots per partition. A string or counter is one record under the key that clients use. Every
// other value has a head and a record for each of its parts: their keys go on with the letter of their kind, moved out
// of the range of bytes so that no key of a client looks like it, and the name of the part.

import { slotsPerPartition } from '../basics/constants.ts';

const LETTERS = 0x100;

/** What a record is, by the letter that its key has on the server. */
export type PartLetter = 'h' | 'S' | 'z' | 'H';

export function headKey(key: string): string {
  return key + HEAD;
}

export function partKey(key: string, letter: PartLetter, part: string): string {
  return key + String.fromCharCode(LETTERS + letter.charCodeAt(0)) + part;
}

export function isHeadKey(recordKey: string): boolean {
  return recordKey.endsWith(HEAD);
}

/** Whether it is the key of a HyperLogLog's register. */
export function isRegisterKey(recordKey: string): boolean {
  return splitKey(recordKey).letter === 'H';
}

/** A string's or counter's letter is `s`. */
export function splitKey(recordKey: string): { readonly key: string; readonly letter: string; readonly part: string } {
  const at = recordKey.search(OUT_OF_BYTES);
  if (at < 0) return { key: recordKey, letter: 's', part: '' };
  const letter = String.fromCharCode(recordKey.charCodeAt(at) - LETTERS);
  return { key: recordKey.slice(0, at), letter, part: recordKey.slice(at + 1) };
}

const HEAD = String.fromCharCode(LETTERS + 'M'.charCodeAt(0));
const OUT_OF_BYTES = /[\u0100-\uffff]/;

/** Slot of a key given as latin1 bytes: foo = 12182, bar = 5061, hello = 866. */
export function slotOfBytes(recordKey: string): number {
  let open = recordKey.indexOf('{');
  // Nearly all keys have no tag: their end is found while they are read.
  const key = open < 0 ? recordKey : splitKey(recordKey).key;
  if (open >= key.length) open = -1;
  const close = open < 0 ? -1 : key.indexOf('}', open + 1);
  const from = close > open + 1 ? open + 1 : 0;
  const to = close > open + 1 ? close : key.length;
  let crc = 0;
  for (let at = from; at < to; at += 1) {
    const byte = key.charCodeAt(at);
    if (byte >= LETTERS) break;
    crc = ((crc << 8) & 0xffff) ^ (table[((crc >> 8) ^ byte) & 0xff] ?? 0);
  }
  return crc % 16_384;
}

/** Of a key or of a record of it. */
export function partitionOf(key: string): number {
  return Math.floor(slotOfBytes(key) / slotsPerPartition);
}

const table = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  return crc & 0xffff;
});
