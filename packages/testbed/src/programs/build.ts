// Builds the control plane's programs from the Go module next door (testbed/control-plane), with go-build.ts.
import { goModuleFolder, KUBERNETES_VERSION } from '../paths.ts';
import type { ProgramName } from './binaries.ts';
import { buildGoPrograms } from './go-build.ts';
import type { Report } from './obtain.ts';

const PACKAGES: Readonly<Record<ProgramName, string>> = {
  etcd: 'go.etcd.io/etcd/server/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
};

/** Build cache 3 GB and module cache 1.2 GB when cold (docs/design/runtime.md#a-control-plane-on-one-machine), and the
 *  programs themselves. */
const NEEDED_BYTES = 5 * 1024 ** 3;
const LIMIT_MS = 20 * 60_000;

/** @throws BuildFailedError with the end of what Go printed; DiskFullError before it starts */
export async function buildPrograms(folder: string, names: readonly ProgramName[], report: Report): Promise<void> {
  const neededBytes = names.length > 1 ? NEEDED_BYTES : NEEDED_BYTES / 5;
  const module = { folder: goModuleFolder, neededBytes, limitMs: LIMIT_MS };
  const programs = names.map((name) => ({ name, package: PACKAGES[name], variables: versionVariables() }));
  await buildGoPrograms(module, folder, programs, report);
}

/** Without these the server reports v0.0.0-master (docs/design/runtime.md#a-control-plane-on-one-machine). */
function versionVariables(): readonly string[] {
  const [major = '', minor = ''] = KUBERNETES_VERSION.slice(1).split('.');
  const base = 'k8s.io/component-base/version';
  return [
    `${base}.gitVersion=${KUBERNETES_VERSION}`,
    `${base}.gitMajor=${major}`,
    `${base}.gitMinor=${minor}`,
    `${base}.gitTreeState=clean`,
    `k8s.io/client-go/pkg/version.gitVersion=${KUBERNETES_VERSION}`,
  ];
}
