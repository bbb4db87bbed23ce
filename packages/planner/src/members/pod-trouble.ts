// Answers: what is wrong with a Pod that exists but is not ready, as a person reads it?

import type { NodeRecord, PodRecord } from '../observation/node-record.ts';
import { type Hold, hold } from '../values/hold.ts';
import { claimPatienceLeftMs, claimTrouble, isWaitingForClaim } from './claim-trouble.ts';

/** A Pod without a host is called unschedulable at once when the scheduler says so, and otherwise after this long. */
export const UNSCHEDULED_PATIENCE_MS = 10_000;

/** A returning member answers after 2-4 s (docs/design/server.md#returning); one that is silent for longer is in
 *  trouble. */
export const RETURN_PATIENCE_MS = 10_000;

const IMAGE_REASONS = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
]);

/** The trouble of a node's own, living Pod; undefined while it is ready or normally starting. */
export function podTrouble(node: NodeRecord, pod: PodRecord, nowMs: number): Hold | undefined {
  if (pod.isReady) return memberTrouble(node, pod) ?? diskTrouble(node);
  if (isWaitingForClaim(node.volume, pod)) return claimTrouble(node.volume, pod, nowMs);
  if (pod.unschedulable !== undefined) {
    return hold('PodUnschedulable', `Pod ${pod.name} has no host: ${pod.unschedulable}`, true);
  }
  if (pod.hostName === undefined && nowMs - pod.createdAtMs > UNSCHEDULED_PATIENCE_MS) {
    return hold('PodUnschedulable', `Pod ${pod.name} has not been given a host`, true);
  }
  if (pod.waiting === undefined)
    return isOverdue(node, pod, nowMs) ? memberTrouble(node, pod) : foreignAnswer(node, pod);
  if (IMAGE_REASONS.has(pod.waiting.reason)) {
    return hold('ImagePullFailed', `Pod ${pod.name}: ${pod.waiting.message || pod.waiting.reason}`, true);
  }
  if (pod.waiting.reason === 'CrashLoopBackOff') {
    // Memory does not drive the size of a cluster, so a person has to know.
    const why = pod.isOutOfMemory ? ': it needs more memory than spec.resources.memory allows' : ', see its log';
    return hold('CrashLooping', `Pod ${pod.name} ends again and again${why}`, true);
  }
  if (pod.waiting.reason.startsWith('Create') || pod.waiting.reason.startsWith('Run')) {
    return hold('ContainerConfigInvalid', `Pod ${pod.name}: ${pod.waiting.reason} ${pod.waiting.message}`.trim(), true);
  }
  return undefined;
}

/** Milliseconds until a Pod without a host, or with a claim without a volume, counts as being in trouble; undefined
 *  when neither applies. Without a scheduler or a provisioner no event would ever come. */
export function startPatienceLeftMs({ volume }: NodeRecord, pod: PodRecord, nowMs: number): number | undefined {
  if (pod.isReady) return undefined;
  if (volume !== undefined && isWaitingForClaim(volume, pod)) return claimPatienceLeftMs(volume, nowMs);
  if (pod.hostName !== undefined || pod.unschedulable !== undefined) return undefined;
  const leftMs = pod.createdAtMs + UNSCHEDULED_PATIENCE_MS + 1 - nowMs;
  return leftMs > 0 ? leftMs : undefined;
}

/** True for a member that served clients and has had time to come back: its silence is reported whether or not its host
 *  has noticed. */
function isOverdue(node: NodeRecord, pod: PodRecord, nowMs: number): boolean {
  return node.serving && !pod.isTerminating && nowMs - pod.createdAtMs > RETURN_PATIENCE_MS;
}

/** A member that does not answer the operator. */
function memberTrouble(node: NodeRecord, pod: PodRecord): Hold | undefined {
  if (node.answer.kind !== 'silent') return undefined;
  const message = `member ${node.name} at ${pod.ip} does not answer: ${node.answer.error}`;
  return foreignAnswer(node, pod) ?? lockedOut(node, pod) ?? hold('MemberSilent', message);
}

/** The member runs but accepts no known password: another one was set on it, or put into the Secret while no operator
 *  ran. */
function lockedOut({ name, answer }: NodeRecord, pod: PodRecord): Hold | undefined {
  if (answer.kind !== 'silent' || answer.isLocked !== true) return undefined;
  const message = `member ${name} at ${pod.ip} takes neither the password of its Secret nor one that was there before`;
  return hold('PasswordRefused', message, true);
}

/** The member still serves reads and is Active: only its clients would notice. */
function diskTrouble({ name, answer }: NodeRecord): Hold | undefined {
  if (answer.kind !== 'serving' || answer.isWriteStopped !== true) return undefined;
  return hold('DiskFull', `${name} has stopped writes because its disk is full`, true);
}

/** Something other than marekvs answers. This is reported even while the Pod is not ready, since its probes may fail
 *  for that very reason. */
function foreignAnswer(node: NodeRecord, pod: PodRecord): Hold | undefined {
  if (node.answer.kind !== 'silent' || !node.answer.isInvalid) return undefined;
  const message = `member ${node.name} at ${pod.ip}: ${node.answer.error}`;
  return hold('MemberAnswerInvalid', message, true);
}
