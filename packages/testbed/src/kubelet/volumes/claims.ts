// What a claim still needs to be bound, or to grow. Pure: the answer is the patches; claim-binder.ts sends them.
// There are no PersistentVolumes: `volumeName` is a name only, and nothing looks it up.
import type { Claim } from '../objects/objects.ts';

export interface ClaimStep {
  /** For the claim itself; undefined when its volume is named already. */
  readonly patch: object | undefined;
  readonly status: object;
}

export const STORAGE_CLASS = 'standard';

/** The default class: growth is allowed, as the PersistentVolumeClaimResize admission demands. */
export const STORAGE_CLASS_MANIFEST = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: STORAGE_CLASS, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: 'testbed.marekvs.io/folder',
  allowVolumeExpansion: true,
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'Immediate',
} as const;

/** Classes that a journey may make: `fixed` as one that cannot grow, and `offline`, on which the file system takes up a
 *  new size only when a Pod starts anew. */
const CLASSES: readonly (string | undefined)[] = [undefined, '', STORAGE_CLASS, 'fixed', 'offline'];

/** Undefined when there is nothing to do: bound at the size it asks for, being deleted, or of a class that is not ours.
 *  @param namesVolume false saves one write per claim when hundreds are made */
export function nextClaimStep(claim: Claim, namesVolume = true): ClaimStep | undefined {
  if (claim.metadata.deletionTimestamp !== undefined) return undefined;
  const { storageClassName, volumeAttributesClassName: attributes } = claim.spec ?? {};
  if (!CLASSES.includes(storageClassName)) return undefined;
  const storage = claim.spec?.resources?.requests?.storage;
  const isBound = claim.status?.phase === 'Bound';
  const hasAttributes = claim.status?.currentVolumeAttributesClassName === attributes;
  const hasSize = String(claim.status?.capacity?.storage) === String(storage);
  if (isBound && hasAttributes && (hasSize || isFileSystemPending(claim))) return undefined;
  if (isBound && hasAttributes && storageClassName === 'offline')
    return { patch: undefined, status: fileSystemPending() };
  const needsName = namesVolume && claim.spec?.volumeName === undefined;
  return {
    patch: needsName
      ? { metadata: { uid: claim.metadata.uid }, spec: { volumeName: `pvc-${claim.metadata.uid}` } }
      : undefined,
    status: {
      phase: 'Bound',
      accessModes: claim.spec?.accessModes ?? ['ReadWriteOnce'],
      ...(storage === undefined ? {} : { capacity: { storage } }),
      ...(attributes === undefined ? {} : { currentVolumeAttributesClassName: attributes }),
    },
  };
}

/** The status to write when a Pod starts on the claim; undefined when the file system has its size already. */
export function mountedClaimStatus(claim: Claim): object | undefined {
  const storage = claim.spec?.resources?.requests?.storage;
  return isFileSystemPending(claim) ? { capacity: { storage }, conditions: null } : undefined;
}

function isFileSystemPending(claim: Claim): boolean {
  return claim.status?.conditions?.some(({ type }) => type === 'FileSystemResizePending') === true;
}

function fileSystemPending(): object {
  const condition = {
    type: 'FileSystemResizePending',
    status: 'True',
    lastTransitionTime: new Date().toISOString(),
    message: 'Waiting for user to (re-)start a pod to finish file system resize of volume on node.',
  };
  return { conditions: [condition] };
}
