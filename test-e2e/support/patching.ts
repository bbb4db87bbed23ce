// Merge patches, as a person with kubectl or another controller would send them.

import { type CoreV1Api, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';

const MERGE_PATCH = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);

export interface Patching {
  pod(namespace: string, name: string, body: object): Promise<void>;
  claim(namespace: string, name: string, body: object): Promise<void>;
  service(namespace: string, name: string, body: object): Promise<void>;
  secret(namespace: string, name: string, body: object): Promise<void>;
  host(name: string, body: object): Promise<void>;
}

export function createPatching(core: CoreV1Api): Patching {
  return {
    async pod(namespace, name, body) {
      await core.patchNamespacedPod({ namespace, name, body }, MERGE_PATCH);
    },
    async claim(namespace, name, body) {
      await core.patchNamespacedPersistentVolumeClaim({ namespace, name, body }, MERGE_PATCH);
    },
    async service(namespace, name, body) {
      await core.patchNamespacedService({ namespace, name, body }, MERGE_PATCH);
    },
    async secret(namespace, name, body) {
      await core.patchNamespacedSecret({ namespace, name, body }, MERGE_PATCH);
    },
    async host(name, body) {
      await core.patchNode({ name, body }, MERGE_PATCH);
    },
  };
}
