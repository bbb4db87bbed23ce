// Carries out the steps of a node plan that write its PersistentVolumeClaim.

import { LABELS, MANAGED_BY } from '@marekvs/api';
import { hold, type VolumeRecord } from '@marekvs/planner';
import { ifFound, isAlreadyExists, type KubeObject, persistentVolumeClaims } from '@marekvs/runtime';
import { DONE, held, type StepOutcome } from '../fence.ts';
import type { NodeExecuteContext } from './execute-context.ts';
import { buildVolume } from './volume.ts';

/** The name may be taken by a volume kept from before: if our caches can see it, the next pass sees whose it is. */
export async function createVolume({ scope, ports, signal }: NodeExecuteContext): Promise<StepOutcome> {
  const { client, caches } = ports;
  const claim = buildVolume(scope.node, scope.clusterUid, scope.observation);
  try {
    caches.volumes.observe(await client.create(persistentVolumeClaims, claim, { signal }));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const live = await client.get(persistentVolumeClaims, claim.metadata, { signal });
    if (!isLabelledOurs(live)) return foreign('VolumeForeign', 'PersistentVolumeClaim', live.metadata.name);
    caches.volumes.observe(live);
  }
  return DONE;
}

/** One that is gone has nothing left to write on: the next pass sees it. */
export async function annotateVolume(
  volume: VolumeRecord,
  annotations: Readonly<Record<string, string | null>>,
  { scope, ports, signal }: NodeExecuteContext,
): Promise<StepOutcome> {
  const ref = { namespace: scope.node.metadata.namespace, name: volume.name };
  const patch = { metadata: { annotations } };
  const live = await ifFound(ports.client.patch(persistentVolumeClaims, ref, patch, volume, { signal }));
  if (live !== undefined) ports.caches.volumes.observe(live);
  return DONE;
}

/** Only what carries our label is in a cache: of anything else we would never hear that it is gone. */
export function isLabelledOurs({ metadata }: KubeObject): boolean {
  return metadata.labels?.[LABELS.managedBy] === MANAGED_BY;
}

export function foreign(reason: 'NameTaken' | 'VolumeForeign', kind: string, name: string): StepOutcome {
  return held(hold(reason, `${kind} ${name} belongs to somebody else: rename or remove it`, true));
}
