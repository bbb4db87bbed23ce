// What a member is restarted for: its template, its host, its volume, its password, or a drain that nobody here asked
// for. And what follows from that: whether the restart is still wanted, and what is reported when it is done.

import { isToLeave } from '../../hosts/leaving-members.ts';
import { isDrainedOutside, isLockedOut } from '../../members/member-state.ts';
import type { NodeRecord } from '../../observation/node-record.ts';
import { isUpdated } from '../../templates/revisions.ts';
import { isVolumeRestartDue } from '../../volumes/claim-change.ts';
import type { Roll, TurnScope } from './turn-scope.ts';

/** The member restarts with the template it ran with: on another host, with the password of its Secret, or after a
 *  repair by hand. */
export function keepsTemplate(roll: Roll): boolean {
  return isMove(roll) || roll.cause === 'Suspend' || roll.cause === 'Password' || roll.cause === 'Drained';
}

/** The turn moves the member off a drained host, with the template it has. */
export function isMove({ leaves }: Roll): boolean {
  return leaves !== undefined;
}

/** The member restarts to take up the template that is asked for, and for nothing else. */
export function isForTemplate(roll: Roll): boolean {
  return causeOf(roll) === 'Template' && roll.cause === undefined;
}

/** A host to leave, a volume, a password or a drain whatever the template, or the template itself. */
function causeOf({
  leaves,
  cause,
}: Roll): { readonly leaves: string } | 'Volume' | 'Password' | 'Drained' | 'Template' {
  if (leaves !== undefined) return { leaves };
  return cause === 'Volume' || cause === 'Password' || cause === 'Drained' ? cause : 'Template';
}

/** Only the restart puts the member right: it is done even if it cannot be prepared in time. */
export function isNeededAnyway({ cause }: Roll): boolean {
  return cause === 'Password' || cause === 'Drained';
}

/** Why a turn that has done nothing yet has nothing to do; undefined when it still has. */
export function needlessFrom({ o, roll, revision }: TurnScope, node: NodeRecord): string | undefined {
  const cause = causeOf(roll);
  if (cause === 'Template') return isUpdated(node, revision) ? 'has the template that is asked for' : undefined;
  if (cause === 'Password') return isLockedOut(node) ? undefined : 'needs no restart for its password any more';
  if (cause === 'Drained') return isDrainedOutside(node) ? undefined : 'leads its partitions again';
  if (cause !== 'Volume')
    return isToLeave(o, node, cause.leaves) ? undefined : 'is not on a host that is being drained any more';
  const isDue = !isUpdated(node, revision) || isVolumeRestartDue(node, o.nowMs);
  return isDue ? undefined : 'has the size of its volume without a restart';
}

/** Why a member that was told to leave no longer has to be restarted for its cause; undefined when it still has. */
export function undoneMeanwhile({ o, roll, revision }: TurnScope, node: NodeRecord): string | undefined {
  const cause = causeOf(roll);
  // A grown volume stays grown. A locked-out or drained member that was told to leave needs the restart anyway.
  if (cause === 'Volume' || cause === 'Password' || cause === 'Drained') return undefined;
  if (cause === 'Template') return revision === roll.previous ? 'its template is asked for again' : undefined;
  return isToLeave(o, node, cause.leaves) ? undefined : 'its host is not drained any more';
}

export function doneText({ roll, revision }: TurnScope): string {
  const cause = causeOf(roll);
  if (cause === 'Template') return `has revision ${revision} and every record`;
  if (cause === 'Volume') return 'was restarted for its volume, and has every record';
  if (cause === 'Drained')
    return 'was drained by somebody else; it was restarted, leads its partitions again, and has every record';
  if (cause === 'Password') return 'was restarted, takes the password of the spec, and has every record';
  return `has left host ${cause.leaves}, and has every record`;
}
