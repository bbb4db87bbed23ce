// A record as the server stores and sends it (docs/design/server.md#how-records-merge): the bytes of its key and of its
// value. Made only for those who ask for records; members hand each other versions. Numbers are big-endian.

import type { StoredRecord } from '@marekvs/api';
import type { Counter, Element, Register, Stamp, Version } from '../basics/messages.ts';
import { fixed, hlcBytes } from './hlc.ts';
import { isHeadKey, partitionOf, splitKey } from './keys.ts';
import { leb128 } from './partition-digest.ts';

const TOMBSTONE = 1;
const HEAD = 2;
const KIND_SHIFT = 2;
const COUNTER = 6;
/** By the letter of the record's key; every other kind is a register that a newer one replaces. */
const KINDS: Readonly<Record<string, number>> = { h: 1, j: 1, S: 2, z: 3, q: 4, x: 5, H: 7 };

export function storedRecord(version: Version): StoredRecord {
  return { key: bytesOf(storedKey(version.key)), value: bytesOf(storedValue(version)) };
}

/** Of a frame that has them, nearly. */
export function frameBytes(records: readonly StoredRecord[]): number {
  return records.reduce((sum, { key, value }) => sum + key.length + value.length + 4, 8);
}

function storedKey(recordKey: string): string {
  const { key, letter, part } = splitKey(recordKey);
  const head = fixed(partitionOf(key), 2) + letter;
  return letter === 's' ? head + key : head + sized(key) + part;
}

function storedValue({ key, clock, origin, value, isDead, expiresAtMs = 0, merged }: Version): string {
  const kind = merged?.kind === 'counter' ? COUNTER : (KINDS[splitKey(key).letter] ?? 0);
  const flags = (isDead ? TOMBSTONE : 0) | (isHeadKey(key) ? HEAD : kind << KIND_SHIFT);
  const envelope = byte(flags) + stamp({ clock, origin }) + fixed(Math.floor(expiresAtMs), 8);
  return envelope + (merged === undefined ? value : payloadOf(merged));
}

function payloadOf(merged: Element | Counter | Register): string {
  switch (merged.kind) {
    case 'element': {
      const live = merged.live.map((dot) => dotStamp(dot) + sized(dot.value));
      return byte(live.length) + live.join('') + byte(merged.covered.length) + merged.covered.map(dotStamp).join('');
    }
    case 'counter': {
      const { base, slots } = merged;
      const own = slots.map((slot) => fixed(slot.id, 2) + fixed(slot.increments, 8) + fixed(slot.decrements, 8));
      return stamp(base) + fixed(base.value, 8) + byte(slots.length) + own.join('');
    }
    case 'register':
      return byte(merged.rank);
  }
}

function stamp({ clock, origin }: Stamp): string {
  return hlcBytes(clock) + fixed(origin, 2);
}

/** Inside an element the origin comes first. */
function dotStamp({ clock, origin }: Stamp): string {
  return fixed(origin, 2) + hlcBytes(clock);
}

function sized(text: string): string {
  return leb128(0, text.length) + text;
}

function byte(value: number): string {
  return String.fromCharCode(value);
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}
