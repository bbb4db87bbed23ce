// The cluster controller's writes to volumes: whether they go with the cluster, whether they are protected, which id
// they remember, and the only deletion of a volume, after a proof among the survivors. The node controller creates
// volumes and notes when they are attached or detached.

import { LABELS } from '@marekvs/api';
import type { VolumeRecord } from '@marekvs/planner';
import { ifFound, persistentVolumeClaims } from '@marekvs/runtime';
import { volumeOwner } from '../../objects/owners.ts';
import { DONE, type Live, STALE, type StepOutcome } from '../../pass/fence.ts';
import type { StepOf } from './fence-subjects.ts';
import type { LiveContext } from './live-context.ts';

/** A merge patch replaces the whole list, so the references of other owners are kept in it. */
export async function ownVolume(
  { volume, isOwned }: StepOf<'ownVolume'>,
  context: LiveContext,
  { claim }: Live,
): Promise<StepOutcome> {
  if (claim === undefined) return STALE;
  const { metadata: cluster } = context.cluster;
  const { ownerReferences: owners = [], resourceVersion } = claim.metadata;
  const others = owners.filter(({ uid }) => uid !== cluster.uid);
  const ownerReferences = isOwned ? [...others, volumeOwner(cluster)] : others;
  return patchVolume({ ...volume, resourceVersion }, { ownerReferences }, context);
}

/** The admission policy selects by this label. Without protection it is absent, not `false`. */
export function protectedLabel(isProtected: boolean): { readonly [label: string]: string | null } {
  return { [LABELS.protected]: isProtected ? 'true' : null };
}

export async function patchVolume(
  volume: VolumeRecord,
  metadata: Readonly<Record<string, unknown>>,
  { cluster, ports, signal }: LiveContext,
): Promise<StepOutcome> {
  const ref = { namespace: cluster.metadata.namespace, name: volume.name };
  ports.caches.volumes.observe(await ports.client.patch(persistentVolumeClaims, ref, { metadata }, volume, { signal }));
  return DONE;
}

/** Deletes only the volume with the UID that the proof names, in the version that was decided on. Any later write to it
 *  is a reason to reconcile again. */
export async function deleteVolume(
  { name, uid, resourceVersion }: VolumeRecord,
  { cluster, ports, signal }: LiveContext,
): Promise<StepOutcome> {
  const ref = { namespace: cluster.metadata.namespace, name };
  const answer = await ifFound(ports.client.delete(persistentVolumeClaims, ref, { uid, resourceVersion }, { signal }));
  ports.caches.volumes.observeDelete({ ...ref, uid }, answer);
  return DONE;
}
