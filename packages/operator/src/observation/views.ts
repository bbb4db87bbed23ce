// What the caches keep of each kind. Projections: a field that is not here cannot be decided on (docs/design/runtime.md#projections).

import {
  ANNOTATIONS,
  controllerOf,
  LABELS,
  type MarekvsCluster,
  type MarekvsNode,
  type NodeTemplate,
  parseNodeIdText,
} from '@marekvs/api';
import {
  type ContainerResources,
  NO_PASSWORD,
  type PodRecord,
  type PodResources,
  passwordSource,
  type RevisionRecord,
  type VolumeRecord,
} from '@marekvs/planner';
import type { ControllerRevision, Identified, KubeObject, PersistentVolumeClaim, Pod } from '@marekvs/runtime';
import { hashOfRevision, templateOfRevision } from '../cluster/revision-object.ts';
import { restartHash } from '../cluster/template.ts';

/** Kubernetes' own annotation on a claim. */
const STORAGE_PROVISIONER = 'volume.kubernetes.io/storage-provisioner';

/** One of our own resources, kept whole. */
export interface OwnView<T> extends Identified {
  readonly namespace: string;
  readonly object: T;
  /** UID of the controlling owner, `` when nobody controls it. */
  readonly ownerUid: string;
}
export type ClusterView = OwnView<MarekvsCluster>;
export type NodeView = OwnView<MarekvsNode>;

export interface PodView extends PodRecord, Identified {
  readonly namespace: string;
}
export interface VolumeView extends VolumeRecord, Identified {
  readonly namespace: string;
  /** Name of its PersistentVolume; undefined until it is bound. */
  readonly volumeName: string | undefined;
}

export interface RevisionView extends RevisionRecord, Identified {
  readonly namespace: string;
  readonly ownerUid: string;
  /** What it holds; undefined unless that has the hash its name says. */
  readonly template: NodeTemplate | undefined;
  /** `namespace/cluster` of a sentinel (cluster/secret-sentinel.ts); undefined of everything else. */
  readonly sentinelOf: string | undefined;
  /** UID of the Secret it goes with; undefined when somebody has parted them. */
  readonly secretUid: string | undefined;
  /** From its label. */
  readonly clusterName: string | undefined;
}

/** A Service, disruption budget or network policy: only what tells whether it drifted. */
export interface ChildView extends Identified {
  readonly namespace: string;
  readonly ownerUid: string;
  readonly isTerminating: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly appliedHash: string | undefined;
  readonly spec: unknown;
}

export function toClusterView(object: MarekvsCluster): ClusterView {
  return toOwnView(object);
}

export function toNodeView(object: MarekvsNode): NodeView {
  return toOwnView(object);
}

function toOwnView<T extends MarekvsCluster | MarekvsNode>(object: T): OwnView<T> {
  const { namespace, name, uid, resourceVersion } = object.metadata;
  return { namespace, name, uid, resourceVersion, object, ownerUid: controllerOf(object.metadata)?.uid ?? '' };
}

export function toPodView(pod: Pod): PodView {
  const { metadata, status, spec } = pod;
  const container = status?.containerStatuses?.[0];
  const condition = (type: string) => status?.conditions?.find((entry) => entry.type === type);
  const scheduled = condition('PodScheduled');
  return {
    ...identity(pod),
    ownerUid: metadata.ownerReferences?.find((owner) => owner.controller === true)?.uid,
    isTerminating: metadata.deletionTimestamp !== undefined,
    terminationDueMs: timeOf(metadata.deletionTimestamp),
    createdAtMs: timeOf(metadata.creationTimestamp) ?? 0,
    phase: status?.phase ?? 'Pending',
    statusReason: status?.reason,
    ip: status?.podIP,
    hostName: spec?.nodeName,
    isReady: condition('Ready')?.status === 'True',
    unschedulable:
      scheduled?.status === 'False' ? (scheduled.message ?? scheduled.reason ?? 'unschedulable') : undefined,
    waiting: waitingOf(container),
    restartCount: container?.restartCount ?? 0,
    labels: metadata.labels ?? {},
    seeds: metadata.annotations?.[ANNOTATIONS.seeds]?.split(',') ?? [],
    templateHash: metadata.annotations?.[ANNOTATIONS.templateHash],
    isLeaving: metadata.annotations?.[ANNOTATIONS.leaving] === 'true',
    isDisrupted: condition('DisruptionTarget')?.status === 'True',
    resources: podResources(pod),
    resizedBy: metadata.annotations?.[ANNOTATIONS.resized],
    replicationFactor: wholeNumberOf(spec, 'MAREKVS_REPLICAS_N'),
    gcGraceSeconds: wholeNumberOf(spec, 'MAREKVS_GC_GRACE_SECS'),
    password: passwordOf(spec),
  };
}

/** Written out in the Pod by somebody else, it has no place that it could be read from. */
function passwordOf(spec: Pod['spec']): PodRecord['password'] {
  const variable = spec?.containers?.[0]?.env?.find(({ name }) => name === 'MAREKVS_REQUIREPASS');
  const { name, key } = variable?.valueFrom?.secretKeyRef ?? {};
  if (name !== undefined && key !== undefined) return passwordSource({ name, key });
  return (variable?.value ?? '') === '' && variable?.valueFrom === undefined ? NO_PASSWORD : undefined;
}

/** A setting of the member, from the Pod's own environment. */
function wholeNumberOf(spec: Pod['spec'], name: string): number | undefined {
  const text = spec?.containers?.[0]?.env?.find((variable) => variable.name === name)?.value;
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function podResources({ metadata, spec, status }: Pod): PodResources {
  const effective = status?.containerStatuses?.[0]?.resources;
  const seen = status?.observedGeneration;
  return {
    asked: containerResources(spec?.containers?.[0]?.resources),
    effective: effective === undefined ? undefined : containerResources(effective),
    change: changeOf(status?.conditions ?? []),
    isObserved: seen === undefined || metadata.generation === undefined || seen >= metadata.generation,
  };
}

type ResourceNames = Readonly<Record<string, string | number>>;

function containerResources(
  resources: { readonly requests?: ResourceNames; readonly limits?: ResourceNames } | undefined,
): ContainerResources {
  const text = (value: string | number | undefined) => (value === undefined ? undefined : String(value));
  return {
    cpuRequest: text(resources?.requests?.cpu),
    memoryRequest: text(resources?.requests?.memory),
    memoryLimit: text(resources?.limits?.memory),
  };
}

/** The kubelet puts a change off, or refuses it, in one condition, and is at it in another; neither is there when all is done. */
function changeOf(conditions: NonNullable<NonNullable<Pod['status']>['conditions']>): PodResources['change'] {
  const activeCondition = (type: string) => conditions.find((one) => one.type === type && one.status === 'True');
  const pending = activeCondition('PodResizePending');
  const doing = activeCondition('PodResizeInProgress');
  if (pending !== undefined)
    return { state: pending.reason === 'Infeasible' ? 'Infeasible' : 'Deferred', message: pending.message ?? '' };
  if (doing === undefined) return undefined;
  return { state: doing.reason === 'Error' ? 'Failing' : 'InProgress', message: doing.message ?? '' };
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
    createdAtMs: timeOf(metadata.creationTimestamp) ?? 0,
    requestedSize: requested === undefined ? undefined : String(requested),
    capacity: capacity === undefined ? undefined : String(capacity),
    growth: growthOf(status),
    attributes: attributesOf(claim),
    clusterUid: metadata.labels?.[LABELS.clusterUid],
    ownerUids: (metadata.ownerReferences ?? []).map((owner) => owner.uid),
    detachedAtMs: timeOf(metadata.annotations?.[ANNOTATIONS.detachedAt]),
    lastActiveAtMs: timeOf(metadata.annotations?.[ANNOTATIONS.lastActiveAt]),
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

/** Conditions of a growth that does not come to its end by itself. */
const GROWTH_ERRORS: readonly string[] = ['ControllerResizeError', 'NodeResizeError'];
const NOT_FEASIBLE: readonly string[] = ['ControllerResizeInfeasible', 'NodeResizeInfeasible'];

/** Whose conditions are of an earlier growth is for the planner to tell, by the sizes. */
function growthOf({ conditions = [], allocatedResourceStatuses = {} }: ClaimStatus = {}): VolumeRecord['growth'] {
  const activeCondition = (type: string) => conditions.find((one) => one.type === type && one.status === 'True');
  const error = GROWTH_ERRORS.map(activeCondition).find((one) => one !== undefined);
  const state = allocatedResourceStatuses.storage ?? '';
  if (error !== undefined || NOT_FEASIBLE.includes(state))
    return { kind: 'failed', message: textOf(error) ?? `its provider calls it ${state}` };
  const pending = activeCondition('FileSystemResizePending');
  if (pending !== undefined) return { kind: 'fileSystem', sinceMs: timeOf(pending.lastTransitionTime) ?? 0 };
  const doing = activeCondition('Resizing');
  const sinceMs = timeOf(doing?.lastTransitionTime);
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

/** The class is known from the start, the provisioner from the moment the controller manager has found the class. */
function provisioningOf({ metadata, spec, status }: PersistentVolumeClaim): VolumeRecord['provisioning'] {
  if ((status?.phase ?? 'Pending') !== 'Pending') return undefined;
  return { className: spec?.storageClassName, provisioner: metadata.annotations?.[STORAGE_PROVISIONER] };
}

export function toRevisionView(revision: ControllerRevision): RevisionView {
  const ownerUid = controllerOf(revision.metadata)?.uid ?? '';
  const template = templateOfRevision(revision);
  return {
    ...identity(revision),
    ownerUid,
    hash: hashOfRevision(revision),
    number: revision.revision,
    isValid: template !== undefined,
    restartHash: template === undefined ? undefined : restartHash(template),
    resources: template?.resources,
    template,
    clusterName: revision.metadata.labels?.[LABELS.cluster],
    ...sentinelFields(revision, ownerUid),
  };
}

function sentinelFields(
  { metadata }: ControllerRevision,
  ownerUid: string,
): Pick<RevisionView, 'sentinelOf' | 'secretUid'> {
  const { namespace = '', labels = {}, ownerReferences = [] } = metadata;
  const cluster = labels[LABELS.cluster];
  const uid = labels[LABELS.secretUid];
  if (ownerUid !== '' || cluster === undefined || uid === undefined)
    return { sentinelOf: undefined, secretUid: undefined };
  const isOwned = ownerReferences.some((owner) => owner.kind === 'Secret' && owner.uid === uid);
  return { sentinelOf: `${namespace}/${cluster}`, secretUid: isOwned ? uid : undefined };
}

export function toChildView(object: KubeObject & { readonly spec?: unknown }): ChildView {
  const { metadata } = object;
  return {
    ...identity(object),
    ownerUid: metadata.ownerReferences?.find((owner) => owner.controller === true)?.uid ?? '',
    isTerminating: metadata.deletionTimestamp !== undefined,
    labels: metadata.labels ?? {},
    appliedHash: metadata.annotations?.[ANNOTATIONS.appliedHash],
    spec: object.spec,
  };
}

function identity(object: KubeObject) {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = object.metadata;
  return { namespace, name, uid, resourceVersion };
}

function waitingOf(container: NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number] | undefined) {
  const waiting = container?.state?.waiting;
  return waiting === undefined ? undefined : { reason: waiting.reason ?? '', message: waiting.message ?? '' };
}

/** Wall clock; undefined when there is none, or it is none. */
export function timeOf(text: string | undefined): number | undefined {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
