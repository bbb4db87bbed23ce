// The templates that a sequence of edits asks for, by a letter each, and what becomes of a Pod that is made from one.

import type { ComputeResources, RevisionRecord } from '../../src/index.ts';
import { CLUSTER, SMALL } from '../support/builders.ts';

export const GOOD = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'm'] as const;
export const BAD = ['w', 'x', 'y', 'z'] as const;
export type Letter = (typeof GOOD)[number] | (typeof BAD)[number];

/** `noImage`: its container never starts. `otherMesh`: the others do not understand its version. */
export type Fate = 'runs' | 'noImage' | 'crashes' | 'neverJoins' | 'otherMesh';

const FATES: Readonly<Record<(typeof BAD)[number], Fate>> = {
  w: 'neverJoins',
  x: 'noImage',
  y: 'crashes',
  z: 'otherMesh',
};

export function hashOf(letter: Letter): string {
  return letter.repeat(16);
}

export function fateOf(hash: string | undefined): Fate {
  const bad = BAD.find((letter) => hash === hashOf(letter));
  return bad === undefined ? 'runs' : FATES[bad];
}

/** `m` is `b` with more memory. */
export function resourcesOf(hash: string): ComputeResources {
  return hash === hashOf('m') ? { ...SMALL, memory: '2Gi' } : SMALL;
}

export function revisionOf(hash: string, number: number): RevisionRecord {
  return {
    name: `${CLUSTER}-${hash}`,
    uid: `revision-uid-${hash}-${number}`,
    resourceVersion: '1',
    hash,
    number,
    isValid: true,
    restartHash: `all else of ${hash === hashOf('m') ? hashOf('b') : hash}`,
    resources: resourcesOf(hash),
  };
}
