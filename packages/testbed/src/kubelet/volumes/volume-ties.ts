// Volumes that are a disk of one host: a PersistentVolume that says so, and a scheduler that obeys it. Most claims of
// the testbed have no PersistentVolume and can be mounted anywhere.
import type { KubeletApi } from '../objects/kubelet-api.ts';
import type { Claim, Pod } from '../objects/objects.ts';

export interface VolumeTies {
  /** From now on Pods that mount the claim run on that host or nowhere; undefined: its volume says that it can be
   *  anywhere. */
  tie(claim: Claim, nodeName: string | undefined): Promise<void>;
  /** The only host that takes the Pod; undefined when any may. */
  hostOf(pod: Pod): string | undefined;
}

export function createVolumeTies(
  api: Pick<KubeletApi, 'createVolume' | 'patchVolume'>,
  findClaim: (key: string) => Claim | undefined,
): VolumeTies {
  const hosts = new Map<string, string>();
  return {
    async tie(claim, nodeName) {
      const name = claim.spec?.volumeName ?? `pvc-${claim.metadata.uid}`;
      await api.createVolume(volumeManifest(name, claim, nodeName));
      // No controller here would remove the finalizer that protects it while it is in use.
      await api.patchVolume(name, { metadata: { finalizers: null } });
      if (nodeName !== undefined) hosts.set(claim.metadata.uid, nodeName);
    },
    hostOf(pod) {
      for (const { persistentVolumeClaim } of pod.spec.volumes ?? []) {
        const claim = findClaim(`${pod.metadata.namespace}/${persistentVolumeClaim?.claimName ?? ''}`);
        const host = claim === undefined ? undefined : hosts.get(claim.metadata.uid);
        if (host !== undefined) return host;
      }
      return undefined;
    },
  };
}

function volumeManifest(name: string, { metadata, spec }: Claim, nodeName: string | undefined): object {
  const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In', values: [nodeName] }];
  const place =
    nodeName === undefined
      ? { hostPath: { path: `/disks/${name}` } }
      : {
          local: { path: `/disks/${name}` },
          nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
        };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage: spec?.resources?.requests?.storage ?? '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: spec?.storageClassName ?? '',
      claimRef: { namespace: metadata.namespace, name: metadata.name, uid: metadata.uid },
      ...place,
    },
  };
}
