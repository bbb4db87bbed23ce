// Where `helm` comes from: the PATH, our cache, a build with Go. Only tests of the chart need it; on a machine without
// it they are skipped, with the reason. What the machine has is given as ports, so that the order can be tested.
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { HELM_VERSION, helmFolder, helmModuleFolder } from '../paths.ts';
import { stretched } from '../patience.ts';
import { BESIDE_TESTS } from './go.ts';
import { buildGoPrograms, goMissing } from './go-build.ts';
import type { Report } from './obtain.ts';
import { withLock } from './obtain-here.ts';

export type Helm =
  | { readonly kind: 'here'; readonly path: string; readonly version: string }
  | { readonly kind: 'missing'; readonly why: string };

export interface HelmPorts {
  /** What `<program> version` says; undefined when there is no such program. */
  versionOf(program: string): Promise<string | undefined>;
  readonly cached: string;
  goMissing(): Promise<string | undefined>;
  /** Puts the program where `cached` says. */
  build(): Promise<void>;
  exclusively<T>(work: () => Promise<T>): Promise<T>;
}

/** `v4.3.1`, or `v4.3` of one that somebody has built without setting the full version. */
const VERSION = /^v(\d+)\.(\d+)/;
/** The first minor version of 3 that can take over objects that others have installed. */
const OLDEST_MINOR_OF_3 = 17;
/** Build cache 0.9 GB and module cache 0.7 GB when cold. */
const NEEDED_BYTES = 2 * 1024 ** 3;
/** Shorter than for the control plane: without that there is no gate, without Helm only a few tests are skipped. */
const BUILD_LIMIT_MS = 8 * 60_000;
const VERSION_LIMIT_MS = 20_000;

/** Never rejects for a machine without Helm. The first time it builds for some minutes, with progress lines. */
export function obtainHelm(report: Report = () => undefined): Promise<Helm> {
  return findHelm(portsOfThisMachine(report));
}

export async function findHelm(ports: HelmPorts): Promise<Helm> {
  const there = (await usable(ports, 'helm')) ?? (await usable(ports, ports.cached));
  if (there !== undefined) return there;
  const noGo = await ports.goMissing();
  if (noGo !== undefined) return { kind: 'missing', why: `no helm on the PATH, and ${noGo} to build it` };
  try {
    return await ports.exclusively(async () => {
      // The previous holder of the lock may have done the work.
      const built = await usable(ports, ports.cached);
      if (built !== undefined) return built;
      await ports.build();
      return (await usable(ports, ports.cached)) ?? { kind: 'missing', why: 'the helm that was built does not run' };
    });
  } catch (err) {
    return { kind: 'missing', why: err instanceof Error ? err.message : String(err) };
  }
}

async function usable(ports: HelmPorts, path: string): Promise<Helm | undefined> {
  const version = await ports.versionOf(path);
  return version !== undefined && isUsable(version) ? { kind: 'here', path, version } : undefined;
}

/** Older versions count as missing; versions after 4 have yet to be tried. */
function isUsable(version: string): boolean {
  const [, major, minor] = VERSION.exec(version) ?? [];
  return major === '4' || (major === '3' && Number(minor) >= OLDEST_MINOR_OF_3);
}

function portsOfThisMachine(report: Report): HelmPorts {
  const folder = helmFolder();
  const module = {
    folder: helmModuleFolder,
    neededBytes: NEEDED_BYTES,
    limitMs: BUILD_LIMIT_MS,
    niceness: BESIDE_TESTS,
  };
  const program = {
    name: 'helm',
    package: 'helm.sh/helm/v4/cmd/helm',
    variables: [`helm.sh/helm/v4/internal/version.version=${HELM_VERSION}`],
  };
  return {
    versionOf,
    cached: join(folder, program.name),
    goMissing,
    build: () => buildGoPrograms(module, folder, [program], report),
    exclusively: (work) => withLock(folder, report, work),
  };
}

async function versionOf(program: string): Promise<string | undefined> {
  try {
    if (program.includes('/')) await access(program, constants.X_OK);
    const { stdout } = await promisify(execFile)(program, ['version', '--template', '{{.Version}}'], {
      timeout: stretched(VERSION_LIMIT_MS),
    });
    return stdout.trim();
  } catch {
    return undefined;
  }
}
