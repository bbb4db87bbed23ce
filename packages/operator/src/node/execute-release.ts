// Hands one running Pod to a StatefulSet, or takes it back: nothing of it but its owners is written. It is read live
// first, and the write carries the version just read.

import { controllerOf, releasedSelector } from '@marekvs/api';
import { ifFound, type Pod, pods, type Stored } from '@marekvs/runtime';
import { STALE, type StepOutcome } from '../fence.ts';
import { isOnItsClaim, ownPod } from './execute-adoption.ts';
import type { NodeExecuteContext } from './execute-context.ts';
import { patchPod } from './patch-pod.ts';

/** Nobody controls it from then on: the StatefulSet, which selects it, takes it. */
export async function letPodGo(context: NodeExecuteContext): Promise<StepOutcome> {
  const { metadata, spec } = context.scope.node;
  const live = await readPod(context);
  if (live === undefined) return STALE;
  const owners = live.metadata.ownerReferences ?? [];
  const left = owners.filter(({ uid }) => uid !== metadata.uid);
  const labels = Object.entries(releasedSelector(spec.clusterName));
  const isFound = labels.every(([key, value]) => live.metadata.labels?.[key] === value);
  if (left.length === owners.length || !isFound || !isOnItsClaim(live, context)) return STALE;
  return patchPod({ metadata: { ownerReferences: left.length === 0 ? null : left } }, live.metadata, context);
}

/** One that runs on this node's volume and that nobody has. Labels and owner are one write. */
export async function takePodBack(context: NodeExecuteContext): Promise<StepOutcome> {
  const live = await readPod(context);
  if (live === undefined) return STALE;
  const isFree = controllerOf(live.metadata) === undefined && live.metadata.deletionTimestamp === undefined;
  return isFree && isOnItsClaim(live, context) ? ownPod(live, context) : STALE;
}

async function readPod({ scope, ports, signal }: NodeExecuteContext): Promise<Stored<Pod> | undefined> {
  const { metadata } = scope.node;
  const live = await ifFound(ports.client.get(pods, metadata, { signal }));
  if (live === undefined) ports.caches.pods.observeDelete({ ...metadata, uid: scope.record.pod?.uid ?? '' });
  else ports.caches.pods.observe(live);
  return live;
}
