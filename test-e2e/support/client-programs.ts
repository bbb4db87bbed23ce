// Client libraries as their users run them: each a process of its own with one client, which works until it is stopped
// (test-e2e/clients). Those of Go and Python are built or installed once per machine, where that can be done.

import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cacheFolder, NoGoProgramError, obtainOneProgram } from '@marekvs/testbed';
import type { ClientCounts, ClientTask } from '../clients/workload.ts';
import { eventually } from './eventually.ts';

export type { ClientCounts, ClientTask } from '../clients/workload.ts';

const FOLDER = new URL('../clients/', import.meta.url);
const REDIS_PY = 'redis==8.1.0';
const BUILD_LIMIT_MS = 300_000;
const INSTALL_LIMIT_MS = 120_000;

export const LIBRARIES = ['ioredis', 'iovalkey', 'node-redis', 'node-redis-resp2', 'go-redis', 'redis-py'] as const;
export type Library = (typeof LIBRARIES)[number];

/** How a library is started: a command and its first arguments, or why it cannot be had here. */
export type Launcher =
  | { readonly kind: 'there'; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: 'missing'; readonly why: string };

export interface ClientProgram {
  readonly task: ClientTask;
  /** Ends a part. @returns what was counted since the last one */
  part(): Promise<ClientCounts>;
  /** Idempotent. */
  stop(): Promise<void>;
}

export async function launcherOf(library: Library): Promise<Launcher> {
  if (library === 'go-redis') return goRedis();
  if (library === 'redis-py') return redisPy();
  return { kind: 'there', command: process.execPath, args: [fileURLToPath(new URL('node.ts', FOLDER))] };
}

/** Resolves when its first operations have succeeded.
 *  @throws Error with what it printed when it ends before */
export async function startClientProgram(
  launcher: Extract<Launcher, { kind: 'there' }>,
  task: ClientTask,
  { limitMs }: { readonly limitMs?: number } = {},
): Promise<ClientProgram> {
  const { command, args } = launcher;
  const child = spawn(command, [...args, JSON.stringify(task)], { stdio: ['pipe', 'pipe', 'pipe'] });
  const lines = createInterface({ input: child.stdout });
  let complaint = '';
  child.stderr.on('data', (data: Buffer) => {
    complaint = `${complaint}${data.toString()}`.slice(-2_000);
  });
  const ended = once(child, 'close');
  const part = (): Promise<ClientCounts> => partOf(child, lines, ended, () => `${task.library}: ${complaint}`);
  const program: ClientProgram = {
    task,
    part,
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
  try {
    await eventually(`${task.library} works`, async () => (await part()).operations > 0, limitMs);
    return program;
  } catch (error) {
    child.kill('SIGKILL');
    await ended;
    throw error;
  }
}

async function partOf(
  child: ChildProcessByStdio<Writable, Readable, Readable>,
  lines: Interface,
  ended: Promise<unknown>,
  complaint: () => string,
): Promise<ClientCounts> {
  const line = once(lines, 'line');
  child.stdin.write('mark\n');
  const isOver = ended.then(() => Promise.reject(new Error(`a client program has ended: ${complaint()}`)));
  isOver.catch(() => undefined);
  const [text] = (await Promise.race([line, isOver])) as [string];
  return JSON.parse(text) as ClientCounts;
}

async function goRedis(): Promise<Launcher> {
  const module = { name: 'go-redis-client', folder: fileURLToPath(new URL('go/', FOLDER)), limitMs: BUILD_LIMIT_MS };
  try {
    return { kind: 'there', command: await obtainOneProgram({ ...module, what: 'a client of go-redis' }), args: [] };
  } catch (error) {
    if (error instanceof NoGoProgramError) return { kind: 'missing', why: error.message };
    throw error;
  }
}

/** A virtual environment of its own. */
async function redisPy(): Promise<Launcher> {
  const folder = join(cacheFolder(), `redis-py-${REDIS_PY.split('==')[1]}`);
  const command = join(folder, 'bin', 'python3');
  const args = [fileURLToPath(new URL('redis_py.py', FOLDER))];
  const run = promisify(execFile);
  if (await exists(join(folder, 'installed'))) return { kind: 'there', command, args };
  try {
    await run('python3', ['-m', 'venv', folder], { timeout: INSTALL_LIMIT_MS });
    await run(command, ['-m', 'pip', 'install', '--quiet', REDIS_PY], { timeout: INSTALL_LIMIT_MS });
    await run('touch', [join(folder, 'installed')]);
    return { kind: 'there', command, args };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    return { kind: 'missing', why: `no Python with ${REDIS_PY}: ${error instanceof Error ? error.message : error}` };
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
