// Writes stored values as the server does, from the description of their layout and without any of our code.

export interface Stamped {
  readonly hlc: bigint;
  readonly origin?: number;
  readonly deadlineMs?: bigint;
}

export const TOMBSTONE = 1;
export const HEAD = 2;
/** The server's numbers of the kinds. */
export const TYPE = { string: 0, field: 1, member: 2, scored: 3, list: 4, entry: 5, counter: 6, register: 7 } as const;

export function stored(flags: number, { hlc, origin = 0, deadlineMs = 0n }: Stamped, payload: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.of(flags), u64(hlc), u16(origin), u64(deadlineMs), payload]);
}

export function string(at: Stamped, text = 'value'): Uint8Array {
  return stored(TYPE.string << 2, at, Buffer.from(text));
}

export function tombstone(type: number, at: Stamped): Uint8Array {
  return stored((type << 2) | TOMBSTONE, at, Buffer.alloc(0));
}

export type Dot = readonly [hlc: bigint, origin: number];

export function element(at: Stamped, live: readonly Dot[], covered: readonly Dot[] = [], type = TYPE.field as number) {
  const dead = live.length === 0 ? TOMBSTONE : 0;
  return stored((type << 2) | dead, at, elementPayload(live, covered));
}

export function elementPayload(live: readonly Dot[], covered: readonly Dot[]): Uint8Array {
  return Buffer.concat([
    Buffer.of(live.length),
    ...live.flatMap((dot) => [dotBytes(dot), Buffer.of(2), Buffer.from('v1')]),
    Buffer.of(covered.length),
    ...covered.map(dotBytes),
  ]);
}

export type Slot = readonly [nodeId: number, increments: bigint, decrements: bigint];

export function counter(at: Stamped, slots: readonly Slot[], base: Dot = [0n, 0], value = 0n): Uint8Array {
  return stored(
    TYPE.counter << 2,
    at,
    Buffer.concat([
      u64(base[0]),
      u16(base[1]),
      u64(BigInt.asUintN(64, value)),
      Buffer.of(slots.length),
      ...slots.flatMap(([nodeId, increments, decrements]) => [u16(nodeId), u64(increments), u64(decrements)]),
    ]),
  );
}

export function register(at: Stamped, rank: number): Uint8Array {
  return stored(TYPE.register << 2, at, Buffer.of(rank));
}

function dotBytes([hlc, origin]: Dot): Uint8Array {
  return Buffer.concat([u16(origin), u64(hlc)]);
}

function u64(value: bigint): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}

function u16(value: number): Uint8Array {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
