// Builds the control plane's programs from the Go module next door, one after another (two at once only take turns on two cores).
// Each is renamed into the cache when it is whole. That nobody else builds at the same time is obtain.ts's care.
import { spawn } from 'node:child_process';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { goModuleFolder, KUBERNETES_VERSION } from '../paths.ts';
import { freeBytes, requireSpace } from '../processes/disk.ts';
import type { ProgramName } from './binaries.ts';
import { BuildFailedError, type Report } from './obtain.ts';
import { startTicker } from './ticker.ts';

const PACKAGES: Readonly<Record<ProgramName, string>> = {
  etcd: 'go.etcd.io/etcd/server/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
};

/** Build cache 3 GB and module cache 1.2 GB when cold (`control-plane.md`), and the programs themselves. */
const NEEDED_BYTES = 5 * 1024 ** 3;
const LIMIT_PER_PROGRAM_MS = 20 * 60_000;

/** Why Go cannot build here; undefined when a `go` answers. */
export async function goMissing(): Promise<string | undefined> {
  try {
    await run(await findGo(), ['version'], 20_000, () => undefined);
    return undefined;
  } catch {
    return 'no Go compiler on the PATH';
  }
}

/** @throws BuildFailedError with the end of what Go printed; DiskFullError before it starts */
export async function buildPrograms(folder: string, names: readonly ProgramName[], report: Report): Promise<void> {
  await mkdir(folder, { recursive: true });
  await requireSpace(folder, names.length > 1 ? NEEDED_BYTES : NEEDED_BYTES / 5, freeBytes);
  const go = await findGo();
  for (const [index, name] of names.entries()) {
    const what = `${name} (${index + 1} of ${names.length})`;
    report(`Building ${what} with Go: happens once, some minutes on a small machine`);
    await buildOne(go, folder, name, what, report);
  }
}

async function buildOne(go: string, folder: string, name: ProgramName, what: string, report: Report): Promise<void> {
  let compiled = 0;
  const ticker = startTicker((elapsed) =>
    report(`Building ${what}, ${elapsed} so far, ${compiled} packages compiled (happens once)`),
  );
  const part = join(folder, `${name}.${process.pid}.part`);
  const args = ['build', '-v', '-trimpath', `-ldflags=${linkerFlags()}`, '-o', part, PACKAGES[name]];
  try {
    await run(go, args, LIMIT_PER_PROGRAM_MS, (lines) => {
      compiled += lines;
    });
    await rename(part, join(folder, name));
    report(`Built ${what} in ${ticker.elapsed()}`);
  } catch (err) {
    throw new BuildFailedError(`build of ${name}: ${err instanceof Error ? err.message : String(err)}`, { cause: err });
  } finally {
    ticker.stop();
    await rm(part, { force: true });
  }
}

/** Without these the server reports v0.0.0-master (`control-plane.md`). */
function linkerFlags(): string {
  const [major = '', minor = ''] = KUBERNETES_VERSION.slice(1).split('.');
  const base = 'k8s.io/component-base/version';
  const values = [
    `${base}.gitVersion=${KUBERNETES_VERSION}`,
    `${base}.gitMajor=${major}`,
    `${base}.gitMinor=${minor}`,
    `${base}.gitTreeState=clean`,
    `k8s.io/client-go/pkg/version.gitVersion=${KUBERNETES_VERSION}`,
  ];
  return ['-s', '-w', ...values.map((value) => `-X ${value}`)].join(' ');
}

/** `go` of the PATH, or where its installer puts it. */
async function findGo(): Promise<string> {
  const places = ['go', '/usr/local/go/bin/go'];
  for (const place of places) {
    const works = await run(place, ['version'], 20_000, () => undefined).then(
      () => true,
      () => false,
    );
    if (works) return place;
  }
  return 'go';
}

function run(
  command: string,
  args: readonly string[],
  limitMs: number,
  onLines: (count: number) => void,
): Promise<void> {
  const child = spawn(command, [...args], {
    cwd: goModuleFolder,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=readonly', GOWORK: 'off' },
    // Ctrl-C in a terminal reaches it like us; when we are killed otherwise Go ends on its own with nothing left behind.
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  return new Promise((resolve, reject) => {
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-4000);
      onLines(text.split('\n').length - 1);
    });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`go ended with ${signal ?? code}: ${stderr.trim().split('\n').slice(-8).join('\n')}`));
    });
  });
}
