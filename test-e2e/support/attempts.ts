// Finds out what a user may do without doing it: in a dry run the API server runs authorization and admission and
// stores nothing.

import { ApiException, CoreV1Api, CustomObjectsApi, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { GROUP, VERSION } from '@marekvs/api';
import type { PlainObject } from './admission.ts';
import { loadKubeConfig } from './kept-connections.ts';

/** `allowed`, or the message of the refusal. */
export type Answer = string;

export interface Attempts {
  deletes(kind: Kind, name: string): Promise<Answer>;
  /** Deletes a whole collection in one request, as a tool that prunes does. */
  deletesAll(kind: 'marekvsclusters' | 'marekvsnodes'): Promise<Answer>;
  /** A merge patch. */
  patches(kind: Kind, name: string, body: PlainObject): Promise<Answer>;
  createsNode(body: PlainObject): Promise<Answer>;
}

export type Kind = 'marekvsclusters' | 'marekvsnodes' | 'persistentvolumeclaims';

const MERGE_PATCH = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
const dryRun = 'All';

/** @throws everything except an answer of 403 */
export function createAttempts(kubeconfigPath: string, namespace: string): Attempts {
  const config = loadKubeConfig(kubeconfigPath);
  const core = config.makeApiClient(CoreV1Api);
  const custom = config.makeApiClient(CustomObjectsApi);
  const own = (plural: string) => ({ group: GROUP, version: VERSION, plural, namespace, dryRun });

  return {
    deletes: (kind, name) =>
      answerOf(
        kind === 'persistentvolumeclaims'
          ? core.deleteNamespacedPersistentVolumeClaim({ namespace, name, dryRun })
          : custom.deleteNamespacedCustomObject({ ...own(kind), name }),
      ),
    deletesAll: (kind) => answerOf(custom.deleteCollectionNamespacedCustomObject(own(kind))),
    patches: (kind, name, body) =>
      answerOf(
        kind === 'persistentvolumeclaims'
          ? core.patchNamespacedPersistentVolumeClaim({ namespace, name, body, dryRun }, MERGE_PATCH)
          : custom.patchNamespacedCustomObject({ ...own(kind), name, body }, MERGE_PATCH),
      ),
    createsNode: (body) => answerOf(custom.createNamespacedCustomObject({ ...own('marekvsnodes'), body })),
  };
}

async function answerOf(request: Promise<unknown>): Promise<Answer> {
  try {
    await request;
    return 'allowed';
  } catch (error) {
    if (!(error instanceof ApiException) || error.code !== 403) throw error;
    const status: { readonly message?: string } = JSON.parse(String(error.body));
    return status.message ?? 'refused without a word';
  }
}
