// Hostile inputs: real samples with something done to them, and pieces put together by chance. Everything follows from
// the number of the input, so that a failure can be repeated.

export interface Chance {
  /** A whole number from 0 to below `below`. */
  below(below: number): number;
  of<T>(list: readonly [T, ...T[]]): T;
}

/** Numbers that look random and follow from the seed (mulberry32). */
export function chanceOf(seed: number): Chance {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 0;
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
  return { below, of: (list) => list[below(list.length)] ?? list[0] };
}

const NUMBERS = ['0', '-1', '00', '9007199254740993', '4294967295', '65536', '16384', '1e9', 'NaN', ''];

type Mutation = (bytes: Buffer, chance: Chance, other: Buffer) => Buffer;

const MUTATIONS: readonly [Mutation, ...Mutation[]] = [
  (bytes, chance) => withByte(bytes, chance.below(bytes.length), chance.below(256)),
  (bytes, chance) => withByte(bytes, chance.below(bytes.length), chance.of([0, 0x7f, 0x80, 0xff, 0x0a, 0x0d, 0x20])),
  (bytes, chance) => bytes.subarray(0, chance.below(bytes.length)),
  (bytes, chance) => bytes.subarray(chance.below(bytes.length)),
  (bytes, chance) => repeated(bytes, chance),
  (bytes, chance, other) => Buffer.concat([bytes.subarray(0, chance.below(bytes.length)), cutOf(other, chance)]),
  (bytes, chance, other) => spliced(bytes, chance, cutOf(other, chance)),
  (bytes, chance) => spliced(bytes, chance, Buffer.from(chance.of(NUMBERS as [string, ...string[]]))),
];

/** One of the samples with up to four things done to it. */
export function mutated(samples: readonly Uint8Array[], chance: Chance): Buffer {
  let bytes = pick(samples, chance);
  for (let left = 1 + chance.below(4); left > 0 && bytes.length > 0; left -= 1) {
    bytes = chance.of(MUTATIONS)(bytes, chance, pick(samples, chance));
  }
  return bytes;
}

/** Pieces one after the other. */
export function assembled(pieces: (chance: Chance) => Uint8Array | string, chance: Chance): Buffer {
  const parts: Buffer[] = [];
  for (let left = 1 + chance.below(12); left > 0; left -= 1) {
    const piece = pieces(chance);
    parts.push(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : Buffer.from(piece));
  }
  return Buffer.concat(parts);
}

/** The bytes in up to three chunks, as a connection hands them over. */
export function chunksOf(bytes: Buffer, chance: Chance): readonly Buffer[] {
  const cuts = [chance.below(bytes.length + 1), chance.below(bytes.length + 1)].sort((a, b) => a - b);
  return [bytes.subarray(0, cuts[0]), bytes.subarray(cuts[0], cuts[1]), bytes.subarray(cuts[1])];
}

function pick(samples: readonly Uint8Array[], chance: Chance): Buffer {
  return Buffer.from(samples[chance.below(samples.length)] ?? []);
}

function cutOf(bytes: Buffer, chance: Chance): Buffer {
  const from = chance.below(bytes.length + 1);
  return bytes.subarray(from, from + chance.below(64));
}

function withByte(bytes: Buffer, at: number, byte: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = byte;
  return changed;
}

function spliced(bytes: Buffer, chance: Chance, piece: Buffer): Buffer {
  const at = chance.below(bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at + chance.below(8))]);
}

function repeated(bytes: Buffer, chance: Chance): Buffer {
  const piece = cutOf(bytes, chance);
  return Buffer.concat([bytes, ...Array<Buffer>(1 + chance.below(8)).fill(piece)]);
}
