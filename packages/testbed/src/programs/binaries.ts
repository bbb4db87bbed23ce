// The four programs of a control plane and where they are. obtain.ts gets them there.
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';

export const REQUIRED_PROGRAMS = ['etcd', 'kube-apiserver', 'kubectl'] as const;
export const CONTROLLER_MANAGER = 'kube-controller-manager';

export type ProgramName = (typeof REQUIRED_PROGRAMS)[number] | typeof CONTROLLER_MANAGER;

export interface ControlPlanePrograms {
  readonly etcd: string;
  readonly apiServer: string;
  readonly kubectl: string;
  /** Undefined where it could not be had: garbage collection, namespace deletion and disruption budgets then do not
   *  work. */
  readonly controllerManager: string | undefined;
  /** Why there is no controller manager; undefined when there is one. */
  readonly controllerManagerMissing: string | undefined;
}

/** Which of the names are not an executable file in the folder. */
export async function missingPrograms(
  folder: string,
  names: readonly ProgramName[] = REQUIRED_PROGRAMS,
): Promise<ProgramName[]> {
  const found = await Promise.all(names.map((name) => isExecutable(join(folder, name))));
  return names.filter((_, index) => found[index] !== true);
}

export function programsIn(
  folder: string,
  controllerManager: { readonly path: string } | { readonly missing: string },
): ControlPlanePrograms {
  return {
    etcd: join(folder, 'etcd'),
    apiServer: join(folder, 'kube-apiserver'),
    kubectl: join(folder, 'kubectl'),
    controllerManager: 'path' in controllerManager ? controllerManager.path : undefined,
    controllerManagerMissing: 'missing' in controllerManager ? controllerManager.missing : undefined,
  };
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
