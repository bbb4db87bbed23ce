// What the cache keeps of a volume claim (docs/design/runtime.md#projections).

import { ANNOTATIONS, LABELS, parseNodeIdText } from '@marekvs/api';
import { timeMs, type VolumeRecord } from '@marekvs/planner';
import type { Identified, PersistentVolumeClaim } from '@marekvs/runtime';
import { identity } from '../objects/metadata.ts';

/** Kubernetes' own annotation on a claim. */
const STORAGE_PROVISIONER = 'volume.kubernetes.io/storage-provisioner';

export interface VolumeView extends VolumeRecord, Identified {
  readonly namespace: string;
  /** Name of its PersistentVolume; undefined until it is bound. */
  readonly volumeName: string | undefined;
}

export function toVolumeView(claim: PersistentVolumeClaim): VolumeView {
  const { metadata, spec, status } = claim;
  const requested = spec?.resources?.requests?.storage;
  const capacity = status?.capacity?.storage;
  return {
    ...identity(claim),
    nodeId: parseNodeIdText(metadata.labels?.[LABELS.nodeId] ?? ''),
    clusterName: metadata.labels?.[LABELS.cluster],
    isTerminating: metadata.deletionTimestamp !== undefined,
    isBound: status?.phase === 'Bound',
    provisioning: provisioningOf(claim),
    createdAtMs: timeMs(metadata.creationTimestamp) ?? 0,
    requestedSize: requested === undefined ? undefined : String(requested),
    capacity: capacity === undefined ? undefined : String(capacity),
    growth: growthOf(status),
    attributes: attributesOf(claim),
    clusterUid: metadata.labels?.[LABELS.clusterUid],
    ownerUids: (metadata.ownerReferences ?? []).map((owner) => owner.uid),
    detachedAtMs: timeMs(metadata.annotations?.[ANNOTATIONS.detachedAt]),
    lastActiveAtMs: timeMs(metadata.annotations?.[ANNOTATIONS.lastActiveAt]),
    highestNodeId: parseNodeIdText(metadata.annotations?.[ANNOTATIONS.highestNodeId] ?? ''),
    isProtected: metadata.labels?.[LABELS.protected] === 'true',
    dataDir: metadata.annotations?.[ANNOTATIONS.dataDir],
    hostLost: metadata.annotations?.[ANNOTATIONS.hostLost],
    hostDrained: metadata.annotations?.[ANNOTATIONS.hostDrained],
    volumeName: spec?.volumeName,
  };
}

type ClaimStatus = NonNullable<PersistentVolumeClaim['status']>;
type ClaimCondition = NonNullable<ClaimStatus['conditions']>[number];

/** Conditions of a growth that does not finish by itself. */
const GROWTH_ERRORS: readonly string[] = ['ControllerResizeError', 'NodeResizeError'];
const NOT_FEASIBLE: readonly string[] = ['ControllerResizeInfeasible', 'NodeResizeInfeasible'];

/** The conditions may be of an earlier growth: the planner tells by the sizes. */
function growthOf({ conditions = [], allocatedResourceStatuses = {} }: ClaimStatus = {}): VolumeRecord['growth'] {
  const activeCondition = (type: string) => conditions.find((one) => one.type === type && one.status === 'True');
  const error = GROWTH_ERRORS.map(activeCondition).find((one) => one !== undefined);
  const state = allocatedResourceStatuses.storage ?? '';
  if (error !== undefined || NOT_FEASIBLE.includes(state))
    return { kind: 'failed', message: textOf(error) ?? `its provider calls it ${state}` };
  const pending = activeCondition('FileSystemResizePending');
  if (pending !== undefined) return { kind: 'fileSystem', sinceMs: timeMs(pending.lastTransitionTime) ?? 0 };
  const doing = activeCondition('Resizing');
  const sinceMs = timeMs(doing?.lastTransitionTime);
  return sinceMs === undefined ? undefined : { kind: 'underWay', sinceMs };
}

function attributesOf({ spec, status }: PersistentVolumeClaim): VolumeRecord['attributes'] {
  const error = status?.conditions?.find((one) => one.type === 'ModifyVolumeError' && one.status === 'True');
  const isInfeasible = status?.modifyVolumeStatus?.status === 'Infeasible';
  return {
    asked: spec?.volumeAttributesClassName,
    current: status?.currentVolumeAttributesClassName,
    problem: textOf(error) ?? (isInfeasible ? 'its provider calls it infeasible' : undefined),
  };
}

function textOf(condition: ClaimCondition | undefined): string | undefined {
  return condition === undefined ? undefined : (condition.message ?? condition.reason ?? condition.type);
}

/** Undefined unless the claim is pending. The class is known from the start, the provisioner once the controller
 *  manager has found the class. */
function provisioningOf({ metadata, spec, status }: PersistentVolumeClaim): VolumeRecord['provisioning'] {
  if ((status?.phase ?? 'Pending') !== 'Pending') return undefined;
  return { className: spec?.storageClassName, provisioner: metadata.annotations?.[STORAGE_PROVISIONER] };
}
