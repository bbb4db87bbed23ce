// What a write makes of an object before it gets a version: which half it may change, what only the server sets. Pure.

import type { ApiKind } from './api-kinds.ts';
import { isSame } from './api-merge.ts';
import type { ApiInput, ApiMeta, ApiObject, Json } from './api-object.ts';

export type Half = 'spec' | 'status' | 'resize';

export function changedHalf(kind: ApiKind, live: ApiObject, next: ApiInput, half: Half): ApiObject {
  return half === 'status' ? withStatus(live, next.status) : withoutStatus(kind, live, next);
}

function withStatus(live: ApiObject, status: Json | undefined): ApiObject {
  const { status: _, ...rest } = live;
  return status === undefined ? rest : { ...rest, status };
}

/** Takes everything but the status, and of the metadata only the fields that a writer may set. */
function withoutStatus(kind: ApiKind, live: ApiObject, next: ApiInput): ApiObject {
  const { metadata = {}, ...body } = next;
  const { status: _, ...rest } = body;
  const old = live.metadata;
  const status = kind.hasStatus ? live.status : next.status;
  const isNewSpec = kind.countsGenerations && !isSame(next.spec, live.spec);
  return {
    ...rest,
    ...(live.apiVersion === undefined ? {} : { apiVersion: live.apiVersion }),
    ...(live.kind === undefined ? {} : { kind: live.kind }),
    metadata: {
      name: old.name,
      ...(old.namespace === undefined ? {} : { namespace: old.namespace }),
      ...owned(metadata),
      uid: old.uid,
      resourceVersion: old.resourceVersion,
      creationTimestamp: old.creationTimestamp,
      ...(old.generation === undefined ? {} : { generation: old.generation + (isNewSpec ? 1 : 0) }),
      ...(old.deletionTimestamp === undefined ? {} : { deletionTimestamp: old.deletionTimestamp }),
      ...(old.deletionGracePeriodSeconds === undefined
        ? {}
        : { deletionGracePeriodSeconds: old.deletionGracePeriodSeconds }),
      ...finalizersOf(metadata.finalizers ?? []),
    },
    ...(status === undefined ? {} : { status }),
  };
}

/** The metadata fields that a writer may set. Empty maps and lists are dropped. */
export function owned({
  labels,
  annotations,
  ownerReferences,
}: Partial<ApiMeta>): Pick<ApiMeta, 'labels' | 'annotations' | 'ownerReferences'> {
  return {
    ...(labels === undefined || Object.keys(labels).length === 0 ? {} : { labels }),
    ...(annotations === undefined || Object.keys(annotations).length === 0 ? {} : { annotations }),
    ...(ownerReferences === undefined || ownerReferences.length === 0 ? {} : { ownerReferences }),
  };
}

export function finalizersOf(finalizers: readonly string[]): Pick<ApiMeta, 'finalizers'> {
  return finalizers.length === 0 ? {} : { finalizers };
}

export function initialStatus(kind: ApiKind): Json | undefined {
  return kind.plural === 'pods' || kind.plural === 'persistentvolumeclaims' ? { phase: 'Pending' } : undefined;
}

/** In seconds. 0 for a Pod without a host and for one whose containers have ended: these go at once. */
export function graceOf(live: ApiObject, graceSeconds: number | undefined): number {
  const phase = live.status?.phase;
  if (live.spec?.nodeName === undefined || phase === 'Failed' || phase === 'Succeeded') return 0;
  const own = live.spec.terminationGracePeriodSeconds;
  return graceSeconds ?? (typeof own === 'number' ? own : 30);
}

export function withFinalizer(object: ApiObject, name: string): ApiObject {
  const finalizers = [...(object.metadata.finalizers ?? []).filter((one) => one !== name), name];
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

/** Whether this change of an object that is being deleted is its end: nothing keeps it any more. */
export function losesLastFinalizer(kind: ApiKind, live: ApiObject, { metadata }: ApiObject): boolean {
  return (
    metadata.deletionTimestamp !== undefined &&
    (metadata.finalizers ?? []).length === 0 &&
    (live.metadata.finalizers ?? []).length > 0 &&
    (!kind.isGraceful || metadata.deletionGracePeriodSeconds === 0)
  );
}
