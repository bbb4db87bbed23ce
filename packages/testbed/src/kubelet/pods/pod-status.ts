// The status of a Pod, computed from what the kubelet knows of it. Pure; pod-worker.ts decides when to write it.
import type { Container, Pod } from '../objects/objects.ts';
import type { PodSize } from './pod-resize.ts';

export type ContainerState =
  | { readonly kind: 'waiting'; readonly reason: string; readonly message?: string }
  | { readonly kind: 'running'; readonly startedAt: string }
  | { readonly kind: 'terminated'; readonly end: ContainerEnd };

export interface ContainerEnd {
  readonly reason: string;
  readonly exitCode: number;
  readonly signal?: number;
  readonly startedAt: string;
  readonly finishedAt: string;
}

/** What the kubelet knows of one Pod. */
export interface PodFacts {
  readonly nodeName: string | undefined;
  readonly hostIp: string;
  readonly podIp: string | undefined;
  readonly startTime: string | undefined;
  readonly unschedulable: string | undefined;
  readonly state: ContainerState;
  readonly lastEnd: ContainerEnd | undefined;
  readonly restartCount: number;
  readonly isStarted: boolean;
  readonly isReady: boolean;
  /** Set once the Pod was evicted or otherwise ended for good. */
  readonly failed: { readonly reason: string; readonly message: string } | undefined;
  readonly size: PodSize;
}

interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

/** Conditions without their transition times: those are added when a condition really changes. */
export function podConditions(facts: PodFacts): Condition[] {
  if (facts.unschedulable !== undefined) {
    return [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: facts.unschedulable }];
  }
  if (facts.nodeName === undefined) return [];
  const isReady = facts.isReady && facts.failed === undefined;
  const ready: Condition = isReady
    ? { type: 'Ready', status: 'True' }
    : { type: 'Ready', status: 'False', reason: facts.failed === undefined ? 'ContainersNotReady' : 'PodFailed' };
  return [
    { type: 'PodScheduled', status: 'True' },
    { type: 'Initialized', status: 'True' },
    { ...ready, type: 'ContainersReady' },
    ready,
  ];
}

export function podPhase(facts: PodFacts): 'Pending' | 'Running' | 'Failed' {
  if (facts.failed !== undefined) return 'Failed';
  const hasRun = facts.state.kind === 'running' || facts.lastEnd !== undefined || facts.state.kind === 'terminated';
  return hasRun ? 'Running' : 'Pending';
}

/** The body of a strategic merge patch of the status subresource; conditions of other writers stay.
 *  @param transitionTimes by condition type and status, kept by the caller */
export function renderStatus(
  pod: Pod,
  container: Container,
  facts: PodFacts,
  transitionTimes: (type: string, status: string) => string,
): object {
  const { podIp } = facts;
  return {
    phase: podPhase(facts),
    ...(facts.failed === undefined ? {} : facts.failed),
    conditions: [
      ...[...podConditions(facts), ...resizeConditions(facts.size)].map((one) => ({
        ...one,
        reason: one.reason ?? null,
        message: one.message ?? null,
        lastTransitionTime: transitionTimes(one.type, one.status),
      })),
      ...goneConditions(facts.size),
    ],
    ...(facts.nodeName === undefined || facts.size.generation === undefined
      ? {}
      : { observedGeneration: facts.size.generation }),
    ...(facts.nodeName === undefined ? {} : { hostIP: facts.hostIp, hostIPs: [{ ip: facts.hostIp }] }),
    ...(podIp === undefined ? {} : { podIP: podIp, podIPs: [{ ip: podIp }] }),
    ...(facts.startTime === undefined ? {} : { startTime: facts.startTime }),
    qosClass: pod.status?.qosClass ?? null,
    ...(facts.nodeName === undefined ? {} : { containerStatuses: [containerStatus(pod, container, facts)] }),
  };
}

/** Present only while a resize is not done: never `False`. */
function resizeConditions({ pending, isInProgress }: PodSize): readonly Condition[] {
  if (pending !== undefined) return [{ type: 'PodResizePending', status: 'True', ...pending }];
  return isInProgress ? [{ type: 'PodResizeInProgress', status: 'True' }] : [];
}

/** A patch removes a condition only if it names it. */
function goneConditions(size: PodSize): readonly object[] {
  if (!size.wasAsked) return [];
  const present = resizeConditions(size).map(({ type }) => type);
  return ['PodResizePending', 'PodResizeInProgress']
    .filter((type) => !present.includes(type))
    .map((type) => ({ $patch: 'delete', type }));
}

function containerStatus(pod: Pod, container: Container, facts: PodFacts): object {
  const image = container.image ?? '';
  const hasRun = facts.state.kind !== 'waiting' || facts.lastEnd !== undefined;
  return {
    name: container.name,
    image,
    imageID: hasRun ? `testbed://${image}` : '',
    ...(hasRun ? { containerID: `testbed://${pod.metadata.uid}/${facts.restartCount}` } : {}),
    ready: facts.isReady,
    started: facts.isStarted,
    restartCount: facts.restartCount,
    ...(hasRun ? { resources: facts.size.has } : {}),
    state: renderState(facts.state),
    lastState: facts.lastEnd === undefined ? {} : { terminated: facts.lastEnd },
  };
}

function renderState(state: ContainerState): object {
  switch (state.kind) {
    case 'waiting':
      return { waiting: { reason: state.reason, ...(state.message === undefined ? {} : { message: state.message }) } };
    case 'running':
      return { running: { startedAt: state.startedAt } };
    case 'terminated':
      return { terminated: state.end };
  }
}
