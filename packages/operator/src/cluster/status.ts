// Answers: what does the status of a cluster say now, and is that worth a write? Pure. A value that moves by itself
// (rates, gauges) never causes a write of its own more than once a minute (docs/design/contract.md#figures).

import {
  CLUSTER_CONDITION_TYPES,
  type ClusterPhase,
  clusterSelector,
  type MarekvsClusterStatus,
  PARTITIONS,
  selectorString,
} from '@marekvs/api';
import { type ClusterPlan, detachedVolumeStates, highestIdEverUsed, sameValue, timeText } from '@marekvs/planner';
import { roundRate } from '../members/op-rate.ts';
import { type ConditionInput, clusterConditions, headline, isScalingUp } from './conditions.ts';
import type { ClusterScope } from './observe.ts';
import { identityOf } from './template.ts';

export interface StatusInput extends ConditionInput {
  readonly scope: ClusterScope;
}

/** The whole status. Fields of later capabilities are carried over untouched. */
export function clusterStatus(input: StatusInput): MarekvsClusterStatus {
  const { scope, observation, plan, health } = input;
  const { opsPerSecond: _stale, operation: _before, ...previous } = scope.cluster.status ?? {};
  const { name } = observation.cluster;
  const isFormed = observation.cluster.isFormed;
  const formed = isFormed ? previous.formed : plan.mayLatchFormed ? latch(input) : undefined;
  return {
    ...previous,
    observedGeneration: observation.cluster.generation,
    phase: phaseOf(input),
    message: messageOf(input),
    desiredNodes: plan.desiredNodes,
    readyNodes: health.ready.length,
    replicas: health.usable.length,
    selector: selectorString(clusterSelector(name)),
    instanceNames: health.usable.map((node) => node.name),
    ...(formed === undefined ? {} : { formed }),
    ...highestNodeId(input),
    ...operationFields(input),
    detachedVolumes: detached(input),
    update: plan.update,
    ...(plan.verification === undefined ? {} : { verification: plan.verification }),
    ...volatileFields(input),
    conditions: clusterConditions(ownConditions(previous.conditions), input),
  };
}

/** Nobody else writes this status but an existing operator before us: its conditions would stand for ever, true or
 *  not, and lack what ours have to have, so that an API server that does not let the unchanged pass refuses the
 *  whole status. */
function ownConditions(stored: MarekvsClusterStatus['conditions']): NonNullable<MarekvsClusterStatus['conditions']> {
  const isOwn = ({ type }: { readonly type: string }) => CLUSTER_CONDITION_TYPES.some((own) => own === type);
  return stored?.every(isOwn) === true ? stored : (stored ?? []).filter(isOwn);
}

export type StatusChange = 'none' | 'volatile' | 'soft' | 'urgent';

/** How much a new status differs from the one stored. `volatile`: only figures that move by themselves;
 *  `soft`: something a person may read a moment later; `urgent`: a turn of events. */
export function statusChange(previous: MarekvsClusterStatus | undefined, next: MarekvsClusterStatus): StatusChange {
  if (previous === undefined) return 'urgent';
  if (sameValue(previous, next)) return 'none';
  if (sameValue(withoutVolatile(previous), withoutVolatile(next))) {
    return isFirstZero(previous, next) ? 'none' : 'volatile';
  }
  return turn(previous) === turn(next) ? 'soft' : 'urgent';
}

/** That nothing is served is known some seconds after Healthy, and not worth a write of its own for every idle
 *  cluster. */
function isFirstZero(previous: MarekvsClusterStatus, next: MarekvsClusterStatus): boolean {
  const isSameOtherwise = previous.underreplicatedPartitions === next.underreplicatedPartitions;
  return previous.opsPerSecond === undefined && next.opsPerSecond === 0 && isSameOtherwise;
}

/** The conditions whose turn a person waits for, or has to know of at once. */
const URGENT_CONDITIONS: ReadonlySet<string> = new Set(['Ready', 'Stalled', 'DataAtRisk', 'Paused']);

function turn(status: MarekvsClusterStatus): string {
  const statuses = (status.conditions ?? []).filter(({ type }) => URGENT_CONDITIONS.has(type));
  const turns = statuses.map((condition) => `${condition.type}=${condition.status}`);
  const { operation } = status;
  // From here on the others are proven, and the removal cannot be taken back any more.
  const isSettling = operation?.phase === 'Settling';
  const removal = [operation?.id, isSettling, operation?.cancel?.reason, operation?.blocked?.reason].join();
  return [status.observedGeneration, status.formed?.clusterId, removal, ...turns].join(' ');
}

function withoutVolatile(status: MarekvsClusterStatus): MarekvsClusterStatus {
  const { opsPerSecond: _ops, underreplicatedPartitions: _under, ...rest } = status;
  return rest;
}

/** The rate is kept while a new one is being measured, and dropped as soon as a member is silent: unknown is not
 *  the last good value. */
function volatileFields({
  scope,
  plan,
}: StatusInput): Pick<MarekvsClusterStatus, 'opsPerSecond' | 'underreplicatedPartitions'> {
  const { opsPerSecond } = scope;
  const underreplicated = underreplicatedPartitions(scope, plan);
  const known = opsPerSecond === undefined ? undefined : roundRate(opsPerSecond);
  const before: unknown = scope.cluster.status?.opsPerSecond;
  // The existing operator's is a text: not of our form, and not renewed by anybody any more.
  const kept = plan.membership.kind === 'unknown' || typeof before !== 'number' ? undefined : before;
  const shown = known ?? kept;
  return {
    ...(shown === undefined ? {} : { opsPerSecond: shown }),
    ...(underreplicated === undefined ? {} : { underreplicatedPartitions: underreplicated }),
  };
}

/** What the members' gauge says, without its delay: it is a count of members in disguise
 *  (docs/design/server.md#the-gauge), and the members are known exactly once they agree. Shown because users know
 *  it; nothing is decided on it. */
function underreplicatedPartitions(
  { observation, underreplicated }: ClusterScope,
  plan: ClusterPlan,
): number | undefined {
  if (plan.membership.kind !== 'agreed') return underreplicated;
  const homes = plan.membership.lines.filter((line) => line.hasPrimaries).length;
  return homes >= observation.cluster.spec.replicationFactor ? 0 : PARTITIONS;
}

function phaseOf(input: StatusInput): ClusterPhase {
  const { observation, plan, health } = input;
  if (plan.resting?.reason === 'RolloutStopped') return 'Blocked';
  if (health.isReady) return plan.removal.operation === undefined ? 'Healthy' : 'Reconciling';
  if (health.holds.some((hold) => hold.needsPerson)) return 'Blocked';
  if (!observation.cluster.isFormed) return 'Reconciling';
  const { operation } = plan.removal;
  if (operation !== undefined) return operation.type === 'Remove' ? 'ScalingDown' : 'Reconciling';
  if (health.usable.length > plan.desiredNodes && health.impaired.length === 0) return 'ScalingDown';
  return isScalingUp(plan, health) && health.impaired.length === 0 ? 'ScalingUp' : 'Reconciling';
}

function messageOf(input: StatusInput): string {
  const said = headline(input).message;
  const clamped = input.plan.holds.find((hold) => hold.reason === 'BelowFloor');
  return (clamped === undefined ? said : `${said}; ${clamped.message}`).slice(0, 1024);
}

function latch({ scope, observation }: StatusInput): NonNullable<MarekvsClusterStatus['formed']> {
  return { at: timeText(observation.nowMs), clusterId: identityOf(scope.cluster) };
}

function highestNodeId({ observation }: StatusInput): Pick<MarekvsClusterStatus, 'highestNodeId'> {
  const highest = highestIdEverUsed(observation);
  return highest < 0 ? {} : { highestNodeId: highest };
}

/** The operation under way, and the last one that ended. */
function operationFields({ plan }: StatusInput): Pick<MarekvsClusterStatus, 'operation' | 'lastOperation'> {
  const { operation, ended } = plan.removal;
  return {
    ...(operation === undefined ? {} : { operation }),
    ...(ended === undefined ? {} : { lastOperation: ended }),
  };
}

/** Every kept volume, with what is known of its age and whether a new node may take it up. */
function detached({ observation }: StatusInput): NonNullable<MarekvsClusterStatus['detachedVolumes']> {
  return detachedVolumeStates(observation).flatMap(({ volume, state, detachedAt, lastActiveAt }) => {
    if (volume.nodeId === undefined) return [];
    return [
      {
        pvcName: volume.name,
        pvcUID: volume.uid,
        nodeId: volume.nodeId,
        ...(detachedAt === undefined ? {} : { detachedAt }),
        ...(lastActiveAt === undefined ? {} : { lastActiveAt }),
        state,
      },
    ];
  });
}
