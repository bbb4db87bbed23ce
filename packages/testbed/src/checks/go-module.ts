// Does the Go module still name the control plane this project runs? Pure.

const PROGRAMS = [
  'go.etcd.io/etcd/server/v3',
  'k8s.io/kubernetes/cmd/kube-apiserver',
  'k8s.io/kubernetes/cmd/kube-controller-manager',
  'k8s.io/kubernetes/cmd/kubectl',
];

/** @param version `v4.3.1` */
export function findHelmModuleProblems(goMod: string, version: string): string[] {
  const lines = goMod.split('\n').map((line) => line.trim().replace(/ \/\/ indirect$/, ''));
  const wanted = ['tool helm.sh/helm/v4/cmd/helm', `helm.sh/helm/v4 ${version}`];
  return wanted.filter((line) => !lines.includes(line)).map((line) => `helm/go.mod: no line ${line}`);
}

/** @param version `v1.36.3`; the staging modules are then v0.36.3 */
export function findGoModuleProblems(goMod: string, version: string): string[] {
  const staging = version.replace(/^v1/, 'v0');
  const lines = goMod.split('\n').map((line) => line.trim());
  const problems = PROGRAMS.filter((program) => !lines.includes(program)).map(
    (program) => `go.mod: no tool ${program}`,
  );
  if (!lines.some((line) => line.startsWith(`k8s.io/kubernetes ${version}`)))
    problems.push(`go.mod: k8s.io/kubernetes is not ${version}`);
  const replaced = lines.filter((line) => /^k8s\.io\/\S+ => k8s\.io\//.test(line));
  if (replaced.length < 30) problems.push(`go.mod: only ${replaced.length} of the staging modules are replaced`);
  for (const line of replaced) {
    if (!line.endsWith(` ${staging}`)) problems.push(`go.mod: ${line}, want ${staging}`);
  }
  return problems;
}
