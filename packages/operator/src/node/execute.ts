// Carries out one step of a node plan. Pods and finalizers are written here, volumes in execute-volume.ts, nothing elsewhere.
// A Pod is deleted by UID alone (its kubelet keeps changing its version), everything else by UID and version.

import { FINALIZERS, isDataDir, pvcName } from '@marekvs/api';
import { type Hold, hold, type NodeStep, type PodRecord } from '@marekvs/planner';
import { ifFound, isAlreadyExists, persistentVolumeClaims, pods } from '@marekvs/runtime';
import { StoreError } from '@marekvs/store-client';
import { MAREKVS_CLUSTER, MAREKVS_NODE } from '../kinds.ts';
import { refusalOf } from '../write-refusal.ts';
import {
  areOthersAsSeen,
  areOthersUp,
  confirmDecision,
  hasLivePod,
  isOnItsVolume,
  mayEndBeside,
  mayHaveNewVolume,
} from './confirm.ts';
import { adoptLivePod, adoptPod, adoptVolume, isAdoptable } from './execute-adoption.ts';
import type { NodeExecuteContext } from './execute-context.ts';
import { annotateVolume, createVolume, foreign, isLabelledOurs } from './execute-volume.ts';
import { buildPod } from './pod.ts';
import { ATTACHED_NOTES, detachedNotes } from './volume.ts';

const MAX_GONE_PARENTS = 1_000;

/** The step was decided on the past, and is left to another pass. */
export const STALE = 'stale';
type Result = Hold | typeof STALE | undefined;

/** @returns what the API server refused, undefined when the step was carried out; anything unexpected is thrown */
export async function executeNode(step: NodeStep, context: NodeExecuteContext): Promise<Result> {
  try {
    return await executeStep(step, context);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return refusal;
  }
}

function executeStep(step: NodeStep, context: NodeExecuteContext): Promise<Result> {
  switch (step.kind) {
    case 'addFinalizer':
      return addFinalizer(context);
    case 'createVolume':
      return createNewVolume(context);
    case 'adoptVolume':
      return adoptVolume(step, context);
    case 'adoptPod':
      return adoptPod(context);
    case 'attachVolume':
      return annotateVolume(step.volume, ATTACHED_NOTES, context);
    case 'detachVolume':
      return annotateVolume(step.volume, detachedNotes(step), context);
    case 'createPod':
      return createPod(step.seeds, context);
    case 'deletePod':
      return endPod(step, context);
    case 'labelPod':
      return labelPod(step, context);
    case 'drain':
      return drain(step.pod, context);
    case 'confirmParent':
      return confirmParent(context);
    case 'releaseNode':
      return releaseNode(context);
  }
}

async function createNewVolume(context: NodeExecuteContext): Promise<Result> {
  return (await mayHaveNewVolume(context)) ? createVolume(context) : STALE;
}

async function createPod(seeds: readonly string[], context: NodeExecuteContext): Promise<Result> {
  const { scope, ports, signal } = context;
  const { client, caches } = ports;
  if (!(await isOnItsVolume(context))) return STALE;
  const dataDir = scope.record.volume?.dataDir ?? scope.record.adopts?.dataDir;
  if (dataDir !== undefined && !isDataDir(dataDir)) return lostItsPlace(scope.node.metadata.name, dataDir);
  const pod = buildPod(scope.node, scope.clusterUid, seeds, dataDir);
  try {
    caches.pods.observe(await client.create(pods, pod, { signal }));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const live = await client.get(pods, pod.metadata, { signal });
    if (isAdoptable(live, context)) return adoptLivePod(live, context);
    const isOwn = live.metadata.ownerReferences?.some((owner) => owner.uid === scope.node.metadata.uid) === true;
    if (isLabelledOurs(live)) caches.pods.observe(live);
    else if (!isOwn) return foreign('NameTaken', 'Pod', live.metadata.name);
    // Ours, and somebody took the label by which we watch it (F55): with the label it comes back by itself.
    else
      caches.pods.observe(
        await client.patch(pods, pod.metadata, { metadata: { labels: pod.metadata.labels } }, live.metadata, {
          signal,
        }),
      );
  }
  return undefined;
}

/** Anywhere else it would find nothing and be another member under a used id (docs/design/server.md#h2). */
function lostItsPlace(name: string, dataDir: string): Hold {
  const message = `PersistentVolumeClaim data-${name} says that its data are in ${JSON.stringify(dataDir)}, which is no folder of it: put its annotation marekvs.io/data-dir right`;
  return hold('VolumeForeign', message, true);
}

async function endPod(
  { pod, why }: Extract<NodeStep, { kind: 'deletePod' }>,
  context: NodeExecuteContext,
): Promise<Result> {
  if (why === 'CancelledByUser') return bringBack(pod, context);
  // What has ended by itself stays so, and a cluster that is gone was looked up live.
  const isCertain = why === 'PodTerminal' || why === 'Deleting';
  if (await hasJoinedMeanwhile(pod, context)) return joinedHold(pod.name);
  if (isCertain) return deletePod(pod, context);
  if (!(await confirmDecision(context)) || !(await mayEndBeside(context))) return STALE;
  return deletePod(pod, context);
}

/** A member that goes without proof because it never joined may have joined since it was last looked at, and taken writes. */
async function hasJoinedMeanwhile(
  pod: { readonly ip: string | undefined },
  { scope, ports, signal }: NodeExecuteContext,
): Promise<boolean> {
  const { node, operation } = scope.observation;
  const isUnproven = operation?.basis === 'NeverJoined' && operation.target?.uid === node.uid && node.isDeleting;
  return isUnproven && pod.ip !== undefined && (await ports.members.hasJoined(pod.ip, signal));
}

function joinedHold(name: string): Hold {
  const message = `${name} counts as never joined, but its member says that it has: it stays`;
  return hold('WaitingForProof', message);
}

async function deletePod(
  pod: { readonly name: string; readonly uid: string },
  { scope, ports, signal }: NodeExecuteContext,
): Promise<undefined> {
  const ref = { namespace: scope.node.metadata.namespace, name: pod.name };
  const answer = await ifFound(ports.client.delete(pods, ref, { uid: pod.uid }, { signal }));
  ports.caches.pods.observeDelete({ ...ref, uid: pod.uid }, answer);
}

/** A restart that takes a leaving back rests on an absence: that the node is not to leave. A cache is the past, and in the present it may
 *  be leaving again, with a volume that would not survive its Pod, or beside a member that somebody has just ended: all of it is read
 *  live first, the others last. */
async function bringBack(
  pod: { readonly name: string; readonly uid: string },
  context: NodeExecuteContext,
): Promise<Result> {
  const { scope, ports, signal } = context;
  const { metadata, spec } = scope.node;
  const live = await ports.client.get(MAREKVS_NODE, metadata, { signal });
  ports.caches.nodes.observe(live);
  if (live.metadata.uid !== metadata.uid || (live.spec.intent ?? 'Active') !== 'Active') return STALE;
  const ref = { namespace: metadata.namespace, name: pvcName(spec.clusterName, spec.nodeId) };
  const claim = await ports.client.get(persistentVolumeClaims, ref, { signal });
  if (isLabelledOurs(claim)) ports.caches.volumes.observe(claim);
  if (claim.metadata.deletionTimestamp !== undefined) return STALE;
  return (await areOthersUp(context)) ? deletePod(pod, context) : STALE;
}

async function labelPod(
  step: Extract<NodeStep, { kind: 'labelPod' }>,
  { scope, ports, signal }: NodeExecuteContext,
): Promise<undefined> {
  const ref = { namespace: scope.node.metadata.namespace, name: step.pod.name };
  const { labels, annotations } = step;
  const patch = { metadata: { labels, ...(annotations === undefined ? {} : { annotations }) } };
  ports.caches.pods.observe(await ports.client.patch(pods, ref, patch, step.pod, { signal }));
}

/** A member that cannot be told now is told again later: whether it leaves is seen in its list, not in this answer. */
async function drain(pod: PodRecord, { ports, signal }: NodeExecuteContext): Promise<undefined> {
  if (pod.ip === undefined) return;
  try {
    await ports.members.drain(pod.ip, signal);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
  }
}

async function addFinalizer({ scope, ports, signal }: NodeExecuteContext): Promise<undefined> {
  const { metadata } = scope.node;
  const finalizers = [...(metadata.finalizers ?? []), FINALIZERS.memberSafeRemoval];
  ports.caches.nodes.observe(
    await ports.client.patch(MAREKVS_NODE, metadata, { metadata: { finalizers } }, metadata, { signal }),
  );
}

/** Whether the cluster is really gone: not there, another one of the same name, or being deleted. */
async function confirmParent({ scope, ports, goneParents, signal }: NodeExecuteContext): Promise<undefined> {
  const { namespace } = scope.node.metadata;
  const ref = { namespace, name: scope.node.spec.clusterName };
  const live = await ifFound(ports.client.get(MAREKVS_CLUSTER, ref, { signal }));
  const isStanding = live?.metadata.uid === scope.clusterUid && live.metadata.deletionTimestamp === undefined;
  if (isStanding) ports.caches.clusters.observe(live);
  else note(scope.clusterUid, goneParents);
}

/** Remembering saves one read per node and pass; what is forgotten is asked again. */
function note(uid: string, goneParents: Set<string>): void {
  if (goneParents.size >= MAX_GONE_PARENTS) goneParents.clear();
  goneParents.add(uid);
}

/** With the node the garbage collector ends its Pod: the last look for one is a live one. So are those for the removal that lets it go, and
 *  for members that might still list it, unless all of them go with their cluster. */
async function releaseNode(context: NodeExecuteContext): Promise<Result> {
  const { scope, ports, signal } = context;
  const { metadata } = scope.node;
  if (metadata.finalizers?.includes(FINALIZERS.memberSafeRemoval) !== true) return undefined;
  if (await hasLivePod(context)) return STALE;
  if (scope.observation.parent !== 'gone') {
    if (!(await confirmDecision(context))) return STALE;
    if (!(await areOthersAsSeen(context))) return STALE;
  }
  const finalizers = (metadata.finalizers ?? []).filter((name) => name !== FINALIZERS.memberSafeRemoval);
  const patch = { metadata: { finalizers } };
  const answer = await ifFound(ports.client.patch(MAREKVS_NODE, metadata, patch, metadata, { signal }));
  // Without a finalizer left a deleted object is gone, whatever the answer shows.
  ports.caches.nodes.observeDelete(metadata, finalizers.length > 0 ? answer : undefined);
}
