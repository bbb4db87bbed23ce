// Answers: what do the conditions of a cluster say? One function per condition, over the same health. Pure.

import {
  type ClusterCondition,
  type ClusterConditionType,
  type ConditionStatus,
  findCondition,
  type Operation,
  type OperationPhase,
  type Reason,
} from '@marekvs/api';
import {
  type ClusterObservation,
  type ClusterPlan,
  goesByProof,
  type Hold,
  hasLostVolume,
  type NodeRecord,
} from '@marekvs/planner';
import { type Condition, removeCondition, setCondition } from '@marekvs/runtime';
import { type ClusterHealth, isHarmless } from './health.ts';

export interface ConditionInput {
  readonly observation: ClusterObservation;
  readonly plan: ClusterPlan;
  readonly health: ClusterHealth;
  readonly unsupported: readonly string[];
}

interface Verdict {
  readonly status: ConditionStatus;
  readonly reason: Reason;
  readonly message: string;
}

/** All conditions, brought up to date; the same array when nothing changed in meaning. */
export function clusterConditions(
  previous: readonly ClusterCondition[],
  input: ConditionInput,
): readonly ClusterCondition[] {
  const verdicts: readonly (readonly [ClusterConditionType, Verdict | undefined])[] = [
    ['Ready', ready(input)],
    ['Available', available(input)],
    ['FullyReplicated', fullyReplicated(input.observation, input.plan, previous)],
    ['Rescaling', rescaling(input)],
    ['RollingOut', rollingOut(input)],
    ['Reconciling', reconciling(input)],
    ['Stalled', stalled(input)],
    ['DataAtRisk', dataAtRisk(input)],
    ['Paused', paused(input)],
    ['UnsupportedFields', unsupportedFields(input)],
  ];
  const now = new Date(input.observation.nowMs);
  const observedGeneration = input.observation.cluster.generation;
  let conditions: readonly Condition[] = previous;
  for (const [type, verdict] of verdicts) {
    conditions =
      verdict === undefined
        ? removeCondition(conditions, type)
        : setCondition(conditions, { type, ...verdict, observedGeneration }, now);
  }
  // The runtime's conditions have plain texts as types and reasons; every one above comes from our closed lists.
  return conditions as readonly ClusterCondition[];
}

/** What to say first: the most serious hold, or what is under way. */
export function headline({ observation, plan, health }: ConditionInput): Verdict {
  const hold = health.holds.find((candidate) => !isHarmless(candidate));
  const counts = `${health.ready.length} of ${plan.desiredNodes} members are ready`;
  if (health.isReady)
    return plan.removal.operation?.roll === undefined
      ? yes('AllMembersReady', `${counts} and agree`)
      : yes('RollingOut', rollText(plan));
  if (hold !== undefined && hold.reason !== 'NotObserved') return no(hold.reason, hold.message);
  if (!observation.cluster.isFormed) return no('Forming', `forming: ${counts}`);
  if (health.impaired.length > 0) return no('Repairing', `repairing ${names(health.impaired)}: ${counts}`);
  if (isScalingUp(plan, health)) return no('ScalingClusterUp', `adding members: ${counts}`);
  const removal = removalVerdict(plan);
  if (removal !== undefined) return no(removal.reason, removal.message);
  if (health.usable.length > plan.desiredNodes)
    return no(
      'ScalingClusterDown',
      hold?.message ?? `${plan.desiredNodes} of ${health.usable.length} nodes are wanted`,
    );
  if (health.going.length > 0) return no('Repairing', `replacing ${names(health.going)}: ${counts}`);
  return no(hold?.reason ?? 'MemberNotActive', hold?.message ?? counts);
}

/** Members are missing, or some have not served yet. */
export function isScalingUp(plan: ClusterPlan, health: ClusterHealth): boolean {
  return health.usable.length < plan.desiredNodes || health.joining.length > 0;
}

function ready(input: ConditionInput): Verdict {
  return headline(input);
}

/** Enough members serve that every key has a home: fewer than replicationFactor are away. */
function available({ observation, health }: ConditionInput): Verdict {
  if (!observation.cluster.isFormed) return no('Forming', 'the cluster has not been formed yet');
  const away = health.impaired.length;
  const counts = `${health.ready.length} members serve, ${away} are away`;
  const isAvailable = health.ready.length > 0 && away < observation.cluster.spec.replicationFactor;
  return isAvailable ? yes('AsExpected', counts) : no('MemberMissing', counts);
}

/** What is being done to a node that leaves, in the words of its phase; undefined while nobody does. */
function removalVerdict({ removal }: ClusterPlan): { readonly reason: Reason; readonly message: string } | undefined {
  const { operation } = removal;
  if (operation === undefined || operation.roll !== undefined) return undefined;
  const name = operation.target?.name ?? 'a node';
  const message = `${operation.type === 'Replace' ? 'replacing' : 'removing'} ${name}: ${phaseText(operation)}`;
  return { reason: operation.type === 'Replace' ? 'Repairing' : 'ScalingClusterDown', message };
}

function phaseText(operation: Operation): string {
  const { phase } = operation;
  return (goesByProof(operation) ? undefined : UNPROVEN[phase]) ?? PHASES[phase];
}

/** Of a node that goes without proof, where that makes a difference. */
const UNPROVEN: Readonly<Partial<Record<OperationPhase, string>>> = {
  Claimed: 'it goes without a proof of its own',
  Deleting: 'its MarekvsNode is being deleted',
};

const PHASES: Readonly<Record<OperationPhase, string>> = {
  Claimed: 'its clients move to the other members, and every copy is proven to be there',
  Isolating: 'waiting until its clients have moved to the other members',
  Proving: 'proving that every copy is on another member',
  Deleting: 'proven, its MarekvsNode is being deleted',
  Departing: 'its member ends and the others forget it',
  Settling: 'proving that the others have every copy again',
  Reclaiming: 'its volume is being deleted',
  Closed: 'done',
  Cancelling: 'it comes back',
  Restarting: 'its Pod is made again with the changed template',
  CatchingUp: 'it gets what it has missed',
  RollingBack: 'it goes back to the template it had',
};

/** From the moment the DELETE may be sent. */
const DEPARTED: ReadonlySet<OperationPhase> = new Set<OperationPhase>([
  'Deleting',
  'Departing',
  'Settling',
  'Reclaiming',
]);

/** A member is being restarted, and is compared when it is back. */
const RESTARTED: ReadonlySet<OperationPhase> = new Set<OperationPhase>(['Restarting', 'CatchingUp', 'RollingBack']);

const NOT_COMPARED: Verdict = {
  status: 'Unknown',
  reason: 'NotCompared',
  message: 'the members have changed and are compared once they agree',
};

/** What the contents say, compared record by record. The members' own gauge counts members and says nothing about
 *  copies. */
export function fullyReplicated(
  { cluster }: ClusterObservation,
  plan: ClusterPlan,
  previous: readonly ClusterCondition[],
): Verdict {
  const phase = plan.removal.operation?.phase;
  if (phase !== undefined && RESTARTED.has(phase)) return NOT_COMPARED;
  if (phase !== undefined && DEPARTED.has(phase))
    return no('RecordsMissing', 'a member leaves, and the others are not proven to have every record again yet');
  const { verification } = plan;
  switch (verification?.state) {
    case 'Covered':
      return yes('RecordsCovered', verification.message ?? 'every record is on all its homes');
    case 'Missing':
      return no('RecordsMissing', verification.message ?? 'records are missing');
    case 'Unreadable':
      return {
        status: 'Unknown',
        reason: 'ContentsUnreadable',
        message: verification.message ?? 'contents cannot be read',
      };
    default: {
      // The same members are compared again because somebody asked: until there is an answer, the last one stands.
      const isSameTopology = verification !== undefined && verification.topology === cluster.verification?.topology;
      const known = isSameTopology ? findCondition(previous, 'FullyReplicated') : undefined;
      if (known === undefined || known.status === 'Unknown') return NOT_COMPARED;
      return { status: known.status, reason: known.reason, message: known.message };
    }
  }
}

function rescaling({ observation, plan, health }: ConditionInput): Verdict {
  const size = `${health.usable.length} of ${plan.desiredNodes} nodes`;
  if (!observation.cluster.isFormed) return yes('Forming', size);
  const removal = removalVerdict(plan);
  if (removal !== undefined) return yes(removal.reason, removal.message);
  if (health.impaired.length > 0) return yes('Repairing', `repairing ${names(health.impaired)}`);
  if (health.going.length > 0) return yes('Repairing', `replacing ${names(health.going)}`);
  if (isScalingUp(plan, health)) return yes('ScalingClusterUp', size);
  if (health.usable.length > plan.desiredNodes) return yes('ScalingClusterDown', size);
  return no('ReplicasMatchSpec', size);
}

function rollingOut({ plan }: ConditionInput): Verdict {
  const { resting, removal } = plan;
  if (resting !== undefined && removal.operation?.roll === undefined) return no(resting.reason, resting.message);
  return isInForce(plan)
    ? no('TemplateCurrent', 'every member has the template that is asked for')
    : yes('RollingOut', rollText(plan));
}

/** Every member has the template that is asked for. */
function isInForce({ update, removal }: ClusterPlan): boolean {
  return update.updated === update.total && removal.operation?.roll === undefined;
}

/** How far a rolling update is, whose turn it is, and what that waits for. */
function rollText({ update, removal, turnWaits }: ClusterPlan): string {
  const { operation } = removal;
  const far = `${update.updated} of ${update.total} members have revision ${update.revision}`;
  if (operation?.roll === undefined) return turnWaits === undefined ? far : `${far}; ${turnWaits.message}`;
  const blocked = operation.blocked === undefined ? '' : `, waiting: ${operation.blocked.message}`;
  return `${far}; ${operation.roll.name}: ${ROLL_PHASES[operation.phase] ?? PHASES[operation.phase]}${blocked}`;
}

/** Of a member that comes back, where that makes a difference. */
const ROLL_PHASES: Readonly<Partial<Record<OperationPhase, string>>> = {
  Claimed: 'it is taken out of the clients’ way and restarted',
};

function reconciling({ plan, health }: ConditionInput): Verdict {
  if (health.isReady && stalling(health) === undefined && !isInForce(plan))
    return yes(plan.resting?.reason ?? 'RollingOut', plan.resting?.message ?? rollText(plan));
  if (health.isReady || stalling(health) !== undefined) return no('AsExpected', 'nothing is under way');
  return yes('OperationInProgress', `${health.ready.length} of ${health.usable.length} nodes are ready`);
}

function stalled({ health }: ConditionInput): Verdict {
  const hold = stalling(health);
  return hold === undefined ? no('AsExpected', 'nobody has to act') : yes(hold.reason, hold.message);
}

function stalling(health: ClusterHealth): Hold | undefined {
  return health.holds.find((hold) => hold.needsPerson);
}

function dataAtRisk({ observation, plan }: ConditionInput): Verdict {
  const total = plan.holds.find((hold) => hold.reason === 'TotalLoss');
  if (total !== undefined) return yes('TotalLoss', total.message);
  const { operation } = plan.removal;
  if (operation?.basis === 'Dead' || operation?.basis === 'Forced')
    return yes(
      operation.basis === 'Dead' ? 'MemberDead' : 'Forced',
      `${operation.target?.name} goes without proof: what only it holds is lost, or stays on its volume`,
    );
  const going = observation.nodes.filter((node) => !hasLostVolume(node) && node.volume?.isTerminating === true);
  if (going.length > 0)
    return yes(
      'VolumeStuckTerminating',
      `the volume of ${names(going)} is being deleted: it is gone as soon as its Pod ends`,
    );
  // The volume of a node that leaves on a proof may go before its node does: its copies are elsewhere.
  const isProven = (node: NodeRecord) => operation?.target?.uid === node.uid && operation.proof?.pre !== undefined;
  const lost = observation.nodes.filter((node) => hasLostVolume(node) && !isProven(node));
  if (lost.length === 0) return no('AsExpected', 'no volume is missing');
  if (lost.every(({ answer }) => answer.kind === 'serving'))
    return yes(
      'VolumeLost',
      `the volume of ${names(lost)} is gone, and what only it held is in a running process: leave its Pod and host alone until it is replaced`,
    );
  return yes('VolumeLost', `the volume of ${names(lost)} is gone: what only it held is lost`);
}

function paused({ observation, plan }: ConditionInput): Verdict {
  const hold = plan.holds.find((candidate) => candidate.reason === 'Paused');
  if (!observation.cluster.spec.paused) return no('NotPaused', 'spec.paused is false');
  return yes('Paused', hold?.message ?? 'spec.paused is true');
}

function unsupportedFields({ unsupported }: ConditionInput): Verdict | undefined {
  if (unsupported.length === 0) return undefined;
  return yes('UnsupportedFields', `accepted, and without effect in this version: ${unsupported.join(', ')}`);
}

function names(nodes: readonly NodeRecord[]): string {
  return nodes.map((node) => node.name).join(', ');
}

function yes(reason: Reason, message: string): Verdict {
  return { status: 'True', reason, message };
}

function no(reason: Reason, message: string): Verdict {
  return { status: 'False', reason, message };
}
