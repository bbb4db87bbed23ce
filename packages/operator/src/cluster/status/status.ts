// Answers: what does the status of a cluster say now? Pure. Whether that is worth a write says status-change.ts.

import {
  CLUSTER_CONDITION_TYPES,
  type ClusterConditionType,
  type ClusterPhase,
  clusterSelector,
  findCondition,
  kindOf,
  MAX,
  type MarekvsClusterStatus,
  PARTITIONS,
  type PendingChange,
  pendingText,
  REASONS,
  reasonRow,
  reasonSince,
  selectorString,
  shortened,
} from '@marekvs/api';
import {
  type ClusterPlan,
  detachedVolumeStates,
  highestIdEverUsed,
  roundRate,
  sharedFactor,
  timeText,
} from '@marekvs/planner';
import { identityOf } from '../../objects/template.ts';
import { MAX_MESSAGE_LENGTH } from '../../pass/condition-verdicts.ts';
import { reasonTimes } from '../../pass/reason-times.ts';
import type { ClusterScope } from '../observation/observe.ts';
import { clusterConditions, headline, underWay } from './conditions.ts';
import type { ConditionInput } from './health.ts';

export interface StatusInput extends ConditionInput {
  readonly scope: ClusterScope;
}

/** The whole status. Fields of later capabilities are carried over untouched. */
export function clusterStatus(input: StatusInput): MarekvsClusterStatus {
  const { scope, observation, plan, health } = input;
  const previous = carriedOver(scope.cluster.status);
  const { name } = observation.cluster;
  const isFormed = observation.cluster.isFormed;
  const conditions = clusterConditions(ownConditions(previous.conditions), input);
  const { formed: _latched, ...others } = previous;
  const formed = formedField(input, isFormed ? previous.formed : undefined);
  return {
    ...others,
    observedGeneration: observation.cluster.generation,
    phase: phaseOf(input),
    message: messageOf(input),
    desiredNodes: plan.desiredNodes,
    readyNodes: health.ready.length,
    replicas: health.counted.length,
    selector: selectorString(clusterSelector(name)),
    instanceNames: health.counted.map((node) => node.name),
    ...(formed === undefined ? {} : { formed }),
    ...highestNodeId(input),
    ...operationFields(input),
    ...releaseFields(input),
    detachedVolumes: detached(input),
    update: plan.update,
    ...(plan.autoscale.status === undefined ? {} : { autoscale: plan.autoscale.status }),
    ...(plan.verification === undefined ? {} : { verification: plan.verification }),
    ...volatileFields(input),
    ...pendingFields(input),
    ...blockedFields(input),
    ...dataFields(input, conditions),
    ...reasonTimes(scope.cluster.status, conditions, observation.nowMs),
    conditions,
  };
}

/** The stored status without the fields that are computed anew and may be absent now. */
function carriedOver(status: MarekvsClusterStatus = {}): MarekvsClusterStatus {
  const {
    opsPerSecond: _stale,
    operation: _before,
    release: _handing,
    pendingChanges: _asked,
    blockedBy: _by,
    reasonTimes: _times,
    autoscale: _size,
    data: _data,
    ...rest
  } = status;
  return rest;
}

/** Drops the conditions of the existing operator, the only other writer of this status. They would stay for ever, true
 *  or not. They also lack required fields: an API server that validates unchanged values as well would refuse the whole
 *  status. */
function ownConditions(stored: MarekvsClusterStatus['conditions']): NonNullable<MarekvsClusterStatus['conditions']> {
  const isOwn = ({ type }: { readonly type: string }) => CLUSTER_CONDITION_TYPES.some((own) => own === type);
  return stored?.every(isOwn) === true ? stored : (stored ?? []).filter(isOwn);
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
  // The existing operator stored a string: it has another form, and nobody renews it.
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
  return homes >= sharedFactor(observation) ? 0 : PARTITIONS;
}

function phaseOf(input: StatusInput): ClusterPhase {
  const { health, pending } = input;
  if (health.holds.some((hold) => hold.needsPerson) || longBlocked(input) !== undefined) return 'Blocked';
  // A cluster with pending changes is never called Healthy.
  const isAtRest = pending.length === 0 && input.plan.removal.operation === undefined;
  if (health.isReady) return isAtRest ? 'Healthy' : 'Reconciling';
  return reasonRow(underWay(input)?.reason)?.phase ?? 'Reconciling';
}

/** A removal takes about a minute and a half on a real server. One that has waited for three times as long is
 *  blocked. */
const BLOCKED_AFTER_MS = 3 * 90_000;

/** The reason for which a removal, claimed or not, has waited for too long; undefined otherwise. A copy that is on its
 *  way to a new node does not count: the removal comes after it. */
function longBlocked({ scope, plan, observation: { nowMs } }: StatusInput): string | undefined {
  const { operation, waits } = plan.removal;
  if (operation !== undefined) {
    // A hibernation or suspension may have begun a week ago: its last phase counts.
    const since =
      kindOf(operation) === 'sleep' ? (operation.timeline?.at(-1)?.at ?? operation.startedAt) : operation.startedAt;
    const isLong = nowMs - Date.parse(since) >= BLOCKED_AFTER_MS;
    return isLong ? operation.blocked?.reason : undefined;
  }
  if (waits === undefined || REASONS[waits.reason].goesBefore === 'others') return undefined;
  const { status } = scope.cluster;
  if (findCondition(status?.conditions, 'Ready')?.reason !== waits.reason) return undefined;
  const since = reasonSince(status, 'Ready');
  return since !== undefined && nowMs - Date.parse(since) >= BLOCKED_AFTER_MS ? waits.reason : undefined;
}

/** Why the phase is Blocked, or the operation does not go on. */
function blockedFields(input: StatusInput): Pick<MarekvsClusterStatus, 'blockedBy'> {
  const holdReason = input.health.holds.find((hold) => hold.needsPerson)?.reason;
  const blockedBy = holdReason ?? longBlocked(input) ?? input.plan.removal.operation?.blocked?.reason;
  return blockedBy === undefined ? {} : { blockedBy };
}

function messageOf(input: StatusInput): string {
  const message = headline(input).message;
  const alarm = input.health.isReady ? input.health.holds.find((hold) => hold.needsPerson) : undefined;
  const foreign = input.health.holds.find(({ reason }) => reason === 'NodeForeign');
  const shown = [alarm, foreign].flatMap((hold) => (hold === undefined ? [] : [hold.message]));
  const texts = [message, ...shown, ...input.pending.map(pendingText)];
  return shortened(texts.join('; '), MAX_MESSAGE_LENGTH);
}

/** The summary says what the conditions say. */
function dataFields(
  { data }: StatusInput,
  conditions: NonNullable<MarekvsClusterStatus['conditions']>,
): Pick<MarekvsClusterStatus, 'data'> {
  const isTrue = (type: ClusterConditionType) => findCondition(conditions, type)?.status === 'True';
  if (isTrue('DataLost')) return { data: { state: 'Lost', ...data } };
  if (isTrue('DataAtRisk')) return { data: { state: 'AtRisk', ...data } };
  return { data: { state: isTrue('FullyReplicated') ? 'Whole' : 'NotCompared', ...data } };
}

/** The time since when each change has been pending: an edit of one does not make the others younger. */
function pendingFields({ scope, observation, pending }: StatusInput): Pick<MarekvsClusterStatus, 'pendingChanges'> {
  if (pending.length === 0) return {};
  const before = scope.cluster.status?.pendingChanges ?? [];
  const sinceOf = ({ field, asked }: PendingChange) =>
    before.find((one) => one.field === field && one.asked === asked)?.since ?? timeText(observation.nowMs);
  return { pendingChanges: pending.map((change) => ({ ...change, since: sinceOf(change) })) };
}

/** Latched once, and dropped only at the end of a release, when a StatefulSet has the members. */
function formedField(input: StatusInput, before: MarekvsClusterStatus['formed']): MarekvsClusterStatus['formed'] {
  const { plan } = input;
  if (plan.release.isOver) return undefined;
  return before ?? (plan.mayLatchFormed ? latch(input) : undefined);
}

/** The same phase keeps its time. */
function releaseFields({ scope, plan, observation }: StatusInput): Pick<MarekvsClusterStatus, 'release'> {
  const { stored } = plan.release;
  if (stored === undefined) return {};
  const before = scope.cluster.status?.release;
  const isSame = before?.phase === stored.phase && before.statefulSetUID === stored.setUid;
  return {
    release: {
      phase: stored.phase,
      ...(stored.setUid === undefined ? {} : { statefulSetUID: stored.setUid }),
      since: isSame ? before.since : timeText(observation.nowMs),
    },
  };
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

/** The kept volumes, with what is known of their age and whether a new node may take them up. As many as the API server
 *  accepts, lowest ids first. */
function detached({ observation }: StatusInput): NonNullable<MarekvsClusterStatus['detachedVolumes']> {
  const entries = detachedVolumeStates(observation).flatMap(({ volume, state, detachedAt, lastActiveAt }) => {
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
  return entries.slice(0, MAX.detachedVolumes);
}
