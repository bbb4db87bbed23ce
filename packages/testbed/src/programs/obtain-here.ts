// obtain.ts with the ports of this machine: its environment, disk and Go, and one lock for all processes of this user.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { controlPlaneFolder } from '../paths.ts';
import { takeLock } from '../processes/process-lock.ts';
import { startTicker } from '../reporting/ticker.ts';
import { type ControlPlanePrograms, missingPrograms } from './binaries.ts';
import { buildPrograms } from './build.ts';
import { downloadPrograms } from './download.ts';
import { goMissing } from './go-build.ts';
import { type ObtainPorts, obtainPrograms, type Report } from './obtain.ts';

const LOCK_POLL_MS = 500;

/** The control plane's programs on this machine; downloads or builds them the first time (minutes, with progress
 *  lines).
 *  @throws NoControlPlaneError (exit 2) with three ways out */
export function obtainControlPlane(report: Report = () => undefined): Promise<ControlPlanePrograms> {
  return obtainPrograms(portsOfThisMachine(), report);
}

function portsOfThisMachine(): ObtainPorts {
  const assets = process.env.KUBEBUILDER_ASSETS;
  const folder = controlPlaneFolder();
  return {
    assetsFolder: assets === undefined || assets === '' ? undefined : assets,
    cacheFolder: folder,
    missing: missingPrograms,
    download: (report) => downloadPrograms(folder, report),
    goMissing,
    build: (names, report) => buildPrograms(folder, names, report),
    exclusively: (report, work) => withLock(folder, report, work),
  };
}

/** Runs the work while no other process of this user obtains anything for the folder. */
export async function withLock<T>(folder: string, report: Report, work: () => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'obtain.lock');
  let outcome = await takeLock(path);
  if (outcome.kind === 'taken') {
    const who = outcome.holder === undefined ? 'another process' : `process ${outcome.holder.pid}`;
    report(`Waiting: ${who} is already obtaining programs (happens once)`);
    const ticker = startTicker((elapsed) => report(`Waiting for the other process, ${elapsed} so far`));
    while (outcome.kind === 'taken') {
      await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS));
      outcome = await takeLock(path);
    }
    ticker.stop();
  }
  try {
    return await work();
  } finally {
    outcome.release();
  }
}
