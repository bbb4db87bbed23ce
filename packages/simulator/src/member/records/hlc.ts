// The hybrid clock of records: as members count it here, in steps of a wall millisecond, which fit into a number, and
// as the server stores it.

import { clockStepsPerMs } from '../basics/constants.ts';

/** The hybrid clock of the server: wall milliseconds, and 16 bits that count within one. */
export function hlcOf(clock: number): bigint {
  return (BigInt(Math.floor(clock / clockStepsPerMs)) << 16n) | BigInt(clock % clockStepsPerMs);
}

/** As eight bytes in latin1. */
export function hlcBytes(clock: number): string {
  return fixed(hlcOf(clock), 8);
}

/** Its inverse. */
export function clockOf(bytes: string): number {
  const hlc = Buffer.from(bytes, 'latin1').readBigUInt64BE();
  return Number(hlc >> 16n) * clockStepsPerMs + Number(hlc & 0xffffn);
}

/** A number of eight bytes, big-endian, or its last ones; bytes as latin1. */
export function fixed(value: number | bigint, width: 2 | 8): string {
  const buffer = Buffer.alloc(8);
  buffer.writeBigInt64BE(BigInt.asIntN(64, BigInt(value)));
  return buffer.toString('latin1', 8 - width);
}
