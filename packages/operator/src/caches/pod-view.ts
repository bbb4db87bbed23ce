// What the cache keeps of a Pod (docs/design/runtime.md#projections).

import { ANNOTATIONS } from '@marekvs/api';
import {
  type ContainerResources,
  NO_PASSWORD,
  type PodRecord,
  type PodResources,
  passwordSource,
  timeMs,
} from '@marekvs/planner';
import type { Identified, Pod } from '@marekvs/runtime';
import { identity } from '../objects/metadata.ts';
import { memberFirst } from './member-first.ts';

export interface PodView extends PodRecord, Identified {
  readonly namespace: string;
}
export function toPodView(seen: Pod): PodView {
  const pod = memberFirst(seen);
  const { metadata, status, spec } = pod;
  const container = status?.containerStatuses?.[0];
  const condition = (type: string) => status?.conditions?.find((entry) => entry.type === type);
  const scheduled = condition('PodScheduled');
  return {
    ...identity(pod),
    ownerUid: ownerOf(metadata),
    isTerminating: metadata.deletionTimestamp !== undefined,
    terminationDueMs: timeMs(metadata.deletionTimestamp),
    createdAtMs: timeMs(metadata.creationTimestamp) ?? 0,
    phase: status?.phase ?? 'Pending',
    statusReason: status?.reason,
    ip: status?.podIP,
    hostName: spec?.nodeName,
    isReady: condition('Ready')?.status === 'True',
    unschedulable:
      scheduled?.status === 'False' ? (scheduled.message ?? scheduled.reason ?? 'unschedulable') : undefined,
    waiting: waitingOf(container),
    restartCount: container?.restartCount ?? 0,
    isOutOfMemory: lastEndOf(container)?.reason === 'OOMKilled',
    labels: metadata.labels ?? {},
    seeds: metadata.annotations?.[ANNOTATIONS.seeds]?.split(',') ?? [],
    templateHash: metadata.annotations?.[ANNOTATIONS.templateHash],
    isLeaving: metadata.annotations?.[ANNOTATIONS.leaving] === 'true' || isSealed(spec),
    isSealed: isSealed(spec),
    isDisrupted: condition('DisruptionTarget')?.status === 'True',
    resources: podResources(pod),
    resizedBy: metadata.annotations?.[ANNOTATIONS.resized],
    replicationFactor: wholeNumberOf(spec, 'MAREKVS_REPLICAS_N'),
    gcGraceSeconds: wholeNumberOf(spec, 'MAREKVS_GC_GRACE_SECS'),
    password: passwordOf(spec),
  };
}

/** UID of its controller. A Pod that names a MarekvsNode of another name has a copied reference, and is nobody's. */
function ownerOf(metadata: Pod['metadata']): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner?.kind === 'MarekvsNode' && owner.name !== metadata.name ? `${owner.name}/${owner.uid}` : owner?.uid;
}

/** The source of the password. Undefined when somebody else wrote the password itself into the Pod: it cannot be read
 *  from a Secret then. */
function passwordOf(spec: Pod['spec']): PodRecord['password'] {
  // Nobody is told the password of a process behind a closed door, and its next Pod has that of the template.
  if (isSealed(spec)) return undefined;
  const variable = spec?.containers?.[0]?.env?.find(({ name }) => name === 'MAREKVS_REQUIREPASS');
  const { name, key } = variable?.valueFrom?.secretKeyRef ?? {};
  if (name !== undefined && key !== undefined) return passwordSource({ name, key });
  return (variable?.value ?? '') === '' && variable?.valueFrom === undefined ? NO_PASSWORD : undefined;
}

/** By its own environment, which cannot be edited: an annotation could. Something may have put a container of its own
 *  before that of the member. */
function isSealed(spec: Pod['spec']): boolean {
  const env = (spec?.containers ?? []).flatMap((container) => container.env ?? []);
  return env.some(({ name, value }) => name === 'MAREKVS_RESP_ADDR' && value?.startsWith('127.') === true);
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

/** The kubelet reports a deferred or refused change in one condition, and a change under way in another. Neither is
 *  there when everything is done. */
function changeOf(conditions: NonNullable<NonNullable<Pod['status']>['conditions']>): PodResources['change'] {
  const activeCondition = (type: string) => conditions.find((one) => one.type === type && one.status === 'True');
  const pending = activeCondition('PodResizePending');
  const doing = activeCondition('PodResizeInProgress');
  if (pending !== undefined)
    return { state: pending.reason === 'Infeasible' ? 'Infeasible' : 'Deferred', message: pending.message ?? '' };
  if (doing === undefined) return undefined;
  return { state: doing.reason === 'Error' ? 'Failing' : 'InProgress', message: doing.message ?? '' };
}

type ContainerStatus = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number];

function lastEndOf(container: ContainerStatus | undefined) {
  return container?.state?.terminated ?? container?.lastState?.terminated;
}

function waitingOf(container: ContainerStatus | undefined) {
  const waiting = container?.state?.waiting;
  return waiting === undefined ? undefined : { reason: waiting.reason ?? '', message: waiting.message ?? '' };
}
