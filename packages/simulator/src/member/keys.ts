// From key to partition (docs/design/server.md#placement): CRC16/XMODEM of the key or of its {tag}, 14
// bits, four slots per partition.

import { slotsPerPartition } from './constants.ts';

/** Slot of a key given as latin1 bytes: foo = 12182, bar = 5061, hello = 866. */
export function slotOfBytes(key: string): number {
  const open = key.indexOf('{');
  const close = open < 0 ? -1 : key.indexOf('}', open + 1);
  const from = close > open + 1 ? open + 1 : 0;
  const to = close > open + 1 ? close : key.length;
  let crc = 0;
  for (let at = from; at < to; at += 1) {
    crc = ((crc << 8) & 0xffff) ^ (table[((crc >> 8) ^ key.charCodeAt(at)) & 0xff] ?? 0);
  }
  return crc % 16_384;
}

export function partitionOf(key: string): number {
  return Math.floor(slotOfBytes(key) / slotsPerPartition);
}

const table = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  return crc & 0xffff;
});
