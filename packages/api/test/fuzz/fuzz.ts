// Feeds a decoder with hostile inputs: none may make it throw anything but its typed error, or make more of an input
// than ten times its bytes.

import { assembled, type Chance, chanceOf, chunksOf, mutated } from './inputs.ts';

export interface FuzzedDecoder {
  readonly name: string;
  readonly samples: readonly Uint8Array[];
  /** Part of an input made by chance, which looks like what is read. */
  piece(chance: Chance): Uint8Array | string;
  /** Decodes all of it.
   *  @returns what it cost: entries, values, lines, characters copied; undefined when it is refused */
  decode(chunks: readonly Buffer[]): number | undefined;
  /** Errors that say that the input is refused. */
  isRefusal(error: unknown): boolean;
}

/** What an input of no bytes at all may cost. */
const FREE = 64;
const COST_PER_BYTE = 10;

export interface FuzzFigures {
  /** Inputs that were decoded; all others were refused. */
  readonly decoded: number;
  /** The greatest cost for each byte, of inputs of at least 64 bytes. */
  readonly costPerByte: number;
}

/** @throws Error that names the input */
export function fuzz(decoder: FuzzedDecoder, inputs: number): FuzzFigures {
  let decoded = 0;
  let costPerByte = 0;
  for (let seed = 0; seed < inputs; seed += 1) {
    const chance = chanceOf(seed);
    const bytes = chance.below(3) === 0 ? assembled(decoder.piece, chance) : mutated(decoder.samples, chance);
    const cost = costOf(decoder, chunksOf(bytes, chance), seed);
    if (cost === undefined) continue;
    decoded += 1;
    if (cost > FREE + COST_PER_BYTE * bytes.length)
      throw new Error(`${decoder.name}, input ${seed}: ${bytes.length} bytes cost ${cost}`);
    if (bytes.length >= FREE) costPerByte = Math.max(costPerByte, cost / bytes.length);
  }
  return { decoded, costPerByte };
}

/** Undefined when the input is refused. */
function costOf(decoder: FuzzedDecoder, chunks: readonly Buffer[], seed: number): number | undefined {
  try {
    return decoder.decode(chunks);
  } catch (error) {
    if (decoder.isRefusal(error)) return undefined;
    throw new Error(`${decoder.name}, input ${seed}: ${error}`, { cause: error });
  }
}

/** How much a value holds: each number, text and view is one, and each text as many more as it has characters. */
export function sizeOf(made: unknown): number {
  if (typeof made === 'string') return 1 + made.length;
  if (typeof made !== 'object' || made === null || made instanceof Uint8Array) return 1;
  let size = 1;
  const parts = Symbol.iterator in made ? (made as Iterable<unknown>) : Object.values(made);
  for (const part of parts) size += sizeOf(part);
  return size;
}
