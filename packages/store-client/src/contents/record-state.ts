// Reads from the stored value of a record how it merges: its version and, for the kinds that merge, what they have
// merged. No other user data leaves this file. An unexpected value gives undefined, not an error.

import type { RecordState } from '@marekvs/api';

/** flags u8, version u64, origin u16, deadline u64; all big-endian. */
const ENVELOPE_BYTES = 19;
/** Base version u64, base origin u16, base value i64, number of slots u8. */
const COUNTER_BYTES = 19;
/** Node id u16, increments u64, decrements u64. */
const SLOT_BYTES = 18;

const TOMBSTONE = 0x01;
/** Collection head: bit 1. Kind: bits 2-4. Further bits are of a newer server and unknown here. */
const KIND_SHIFT = 2;
const KNOWN_FLAGS = 0x1f;
const COUNTER = 6;
const REGISTER = 7;

/** Undefined for anything that is not exactly one of the kinds known. Never throws. */
export function decodeRecordState(value: Uint8Array): RecordState | undefined {
  if (value.length < ENVELOPE_BYTES) return undefined;
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  const flags = view.getUint8(0);
  const version = view.getBigUint64(1);
  if (flags > KNOWN_FLAGS) return undefined;
  if ((flags & TOMBSTONE) !== 0 || flags >> KIND_SHIFT < COUNTER) return { kind: 'replaced', version };
  const payload = new DataView(value.buffer, value.byteOffset + ENVELOPE_BYTES, value.byteLength - ENVELOPE_BYTES);
  if (flags === COUNTER << KIND_SHIFT) return counterOf(version, payload);
  if (flags === REGISTER << KIND_SHIFT) return registerOf(version, payload);
  return undefined;
}

function registerOf(version: bigint, payload: DataView): RecordState | undefined {
  return payload.byteLength === 1 ? { kind: 'register', version, rank: payload.getUint8(0) } : undefined;
}

function counterOf(version: bigint, payload: DataView): RecordState | undefined {
  if (payload.byteLength < COUNTER_BYTES) return undefined;
  const count = payload.getUint8(COUNTER_BYTES - 1);
  if (payload.byteLength !== COUNTER_BYTES + count * SLOT_BYTES) return undefined;
  const slots = new Map<number, { increments: bigint; decrements: bigint }>();
  for (let at = COUNTER_BYTES; at < payload.byteLength; at += SLOT_BYTES) {
    slots.set(payload.getUint16(at), {
      increments: payload.getBigUint64(at + 2),
      decrements: payload.getBigUint64(at + 10),
    });
  }
  if (slots.size !== count) return undefined;
  return { kind: 'counter', version, base: { version: payload.getBigUint64(0), origin: payload.getUint16(8) }, slots };
}
