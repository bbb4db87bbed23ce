// Answers: is a member kept out of the Service by a failed turn, with a template that is not asked for any more? Only
// its next turn brings it back. The member may lack a mesh connection, or join for ever: that blocks every other turn
// but not its own, since a restart on its own volume loses nothing. Pure.

import type { NodeRecord } from '../observation/node-record.ts';

/** Clients were let in to the member once and are not now, and no operation would let them in again. */
export function isHeldOut({ serving, wasActive, intent, removalMark, stopped, isDeleting }: NodeRecord): boolean {
  const isUnasked = removalMark === undefined && stopped === undefined && !isDeleting;
  return !serving && wasActive && intent === 'Active' && isUnasked;
}

/** It has not joined again: it is the home of nothing, and may be what another one waits for to be replaced. */
export function isJoiningOut(node: NodeRecord): boolean {
  return isHeldOut(node) && node.answer.kind === 'joining';
}
