// Carries out the steps of a node plan that write its PersistentVolumeClaim.

import { REASONS } from '@marekvs/api';
import { changeText, hold, type NodeStep, type VolumeRecord } from '@marekvs/planner';
import { ifFound, isAlreadyExists, persistentVolumeClaims } from '@marekvs/runtime';
import { refusalOf } from '../../api-server/write-refusal.ts';
import { toVolumeView } from '../../caches/volume-view.ts';
import { buildVolume } from '../../objects/volume.ts';
import { blocked, DONE, STALE, type StepOutcome } from '../../pass/fence.ts';
import { isLabelledOurs, readClaim } from '../../pass/live-reads.ts';
import type { NodeExecuteContext } from './execute-context.ts';

/** The name may be taken by a volume that was kept: if the volume carries our label, the next pass sees whose it is. */
export async function createVolume(context: NodeExecuteContext): Promise<StepOutcome> {
  const { scope, ports, signal } = context;
  const claim = buildVolume(scope.node, scope.clusterUid, scope.observation);
  try {
    ports.caches.volumes.observe(await ports.client.create(persistentVolumeClaims, claim, { signal }));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const live = await readClaim(claim.metadata.name, context);
    if (!isLabelledOurs(live)) return foreign('VolumeForeign', 'PersistentVolumeClaim', live.metadata.name);
  }
  return DONE;
}

/** A volume that is gone is ignored: the next pass sees it. */
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

/** The answer is checked, because an API server that does not know a field ignores it without an error. */
export async function changeClaim(
  { volume, change }: Extract<NodeStep, { kind: 'changeClaim' }>,
  { scope, ports, signal }: NodeExecuteContext,
): Promise<StepOutcome> {
  const { size, attributesClass } = change;
  const ref = { namespace: scope.node.metadata.namespace, name: volume.name };
  const spec = {
    ...(size === undefined ? {} : { resources: { requests: { storage: size } } }),
    ...(attributesClass === undefined ? {} : { volumeAttributesClassName: attributesClass }),
  };
  const refused = (why: string): StepOutcome => {
    const message = `PersistentVolumeClaim ${volume.name} may not ask for ${changeText(change, volume)}: ${why}`;
    return blocked(hold('VolumeChangeRefused', message, true));
  };
  try {
    const live = await ifFound(ports.client.patch(persistentVolumeClaims, ref, { spec }, volume, { signal }));
    if (live === undefined) return STALE;
    ports.caches.volumes.observe(live);
    const { attributes } = toVolumeView(live);
    if (attributesClass === undefined || attributes.asked === attributesClass) return DONE;
    return refused('this API server offers no VolumeAttributesClasses');
  } catch (error) {
    const refusal = refusalOf(error);
    // Others affect everything, not this volume alone.
    if (refusal === undefined || REASONS[refusal.reason].refusal !== 'object') throw error;
    return refused(refusal.message);
  }
}

export function foreign(reason: 'NameTaken' | 'VolumeForeign', kind: string, name: string): StepOutcome {
  return blocked(hold(reason, `${kind} ${name} belongs to somebody else: rename or remove it`, true));
}
