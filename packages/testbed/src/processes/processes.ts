// Starts programs so that none is ever left behind: each is registered with the reaper, runs in its own session, writes
// its output to a file, and ends when the group is stopped, when this process exits, or when it is killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** How a program ended. */
export interface Exit {
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  /** Set when it could not be started at all. */
  readonly error?: Error;
}

export interface ManagedProcess {
  readonly name: string;
  /** 0 when it could not be started. */
  readonly pid: number;
  readonly logPath: string;
  readonly child: ChildProcess;
  /** Never rejects. */
  readonly exited: Promise<Exit>;
  exit(): Exit | undefined;
  signal(signal: NodeJS.Signals): void;
  /** SIGTERM, then SIGKILL to the whole group after `graceMs` (default 5000). Resolves when it is gone. */
  stop(graceMs?: number): Promise<Exit>;
}

export interface SpawnOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The complete environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly logPath: string;
  readonly cwd?: string;
  /** Also opens an IPC channel (Node programs only). */
  readonly ipc?: boolean;
}

export interface ProcessGroup {
  spawn(options: SpawnOptions): ManagedProcess;
  /** Has the folder removed after a crash of this process. */
  removeAfterCrash(folder: string): void;
  /** Stops everything that is still running, newest first. */
  stopAll(graceMs?: number): Promise<void>;
  /** Programs still running. */
  running(): readonly ManagedProcess[];
}

export const TAG_VARIABLE = 'MAREKVS_TESTBED_TAG';

export function createProcessGroup(): ProcessGroup {
  const tag = randomUUID();
  const living = new Set<ManagedProcess>();
  const reaper = startReaper(`${TAG_VARIABLE}=${tag}`);

  function killAllNow(): void {
    for (const one of living) killGroup(one.pid, 'SIGKILL');
  }
  process.once('exit', killAllNow);

  return {
    spawn(options) {
      const managed = start(options, tag);
      if (managed.pid > 0) {
        living.add(managed);
        reaper.tell(`+${managed.pid}`);
        void managed.exited.then(() => {
          living.delete(managed);
          reaper.tell(`-${managed.pid}`);
        });
      }
      return managed;
    },
    removeAfterCrash(folder) {
      reaper.tell(`d${folder}`);
    },
    async stopAll(graceMs) {
      await Promise.all([...living].reverse().map((one) => one.stop(graceMs)));
      process.removeListener('exit', killAllNow);
      reaper.close();
    },
    running: () => [...living],
  };
}

function start(options: SpawnOptions, tag: string): ManagedProcess {
  const log = openSync(options.logPath, 'a', 0o600);
  const child = spawn(options.command, [...options.args], {
    env: { ...options.env, [TAG_VARIABLE]: tag },
    stdio: options.ipc === true ? ['ignore', log, log, 'ipc'] : ['ignore', log, log],
    detached: true,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  closeSync(log);
  let exit: Exit | undefined;
  const exited = new Promise<Exit>((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined) resolve({ code: undefined, signal: undefined, error });
    });
    child.once('exit', (code, signal) => resolve({ code: code ?? undefined, signal: signal ?? undefined }));
  }).then((value) => {
    exit = value;
    return value;
  });
  const pid = child.pid ?? 0;
  return {
    name: options.name,
    pid,
    logPath: options.logPath,
    child,
    exited,
    exit: () => exit,
    signal(signal) {
      if (pid > 0 && exit === undefined) sendSignal(pid, signal);
    },
    async stop(graceMs = 5000) {
      if (pid === 0 || exit !== undefined) return exited;
      sendSignal(pid, 'SIGTERM');
      // A frozen process takes SIGTERM only after it runs again.
      sendSignal(pid, 'SIGCONT');
      const timer = setTimeout(() => killGroup(pid, 'SIGKILL'), graceMs);
      try {
        return await exited;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

interface Reaper {
  tell(line: string): void;
  close(): void;
}

function startReaper(tagEntry: string): Reaper {
  const script = fileURLToPath(new URL('./reaper.ts', import.meta.url));
  const child = spawn(process.execPath, [script, tagEntry], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env: { PATH: process.env.PATH ?? '' },
  });
  child.on('error', () => undefined);
  child.unref();
  const input = child.stdin;
  input.on('error', () => undefined);
  if ('unref' in input && typeof input.unref === 'function') input.unref();
  return {
    tell: (line) => {
      if (input.writable) input.write(`${line}\n`);
    },
    close: () => input.end(),
  };
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Already gone: its exit event is on the way.
  }
}

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    sendSignal(pid, signal);
  }
}

/** The last bytes of a file; empty when there is none. */
export async function readTail(path: string, maxBytes = 4096): Promise<string> {
  try {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      const length = Math.min(size, maxBytes);
      const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
      return buffer.toString('utf8').trim();
    } finally {
      await file.close();
    }
  } catch {
    return '';
  }
}
