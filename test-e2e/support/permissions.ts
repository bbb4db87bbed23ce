// Gives the operator's user its permissions on a testbed that was started without them, the way an administrator would: kubectl apply -k.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot, type Testbed } from '@marekvs/testbed';

const run = promisify(execFile);
const FOLDER = join(projectRoot, 'config', 'rbac');

export async function installRbac(testbed: Testbed): Promise<void> {
  const { controlPlane, kubeconfigs } = testbed;
  const args = ['--kubeconfig', kubeconfigs.admin, 'apply', '-k', FOLDER];
  await run(controlPlane.kubectlPath, args, { timeout: 30_000 });
}
