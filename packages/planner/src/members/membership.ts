// Answers: which members are in the cluster, according to the members themselves?
// Every running member must have answered and all answers must be equal; anything less is unknown, with the reason.

import type { Reason } from '@marekvs/api';
import type { NodeRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import { type Hold, hold, namesOf } from '../values/hold.ts';
import { type ViewLine, viewKey } from '../values/view-line.ts';
import { isUp, shows, showsActive } from './member-state.ts';

export interface UnknownMembership {
  readonly kind: 'unknown';
  readonly reason: Reason;
  readonly message: string;
}

/** `none`: no member serves yet. `agreed`: every serving member shows exactly these lines. */
export type Membership =
  | { readonly kind: 'none' }
  | UnknownMembership
  | { readonly kind: 'agreed'; readonly lines: readonly ViewLine[] };

/** What the running members agree on. Pure. A member that is still joining is not asked for a view;
 *  one that should serve and is silent, or was not asked yet, makes the membership unknown. */
export function agreeOnMembership(nodes: readonly NodeRecord[]): Membership {
  const serving = nodes.filter((node) => node.answer.kind === 'serving');
  const silent = nodes.filter((node) => shouldServe(node) && node.answer.kind !== 'serving');
  if (silent.length > 0) return silence(silent, nodes.length);
  if (serving.length === 0) return { kind: 'none' };
  const groups = groupByView(serving);
  if (groups.length > 1) return disagreement(groups);
  return { kind: 'agreed', lines: viewOf(serving[0]) };
}

/** Serving members grouped by what they show, largest group first, then the one with the lowest id. */
export function groupByView(serving: readonly NodeRecord[]): readonly (readonly NodeRecord[])[] {
  const groups = new Map<string, NodeRecord[]>();
  for (const node of serving) {
    const key = viewKey(viewOf(node));
    const group = groups.get(key);
    if (group) group.push(node);
    else groups.set(key, [node]);
  }
  return [...groups.values()].sort((a, b) => b.length - a.length || lowestId(a) - lowestId(b));
}

/** The lines a serving node showed; empty for one that does not serve. */
export function viewOf(node: NodeRecord | undefined): readonly ViewLine[] {
  return node?.answer.kind === 'serving' ? node.answer.view : [];
}

/** True when a member's process runs and was once reported ready, so that its silence means something.
 *  A Pod of another owner is no member: it is never asked. Nor is one whose door is closed: the others speak for it. */
function shouldServe(node: NodeRecord): boolean {
  return isUp(node) && node.pod?.isSealed === false;
}

function silence(silent: readonly NodeRecord[], count: number): UnknownMembership {
  if (silent.every((node) => node.answer.kind === 'notAsked'))
    return { kind: 'unknown', reason: 'NotObserved', message: `${namesOf(silent)} not asked yet` };
  const error = silent.map((node) => (node.answer.kind === 'silent' ? node.answer.error : '')).find((e) => e !== '');
  return {
    kind: 'unknown',
    reason: 'MemberSilent',
    message: `${namesOf(silent)} of ${count} members did not answer${error ? `: ${error}` : ''}`,
  };
}

function disagreement(groups: readonly (readonly NodeRecord[])[]): UnknownMembership {
  const differences = groups.map((group) => `${namesOf(group)} show ${shownIds(group[0])}`);
  return {
    kind: 'unknown',
    reason: 'ViewsDisagree',
    message: `members show different lists: ${differences.join('; ')}`,
  };
}

function shownIds(node: NodeRecord | undefined): string {
  const shown = viewOf(node)
    .map((line) => line.id)
    .sort((a, b) => a - b);
  return shown.length === 0 ? 'nobody' : shown.join(',');
}

function lowestId(nodes: readonly NodeRecord[]): number {
  return Math.min(...nodes.map((node) => node.id));
}

/** True when members serve and none of them lists this one; false when none can be asked. */
export function isUnlisted(o: Pick<ClusterObservation, 'nodes'>, node: NodeRecord): boolean {
  return isShownByNobody(o, node);
}

/** True when members serve and none of them shows this one with primaries. */
export function isShownByNobodyActive(o: Pick<ClusterObservation, 'nodes'>, node: NodeRecord): boolean {
  return isShownByNobody(o, node, showsActive);
}

function isShownByNobody(
  { nodes }: Pick<ClusterObservation, 'nodes'>,
  { id }: NodeRecord,
  isShowing: (one: NodeRecord, id: number) => boolean = shows,
): boolean {
  return nodes.some(({ answer }) => answer.kind === 'serving') && !nodes.some((one) => isShowing(one, id));
}

export function membershipHold(membership: Extract<Membership, { kind: 'unknown' }>): Hold {
  return hold(membership.reason, membership.message);
}
