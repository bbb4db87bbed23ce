// What is applied to an API server before its controllers look: namespace and storage class, kinds, permissions, policies.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Manifest, readManifests, renderKustomization } from './control-plane/apply.ts';
import { STORAGE_CLASS_MANIFEST } from './kubelet/claims.ts';
import { projectRoot } from './paths.ts';

export const OPERATOR_NAMESPACE = 'marekvs-system';

export interface EarlyOptions {
  /** Applies crds/; default true. */
  readonly crds?: boolean;
  /** Which folder of config/ gives the operator its permissions; default `rbac`, the cluster-wide ones. False applies none. */
  readonly rbac?: string | false;
}

/** What must be there before the controllers look, and before anything needs storage. */
export async function earlyManifests(options: EarlyOptions, kubectl: string): Promise<Manifest[]> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OPERATOR_NAMESPACE } };
  const crds = options.crds === false ? [] : await readManifests([join(projectRoot, 'crds')]);
  const rbac =
    options.rbac === false ? [] : await readShipped(join(projectRoot, 'config', options.rbac ?? 'rbac'), kubectl);
  // Beside the cluster-wide installation, as in config/default: without them deletionProtection would protect nothing.
  const policies =
    options.rbac === undefined && options.crds !== false
      ? await readShipped(join(projectRoot, 'config', 'deletion-protection'), kubectl)
      : [];
  const shipped = [...crds, ...rbac, ...policies];
  return [
    namespace,
    STORAGE_CLASS_MANIFEST,
    ...shipped.filter((one) => !(one.kind === 'Namespace' && one.metadata.name === OPERATOR_NAMESPACE)),
  ];
}

/** Without the folder the operator ends by itself and names the permission it lacks, which says more than an error here. */
async function readShipped(folder: string, kubectl: string): Promise<Manifest[]> {
  if (!existsSync(folder)) return [];
  return existsSync(join(folder, 'kustomization.yaml'))
    ? renderKustomization(kubectl, folder)
    : readManifests([folder]);
}
