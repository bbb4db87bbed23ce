// Answers: which turns of a cluster deserve an event? Only those a person acts on or waits for; never one per retry.

import { API_VERSION, findCondition, type MarekvsCluster, type MarekvsClusterStatus, type Reason } from '@marekvs/api';
import type { ClusterPlan, ClusterStep, Hold, NodeOrigin } from '@marekvs/planner';
import type { EventRecorder } from '@marekvs/runtime';

type CreateNode = Extract<ClusterStep, { kind: 'createNode' }>;

const REASON_OF_ORIGIN: Readonly<Record<Exclude<NodeOrigin, 'Forming'>, Reason>> = {
  ScalingUp: 'ScalingClusterUp',
  MemberWithoutNode: 'MemberWithoutNode',
  VolumeLost: 'VolumeLost',
};

/** Says which nodes were created, and why, in one event per pass. A cluster that forms says so in its status, and in an event once it is formed. */
export function emitStepEvents(
  cluster: MarekvsCluster,
  plan: ClusterPlan,
  refusals: readonly Hold[],
  recorder: EventRecorder,
): void {
  const created = plan.steps.filter((step): step is CreateNode => step.kind === 'createNode');
  const first = created[0];
  if (first === undefined || first.why === 'Forming' || refusals.length > 0) return;
  const names = created.map((step) => `${cluster.metadata.name}-${step.id}`).join(', ');
  recorder.record({
    regarding: regarding(cluster),
    type: first.why === 'ScalingUp' ? 'Normal' : 'Warning',
    reason: REASON_OF_ORIGIN[first.why],
    action: 'CreateNode',
    note: `created ${names}`,
  });
}

/** Says what a written status turned: formed, and everything a person has to act on. */
export function emitTurnEvents(cluster: MarekvsCluster, next: MarekvsClusterStatus, recorder: EventRecorder): void {
  const previous = cluster.status;
  if (previous?.formed === undefined && next.formed !== undefined) {
    const note = `${next.replicas} members agree; the identity is ${next.formed.clusterId}`;
    recorder.record({ regarding: regarding(cluster), type: 'Normal', reason: 'ClusterFormed', action: 'Form', note });
  }
  for (const type of ['Stalled', 'DataAtRisk'] as const) {
    const before = findCondition(previous?.conditions, type);
    const after = findCondition(next.conditions, type);
    if (after?.status !== 'True' || (before?.status === 'True' && before.reason === after.reason)) continue;
    recorder.record({
      regarding: regarding(cluster),
      type: 'Warning',
      reason: after.reason,
      action: type,
      note: after.message,
    });
  }
}

function regarding(cluster: MarekvsCluster) {
  const { namespace, name, uid } = cluster.metadata;
  return { apiVersion: API_VERSION, kind: 'MarekvsCluster', namespace, name, uid };
}
