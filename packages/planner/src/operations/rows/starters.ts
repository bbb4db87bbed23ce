// Answers: which operation begins next, when none is under way? The first of this list that is asked for and may. What
// each of them needs for that, and its record, are in the files of the operations.

import { type Operation, REASONS } from '@marekvs/api';
import { isMovePending } from '../../hosts/leaving-members.ts';
import { needsReplacement } from '../../members/replacement.ts';
import type { ClusterObservation } from '../../observation/observation.ts';
import { isChoiceOpen } from '../../size/candidate.ts';
import type { Hold } from '../../values/hold.ts';
import { memberToMend, planUndraining, undrainingDueInMs } from '../mending/drained.ts';
import { isUnlockingPending, planUnlocking } from '../mending/locked-out.ts';
import { none, type OperationPlan } from '../record.ts';
import { planClaim } from '../removal/plan.ts';
import { planNextMove } from '../rolling/next-move.ts';
import { isMendPending, isTurnPending, planNextTurn } from '../rolling/next-turn.ts';
import { planHibernate } from '../sleep/hibernation.ts';
import { askedToSuspend, planSuspend } from '../sleep/suspension.ts';

export interface Starter {
  readonly type: Operation['type'];
  /** What begins, and why it has this place. docs/design/contract.md has both. */
  readonly what: string;
  readonly why: string;
  /** It is asked for: it begins now, or as soon as something lets it. */
  readonly isPending: (o: ClusterObservation, desired: number) => boolean;
  /** The record to store, or what it waits for. */
  readonly claim: (o: ClusterObservation, desired: number) => OperationPlan;
  /** When what comes after it may begin although it waits: at rest, or in the write that ends a turn. */
  readonly yields?: 'atRest' | 'afterATurn';
  /** Whether it may begin although a removal waits for this, or for nothing. Otherwise always. */
  readonly mayPass?: (o: ClusterObservation, desired: number, removalWaits: Hold | undefined) => boolean;
  /** Set if it waits in line with other clusters, and nothing is done faster for it: until it is woken, or for a time
   *  of its own as well. */
  readonly inLine?: 'woken' | 'timed';
  /** Milliseconds until it may be asked for without an event. */
  readonly dueInMs?: (o: ClusterObservation) => number | undefined;
}

function mayPassRemoval(o: ClusterObservation, desired: number, waits: Hold | undefined): boolean {
  const isBefore = waits === undefined || REASONS[waits.reason].goesBefore === 'restarts' || isMendPending(o);
  return isBefore && !isChoiceOpen(o, desired);
}

/** Functions are called by name, so that a mutant of one is called as well. */
export const STARTERS: readonly Starter[] = [
  {
    type: 'Remove',
    what: 'the removal of a node that has to go, or of one too many',
    why: 'What has to be replaced comes before what is only restarted. While it waits the others may begin, but moves and turns only if it waits for a time, or for them',
    isPending: ({ nodes }, desired) => nodes.some(needsReplacement) || nodes.length > desired,
    claim: (o, desired) => planClaim(o, desired),
    yields: 'atRest',
  },
  {
    type: 'Roll',
    what: 'the restart of a member that accepts no known password',
    why: 'Nothing else can begin while a member cannot be asked',
    isPending: (o) => isUnlockingPending(o),
    claim: (o) => planUnlocking(o),
    inLine: 'timed',
  },
  {
    type: 'Roll',
    what: 'the restart of a member that was drained from outside',
    why: 'Until it leads again, the others lead what it should, and none of them can leave',
    isPending: (o) => memberToMend(o) !== undefined,
    claim: (o) => planUndraining(o),
    inLine: 'timed',
    dueInMs: (o) => undrainingDueInMs(o),
  },
  {
    type: 'Hibernate',
    what: 'the stop of all members',
    why: 'What is broken is repaired first, since nobody repairs a member that sleeps. What is only outdated wakes with the newer template',
    isPending: ({ cluster: { spec } }) => spec.hibernated && !spec.paused,
    claim: (o) => planHibernate(o),
  },
  {
    type: 'Suspend',
    what: 'the stop of one member',
    why: 'A person wants to repair it by hand, which needs the others as they are; when all are to stop, there is nothing left to do',
    isPending: (o) => askedToSuspend(o).length > 0 && !o.cluster.spec.paused,
    claim: (o) => planSuspend(o),
  },
  {
    type: 'Roll',
    what: 'the move of a member off its host',
    why: 'Members about to be evicted come before those that are only outdated',
    isPending: (o) => isMovePending(o),
    claim: (o) => planNextMove(o),
    yields: 'afterATurn',
    mayPass: mayPassRemoval,
  },
  {
    type: 'Roll',
    what: 'the turn of a member with an older template, or whose volume has grown',
    why: 'Nothing is wrong with it meanwhile',
    isPending: (o) => isTurnPending(o),
    claim: (o) => planNextTurn(o),
    mayPass: mayPassRemoval,
    inLine: 'woken',
  },
];

/** One is under way, or would begin as soon as something lets it. Members are asked more often meanwhile. */
export function isOperationPending(o: ClusterObservation, desired: number): boolean {
  const { isFormed, isDeleting, operation } = o.cluster;
  if (!isFormed || isDeleting) return false;
  const isAsked = ({ inLine, isPending }: Starter) => !(o.isInLine && inLine !== undefined) && isPending(o, desired);
  return operation !== undefined || STARTERS.some(isAsked);
}

/** What begins, or keeps those after it from that, its record or what it waits for, and what has let it pass and waits.
 *  Undefined: nothing begins. */
export function nextStart(o: ClusterObservation, desired: number) {
  let passed = none();
  for (const starter of STARTERS) {
    if (!starter.isPending(o, desired) || starter.mayPass?.(o, desired, passed.waits) === false) continue;
    const plan = starter.claim(o, desired);
    if (plan.operation !== undefined || starter.yields !== 'atRest') return { starter, plan, passed };
    passed = plan;
  }
  return { starter: undefined, plan: passed, passed: none() };
}

/** The next turn, in the write that ends one: nothing else begins in between. */
export function turnAfterTurn(o: ClusterObservation, desired: number): Operation | undefined {
  for (const { type, isPending, claim, yields } of STARTERS) {
    if (type !== 'Roll' || !isPending(o, desired)) continue;
    const { operation } = claim(o, desired);
    if (operation !== undefined || yields !== 'afterATurn') return operation;
  }
  return undefined;
}
