// Adopts what a StatefulSet has left: the claim and the Pod of one member, as they are. Both are read live first, and
// each write carries the version just read. Labels and owner of a Pod are one write: no Pod is ever ours and outside
// the client Service.

import { ANNOTATIONS, controllerOf, LABELS, nodeLabels, pvcName, releasedSelector } from '@marekvs/api';
import { hold, type NodeStep } from '@marekvs/planner';
import { ifFound, type Pod, persistentVolumeClaims, type Stored } from '@marekvs/runtime';
import { buildPod } from '../../objects/pod.ts';
import { blocked, DONE, type Live, STALE, type StepOutcome } from '../../pass/fence.ts';
import { readPod } from '../../pass/live-reads.ts';
import { slotLabel } from '../../sharing/share.ts';
import type { NodeExecuteContext } from './execute-context.ts';
import { patchPod } from './patch-pod.ts';

type AdoptVolume = Extract<NodeStep, { kind: 'adoptVolume' }>;

export async function adoptVolume(
  { dataDir }: AdoptVolume,
  { claim }: Live,
  { scope, ports, signal }: NodeExecuteContext,
): Promise<StepOutcome> {
  if (claim === undefined) return STALE;
  const { clusterName, nodeId } = scope.node.spec;
  const ref = { namespace: scope.node.metadata.namespace, name: claim.metadata.name };
  const labels = {
    ...nodeLabels(clusterName, scope.clusterUid, nodeId),
    ...slotLabel(scope.node.metadata.namespace, clusterName),
    ...(scope.observation.isProtected ? { [LABELS.protected]: 'true' } : {}),
  };
  const patch = { metadata: { labels, annotations: { [ANNOTATIONS.dataDir]: dataDir } } };
  ports.caches.volumes.observe(
    await ports.client.patch(persistentVolumeClaims, ref, patch, claim.metadata, { signal }),
  );
  return DONE;
}

/** A Pod that is gone by now is made again by the next pass. */
export async function adoptPod(context: NodeExecuteContext): Promise<StepOutcome> {
  const live = await readOwnPod(context);
  return live === undefined ? DONE : adoptLivePod(live, context);
}

/** True for a Pod that an adopting node may take: it has no controller, and runs on the claim of that node. */
export function isAdoptable(pod: Stored<Pod>, context: NodeExecuteContext): boolean {
  const { scope } = context;
  const { metadata } = pod;
  const isControlled = metadata.ownerReferences?.some((owner) => owner.controller === true) === true;
  const isOnClaim = isOnItsClaim(pod, context);
  const isWanted = scope.record.adopts !== undefined && !scope.observation.isClusterFormed;
  return isWanted && !isControlled && isOnClaim === true && metadata.deletionTimestamp === undefined;
}

/** True for a Pod that mounts the claim of this node. */
export function isOnItsClaim({ spec }: Stored<Pod>, { scope }: NodeExecuteContext): boolean {
  const { clusterName, nodeId } = scope.node.spec;
  const claim = pvcName(clusterName, nodeId);
  return spec?.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === claim) === true;
}

export async function adoptLivePod(live: Stored<Pod>, context: NodeExecuteContext): Promise<StepOutcome> {
  if (isAdoptable(live, context)) return ownPod(live, context);
  const message = `Pod ${live.metadata.name} has an owner, or does not run on the volume of ${live.metadata.name}: it is left as it is`;
  return blocked(hold('NameTaken', message, true));
}

/** Adds the node to the owners of the Pod. Other owners stay. */
export function ownPod({ metadata }: Stored<Pod>, context: NodeExecuteContext): Promise<StepOutcome> {
  const { node, clusterUid } = context.scope;
  const { labels, ownerReferences = [] } = buildPod(node, { clusterUid }).metadata;
  const owners = [...(metadata.ownerReferences ?? []), ...ownerReferences];
  return patchPod({ metadata: { labels, ownerReferences: owners } }, metadata, context);
}

// Hands one running Pod to a StatefulSet, or takes it back, by writing its owners. The Pod is read live first, and the
// write carries the version just read.
/** Removes the node from the owners: the StatefulSet, which selects the Pod, takes it then. */
export async function letPodGo(context: NodeExecuteContext): Promise<StepOutcome> {
  const { metadata, spec } = context.scope.node;
  const live = await readOwnPod(context);
  if (live === undefined) return STALE;
  const owners = live.metadata.ownerReferences ?? [];
  const left = owners.filter(({ uid }) => uid !== metadata.uid);
  const labels = Object.entries(releasedSelector(spec.clusterName));
  const isFound = labels.every(([key, value]) => live.metadata.labels?.[key] === value);
  if (left.length === owners.length || !isFound || !isOnItsClaim(live, context)) return STALE;
  return patchPod({ metadata: { ownerReferences: left.length === 0 ? null : left } }, live.metadata, context);
}

/** Takes a Pod that runs on this node's volume and has no controller. Labels and owner are one write. */
export async function takePodBack(context: NodeExecuteContext): Promise<StepOutcome> {
  const live = await readOwnPod(context);
  if (live === undefined) return STALE;
  const isFree = controllerOf(live.metadata) === undefined && live.metadata.deletionTimestamp === undefined;
  return isFree && isOnItsClaim(live, context) ? ownPod(live, context) : STALE;
}

async function readOwnPod(context: NodeExecuteContext): Promise<Stored<Pod> | undefined> {
  const { scope, ports } = context;
  const { metadata } = scope.node;
  const live = await ifFound(readPod(metadata.name, context));
  if (live === undefined) ports.caches.pods.observeDelete({ ...metadata, uid: scope.record.pod?.uid ?? '' });
  return live;
}
