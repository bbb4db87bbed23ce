// Answers: which changes of a cluster deserve an event? Only those a person acts on or waits for; never one per retry.

import {
  findCondition,
  isReason,
  type MarekvsCluster,
  type MarekvsClusterStatus,
  REASONS,
  type Reason,
  reasonRow,
  rowOf,
} from '@marekvs/api';
import type { ClusterPlan, ClusterStep, Hold, NodeOrigin } from '@marekvs/planner';
import type { EventRecorder } from '@marekvs/runtime';
import { type Emit, emitterFor } from '../pass/event-emitter.ts';
import type { Ports } from '../pass/ports.ts';

type CreateNode = Extract<ClusterStep, { kind: 'createNode' }>;

const REASON_OF_ORIGIN: Readonly<Record<Exclude<NodeOrigin, 'Forming'>, Reason>> = {
  Adopting: 'Adopting',
  ScalingUp: 'ScalingClusterUp',
  MemberWithoutNode: 'MemberWithoutNode',
  VolumeLost: 'VolumeLost',
  HostLost: 'HostLost',
  HostDrained: 'HostDraining',
  Replacement: 'WaitingForReplacement',
  RolledBack: 'RolledBack',
};

const NORMAL_ORIGINS: ReadonlySet<NodeOrigin> = new Set<NodeOrigin>([
  'Adopting',
  'ScalingUp',
  'Replacement',
  'HostDrained',
]);

/** Events about steps of this pass that show nowhere else. */
export function emitStepEvents(
  cluster: MarekvsCluster,
  plan: ClusterPlan,
  refusals: readonly Hold[],
  ports: Pick<Ports, 'recorder' | 'removals'>,
): void {
  const emit = emitterFor('MarekvsCluster', cluster.metadata, ports.recorder);
  emitAltered(plan, emit);
  if (refusals.length > 0) return;
  emitGrown(plan, emit);
  emitCreated(cluster, plan, ports, emit);
}

/** A revision whose content does not match its name is deleted whether or not it is in use. The event tells the person
 *  who has changed it. */
function emitAltered({ steps }: ClusterPlan, emit: Emit): void {
  for (const step of steps) {
    if (step.kind !== 'dropRevision' || step.revision.isValid) continue;
    const note = `deleted ControllerRevision ${step.revision.name}: it was changed, and did not hold what its name says`;
    emit('Warning', 'InvalidRevision', 'DropRevision', note);
  }
}

/** Every automatic growth of a volume, with its figures. Equal notes are recorded once: the size tells the next growth
 *  from this one. */
function emitGrown({ steps }: ClusterPlan, emit: Emit): void {
  for (const step of steps)
    if (step.kind === 'setStorage' && step.grown !== undefined)
      emit('Normal', 'VolumeAutoGrown', 'GrowVolume', step.grown);
}

/** The created nodes and the reason, in one event per pass. A cluster that forms reports that in its status, and in an
 *  event once it is formed. */
function emitCreated(
  cluster: MarekvsCluster,
  plan: ClusterPlan,
  ports: Pick<Ports, 'recorder' | 'removals'>,
  emit: Emit,
): void {
  const created = plan.steps.filter((step): step is CreateNode => step.kind === 'createNode');
  const first = created[0];
  if (first === undefined || first.why === 'Forming') return;
  const names = created.map((step) => `${cluster.metadata.name}-${step.id}`);
  const vanished = names.filter((name) => cluster.status?.instanceNames?.includes(name));
  if (vanished.length > 0) emitVanished(cluster, vanished, ports);
  const type = NORMAL_ORIGINS.has(first.why) ? 'Normal' : 'Warning';
  emit(type, REASON_OF_ORIGIN[first.why], 'CreateNode', `created ${names.join(', ')}`);
}

/** Events about what changed with a written status: formed, released, sized, and everything a person has to act on. */
export function emitTurnEvents(cluster: MarekvsCluster, next: MarekvsClusterStatus, recorder: EventRecorder): void {
  const previous = cluster.status;
  const emit = emitterFor('MarekvsCluster', cluster.metadata, recorder);
  if (previous?.formed === undefined && next.formed !== undefined)
    emit(
      'Normal',
      'ClusterFormed',
      'Form',
      `${next.desiredNodes} members agree; the identity is ${next.formed.clusterId}`,
    );
  emitReleased(cluster, next, emit);
  emitSized(previous, next, emit);
  const recorded = new Set<Reason>();
  for (const type of ['Stalled', 'DataAtRisk', 'DataLost'] as const) {
    const before = findCondition(previous?.conditions, type);
    const after = findCondition(next.conditions, type);
    if (after?.status !== 'True' || (before?.status === 'True' && before.reason === after.reason)) continue;
    if (recorded.has(after.reason)) continue;
    recorded.add(after.reason);
    emit('Warning', after.reason, type, after.message);
  }
}

/** The start and the end of a release. */
function emitReleased({ metadata: { name }, status }: MarekvsCluster, next: MarekvsClusterStatus, emit: Emit): void {
  const before = status?.release;
  if (before === undefined && next.release !== undefined)
    emit('Normal', 'Releasing', 'Release', `its members are handed to StatefulSet ${name} (${next.release.since})`);
  if (before === undefined || next.release !== undefined) return;
  if (next.formed === undefined)
    emit('Normal', 'Released', 'Release', `StatefulSet ${name} runs the members (since ${before.since})`);
  else emit('Normal', 'Releasing', 'Release', `its members are taken back (${before.since})`);
}

/** Every decision about the size, with its arithmetic: `kubectl mkv autoscale` lists them. */
function emitSized(previous: MarekvsCluster['status'], { autoscale }: MarekvsClusterStatus, emit: Emit): void {
  const before = previous?.autoscale;
  const isNews = autoscale?.size !== before?.size || autoscale?.reason !== before?.reason;
  if (!isNews || autoscale?.reason === undefined || !isReason(autoscale.reason)) return;
  const type = REASONS[autoscale.reason].severity === 'warning' ? 'Warning' : 'Normal';
  // Equal notes are recorded once: the time tells a second decision from the first.
  const note = `${autoscale.message ?? ''} (decided at ${autoscale.since ?? ''})`;
  emit(type, autoscale.reason, 'Autoscale', note);
}

/** Events about an operation: its end, once; a hibernation or suspension when it is reached; a forced removal or a
 *  rollback when it is decided. */
export function emitOperationEvents(
  cluster: MarekvsCluster,
  next: MarekvsClusterStatus,
  { recorder, removals }: Pick<Ports, 'recorder' | 'removals'>,
): void {
  const { operation, lastOperation } = next;
  const before = cluster.status?.operation;
  const emit = emitterFor('MarekvsCluster', cluster.metadata, recorder);
  if (operation?.id !== before?.id && lastOperation !== undefined && before?.id === lastOperation.id) {
    const isFine = reasonRow(lastOperation.reason)?.ends === 'asAsked';
    // Equal notes are recorded once: the id tells a second removal of the same node from the first.
    const what = lastOperation.message ?? `${lastOperation.type} of ${lastOperation.target?.name}`;
    const note = `${what} (operation ${lastOperation.id})`;
    const action = rowOf(lastOperation)?.action ?? lastOperation.type;
    emit(isFine ? 'Normal' : 'Warning', lastOperation.reason, action, note);
    if (action === 'Remove') removals.ended(lastOperation);
  }
  const { phase, roll, chosen = '' } = operation ?? {};
  if ((phase === 'Hibernated' || phase === 'Suspended') && before?.phase !== phase) {
    const note = phase === 'Hibernated' ? 'all members are stopped' : `${roll?.name} is stopped: ${chosen}`;
    emit('Normal', phase, rowOf(operation)?.action ?? phase, `${note} (operation ${operation?.id})`);
  }
  if (operation?.basis === 'Forced' && before === undefined)
    emit('Warning', 'Forced', 'Remove', `${operation.target?.name} is removed without proof: ${operation.chosen}`);
  if (operation?.cancel?.reason === 'RolledBack' && before?.cancel === undefined)
    emit('Warning', 'RolledBack', 'Remove', operation.cancel.message);
}

/** Nodes that counted at the last status and are not seen any more, without an operation on them: gone, or hidden by a
 *  stale cache. */
export function vanishedNodes(
  { status }: MarekvsCluster,
  next: MarekvsClusterStatus,
  present: ReadonlySet<string>,
): readonly string[] {
  const removed = [next.operation, next.lastOperation, status?.operation].map((operation) => operation?.target?.name);
  return (status?.instanceNames ?? []).filter((name) => !present.has(name) && !removed.includes(name));
}

/** Reports nodes that are gone without an operation: their finalizer was removed by hand (F57). */
export function emitVanished(
  cluster: MarekvsCluster,
  names: readonly string[],
  { recorder, removals }: Pick<Ports, 'recorder' | 'removals'>,
): void {
  const emit = emitterFor('MarekvsCluster', cluster.metadata, recorder);
  for (const name of names) {
    const note = `MarekvsNode ${name} vanished without a finished removal: its finalizer was taken off by hand`;
    emit('Warning', 'FinalizerRemoved', 'Reconcile', note);
    removals.vanished();
  }
}

/** Reports each informational message once as an event: in a status it is easily overlooked (F58). */
export function emitAdvice(
  cluster: MarekvsCluster,
  holds: readonly Hold[],
  reported: Set<string>,
  recorder: EventRecorder,
): void {
  const emit = emitterFor('MarekvsCluster', cluster.metadata, recorder);
  for (const { reason, message } of holds) {
    if (REASONS[reason].weight !== 'informational' || reported.has(message)) continue;
    reported.add(message);
    emit('Warning', reason, 'Remove', message);
  }
}
