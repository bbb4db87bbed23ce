// Answers: is the volume of a node what is asked for, how far is it if not, and who has to act? Judged by the claim
// alone: classes and events are beyond the namespace. No claim says whether its driver needs a restart of the Pod to
// resize the file system, so that is concluded when the resize does not happen.

import { type Quantity, tryParseQuantity } from '@marekvs/api';
import { isWithoutVolume } from '../members/member-state.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import type { VolumeRecord } from '../observation/volume-record.ts';
import { type Hold, hold } from '../values/hold.ts';

/** What a claim is to be asked for. */
export interface ClaimChange {
  readonly size?: string;
  readonly attributesClass?: string;
}

/** Hosts resize the file system of a running Pod within seconds; after this time it is taken to need a restart of the
 *  Pod. */
export const FILE_SYSTEM_PATIENCE_MS = 60_000;
/** Providers grow a volume, or change its attributes, in well under this. */
export const PROVIDER_PATIENCE_MS = 600_000;

/** What the claim does not ask for yet; undefined when there is nothing, or while no claim is bound. A claim is only
 *  ever asked for more. */
export function claimChange(node: NodeRecord): ClaimChange | undefined {
  const volume = boundVolume(node);
  if (volume === undefined) return undefined;
  const { size, attributesClass } = node.storage;
  const isSmaller = isLarger(size, volume.requestedSize);
  const isOther = attributesClass !== undefined && attributesClass !== volume.attributes.asked;
  if (!isSmaller && !isOther) return undefined;
  return { ...(isSmaller ? { size } : {}), ...(isOther ? { attributesClass } : {}) };
}

/** What keeps the volume from being what is asked for; undefined when it is, and while there is no bound one. */
export function volumeHold(node: NodeRecord, nowMs: number): Hold | undefined {
  const volume = boundVolume(node);
  if (volume === undefined) return undefined;
  return unasked(node, volume) ?? growing(node, volume, nowMs) ?? changing(node, volume, nowMs);
}

/** True when the file system takes up the new size only with a restart of the Pod. A Pod that was restarted without
 *  effect is not restarted again (F51). */
export function isVolumeRestartDue(node: NodeRecord, nowMs: number): boolean {
  const volume = boundVolume(node);
  const sinceMs = volume === undefined ? undefined : fileSystemSinceMs(volume);
  if (sinceMs === undefined || nowMs - sinceMs <= FILE_SYSTEM_PATIENCE_MS) return false;
  return node.pod !== undefined && node.pod.createdAtMs <= sinceMs;
}

/** Milliseconds until a pending change counts as overdue; undefined while none is. No event would come. */
export function volumePatienceLeftMs(node: NodeRecord, nowMs: number): number | undefined {
  const volume = boundVolume(node);
  if (volume === undefined || volumeHold(node, nowMs)?.reason !== 'VolumeChanging') return undefined;
  const fileSystemMs = fileSystemSinceMs(volume);
  const untilMs =
    fileSystemMs === undefined
      ? (pendingSinceMs(node, volume) ?? nowMs) + PROVIDER_PATIENCE_MS
      : fileSystemMs + FILE_SYSTEM_PATIENCE_MS;
  return Math.max(0, untilMs - nowMs) + 1;
}

/** Set while the claim does not ask for the change yet. */
function unasked(node: NodeRecord, volume: VolumeRecord): Hold | undefined {
  const change = claimChange(node);
  if (change === undefined) return undefined;
  if (node.volumeRefused !== undefined) return hold('VolumeChangeRefused', node.volumeRefused, true);
  return hold('VolumeChanging', `PersistentVolumeClaim ${volume.name} is to ask for ${changeText(change, volume)}`);
}

/** `20Gi instead of 10Gi and VolumeAttributesClass fast`. */
export function changeText({ size, attributesClass }: ClaimChange, { requestedSize }: VolumeRecord): string {
  return [
    ...(size === undefined ? [] : [`${size} instead of ${requestedSize ?? 'none'}`]),
    ...(attributesClass === undefined ? [] : [`VolumeAttributesClass ${attributesClass}`]),
  ].join(' and ');
}

function growing(node: NodeRecord, volume: VolumeRecord, nowMs: number): Hold | undefined {
  if (!isBehind(volume)) return undefined;
  const { growth, name } = volume;
  const far = `PersistentVolumeClaim ${name} asks for ${volume.requestedSize} and has ${volume.capacity}`;
  if (growth?.kind === 'failed') return hold('VolumeChangeStuck', `${far}: ${growth.message}`, true);
  const fileSystemMs = fileSystemSinceMs(volume);
  if (fileSystemMs === undefined) return underWay(node, volume, far, nowMs);
  if (nowMs - fileSystemMs <= FILE_SYSTEM_PATIENCE_MS)
    return hold('VolumeChanging', `${far}: its file system is being resized`);
  if (node.pod === undefined || isVolumeRestartDue(node, nowMs))
    return hold('VolumeAwaitsRestart', `${far}: its file system is resized when Pod ${node.name} starts anew`);
  return hold('VolumeChangeStuck', `${far}: its file system was not resized when Pod ${node.name} started anew`, true);
}

function changing(node: NodeRecord, volume: VolumeRecord, nowMs: number): Hold | undefined {
  const { asked, current, problem } = volume.attributes;
  if (node.storage.attributesClass === undefined || asked === undefined || asked === current) return undefined;
  const far = `PersistentVolumeClaim ${volume.name} asks for VolumeAttributesClass ${asked} and has ${current ?? 'none'}`;
  if (problem !== undefined) return hold('VolumeChangeStuck', `${far}: ${problem}`, true);
  return underWay(node, volume, far, nowMs);
}

function underWay(node: NodeRecord, volume: VolumeRecord, far: string, nowMs: number): Hold {
  if (!isOverdue(node, volume, nowMs)) return hold('VolumeChanging', `${far}: its provider is at it`);
  const minutes = PROVIDER_PATIENCE_MS / 60_000;
  return hold('VolumeChangeStuck', `${far}: its provider has not done it for more than ${minutes} minutes`, true);
}

/** A change that was reported as stuck stays so until the claim says something else. */
function isOverdue(node: NodeRecord, volume: VolumeRecord, nowMs: number): boolean {
  const sinceMs = pendingSinceMs(node, volume);
  const isReported = volume.growth === undefined && node.volumeCondition?.reason === 'VolumeChangeStuck';
  return isReported || (sinceMs !== undefined && nowMs - sinceMs > PROVIDER_PATIENCE_MS);
}

/** Since when the change has been waited for: by the status of the claim, or else by the condition of the node. */
function pendingSinceMs({ volumeCondition }: NodeRecord, { growth }: VolumeRecord): number | undefined {
  if (growth?.kind === 'underWay') return growth.sinceMs;
  return volumeCondition?.reason === 'VolumeChanging' ? volumeCondition.sinceMs : undefined;
}

function fileSystemSinceMs(volume: VolumeRecord): number | undefined {
  return volume.growth?.kind === 'fileSystem' && isBehind(volume) ? volume.growth.sinceMs : undefined;
}

/** True when the volume has less than its claim asks for; false while the claim does not say what it has. */
function isBehind({ requestedSize, capacity }: VolumeRecord): boolean {
  return requestedSize !== undefined && isLarger(requestedSize, capacity);
}

/** The node's own volume if it is bound and stays. Any other volume has bigger problems than its size. */
function boundVolume(node: NodeRecord): VolumeRecord | undefined {
  const { volume } = node;
  return volume?.isBound === true && !isWithoutVolume(node) ? volume : undefined;
}

/** Both are known, and the first is more. */
export function isLarger(one: string, other: string | undefined): boolean {
  const [left, right] = [quantityOf(one), quantityOf(other)];
  return left !== undefined && right !== undefined && left.millis > right.millis;
}

function quantityOf(text: string | undefined): Quantity | undefined {
  return text === undefined ? undefined : tryParseQuantity(text);
}
