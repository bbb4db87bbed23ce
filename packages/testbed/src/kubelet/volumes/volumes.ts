// Volumes as folders: a claim's folder lives as long as the claim, an emptyDir as long as the Pod.
// claims.ts decides which claims are bound.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Claim, mainContainer, type Pod } from '../objects/objects.ts';
import type { Mount } from '../runners/host-env.ts';

export interface Volumes {
  /** Makes the folders of a Pod's volumes. `missing` names what has to exist first.
   *  @throws DiskFullError or the file system's error */
  mount(pod: Pod, findClaim: (name: string) => Claim | undefined, readKeys: ReadKeys): Promise<MountOutcome>;
  removePod(pod: Pod): Promise<void>;
  removeClaim(claim: Claim): Promise<void>;
  claimFolder(claim: Claim): string;
  podFolder(pod: Pod): string;
}

export type ReadKeys = (kind: 'Secret' | 'ConfigMap', name: string) => Readonly<Record<string, string>> | undefined;

export type MountOutcome =
  | { readonly kind: 'mounted'; readonly mounts: readonly Mount[] }
  | { readonly kind: 'missing'; readonly message: string };

export function createVolumes(dir: string): Volumes {
  const claimFolder = (claim: Claim): string =>
    join(dir, 'volumes', claim.metadata.namespace, `${claim.metadata.name}-${claim.metadata.uid}`);
  const podFolder = (pod: Pod): string =>
    join(dir, 'pods', `${pod.metadata.namespace}_${pod.metadata.name}_${pod.metadata.uid}`);

  return {
    claimFolder,
    podFolder,
    async mount(pod, findClaim, readKeys) {
      const folders = new Map<string, string>();
      for (const volume of pod.spec.volumes ?? []) {
        const claimName = volume.persistentVolumeClaim?.claimName;
        if (claimName !== undefined) {
          const claim = findClaim(claimName);
          if (claim?.status?.phase !== 'Bound')
            return { kind: 'missing', message: `persistentvolumeclaim "${claimName}" is not bound` };
          folders.set(volume.name, claimFolder(claim));
          continue;
        }
        const folder = join(podFolder(pod), 'volumes', volume.name);
        folders.set(volume.name, folder);
        const secret = volume.secret?.secretName;
        const reference = secret ?? volume.configMap?.name;
        if (reference === undefined) continue;
        const kind = secret === undefined ? 'ConfigMap' : 'Secret';
        const keys = readKeys(kind, reference);
        if (keys === undefined) return { kind: 'missing', message: `${kind.toLowerCase()} "${reference}" not found` };
        await writeKeys(folder, keys);
      }
      for (const folder of [podFolder(pod), ...folders.values()]) await mkdir(folder, { recursive: true, mode: 0o700 });
      const mounts = (mainContainer(pod)?.volumeMounts ?? []).flatMap((one) => {
        const folder = folders.get(one.name);
        if (folder === undefined) return [];
        return [{ mountPath: one.mountPath, hostPath: one.subPath === undefined ? folder : join(folder, one.subPath) }];
      });
      return { kind: 'mounted', mounts };
    },
    removePod: (pod) => rm(podFolder(pod), { recursive: true, force: true, maxRetries: 3 }),
    removeClaim: (claim) => rm(claimFolder(claim), { recursive: true, force: true, maxRetries: 3 }),
  };
}

async function writeKeys(folder: string, keys: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await Promise.all(
    Object.entries(keys).map(([key, value]) =>
      writeFile(join(folder, key.replaceAll('/', '_')), value, { mode: 0o600 }),
    ),
  );
}
