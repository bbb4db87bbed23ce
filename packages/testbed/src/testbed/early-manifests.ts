// What is applied to an API server before its controllers start: namespace and storage class, kinds, permissions,
// policies.

import { join } from 'node:path';
import { OPERATOR_NAMESPACE } from '@marekvs/api';
import { type Manifest, readManifests, renderKustomization } from '../control-plane/apply.ts';
import { STORAGE_CLASS_MANIFEST } from '../kubelet/volumes/claims.ts';
import { projectRoot } from '../paths.ts';
import { keptFile } from '../programs/made-programs.ts';

export interface EarlyOptions {
  /** Applies crds/; default true. */
  readonly crds?: boolean;
  /** Gives the operator its permissions, those of config/overlays/default; default true. */
  readonly rbac?: boolean;
  /** Adds what people may do with clusters to the roles view, edit and admin; default false: journeys about them apply
   *  them. */
  readonly userRoles?: boolean;
}

/** What must be there before the controllers start, and before anything needs storage. */
export async function earlyManifests(options: EarlyOptions, kubectl: string): Promise<Manifest[]> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OPERATOR_NAMESPACE } };
  const crds = options.crds === false ? [] : await readManifests([join(projectRoot, 'crds')]);
  const rbac =
    options.rbac === false
      ? []
      : await readShipped(['base/rbac', 'components/cluster-role', 'components/hosts'], kubectl);
  // Beside the cluster-wide installation, as in config/overlays/default: without them deletionProtection would protect
  // nothing.
  const policies =
    options.rbac !== false && options.crds !== false
      ? await readShipped(['components/deletion-protection'], kubectl)
      : [];
  const roles = options.userRoles === true ? await readShipped(['components/user-roles'], kubectl) : [];
  return [namespace, STORAGE_CLASS_MANIFEST, ...crds, ...rbac, ...policies, ...roles];
}

/** @param folders of config/ */
async function readShipped(folders: readonly string[], kubectl: string): Promise<Manifest[]> {
  const rendered = folders.map((folder) =>
    renderKustomization(kubectl, join(projectRoot, 'config', folder), keptFile(`${folder.replaceAll('/', '-')}.yaml`)),
  );
  return (await Promise.all(rendered)).flat();
}
