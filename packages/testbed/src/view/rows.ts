// What the live view shows of each object: plain rows from clusters, nodes and events. Pure.
import { findCondition, type MarekvsCluster, type MarekvsNode } from '@marekvs/api';
import type { Event } from '@marekvs/runtime';

export interface ClusterRow {
  readonly namespace: string;
  readonly name: string;
  readonly desired: string;
  readonly ready: string;
  readonly underreplicated: string;
  readonly opsPerSecond: string;
  /** Whole, NotCompared, AtRisk or Lost. */
  readonly data: string;
  readonly phase: string;
  /** Why it does not go on; empty while nothing is in the way. */
  readonly blocked: string;
  readonly message: string;
}

export interface NodeRow {
  readonly namespace: string;
  readonly name: string;
  readonly cluster: string;
  readonly id: number;
  readonly phase: string;
  readonly seenBy: string;
  readonly ready: string;
  readonly host: string;
  readonly volume: string;
  readonly createdAtMs: number;
}

export interface EventRow {
  readonly uid: string;
  readonly atMs: number;
  readonly type: string;
  readonly namespace: string;
  readonly about: string;
  readonly reason: string;
  readonly note: string;
}

/** A dash where the operator has not reported anything yet: unknown is not 0. */
const UNKNOWN = '-';

export function clusterRow({ metadata, status }: MarekvsCluster): ClusterRow {
  return {
    namespace: metadata.namespace ?? UNKNOWN,
    name: metadata.name ?? UNKNOWN,
    desired: shown(status?.desiredNodes),
    ready: shown(status?.readyNodes),
    underreplicated: shown(status?.underreplicatedPartitions),
    opsPerSecond: shown(status?.opsPerSecond),
    data: shown(status?.data?.state),
    phase: status?.phase ?? UNKNOWN,
    blocked: status?.blockedBy ?? (status?.phase === undefined ? UNKNOWN : ''),
    message: status?.message ?? '',
  };
}

export function nodeRow({ metadata, spec, status }: MarekvsNode): NodeRow {
  return {
    namespace: metadata.namespace ?? UNKNOWN,
    name: metadata.name ?? UNKNOWN,
    cluster: spec.clusterName,
    id: spec.nodeId,
    phase: status?.phase ?? UNKNOWN,
    seenBy: status?.seenBy ?? UNKNOWN,
    ready: findCondition(status?.conditions, 'Ready')?.status ?? UNKNOWN,
    host: status?.hostName ?? UNKNOWN,
    volume: status?.pvcName ?? UNKNOWN,
    createdAtMs: Date.parse(metadata.creationTimestamp ?? ''),
  };
}

export function eventRow(event: Event): EventRow {
  const at = event.series?.lastObservedTime ?? event.eventTime ?? event.metadata.creationTimestamp;
  return {
    uid: event.metadata.uid ?? '',
    atMs: Date.parse(String(at)),
    type: event.type ?? 'Normal',
    namespace: event.regarding?.namespace ?? event.metadata.namespace ?? UNKNOWN,
    about: event.regarding?.name ?? UNKNOWN,
    reason: event.reason ?? '',
    note: event.note ?? '',
  };
}

export type Health =
  | { readonly kind: 'healthy' }
  /** The sentence that says what is still missing. */
  | { readonly kind: 'not-yet'; readonly why: string };

/** Healthy means that the operator reports Ready about the present generation, and phase Healthy. */
export function healthOf(cluster: MarekvsCluster | undefined): Health {
  if (cluster === undefined) return { kind: 'not-yet', why: 'the cluster does not exist' };
  const { metadata, status } = cluster;
  const ready = findCondition(status?.conditions, 'Ready');
  if (ready === undefined) return { kind: 'not-yet', why: 'the operator has not reported yet' };
  if (ready.observedGeneration !== metadata.generation)
    return { kind: 'not-yet', why: 'the operator has not seen the newest spec yet' };
  if (ready.status !== 'True') return { kind: 'not-yet', why: `${ready.reason}: ${ready.message}` };
  if (status?.phase !== 'Healthy')
    return { kind: 'not-yet', why: `phase ${status?.phase ?? 'unknown'}: ${status?.message ?? ''}` };
  return { kind: 'healthy' };
}

function shown(value: number | string | undefined): string {
  return value === undefined ? UNKNOWN : String(value);
}
