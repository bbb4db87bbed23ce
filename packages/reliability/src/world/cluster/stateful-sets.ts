// The StatefulSet controller, as far as a cluster's own name meets it. It adopts the Pods of its ordinals that match
// its selector and have no controller, creates missing ones, and deletes its own beyond its size. Unless its strategy
// is OnDelete, it also deletes every Pod not made from its template, highest first. Each pass comes a moment after its
// cause.

import type { ApiMeta, ApiObject } from '@marekvs/simulator';
import { NAMESPACE, type WorldView } from './world-view.ts';

export const STATEFUL_SETS = 'statefulsets.apps';
/** On the Pods that it creates. */
const REVISION_LABEL = 'controller-revision-hash';
const CHECK_MS = 150;
/** Time until a create is retried that found its name taken. */
const AGAIN_MS = 1_000;

interface SetSpec {
  readonly replicas?: number;
  readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  readonly updateStrategy?: { readonly type?: string };
  readonly template?: {
    readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
    readonly spec?: Readonly<Record<string, unknown>>;
  };
}

export function startStatefulSets({ kube: { server, clock } }: WorldView): void {
  let isPlanned = false;

  function plan(ms: number): void {
    if (isPlanned) return;
    isPlanned = true;
    clock.after(ms, () => {
      isPlanned = false;
      for (const set of server.list(STATEFUL_SETS)) if (set.metadata.deletionTimestamp === undefined) reconcile(set);
    });
  }

  function reconcile(set: ApiObject): void {
    const spec = (set.spec ?? {}) as SetSpec;
    const { name, uid } = set.metadata;
    const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name, uid, controller: true, blockOwnerDeletion: true };
    const members = server.list('pods').filter(({ metadata }) => ordinalOf(name, metadata) !== undefined);
    for (const pod of members) if (isLoose(pod) && isSelected(pod, spec)) take(pod, owner);
    const replicas = spec.replicas ?? 1;
    for (let ordinal = 0; ordinal < replicas; ordinal += 1) make(set, spec, ordinal, owner);
    const own = members.filter((pod) => controllerUid(pod) === uid && pod.metadata.deletionTimestamp === undefined);
    const beyond = own.filter(({ metadata }) => (ordinalOf(name, metadata) ?? 0) >= replicas);
    for (const { metadata } of beyond) server.remove('pods', metadata, { uid: metadata.uid });
    if (spec.updateStrategy?.type === 'OnDelete') return;
    const outdated = own.findLast(({ metadata }) => metadata.labels?.[REVISION_LABEL] !== uid);
    if (outdated !== undefined) server.remove('pods', outdated.metadata, { uid: outdated.metadata.uid });
  }

  function take({ metadata }: ApiObject, owner: NonNullable<ApiMeta['ownerReferences']>[number]): void {
    server.patch('pods', metadata, { metadata: { ownerReferences: [...(metadata.ownerReferences ?? []), owner] } });
  }

  function make(
    { metadata: { name, uid } }: ApiObject,
    { template }: SetSpec,
    ordinal: number,
    owner: NonNullable<ApiMeta['ownerReferences']>[number],
  ): void {
    const ref = { namespace: NAMESPACE, name: `${name}-${ordinal}` };
    const there = server.find('pods', ref);
    if (there !== undefined) {
      if (controllerUid(there) !== uid) plan(AGAIN_MS);
      return;
    }
    const labels = { ...template?.metadata?.labels, [REVISION_LABEL]: uid };
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: `data-${ref.name}` } }];
    server.create('pods', {
      metadata: { ...ref, labels, ownerReferences: [owner] },
      spec: { ...template?.spec, volumes },
    });
  }

  server.onEvent(({ resource }) => {
    if (resource === STATEFUL_SETS || resource === 'pods') plan(CHECK_MS);
  });
}

export function controllerUid({ metadata }: ApiObject): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}

function isLoose(pod: ApiObject): boolean {
  return controllerUid(pod) === undefined && pod.metadata.deletionTimestamp === undefined;
}

function isSelected({ metadata }: ApiObject, { selector }: SetSpec): boolean {
  return Object.entries(selector?.matchLabels ?? {}).every(([key, value]) => metadata.labels?.[key] === value);
}

function ordinalOf(set: string, { name }: ApiMeta): number | undefined {
  const match = new RegExp(`^${set}-(\\d+)$`).exec(name);
  return match?.[1] === undefined ? undefined : Number(match[1]);
}
