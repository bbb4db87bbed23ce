// Answers: which changes of a node deserve an event? Repairs, and what a person has to act on; never a normal start.

import { findCondition, type MarekvsNode, type MarekvsNodeStatus, REASONS } from '@marekvs/api';
import { type Hold, type NodeStep, secretOfSource } from '@marekvs/planner';
import type { EventRecorder } from '@marekvs/runtime';
import { emitterFor } from '../pass/event-emitter.ts';

/** Events about what was done outside an operation. The first Pod of a node belongs to its creation, which has its own
 *  event. */
export function emitRepairEvent(node: MarekvsNode, step: NodeStep, recorder: EventRecorder): void {
  const emit = emitterFor('MarekvsNode', node.metadata, recorder);
  if (step.kind === 'deletePod' && REASONS[step.why].isToldElsewhere !== true) {
    const note = `deleted Pod ${step.pod.name} (${step.pod.statusReason ?? step.pod.phase}) to start it again on its volume`;
    const type = REASONS[step.why].severity === 'normal' ? 'Normal' : 'Warning';
    emit(type, step.why, 'DeletePod', note);
  }
  if (step.kind === 'forgetPod') {
    const note = `took away Pod ${step.pod.name} by force: its host ${step.host} is gone or out of service, and will not report its end`;
    emit('Warning', 'HostLost', 'DeletePod', note);
  }
  if (step.kind === 'setPassword') {
    const secret = secretOfSource(step.source);
    const wants = secret === undefined ? 'no password' : `the password of Secret ${secret.name}, key ${secret.key},`;
    const note = `${node.metadata.name} wants ${wants} from now on (Pod ${step.pod.uid})`;
    emit('Normal', 'PasswordApplied', 'SetPassword', note);
  }
  if (step.kind === 'createPod' && node.status?.podUID !== undefined) {
    const note = `created Pod ${node.metadata.name} again on volume ${node.status.pvcName ?? ''}`.trimEnd();
    emit('Normal', 'PodCreated', 'CreatePod', note);
  }
}

/** An event when a written status says for the first time that a person has to act. */
export function emitHoldEvent(
  node: MarekvsNode,
  next: MarekvsNodeStatus,
  hold: Hold | undefined,
  recorder: EventRecorder,
): void {
  if (hold?.needsPerson !== true) return;
  const before = findCondition(node.status?.conditions, 'Ready');
  const after = findCondition(next.conditions, 'Ready');
  if (after?.reason !== hold.reason || before?.reason === hold.reason) return;
  emitterFor('MarekvsNode', node.metadata, recorder)('Warning', hold.reason, 'Reconcile', hold.message);
}

/** An event when a written status says for the first time that a person has to act for the volume. */
export function emitVolumeEvent(node: MarekvsNode, next: MarekvsNodeStatus, recorder: EventRecorder): void {
  const before = findCondition(node.status?.conditions, 'VolumeUpToDate');
  const after = findCondition(next.conditions, 'VolumeUpToDate');
  if (after === undefined || after.reason === before?.reason || REASONS[after.reason].severity === 'normal') return;
  emitterFor('MarekvsNode', node.metadata, recorder)('Warning', after.reason, 'ChangeVolume', after.message);
}
