// Gives the operator's user its permissions on a testbed that was started without them, as an administrator would: with
// kubectl apply -k.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot, type Testbed } from '@marekvs/testbed';

const run = promisify(execFile);
const FOLDERS = ['base/rbac', 'components/cluster-role', 'components/hosts'].map((folder) =>
  join(projectRoot, 'config', folder),
);

export async function installRbac(testbed: Testbed): Promise<void> {
  const { controlPlane, kubeconfigs } = testbed;
  for (const folder of FOLDERS) {
    const args = ['--kubeconfig', kubeconfigs.admin, 'apply', '-k', folder];
    await run(controlPlane.kubectlPath, args, { timeout: 30_000 });
  }
}
