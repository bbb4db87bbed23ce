// What a member does to whoever asks it when its owner means harm, or runs an image of his own: the most expensive
// answers that the protocols allow.

import { BUCKETS, type PartitionDigest, type RecordMark } from '@marekvs/api';

export const HOSTILITIES = [
  /** Entries come in frames of 8 MiB, three bytes an entry. */
  'largestFrames',
  /** Frames that nobody asked for, without end. */
  'unaskedFrames',
  /** CLUSTER NODES has 50,000 lines. */
  'longList',
  /** Digests and entries are other ones at every look. */
  'restlessContents',
  /** Figures come at one byte a second. */
  'slowBytes',
] as const;
export type Hostility = (typeof HOSTILITIES)[number];

const LIST_LINES = 50_000;
const RESTLESS_ENTRIES = 100;

/** Lines of members that are none, below the true ones. */
export const longList: () => string = once(() =>
  Array.from(
    { length: LIST_LINES },
    (_, at) => `${(10_000 + at).toString(16).padStart(40, '0')} 10.9.9.9:6379@7946 master - 0 0 17 connected\n`,
  ).join(''),
);

/** 256 numbers of one byte, none of them 0. */
export function restlessDigest(random: () => number): PartitionDigest {
  return String.fromCharCode(...Array.from({ length: BUCKETS }, () => 1 + Math.floor(random() * 127)));
}

export function restlessEntries(random: () => number): readonly RecordMark[] {
  const number = () => BigInt(Math.floor(random() * 2 ** 53));
  return Array.from({ length: RESTLESS_ENTRIES }, () => ({ hash: number(), version: number(), content: number() }));
}

function once(make: () => string): () => string {
  let made: string | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
