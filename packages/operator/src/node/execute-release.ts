// Hands one running Pod to a StatefulSet, or takes it back: nothing of it but its owners is written. It is read live
// first, and the write carries the version just read.

import { releasedSelector } from '@marekvs/api';
import { ifFound, type Pod, pods, type Stored } from '@marekvs/runtime';
import { DONE, STALE, type StepOutcome } from '../fence.ts';
import { isOnItsClaim } from './execute-adoption.ts';
import type { NodeExecuteContext } from './execute-context.ts';
import { buildPod } from './pod.ts';

/** Nobody controls it from then on: the StatefulSet, which selects it, takes it. */
export async function letPodGo(context: NodeExecuteContext): Promise<StepOutcome> {
  const { scope, ports, signal } = context;
  const { metadata, spec } = scope.node;
  const live = await readPod(context);
  if (live === undefined) return STALE;
  const owners = live.metadata.ownerReferences ?? [];
  const left = owners.filter(({ uid }) => uid !== metadata.uid);
  const labels = Object.entries(releasedSelector(spec.clusterName));
  const isFound = labels.every(([key, value]) => live.metadata.labels?.[key] === value);
  if (left.length === owners.length || !isFound || !isOnItsClaim(live, context)) return STALE;
  const patch = { metadata: { ownerReferences: left.length === 0 ? null : left } };
  ports.caches.pods.observe(await ports.client.patch(pods, metadata, patch, live.metadata, { signal }));
  return DONE;
}

/** One that runs on this node's volume and that nobody has. Labels and owner are one write. */
export async function takePodBack(context: NodeExecuteContext): Promise<StepOutcome> {
  const { scope, ports, signal } = context;
  const live = await readPod(context);
  if (live === undefined) return STALE;
  const { ownerReferences: present = [], deletionTimestamp } = live.metadata;
  const isFree = !present.some(({ controller }) => controller === true) && deletionTimestamp === undefined;
  if (!isFree || !isOnItsClaim(live, context)) return STALE;
  const { labels, ownerReferences = [] } = buildPod(scope.node, scope.clusterUid, []).metadata;
  const patch = { metadata: { labels, ownerReferences: [...present, ...ownerReferences] } };
  ports.caches.pods.observe(await ports.client.patch(pods, scope.node.metadata, patch, live.metadata, { signal }));
  return DONE;
}

async function readPod({ scope, ports, signal }: NodeExecuteContext): Promise<Stored<Pod> | undefined> {
  const { metadata } = scope.node;
  const live = await ifFound(ports.client.get(pods, metadata, { signal }));
  if (live === undefined) ports.caches.pods.observeDelete({ ...metadata, uid: scope.record.pod?.uid ?? '' });
  else ports.caches.pods.observe(live);
  return live;
}
