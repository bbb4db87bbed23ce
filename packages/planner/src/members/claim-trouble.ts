// Answers: does a Pod wait for the volume of its claim, and who has to act? Judged by the claim and the Pod
// alone: to read StorageClasses or the events of claims would take permissions beyond the namespace, and
// what these two show is enough.

import type { PodRecord } from '../observation/node-record.ts';
import type { VolumeRecord } from '../observation/volume-record.ts';
import { type Hold, hold, timeText } from '../values/hold.ts';

/** A claim gets its default class, and its provisioner's name, within a second or two. */
export const CLAIM_PATIENCE_MS = 10_000;
/** Providers make a volume in well under this. */
export const PROVISIONING_PATIENCE_MS = 60_000;

/** Matches what the scheduler says: `pod has unbound immediate PersistentVolumeClaims`, `didn't find available
 *  persistent volumes to bind`. */
const ABOUT_CLAIMS = /persistent ?volume/i;

/** Nothing but its claim keeps the Pod from starting. A claim whose class binds with the first Pod waits for the Pod
 *  instead. */
export function isWaitingForClaim(volume: VolumeRecord | undefined, pod: PodRecord | undefined): boolean {
  if (volume?.provisioning === undefined || volume.isTerminating || pod?.isReady === true) return false;
  const { className, provisioner } = volume.provisioning;
  if (className === undefined || provisioner !== undefined) return true;
  return pod !== undefined && (pod.hostName !== undefined || ABOUT_CLAIMS.test(pod.unschedulable ?? ''));
}

/** Why the claim has no volume, once that has lasted longer than it normally takes. */
export function claimTrouble(
  volume: VolumeRecord | undefined,
  pod: PodRecord | undefined,
  nowMs: number,
): Hold | undefined {
  if (volume?.provisioning === undefined || !isWaitingForClaim(volume, pod)) return undefined;
  if (nowMs - volume.createdAtMs <= patienceMs(volume)) return undefined;
  const { className, provisioner } = volume.provisioning;
  const who = `PersistentVolumeClaim ${volume.name} has waited for its volume since ${timeText(volume.createdAtMs)}`;
  if (provisioner !== undefined) {
    const message = `${who}: ${provisioner} has not made it; the events of the claim and the log of that provisioner say why`;
    return hold('VolumePending', message, true);
  }
  const why =
    className === undefined
      ? 'it names no StorageClass and none is the default; mark one as the default'
      : `StorageClass ${className} does not exist or makes no volumes; create it, or a PersistentVolume of that class${schedulerText(pod)}`;
  return hold('StorageClassMissing', `${who}: ${why}`, true);
}

/** Milliseconds until a claim that a Pod waits for counts as stuck; undefined when it already does. Needs a requeue,
 *  since no event would ever come. */
export function claimPatienceLeftMs(volume: VolumeRecord, nowMs: number): number | undefined {
  const leftMs = volume.createdAtMs + patienceMs(volume) + 1 - nowMs;
  return leftMs > 0 ? leftMs : undefined;
}

/** The scheduler may name other obstacles beside the claim. */
function schedulerText(pod: PodRecord | undefined): string {
  return pod?.unschedulable === undefined ? '' : ` (the scheduler says: ${pod.unschedulable})`;
}

function patienceMs({ provisioning }: VolumeRecord): number {
  return provisioning?.provisioner === undefined ? CLAIM_PATIENCE_MS : PROVISIONING_PATIENCE_MS;
}
