// Decides where the control plane's programs come from: KUBEBUILDER_ASSETS, our cache, a download, a build with Go.
// How a download or a build is done is given as ports, so that the order itself is tested without either.
import { join } from 'node:path';
import { NoControlPlaneError, TestbedError } from '../errors.ts';
import {
  CONTROLLER_MANAGER,
  type ControlPlanePrograms,
  type ProgramName,
  programsIn,
  REQUIRED_PROGRAMS,
} from './binaries.ts';

export type Report = (line: string) => void;

/** The outside world of this decision. */
export interface ObtainPorts {
  /** The folder KUBEBUILDER_ASSETS names; undefined when it is not set. */
  readonly assetsFolder: string | undefined;
  readonly cacheFolder: string;
  missing(folder: string, names?: readonly ProgramName[]): Promise<ProgramName[]>;
  /** Puts etcd, kube-apiserver and kubectl into the cache. @throws when there is no connection */
  download(report: Report): Promise<void>;
  /** Why Go cannot build here, or undefined when it can. */
  goMissing(): Promise<string | undefined>;
  /** Builds the named programs into the cache. */
  build(names: readonly ProgramName[], report: Report): Promise<void>;
  /** Runs the work while no other process on this machine obtains anything. */
  exclusively<T>(report: Report, work: () => Promise<T>): Promise<T>;
}

/** Finds or makes the programs.
 *  @throws NoControlPlaneError with the three ways out when nothing works; TestbedError when KUBEBUILDER_ASSETS is
 *  incomplete */
export async function obtainPrograms(ports: ObtainPorts, report: Report): Promise<ControlPlanePrograms> {
  const folder = await findFolder(ports, report);
  return programsIn(folder, await findControllerManager(ports, folder, report));
}

async function findFolder(ports: ObtainPorts, report: Report): Promise<string> {
  if (ports.assetsFolder !== undefined) {
    const missing = await ports.missing(ports.assetsFolder);
    if (missing.length > 0) {
      throw new TestbedError(
        `KUBEBUILDER_ASSETS=${ports.assetsFolder} has no ${missing.join(', ')}; complete the folder or unset the variable`,
        { exitCode: 2 },
      );
    }
    return ports.assetsFolder;
  }
  if ((await ports.missing(ports.cacheFolder)).length === 0) return ports.cacheFolder;
  return ports.exclusively(report, async () => {
    // The previous holder of the lock may have done all the work.
    if ((await ports.missing(ports.cacheFolder)).length === 0) return ports.cacheFolder;
    await downloadOrBuild(ports, report);
    return ports.cacheFolder;
  });
}

async function downloadOrBuild(ports: ObtainPorts, report: Report): Promise<void> {
  let noDownload: string;
  try {
    await ports.download(report);
    return;
  } catch (err) {
    noDownload = messageOf(err);
    report(`Not downloaded: ${noDownload}`);
  }
  const noGo = await ports.goMissing();
  if (noGo !== undefined) throw new NoControlPlaneError(threeWaysOut(noDownload, noGo, ports.cacheFolder));
  try {
    await ports.build(await ports.missing(ports.cacheFolder, [...REQUIRED_PROGRAMS, CONTROLLER_MANAGER]), report);
  } catch (err) {
    // Go without its modules and without a connection is as good as no Go; any other failure shows in the message.
    if (err instanceof TestbedError && !(err instanceof BuildFailedError)) throw err;
    throw new NoControlPlaneError(threeWaysOut(noDownload, messageOf(err), ports.cacheFolder), err);
  }
}

async function findControllerManager(
  ports: ObtainPorts,
  folder: string,
  report: Report,
): Promise<{ readonly path: string } | { readonly missing: string }> {
  for (const place of [folder, ports.cacheFolder]) {
    if ((await ports.missing(place, [CONTROLLER_MANAGER])).length === 0)
      return { path: join(place, CONTROLLER_MANAGER) };
  }
  const noGo = await ports.goMissing();
  if (noGo !== undefined) return { missing: noGo };
  return ports.exclusively(report, async () => {
    try {
      if ((await ports.missing(ports.cacheFolder, [CONTROLLER_MANAGER])).length > 0)
        await ports.build([CONTROLLER_MANAGER], report);
      return { path: join(ports.cacheFolder, CONTROLLER_MANAGER) };
    } catch (err) {
      return { missing: messageOf(err) };
    }
  });
}

/** Go ran and did not produce the program. */
export class BuildFailedError extends TestbedError {}

/** What a person can do when neither a download nor a build is possible. */
export function threeWaysOut(noDownload: string, noBuild: string, cache: string): string {
  return [
    'no Kubernetes control plane can be had here.',
    `  download: ${noDownload}`,
    `  build:    ${noBuild}`,
    'Three ways out:',
    '  1. Connect this machine to the Internet and run the command again: the envtest archive is downloaded (20 s, once).',
    '  2. Install Go 1.26 or newer with access to Go modules and run the command again: it builds the programs (up to 20 min, once).',
    `  3. Copy etcd, kube-apiserver and kubectl (and kube-controller-manager, if you have it) of Kubernetes 1.36 from another machine into`,
    `     ${cache}`,
    '     or into any folder that the environment variable KUBEBUILDER_ASSETS names.',
  ].join('\n');
}

function messageOf(err: unknown): string {
  return err instanceof Error ? err.message : String(err);
}
