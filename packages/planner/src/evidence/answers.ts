// Answers: has every member answered lately, and do all show the same members? These checks come first in every proof;
// one that does not pass names the member in its reason.

import { isDrainedOutside, isLockedOut } from '../members/member-state.ts';
import { ShownPlacements } from '../members/shown-placements.ts';
import {
  factsOf,
  type MemberFacts,
  type MemberFigures,
  recentReading,
  recentView,
} from '../observation/member-facts.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import { clockText, type Hold, hold } from '../values/hold.ts';
import { type ViewLine, viewKey } from '../values/view-line.ts';
import { type Check, failed, passed } from './checks.ts';

/** One member of a proof, with what its present process answered. */
export interface Witness {
  readonly node: NodeRecord;
  /** Of the process in the node's present Pod, and of no other. */
  readonly facts: MemberFacts | undefined;
  /** Its last figures, while they are recent. */
  readonly last: MemberFigures | undefined;
  /** The list it shows, while that is recent. */
  readonly view: readonly ViewLine[] | undefined;
  /** The member shows no list, and is judged by its metrics alone: it accepts none of our passwords, or its door is
   *  closed. */
  readonly isUnlisting?: true;
}

/** @param excusedUids of nodes that need not show a list if they accept none of our passwords */
export function witnessesOf(
  nodes: readonly NodeRecord[],
  facts: readonly MemberFacts[],
  monotonicMs: number,
  excusedUids: ReadonlySet<string> = NOBODY,
): readonly Witness[] {
  return nodes.map((node) => {
    const own = factsOf({ facts }, node);
    return {
      node,
      facts: own,
      last: recentReading(own, monotonicMs)?.figures,
      view: recentView(own, monotonicMs),
      ...((excusedUids.has(node.uid) && isLockedOut(node)) || node.pod?.isSealed === true ? { isUnlisting: true } : {}),
    };
  });
}

const NOBODY: ReadonlySet<string> = new Set();

/** Ids of the members that somebody else has drained: shown without primaries, and full homes all the same. */
export function drainedIds(witnesses: readonly Pick<Witness, 'node'>[]): ReadonlySet<number> {
  return new Set(witnesses.flatMap(({ node }) => (isDrainedOutside(node) ? [node.id] : [])));
}

/** Every member's process has answered lately, with every figure a proof needs.
 *  @param leavingId all members but this one have to be there to serve on without it; undefined when none is about to
 *  end */
export function membersAnswer(witnesses: readonly Witness[], leavingId?: number): Check {
  for (const witness of witnesses) {
    const isNeeded = leavingId !== undefined && witness.node.id !== leavingId;
    const problem = (isNeeded ? absence(witness.node) : undefined) ?? silence(witness);
    if (problem !== undefined) return failed('membersAnswer', problem.message, problem);
  }
  return passed('membersAnswer', `${witnesses.length} members`);
}

/** Every figure a proof rests on; one that is missing proves nothing. */
const FIGURES = [
  'upSeconds',
  'rejoinActive',
  'meshPeers',
  'members',
  'ownedPartitions',
  'writeStopped',
] as const satisfies readonly (keyof MemberFigures)[];

/** Why the member counts as absent by its Pod; undefined when it does not. Its last answer is seconds old: a process
 *  that was just killed has given one, too. */
export function absence({ name, pod }: Pick<NodeRecord, 'name' | 'pod'>): Hold | undefined {
  if (pod?.isTerminating === true) return hold('MemberNotActive', `the Pod of ${name} is ending`);
  return pod?.isReady === false ? hold('MemberNotActive', `the Pod of ${name} is not ready`) : undefined;
}

function silence({ node, last, view, isUnlisting }: Witness): Hold | undefined {
  const { name, pod, answer } = node;
  if (pod === undefined) return hold('PodMissing', `${name} has no Pod`);
  if (answer.kind === 'silent' && isUnlisting !== true)
    return hold('MemberSilent', `${name} has not answered since ${clockText(answer.sinceMs)}`);
  if (answer.kind === 'joining') return hold('MemberNotActive', `${name} does not serve commands yet`);
  if (answer.kind === 'notAsked') return hold('NotObserved', `${name} was not asked yet`);
  if (last === undefined) return hold('MemberSilent', `${name} has given no recent answer`);
  if (!last.isFresh) return hold('MemberStarting', `${name} has no statistics yet`);
  const missing = FIGURES.find((figure) => last[figure] === undefined);
  if (missing !== undefined) return hold('MemberAnswerInvalid', `${name} gives no figure for ${missing}`);
  return view === undefined && isUnlisting !== true
    ? hold('MemberSilent', `${name} has not shown its list of members lately`)
    : undefined;
}

/** What all members show: exactly the expected ids, and the same generations, phases and placement. */
export interface Agreement {
  readonly view: readonly ViewLine[];
  readonly digest: string;
}

/** The one list that all members show which can be asked for it (at least one), or the check that says which do not. */
export function agreementOf(all: readonly Witness[]): { readonly check: Check; readonly agreed?: Agreement } {
  const witnesses = all.filter(({ isUnlisting }) => isUnlisting !== true);
  const disagree = (message: string) => ({ check: failed('viewsAgree', message, hold('ViewsDisagree', message)) });
  const [first] = witnesses;
  if (first?.view === undefined || first.facts?.last.shown === undefined)
    return disagree(`${first?.node.name ?? 'no member'} shows no list of members`);
  const key = viewKey(first.view);
  const placements = new ShownPlacements();
  for (const { node, facts, view } of witnesses) {
    if (view === undefined) return disagree(`${node.name} shows no list of members`);
    const self = view.find((line) => line.id === node.id);
    if (self !== undefined && facts?.generation !== undefined && self.generation !== facts.generation)
      return disagree(`${node.name} shows another life of itself`);
    if (livesOf(view) !== livesOf(first.view)) return disagree(difference(first, node, view));
    if (viewKey(view) !== key) return disagree(`${first.node.name} and ${node.name} do not agree on who serves`);
    const other = placements.add(node, facts?.last.shown?.digest ?? '');
    if (other !== undefined) return disagree(`${other} and ${node.name} place partitions differently`);
  }
  const expected = idsText(all.map(({ node }) => node.id));
  const shown = idsText(first.view.map((line) => line.id));
  if (shown !== expected) return disagree(`every member shows ${shown} instead of ${expected}`);
  return {
    check: passed('viewsAgree', `${shown} on every member`),
    agreed: { view: first.view, digest: placements.digest() },
  };
}

function difference(first: Witness, node: NodeRecord, view: readonly ViewLine[]): string {
  const one = idsText(first.view?.map((line) => line.id) ?? []);
  const other = idsText(view.map((line) => line.id));
  if (one === other) return `${first.node.name} and ${node.name} show different lives of a member`;
  return `${first.node.name} shows ${one}, ${node.name} shows ${other}`;
}

function idsText(ids: readonly number[]): string {
  return [...ids].sort((a, b) => a - b).join(',');
}

/** Equal exactly when two lists show the same members and generations, in whatever phase. */
function livesOf(view: readonly ViewLine[]): string {
  return viewKey(view.map((line) => ({ ...line, hasPrimaries: true })));
}

/** When the last member began to show what all show now; undefined while one shows nothing. */
export function shownSinceMs(witnesses: readonly Witness[]): number | undefined {
  let latest: number | undefined;
  for (const { facts, isUnlisting } of witnesses) {
    if (isUnlisting === true) continue;
    if (facts?.shownSinceMs === undefined) return undefined;
    latest = Math.max(latest ?? facts.shownSinceMs, facts.shownSinceMs);
  }
  return latest;
}
