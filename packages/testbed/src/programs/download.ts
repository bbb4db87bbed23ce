// The download of the envtest archive, bounded: seconds to find out that there is no connection, minutes for the bytes.
import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TestbedError } from '../errors.ts';
import { KUBERNETES_VERSION } from '../paths.ts';
import { startTicker } from '../reporting/ticker.ts';
import type { Report } from './obtain.ts';

const CONNECT_MS = 6_000;
const DOWNLOAD_MS = 5 * 60_000;

/** Downloads etcd, kube-apiserver and kubectl into the folder. Happens once per machine.
 *  @throws TestbedError without a connection (within 6 s), or when it is not done in 5 minutes */
export async function downloadPrograms(folder: string, report: Report): Promise<void> {
  report(`Downloading the Kubernetes ${KUBERNETES_VERSION} control plane (happens once)`);
  const ticker = startTicker((elapsed) => report(`Downloading the control plane, ${elapsed} so far (happens once)`));
  try {
    await runWorker(folder);
  } finally {
    ticker.stop();
    await rm(join(folder, '.envtest'), { recursive: true, force: true });
  }
}

function runWorker(folder: string): Promise<void> {
  const worker = fileURLToPath(new URL('./download-worker.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=development', worker, KUBERNETES_VERSION, folder], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: proxyFriendlyEnvironment(),
  });
  return new Promise((resolve, reject) => {
    let stderr = '';
    let stopReason: string | undefined;
    const giveUp = (reason: string): void => {
      stopReason = reason;
      child.kill('SIGKILL');
    };
    let timer = setTimeout(() => giveUp('no connection to the release index'), CONNECT_MS);
    child.stdout.setEncoding('utf8').once('data', () => {
      clearTimeout(timer);
      timer = setTimeout(() => giveUp(`not finished after ${DOWNLOAD_MS / 60_000} minutes`), DOWNLOAD_MS);
    });
    child.stdout.resume();
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-2000);
    });
    child.once('error', (err) =>
      reject(new TestbedError(`download of the control plane: ${err.message}`, { cause: err })),
    );
    child.once('close', (code) => {
      clearTimeout(timer);
      if (code === 0) resolve();
      else reject(new TestbedError(stopReason ?? (lastLine(stderr) || `ended with ${code}`)));
    });
  });
}

function proxyFriendlyEnvironment(): NodeJS.ProcessEnv {
  const { KUBEBUILDER_ASSETS: _, ...rest } = process.env;
  return rest;
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
