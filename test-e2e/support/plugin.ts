// `kubectl mkv` as a user has it: the bundle in a folder of PATH under its own name, called by the real kubectl.

import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { pluginProgram, stretched, type Testbed } from '@marekvs/testbed';
import { eventually } from './eventually.ts';
import { loadPlugin, type PluginCall, type PluginResult } from './plugin-call.ts';

export type { PluginResult };

/** One that goes on until it is stopped. */
export interface Following {
  /** What it has printed so far, without the end of the last line. */
  text(): string;
  /** @throws Error with what it printed when no such text comes in time, or it ends before */
  until(what: string, pattern: RegExp): Promise<void>;
  /** Ctrl-C. @returns its exit code */
  interrupt(): Promise<number>;
}

/** How a line of a shell is run. */
export interface LineOptions {
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Plugin {
  /** Starts `kubectl mkv …`, which goes on until it is stopped. */
  start(args: readonly string[], kubeconfig?: string): Following;
  /** Runs a line of sh, or of another shell, where the plugin and kubectl are in PATH. */
  shell(line: string, how?: LineOptions): Promise<PluginResult>;
  /** What `shell` gives. Every verb of the plugin goes through the shell once; later lines of it are `call`s, where a
   *  shell would make nothing of their words and it starts nothing. */
  type(line: string, how?: LineOptions): Promise<PluginResult>;
  /** Runs `kubectl mkv …` to its end, as this user; an administrator by default. */
  run(args: readonly string[], kubeconfig?: string): Promise<PluginResult>;
  /** What `run` gives, by the same bundle in this process, for a tenth of the CPU. Not for what is about processes:
   *  signals, terminals, files below `folder`, programs that it starts. */
  call(args: readonly string[], kubeconfig?: string): Promise<PluginResult>;
  /** Starts it, and stops it with Ctrl-C as soon as a line fits. @returns its exit code */
  watch(args: readonly string[], fits: (line: string) => boolean, whenShown: () => Promise<void>): Promise<number>;
  /** Where it runs: files it writes are here. */
  readonly folder: string;
  remove(): Promise<void>;
}

const LIMIT_MS = 30_000;
const NAME = 'kubectl-mkv';
/** No quotes, pipes or variables, no file of the folder, and no port forward. */
const PLAIN_LINE = /^kubectl mkv (?!connect |.* (?:-f|--file) )[\w ./:=-]+$/;
const PIPES: StdioPipe = ['ignore', 'pipe', 'pipe'];

type StdioPipe = ['ignore', 'pipe', 'pipe'];

export async function installPlugin(testbed: Testbed): Promise<Plugin> {
  const folder = await mkdtemp(join(tmpdir(), 'mkv-plugin-'));
  const program = join(folder, NAME);
  await copyFile(await pluginProgram(join(folder, 'bundle.cjs')), program);
  let called: Promise<PluginCall> | undefined;
  const { kubectlPath } = testbed.controlPlane;
  const environment = (kubeconfig: string) => ({
    HOME: folder,
    KUBECONFIG: kubeconfig,
    // What it prints goes into a pipe, and is read as on a small terminal.
    COLUMNS: '80',
    PATH: `${folder}:${dirname(process.execPath)}:/usr/bin:/bin`,
  });
  const typed = new Set<string>();
  const plugin: Plugin = {
    folder,
    run: (args, kubeconfig = testbed.kubeconfigs.admin) =>
      new Promise((resolve) => {
        const options = { env: environment(kubeconfig), cwd: folder, timeout: stretched(LIMIT_MS) };
        execFile(kubectlPath, ['mkv', ...args], options, (error, out, err) =>
          resolve({ code: error === null ? 0 : Number(error.code ?? Number.NaN), out, err }),
        );
      }),
    async call(args, kubeconfig = testbed.kubeconfigs.admin) {
      called ??= loadPlugin(program);
      return (await called)(args, environment(kubeconfig), LIMIT_MS);
    },
    shell: (line, { shell = 'sh', env = {} } = {}) =>
      new Promise((resolve) => {
        const options = {
          env: { ...environment(testbed.kubeconfigs.admin), ...env },
          cwd: folder,
          timeout: stretched(LIMIT_MS),
        };
        options.env.PATH = `${dirname(kubectlPath)}:${options.env.PATH}`;
        execFile(shell, ['-c', line], options, (error, out, err) =>
          resolve({ code: error === null ? 0 : Number(error.code ?? Number.NaN), out, err }),
        );
      }),
    async type(line, how = {}) {
      const [verb] = /^kubectl mkv (?:(?:rollout|auth) )?\S+/.exec(line) ?? [];
      if (verb !== undefined && typed.has(verb) && PLAIN_LINE.test(line))
        return plugin.call(line.split(' ').slice(2), how.env?.KUBECONFIG);
      if (verb !== undefined) typed.add(verb);
      return plugin.shell(line, how);
    },
    start: (args, kubeconfig = testbed.kubeconfigs.admin) =>
      follow(spawn(kubectlPath, ['mkv', ...args], { env: environment(kubeconfig), cwd: folder, stdio: PIPES })),
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
  return plugin;
}

function follow(child: ChildProcessByStdio<null, Readable, Readable>): Following {
  let text = '';
  let isOver = false;
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  const closed = once(child, 'close').finally(() => (isOver = true));
  return {
    text: () => text.trimEnd(),
    until: (what, pattern) =>
      eventually(
        what,
        () => {
          if (pattern.test(text)) return true;
          if (isOver) throw new Error(`it has ended: ${text}`);
          return false;
        },
        LIMIT_MS,
      ).then(
        () => undefined,
        (cause) => {
          throw new Error(`${what}: ${text}`, { cause });
        },
      ),
    async interrupt() {
      child.kill('SIGINT');
      const [code] = await closed;
      return Number(code);
    },
  };
}
