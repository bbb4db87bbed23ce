// The cluster controller's part in volumes: whether they go with the cluster, whether they are protected, which ids they remember, and the
// one deletion there is, after a proof among the survivors. Making a volume and letting it go is the node controller's.

import { ANNOTATIONS, LABELS, nodeName } from '@marekvs/api';
import { type ClusterStep, type Hold, hold } from '@marekvs/planner';
import { ifFound, persistentVolumeClaims, pods } from '@marekvs/runtime';
import { MAREKVS_NODE } from '../kinds.ts';
import { volumeOwner } from '../volume-owner.ts';
import type { LiveContext } from './claim.ts';

type VolumeStep = Extract<ClusterStep, { kind: 'ownVolume' | 'protectVolume' | 'rememberId' | 'deleteVolume' }>;

export async function executeVolume(step: VolumeStep, context: LiveContext): Promise<Hold | undefined> {
  if (step.kind === 'deleteVolume') return deleteVolume(step.volume, context);
  if (step.kind === 'protectVolume')
    return patchVolume(step.volume, { metadata: { labels: protectedLabel(step.isProtected) } }, context);
  if (step.kind === 'rememberId')
    return patchVolume(
      step.volume,
      { metadata: { annotations: { [ANNOTATIONS.highestNodeId]: String(step.id) } } },
      context,
    );
  return ownVolume(step, context);
}

/** A merge patch replaces the whole list, and the references of others are not ours to drop. */
async function ownVolume(step: Extract<VolumeStep, { kind: 'ownVolume' }>, context: LiveContext): Promise<undefined> {
  const { cluster, ports, signal } = context;
  const ref = { namespace: cluster.metadata.namespace, name: step.volume.name };
  const { metadata } = await ports.client.get(persistentVolumeClaims, ref, { signal });
  if (metadata.uid !== step.volume.uid) return;
  const others = (metadata.ownerReferences ?? []).filter((owner) => owner.uid !== cluster.metadata.uid);
  const ownerReferences = step.isOwned ? [...others, volumeOwner(cluster.metadata)] : others;
  await patchVolume(
    { ...step.volume, resourceVersion: metadata.resourceVersion },
    { metadata: { ownerReferences } },
    context,
  );
}

/** The admission policy selects by it; absent, not `false`, when there is no protection. */
export function protectedLabel(isProtected: boolean): { readonly [label: string]: string | null } {
  return { [LABELS.protected]: isProtected ? 'true' : null };
}

type VolumeRef = VolumeStep['volume'];

async function patchVolume(
  volume: VolumeRef,
  patch: Readonly<Record<string, unknown>>,
  { cluster, ports, signal }: LiveContext,
): Promise<undefined> {
  const ref = { namespace: cluster.metadata.namespace, name: volume.name };
  ports.caches.volumes.observe(await ports.client.patch(persistentVolumeClaims, ref, patch, volume, { signal }));
}

/** Only the volume with the UID the proof names, as it was decided on, and never one that a node of its id has, or a Pod of its name
 *  could mount. Whatever somebody has written on it since is a reason to look again. */
async function deleteVolume(volume: VolumeRef, { cluster, ports, signal }: LiveContext): Promise<Hold | undefined> {
  const { namespace, name } = cluster.metadata;
  const ref = { namespace, name: volume.name };
  if (volume.nodeId === undefined) return undefined;
  const user = nodeName(name, volume.nodeId);
  const node = await ifFound(ports.client.get(MAREKVS_NODE, { namespace, name: user }, { signal }));
  if (node !== undefined) {
    ports.caches.nodes.observe(node);
    return undefined;
  }
  if ((await ifFound(ports.client.get(pods, { namespace, name: user }, { signal }))) !== undefined) {
    const message = `PersistentVolumeClaim ${volume.name} is not deleted: Pod ${user} may mount it`;
    return hold('VolumeStuckTerminating', message);
  }
  const { uid, resourceVersion } = volume;
  const answer = await ifFound(ports.client.delete(persistentVolumeClaims, ref, { uid, resourceVersion }, { signal }));
  ports.caches.volumes.observeDelete({ ...ref, uid: volume.uid }, answer);
  return undefined;
}
