// Answers with records that no member should give (knob `records`): what a reader of them has to survive.

import type { StoredRecord } from '@marekvs/api';

export const RECORD_ANSWERS = [
  'ok',
  'undecodable',
  'unknownFlags',
  'overrun',
  'unasked',
  'partial',
  'tooLarge',
] as const;

export type RecordAnswers = (typeof RECORD_ANSWERS)[number];

/** More than any frame may have. */
const TOO_MANY_BYTES = 9 * 1024 * 1024;
const ENVELOPE_BYTES = 19;

export function spoilt(records: readonly StoredRecord[], how: RecordAnswers): readonly StoredRecord[] {
  switch (how) {
    case 'ok':
      return records;
    case 'undecodable':
      return records.map(({ key, value }) => ({ key, value: value.slice(0, ENVELOPE_BYTES - 1) }));
    case 'unknownFlags':
      return records.map(({ key, value }) => ({ key, value: withByte(value, 0, (value[0] ?? 0) | 0x20) }));
    case 'overrun':
      return records.map(({ key, value }) => ({ key, value: withByte(value, ENVELOPE_BYTES, 0xff) }));
    case 'unasked':
      return records.map(({ key, value }) => ({ key: Uint8Array.from([...key, 0]), value }));
    case 'partial':
      return records.slice(0, Math.floor(records.length / 2));
    case 'tooLarge':
      return records.map(({ key }) => ({ key, value: new Uint8Array(TOO_MANY_BYTES) }));
  }
}

function withByte(value: Uint8Array, at: number, byte: number): Uint8Array {
  return value.map((old, index) => (index === at ? byte : old));
}
