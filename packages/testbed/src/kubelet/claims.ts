// What a claim still needs to be bound, or to have grown. Pure: the answer is the patches; kubelet.ts sends them.
// There are no PersistentVolumes: `volumeName` is a name only, and nothing looks it up.
import type { Claim } from './objects.ts';

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

/** Undefined when there is nothing to do: bound at the size it asks for, being deleted, or of a class that is not ours.
 *  @param namesVolume false saves one write per claim when hundreds are made */
export function nextClaimStep(claim: Claim, namesVolume = true): ClaimStep | undefined {
  if (claim.metadata.deletionTimestamp !== undefined) return undefined;
  const { storageClassName } = claim.spec ?? {};
  if (storageClassName !== undefined && storageClassName !== '' && storageClassName !== STORAGE_CLASS) return undefined;
  const storage = claim.spec?.resources?.requests?.storage;
  const isBound = claim.status?.phase === 'Bound';
  if (isBound && String(claim.status?.capacity?.storage) === String(storage)) return undefined;
  const needsName = namesVolume && claim.spec?.volumeName === undefined;
  return {
    patch: needsName
      ? { metadata: { uid: claim.metadata.uid }, spec: { volumeName: `pvc-${claim.metadata.uid}` } }
      : undefined,
    status: {
      phase: 'Bound',
      accessModes: claim.spec?.accessModes ?? ['ReadWriteOnce'],
      ...(storage === undefined ? {} : { capacity: { storage } }),
    },
  };
}
