// `kubectl mkv` as a user has it: the bundle in a folder of PATH under its own name, called by the real kubectl.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { projectRoot, type Testbed } from '@marekvs/testbed';

export interface PluginResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Plugin {
  /** Runs `kubectl mkv …` to its end, as this user; an administrator by default. */
  run(args: readonly string[], kubeconfig?: string): Promise<PluginResult>;
  /** Starts it, and stops it with Ctrl-C as soon as a line fits. @returns its exit code */
  watch(args: readonly string[], fits: (line: string) => boolean, whenShown: () => Promise<void>): Promise<number>;
  /** Where it runs: files it writes are here. */
  readonly folder: string;
  remove(): Promise<void>;
}

const LIMIT_MS = 30_000;
const NAME = 'kubectl-mkv';

export async function installPlugin(testbed: Testbed): Promise<Plugin> {
  const folder = await mkdtemp(join(tmpdir(), 'mkv-plugin-'));
  const bundle = join(folder, 'bundle.cjs');
  const script = join(projectRoot, 'packages', 'cli', 'bundle.ts');
  await promisify(execFile)(process.execPath, ['--conditions=development', script, bundle], { timeout: LIMIT_MS });
  await copyFile(bundle, join(folder, NAME));
  const { kubectlPath } = testbed.controlPlane;
  const environment = (kubeconfig: string) => ({
    HOME: folder,
    KUBECONFIG: kubeconfig,
    PATH: `${folder}:${dirname(process.execPath)}:/usr/bin:/bin`,
  });

  return {
    folder,
    run: (args, kubeconfig = testbed.kubeconfigs.admin) =>
      new Promise((resolve) => {
        const options = { env: environment(kubeconfig), cwd: folder, timeout: LIMIT_MS };
        execFile(kubectlPath, ['mkv', ...args], options, (error, out, err) =>
          resolve({ code: error === null ? 0 : Number(error.code ?? Number.NaN), out, err }),
        );
      }),
    async watch(args, fits, whenShown) {
      const child = spawn(kubectlPath, ['mkv', ...args], {
        env: environment(testbed.kubeconfigs.admin),
        cwd: folder,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const closed = once(child, 'close');
      let isShown = false;
      for await (const line of createInterface({ input: child.stdout })) {
        if (!isShown) {
          isShown = true;
          await whenShown();
        }
        if (fits(line)) child.kill('SIGINT');
      }
      const [code] = await closed;
      return Number(code);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
