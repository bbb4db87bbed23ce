// Converts what the caches and the sampler know about one node, or about all nodes of a cluster, into the planner's
// plain values.

import {
  ANNOTATIONS,
  type ClusterRef,
  cutText,
  findCondition,
  isNodeOf,
  LABELS,
  oncePer,
  pvcName,
  type Reason,
  reasonSince,
  recordedVolume,
} from '@marekvs/api';
import {
  type AdoptedData,
  type MemberAnswer,
  type NodeRecord,
  type PodRecord,
  passwordSource,
  type ResizePermit,
  timeMs,
  type VolumeRecord,
} from '@marekvs/planner';
import { keyOf } from '@marekvs/runtime';
import type { Caches } from '../caches/caches.ts';
import { BY_CLUSTER, BY_OWNER, BY_UID, ownedBy } from '../caches/indexes.ts';
import type { NodeView } from '../caches/views.ts';
import type { Sampler, SampleTarget } from '../members/sampler.ts';
import { templateHash } from '../objects/template.ts';
import { readNote } from '../secrets/password-note.ts';

/** Every node of this cluster, sorted by id as a number. */
export function nodesOf(caches: Caches, cluster: ClusterRef): readonly NodeView[] {
  return [...caches.nodes.store.byIndex(BY_OWNER, ownedBy(cluster))].sort(
    (a, b) => a.object.spec.nodeId - b.object.spec.nodeId,
  );
}

/** Nodes that name this cluster and are not its own, in whatever namespace. */
export function foreignNodesOf(caches: Caches, cluster: ClusterRef): readonly NodeView[] {
  return [...caches.nodes.store.byIndex(BY_UID, cluster.uid)].filter(({ object }) => !isNodeOf(object, cluster));
}

/** Every volume with the cluster's name in its label, sorted by id. */
export function volumesOf(caches: Caches, namespace: string, clusterName: string): readonly VolumeRecord[] {
  return [...caches.volumes.store.byIndex(BY_CLUSTER, `${namespace}/${clusterName}`)].sort(
    (a, b) => (a.nodeId ?? 0) - (b.nodeId ?? 0),
  );
}

export function toNodeRecord(view: NodeView, caches: Caches, sampler: Sampler): NodeRecord {
  const { spec } = view.object;
  const pod = caches.pods.store.get(keyOf(view));
  const volumeKey = keyOf({ namespace: view.namespace, name: pvcName(spec.clusterName, spec.nodeId) });
  return nodeRecordOf(view, {
    pod,
    volume: caches.volumes.store.get(volumeKey),
    answer: sampler.sample(pod).answer,
  });
}

/** The record of a node, from its object and what is known around it. Pure: the CLI plans with it, too. */
export function nodeRecordOf(
  view: NodeView,
  known: {
    readonly pod: PodRecord | undefined;
    readonly volume: VolumeRecord | undefined;
    readonly answer: MemberAnswer;
  },
): NodeRecord {
  const { template } = view.object.spec;
  const { pod } = known;
  return {
    ...ownRecord(view),
    replicationFactor: pod?.replicationFactor ?? template.replicationFactor,
    gcGraceSeconds: pod?.gcGraceSeconds ?? template.gcGraceSeconds,
    ...known,
    pod: countedPod(view, pod),
  };
}

type OwnRecord = Omit<NodeRecord, 'replicationFactor' | 'gcGraceSeconds' | 'pod' | 'volume' | 'answer'>;

/** The part from its own object. Memoized: every pass reads it for every node of the cluster. */
const ownRecord = oncePer((view: NodeView): OwnRecord => {
  const { metadata, spec, status } = view.object;
  return {
    name: view.name,
    uid: view.uid,
    resourceVersion: view.resourceVersion,
    id: spec.nodeId,
    isDeleting: metadata.deletionTimestamp !== undefined,
    deletedAtMs: metadata.deletionTimestamp === undefined ? undefined : Date.parse(metadata.deletionTimestamp),
    serving: spec.serving === true,
    intent: spec.intent ?? 'Active',
    ran: spec.ran === undefined ? undefined : { podUid: spec.ran.podUID, generation: spec.ran.generation },
    stopped: spec.stopped,
    isProtected: metadata.labels?.[LABELS.protected] === 'true',
    removeFirst: metadata.annotations?.[ANNOTATIONS.removeFirst],
    forceRemove: metadata.annotations?.[ANNOTATIONS.forceRemove],
    acceptDiverging: metadata.annotations?.[ANNOTATIONS.acceptDiverging],
    removalMark: metadata.annotations?.[ANNOTATIONS.removal],
    mayRestartPod: metadata.annotations?.[ANNOTATIONS.mayRestart],
    suspendAsked: asked(metadata.annotations?.[ANNOTATIONS.suspend]),
    removalProof: status?.removalProof,
    wasActive: status?.lastActiveAt !== undefined || status?.phase === 'Active',
    lastActiveAtMs: lastActiveAtMs(status, Number.POSITIVE_INFINITY),
    seeds: spec.seeds ?? [],
    createdAtMs: Date.parse(metadata.creationTimestamp),
    templateHash: templateHash(spec.template),
    resources: spec.template.resources,
    storage: { size: spec.storage.size, attributesClass: spec.storage.volumeAttributesClassName },
    volumeGrownAtMs: timeMs(metadata.annotations?.[ANNOTATIONS.volumeGrownAt]),
    volumeRefused: volumeRefused(view),
    volumeCondition: volumeCondition(view),
    resize: resizePermit(view),
    resizeRefused: resizeRefused(view),
    recordedVolumeUid: recordedVolume(view.object),
    reportedReason: reportedReason(view),
    hostLost: hostOf(view, ANNOTATIONS.hostLost),
    hostDrained: hostOf(view, ANNOTATIONS.hostDrained),
    adopts: adoptedData(view),
    password: passwordSource(spec.template.authSecretRef),
    passwordsGiven: readNote(metadata.annotations?.[ANNOTATIONS.passwordSecrets]),
  };
});

/** The Pod with the revision it counts as, when its template differs only in the password's Secret
 *  (cluster/steps/execute.ts). */
function countedPod({ object: { metadata } }: NodeView, pod: PodRecord | undefined): PodRecord | undefined {
  const [podUid, from, to] = metadata.annotations?.[ANNOTATIONS.restampedPod]?.split('/') ?? [];
  const isMeant = pod !== undefined && pod.uid === podUid && pod.templateHash === from && to !== undefined;
  return isMeant ? { ...pod, templateHash: to } : pod;
}

/** @param nowMs returned for an Active node, whose time has not ended yet */
export function lastActiveAtMs(status: NodeView['object']['status'], nowMs: number): number | undefined {
  return status?.phase === 'Active' ? nowMs : timeMs(status?.lastActiveAt);
}

/** The members to ask: every node's own Pod that has an address and is not terminating. */
export function sampleTargets(nodes: readonly NodeRecord[]): readonly SampleTarget[] {
  return nodes.flatMap((node) => {
    const { name, id, pod } = node;
    if (pod?.ip === undefined || !isAsked(node)) return [];
    const { uid: podUid, restartCount, ip, isReady: isPodReady, isSealed } = pod;
    return [{ podUid, restartCount, name, nodeId: id, ip, isPodReady, isSealed }];
  });
}

/** True while a ready member was never asked: the operator has only just started to follow it. A terminating Pod is not
 *  asked any more, so nobody waits for its answer. */
export function isUnasked(node: NodeRecord): boolean {
  return isAsked(node) && node.pod?.isReady === true && node.answer.kind === 'notAsked';
}

function isAsked({ uid, pod }: NodeRecord): boolean {
  return pod?.ip !== undefined && pod.ownerUid === uid && !pod.isTerminating && pod.phase === 'Running';
}

/** Since when the stored status calls the node ready, wall clock; undefined while it does not. */
export function readySinceMs(view: NodeView): number | undefined {
  const ready = findCondition(view.object.status?.conditions, 'Ready');
  return ready?.status === 'True' ? Date.parse(ready.lastTransitionTime) : undefined;
}

function adoptedData({ object: { metadata } }: NodeView): AdoptedData | undefined {
  const volumeUid = metadata.annotations?.[ANNOTATIONS.adoptedVolume];
  const dataDir = metadata.annotations?.[ANNOTATIONS.dataDir];
  return volumeUid === undefined || dataDir === undefined ? undefined : { volumeUid, dataDir };
}

/** The annotation names the UID of the node, so that it never applies to a successor of the same name. */
function hostOf({ uid, object: { metadata } }: NodeView, annotation: string): string | undefined {
  const condition = metadata.annotations?.[annotation];
  return condition?.startsWith(`${uid}/`) === true ? condition.slice(uid.length + 1) : undefined;
}

function resizePermit({ object: { metadata } }: NodeView): ResizePermit | undefined {
  const [podUid, revision, operationId] = metadata.annotations?.[ANNOTATIONS.resize]?.split('/') ?? [];
  return podUid === undefined || revision === undefined || operationId === undefined
    ? undefined
    : { podUid, revision, operationId };
}

/** A condition about an earlier template says nothing about this one. */
function resizeRefused({ object: { metadata, status } }: NodeView): string | undefined {
  const condition = status?.conditions?.find(
    ({ type, reason }) => type === 'UpToDate' && reason === 'ResizeImpossible',
  );
  return condition?.observedGeneration === metadata.generation ? condition?.message : undefined;
}

/** Applies even if something else is asked for by now: the node tries that at once, and reports the result. */
function volumeRefused({ object: { status } }: NodeView): string | undefined {
  const condition = findCondition(status?.conditions, 'VolumeUpToDate');
  return condition?.reason === 'VolumeChangeRefused' ? condition.message : undefined;
}

function volumeCondition({ object: { status } }: NodeView): NodeRecord['volumeCondition'] {
  const condition = findCondition(status?.conditions, 'VolumeUpToDate');
  const sinceMs = timeMs(reasonSince(status, 'VolumeUpToDate'));
  return condition === undefined || sinceMs === undefined ? undefined : { reason: condition.reason, sinceMs };
}

/** The text, shortened; undefined when it is empty. */
function asked(text: string | undefined): string | undefined {
  return cutText(text?.trim() ?? '', MAX_REASON_LENGTH) || undefined;
}

const MAX_REASON_LENGTH = 253;

function reportedReason(view: NodeView): Reason | undefined {
  const ready = findCondition(view.object.status?.conditions, 'Ready');
  return ready === undefined || ready.status === 'True' ? undefined : ready.reason;
}
