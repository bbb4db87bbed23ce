// Whether a removal can still be taken back, and what is left of its node then.

import type { VolumeRecord } from '../observation/volume-record.ts';
import { enteredMs, goesByProof } from './record.ts';
import type { RemovalScope } from './scope.ts';

/** True when the target can be made again from its kept volume, and its copies may not be complete without that. */
export function canBeRolledBack(scope: Pick<RemovalScope, 'o' | 'record' | 'target'>): boolean {
  const { record } = scope;
  const isKept = goesByProof(record) && record.phase !== 'Reclaiming' && keptVolume(scope) !== undefined;
  return isKept && !isGoneTooLong(scope);
}

/** True when the target has been gone for so long that a member on its volume could bring back what the others have
 *  forgotten, and would drop what only it has (docs/design/server.md#h4). Its volume then stays as it is. The margin of
 *  a tenth of gcGraceSeconds is the time in which the member has to be up. */
export function isGoneTooLong({ o, record }: Pick<RemovalScope, 'o' | 'record'>): boolean {
  const sinceMs = enteredMs(record, 'Deleting');
  return sinceMs !== undefined && o.nowMs - sinceMs >= 0.9 * o.cluster.spec.gcGraceSeconds * 1000;
}

export function keptVolume({ o, target }: Pick<RemovalScope, 'o' | 'target'>): VolumeRecord | undefined {
  return o.volumes.find((volume) => volume.uid === target.pvcUID && !volume.isTerminating);
}
