// Answers: what is next for the operation under way, by its type? What ends a turn begins the next one in the same
// write.

import type { Operation } from '@marekvs/api';
import type { Membership } from '../../members/membership.ts';
import type { ClusterObservation } from '../../observation/observation.ts';
import type { Hold } from '../../values/hold.ts';
import type { OperationPlan } from '../record.ts';
import { planRemoval, unknownOperation } from '../removal/plan.ts';
import { planNextTurn } from '../rolling/next-turn.ts';
import { planResize } from '../rolling/resize.ts';
import { planTurn } from '../rolling/turn.ts';
import type { Roll } from '../rolling/turn-scope.ts';
import { hibernationHold, planHibernation } from '../sleep/hibernation.ts';
import { planSuspension, suspensionHold } from '../sleep/suspension.ts';
import { turnAfterTurn } from './starters.ts';

interface OperationRow {
  /** The next step of the stored record. */
  readonly next: (o: ClusterObservation, record: Operation, membership: Membership, desired: number) => OperationPlan;
  /** What a person should read first meanwhile. */
  readonly told?: (o: ClusterObservation, record: Operation) => Hold | undefined;
}

// Called by name, so that a mutant of the function that is called is called as well.
const REMOVAL: OperationRow = { next: (...of) => planRemoval(...of) };
const TURN: OperationRow = { next: ofOne((...of) => planTurn(...of)) };

const ROWS: Readonly<Record<Operation['type'], OperationRow>> = {
  Remove: REMOVAL,
  Replace: REMOVAL,
  Roll: TURN,
  Resize: TURN,
  Suspend: { next: ofOne((...of) => planSuspension(...of)), told: (...of) => suspensionHold(...of) },
  Hibernate: { next: (o, record, known) => planHibernation(o, record, known), told: (...of) => hibernationHold(...of) },
};

/** A record that only another version knows stays as it is. */
export function operationRow({ type }: Operation): OperationRow {
  return (ROWS as Readonly<Record<string, OperationRow>>)[type] ?? { next: (_, record) => unknownOperation(record) };
}

/** The row of an operation on one member that stays. */
function ofOne(
  plan: (o: ClusterObservation, record: Operation, roll: Roll, known: Membership, desired: number) => OperationPlan,
): OperationRow['next'] {
  return (o, record, membership, desired) => {
    const { roll, phase } = record;
    if (roll === undefined) return unknownOperation(record);
    const planned = phase === 'Resizing' ? planResize(o, record, roll) : plan(o, record, roll, membership, desired);
    const { ended } = planned;
    if (ended === undefined) return planned;
    const after = { ...o, cluster: { ...o.cluster, operation: undefined, lastOperation: ended } };
    // It may have to be this very member, which was not resized.
    if (phase === 'Resizing') return { ...planned, operation: planNextTurn(after).operation };
    const isNext = ended.outcome === 'Succeeded' && !o.cluster.spec.hibernated;
    return isNext ? { ...planned, operation: turnAfterTurn(after, desired) } : planned;
  };
}
