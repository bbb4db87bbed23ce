// Answers: has the turn of a member failed with a template that is not asked for any more, so that it is kept out of the
// Service and nothing brings it back but the next one? It may lack a mesh connection, or join for ever: what would keep
// any other turn from beginning is its own trouble, and a restart on its own volume loses nothing. Pure.

import type { NodeRecord } from '../observation.ts';

/** Clients were let in to it once, and are not now, without an operation that would let them in again. */
export function isHeldOut({ serving, wasActive, intent, removalMark, stopped, isDeleting }: NodeRecord): boolean {
  const isUnasked = removalMark === undefined && stopped === undefined && !isDeleting;
  return !serving && wasActive && intent === 'Active' && isUnasked;
}
