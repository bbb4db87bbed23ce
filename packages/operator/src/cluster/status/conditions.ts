// Answers: what do the conditions of a cluster say? One function per condition, over the same health. Pure. The
// conditions about data are in data-conditions.ts.

import {
  type ClusterCondition,
  type ClusterConditionType,
  kindOf,
  type OperationPhase,
  pendingText,
  phaseText,
  REASONS,
  type Reason,
  rowOf,
} from '@marekvs/api';
import { type ClusterPlan, goesByProof, type Hold, isAsleep, namesOf, sharedFactor } from '@marekvs/planner';
import { judged, no, type Verdict, yes } from '../../pass/condition-verdicts.ts';
import { dataAtRisk, dataLost, fullyReplicated } from './data-conditions.ts';
import { type ClusterHealth, type ConditionInput, isHarmless } from './health.ts';
import { isMove, rollingOut, rollText } from './rolling-condition.ts';

/** All conditions, brought up to date; the same array when nothing changed in meaning. */
export function clusterConditions(
  previous: readonly ClusterCondition[],
  input: ConditionInput,
): readonly ClusterCondition[] {
  const verdicts: readonly (readonly [ClusterConditionType, Verdict | undefined])[] = [
    ['Ready', headline(input)],
    ['Available', available(input)],
    ['FullyReplicated', fullyReplicated(input.observation, input.plan, previous)],
    ['Rescaling', rescaling(input)],
    ['RollingOut', rollingOut(input)],
    ['Reconciling', reconciling(input)],
    ['Stalled', stalled(input)],
    ['DataAtRisk', dataAtRisk(input)],
    ['DataLost', dataLost(input)],
    ['Paused', paused(input)],
    ['Hibernated', hibernated(input)],
    ['PendingChange', pendingChange(input)],
  ];
  const { cluster, nowMs } = input.observation;
  return judged(previous, verdicts, { observedGeneration: cluster.generation, nowMs });
}

/** What is shown first: the most serious hold, or what is under way. */
export function headline({ observation, plan, health }: ConditionInput): Verdict {
  const hold = health.holds.find((candidate) => !isHarmless(candidate));
  const counts = `${health.ready.length} of ${plan.desiredNodes} members are ready`;
  if (health.isReady)
    return plan.removal.operation?.roll === undefined
      ? yes('AllMembersReady', `${counts} and agree`)
      : yes(isMove(plan) ? 'HostDraining' : 'RollingOut', rollText(observation, plan));
  if (hold !== undefined && hold.reason !== 'NotObserved') return no(hold.reason, hold.message);
  const work = underWay({ observation, plan, health });
  if (work?.reason === 'ScalingClusterDown' && !work.isOperation) return no(work.reason, hold?.message ?? work.message);
  if (work !== undefined) return no(work.reason, work.isOperation ? work.message : `${work.message}: ${counts}`);
  return no(hold?.reason ?? 'MemberNotActive', hold?.message ?? counts);
}

export interface UnderWay {
  readonly reason: Reason;
  readonly message: string;
  /** A recorded operation does this work. */
  readonly isOperation: boolean;
}

/** The work on nodes that is under way; undefined when their number and state are as wanted. Phase, Ready and Rescaling
 *  all use it, so that they never contradict each other. */
export function underWay({
  observation,
  plan,
  health,
}: Pick<ConditionInput, 'observation' | 'plan' | 'health'>): UnderWay | undefined {
  const doing = (reason: Reason, message: string): UnderWay => ({ reason, message, isOperation: false });
  if (!observation.cluster.isFormed) return doing('Forming', 'forming');
  const sleeping = sleepingVerdict(plan);
  if (sleeping !== undefined) return { ...sleeping, isOperation: true };
  const removal = removalVerdict(plan);
  if (removal !== undefined) return { ...removal, isOperation: true };
  const { usable, impaired, leaving } = health;
  if (impaired.length > 0) return doing('Repairing', `repairing ${namesOf(impaired)}`);
  // The node that joins, and the moment with one node too many, are part of the replacement.
  if (leaving.length > 0) return doing('Repairing', `replacing ${namesOf(leaving)}`);
  if (isScalingUp(plan, health)) return doing('ScalingClusterUp', 'adding members');
  if (usable.length > plan.desiredNodes)
    return doing('ScalingClusterDown', `${plan.desiredNodes} of ${usable.length} nodes are wanted`);
  return undefined;
}

/** Members are missing, or some have not served yet. */
export function isScalingUp(plan: ClusterPlan, health: ClusterHealth): boolean {
  return health.usable.length < plan.desiredNodes || health.joining.length > 0;
}

/** Available while fewer members are away than every key has homes: then every key has a home that serves. */
function available({ observation, plan, health }: ConditionInput): Verdict {
  if (!observation.cluster.isFormed) return no('Forming', 'the cluster has not been formed yet');
  const sleeping = sleepingVerdict(plan);
  if (sleeping !== undefined && health.ready.length === 0) return no(sleeping.reason, sleeping.message);
  const away = health.impaired.length + health.awayOnPurpose.length;
  const counts = `${health.ready.length} members serve, ${away} are away`;
  const isAvailable = health.ready.length > 0 && away < sharedFactor(observation);
  return isAvailable ? yes('AsExpected', counts) : no('MemberMissing', counts);
}

/** The state of a hibernation or suspension; undefined while neither is under way. */
function sleepingVerdict({
  removal,
  holds,
}: ClusterPlan): { readonly reason: Reason; readonly message: string } | undefined {
  const { operation } = removal;
  if (operation === undefined || kindOf(operation) !== 'sleep') return undefined;
  const state = operation.type === 'Hibernate' ? 'hibernation' : 'suspension';
  const hold = holds.find(({ reason }) => REASONS[reason].stateOf === state);
  return { reason: hold?.reason ?? 'Repairing', message: hold?.message ?? phaseText(operation) };
}

/** The state of a removal or replacement, by its phase; undefined while there is none. */
function removalVerdict({ removal }: ClusterPlan): { readonly reason: Reason; readonly message: string } | undefined {
  const { operation } = removal;
  if (operation === undefined || operation.roll !== undefined) return undefined;
  const how = (goesByProof(operation) ? undefined : UNPROVEN[operation.phase]) ?? phaseText(operation);
  const message = `${rowOf(operation)?.doing} ${operation.target?.name ?? 'a node'}: ${how}`;
  return { reason: operation.type === 'Replace' ? 'Repairing' : 'ScalingClusterDown', message };
}

/** Where a node that goes without proof has another text. */
const UNPROVEN: Readonly<Partial<Record<OperationPhase, string>>> = {
  Claimed: 'it goes without a proof of its own',
  Deleting: 'its MarekvsNode is being deleted',
};

function rescaling(input: ConditionInput): Verdict {
  const { plan, health } = input;
  const size = `${health.usable.length} of ${plan.desiredNodes} nodes`;
  const work = underWay(input);
  if (work === undefined) return no('ReplicasMatchSpec', size);
  if (work.reason === 'Hibernated' || work.reason === 'Suspended') return no(work.reason, work.message);
  const isOfSize = work.reason !== 'Repairing' && !work.isOperation;
  return yes(work.reason, isOfSize ? size : work.message);
}

/** True also while changes of the spec are pending: for tools that wait by kstatus, a cluster that matches an older
 *  spec is not done. */
function reconciling({ observation, plan, health, pending }: ConditionInput): Verdict {
  if (stalling(health) !== undefined) return no('AsExpected', 'nothing is under way');
  const [first] = pending;
  const isSuspended = health.holds.some(({ reason }) => reason === 'Suspended');
  const isAtRest =
    health.isReady || isAsleep({ ...observation.cluster, operation: plan.removal.operation }) || isSuspended;
  if (isAtRest)
    return first === undefined
      ? no('AsExpected', 'nothing is under way')
      : yes(first.reason, `not in force yet: ${pending.map(({ field }) => field).join(', ')}`);
  return yes('OperationInProgress', `${health.ready.length} of ${health.usable.length} nodes are ready`);
}

function stalled({ health }: ConditionInput): Verdict {
  const found = stalling(health);
  return found === undefined ? no('AsExpected', 'nobody has to act') : yes(found.reason, found.message);
}

function stalling(health: ClusterHealth): Hold | undefined {
  return health.holds.find((hold) => hold.needsPerson);
}

function paused({ observation, plan }: ConditionInput): Verdict {
  const hold = plan.holds.find((candidate) => candidate.reason === 'Paused');
  if (!observation.cluster.spec.paused) return no('NotPaused', 'spec.paused is false');
  return yes('Paused', hold?.message ?? 'spec.paused is true');
}

/** Undefined while hibernation is neither asked for nor under way. */
function hibernated({ observation: { cluster }, plan }: ConditionInput): Verdict | undefined {
  const { operation } = plan.removal;
  const hold = plan.holds.find(({ reason }) => REASONS[reason].stateOf === 'hibernation');
  if (operation?.type === 'Hibernate' && operation.phase === 'Hibernated')
    return yes(hold?.reason ?? 'Hibernated', hold?.message ?? 'all members are stopped');
  if (operation?.type === 'Hibernate' || cluster.spec.hibernated)
    return no(hold?.reason ?? 'Hibernating', hold?.message ?? 'all members are to stop');
  return undefined;
}

function pendingChange({ pending }: ConditionInput): Verdict {
  const first = pending.find(({ needsPerson }) => needsPerson) ?? pending[0];
  if (first === undefined) return no('AsExpected', 'everything the spec asks for is in force');
  const texts = pending.map((one) => `${pendingText(one)} (${one.why}; ${one.wayOut})`);
  return yes(first.reason, texts.join('. '));
}
