// Builds the control plane's programs from the Go module next door, one after another (two at once only take turns on two cores).
// Each is renamed into the cache when it is whole. That nobody else builds at the same time is obtain.ts's care.
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { goModuleFolder, KUBERNETES_VERSION } from '../paths.ts';
import { freeBytes, requireSpace } from '../processes/disk.ts';
import { createProcessGroup, readTail } from '../processes/processes.ts';
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
  return (await findGo()) === undefined ? 'no Go compiler on the PATH' : undefined;
}

/** @throws BuildFailedError with the end of what Go printed; DiskFullError before it starts */
export async function buildPrograms(folder: string, names: readonly ProgramName[], report: Report): Promise<void> {
  await mkdir(folder, { recursive: true });
  await requireSpace(folder, names.length > 1 ? NEEDED_BYTES : NEEDED_BYTES / 5, freeBytes);
  const go = await findGo();
  if (go === undefined) throw new BuildFailedError('no Go compiler on the PATH');
  await removeLeftovers(folder);
  for (const [index, name] of names.entries()) {
    const what = `${name} (${index + 1} of ${names.length})`;
    report(`Building ${what} with Go: happens once, some minutes on a small machine`);
    await buildOne(go, folder, name, what, report);
  }
}

async function buildOne(go: string, folder: string, name: ProgramName, what: string, report: Report): Promise<void> {
  const part = join(folder, `${name}.${process.pid}.part`);
  const log = join(folder, `${name}.${process.pid}.build.log`);
  const ticker = startTicker((elapsed) => {
    void countLines(log).then((count) =>
      report(`Building ${what}, ${elapsed} so far, ${count} packages compiled (happens once)`),
    );
  });
  try {
    await runGo(go, ['build', '-v', '-trimpath', `-ldflags=${linkerFlags()}`, '-o', part, PACKAGES[name]], log);
    await rename(part, join(folder, name));
    report(`Built ${what} in ${ticker.elapsed()}`);
  } catch (err) {
    throw new BuildFailedError(`build of ${name}: ${err instanceof Error ? err.message : String(err)}`, { cause: err });
  } finally {
    ticker.stop();
    await Promise.all([rm(part, { force: true }), rm(log, { force: true })]);
  }
}

/** Of a build that was killed; nobody else builds here now. */
async function removeLeftovers(folder: string): Promise<void> {
  const left = (await readdir(folder)).filter((name) => /\.(part|build\.log)$/.test(name));
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true })));
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

/** `go` of the PATH, or where its installer puts it; undefined when neither answers. */
async function findGo(): Promise<string | undefined> {
  for (const place of ['go', '/usr/local/go/bin/go']) {
    try {
      await promisify(execFile)(place, ['version'], { cwd: goModuleFolder, timeout: 20_000 });
      return place;
    } catch {
      // The next place, or none.
    }
  }
  return undefined;
}

/** Go and all it starts end with us, however we end. */
async function runGo(go: string, args: readonly string[], logPath: string): Promise<void> {
  const group = createProcessGroup();
  const env = Object.entries(process.env).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  const child = group.spawn({
    name: 'go',
    command: go,
    args,
    env: { ...Object.fromEntries(env), CGO_ENABLED: '0', GOFLAGS: '-mod=readonly', GOWORK: 'off' },
    logPath,
    cwd: goModuleFolder,
  });
  const limit = setTimeout(() => void child.stop(0), LIMIT_PER_PROGRAM_MS);
  const { code, signal, error } = await child.exited;
  clearTimeout(limit);
  await group.stopAll(0);
  if (code === 0) return;
  const tail = (await readTail(logPath)).split('\n').slice(-8).join('\n');
  throw new Error(`go ended with ${error?.message ?? signal ?? code}: ${tail}`);
}

async function countLines(path: string): Promise<number> {
  return (await readFile(path, 'utf8').catch(() => '')).split('\n').length - 1;
}
