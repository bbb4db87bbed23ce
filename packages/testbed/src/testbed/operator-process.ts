// The operator as a process of its own under its own user, as in a cluster. Its log goes to a file; its flags
// are those of packages/operator.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '../processes/ports.ts';
import { type Exit, type ManagedProcess, type ProcessGroup, readTail } from '../processes/processes.ts';
import { compileCache, operatorProgram } from '../programs/made-programs.ts';

export interface OperatorOptions {
  readonly processes: ProcessGroup;
  readonly dir: string;
  readonly kubeconfig: string;
  /** Where its Lease lives. */
  readonly namespace: string;
  /** Undefined = all. */
  readonly watchNamespaces?: readonly string[];
  readonly extraArgs?: readonly string[];
  readonly extraEnv?: Readonly<Record<string, string>>;
  /** For the file names of a second operator on the same testbed. */
  readonly name?: string;
}

export interface OperatorProcess {
  readonly pid: number;
  readonly metricsAddress: string;
  readonly healthAddress: string;
  readonly logPath: string;
  readonly exited: Promise<Exit>;
  exit(): Exit | undefined;
  /** SIGTERM, SIGKILL after 10 s. */
  stop(): Promise<Exit>;
  /** SIGKILL. */
  kill(): Promise<Exit>;
  freeze(): void;
  thaw(): void;
  /** stop, then a new process with the same settings and ports. */
  restart(): Promise<void>;
  /** All it has printed since the testbed started. */
  logs(): Promise<string>;
  logTail(): Promise<string>;
}

export async function startOperator(options: OperatorOptions): Promise<OperatorProcess> {
  const metricsAddress = `127.0.0.1:${await findFreePort()}`;
  const healthAddress = `127.0.0.1:${await findFreePort()}`;
  const name = options.name ?? 'operator';
  const logPath = join(options.dir, 'logs', `${name}.log`);
  const entry = await operatorProgram(join(options.dir, 'operator'));

  function spawn(): ManagedProcess {
    return options.processes.spawn({
      name,
      command: process.execPath,
      args: [
        entry,
        `--kubeconfig=${options.kubeconfig}`,
        `--metrics-bind-address=${metricsAddress}`,
        `--health-probe-bind-address=${healthAddress}`,
        '--log-format=json',
        `--namespace=${options.namespace}`,
        ...(options.watchNamespaces === undefined ? [] : [`--watch-namespaces=${options.watchNamespaces.join(',')}`]),
        ...(options.extraArgs ?? []),
      ],
      env: {
        PATH: process.env.PATH ?? '/usr/bin:/bin',
        HOME: options.dir,
        // As in config/base/manager, without the limit that is a share of the container's memory.
        NODE_OPTIONS: '--max-semi-space-size=2',
        MALLOC_ARENA_MAX: '1',
        NODE_COMPILE_CACHE: compileCache(join(options.dir, 'compile-cache')),
        ...options.extraEnv,
      },
      logPath,
      cwd: options.dir,
    });
  }

  let current = spawn();
  return {
    get pid() {
      return current.pid;
    },
    metricsAddress,
    healthAddress,
    logPath,
    get exited() {
      return current.exited;
    },
    exit: () => current.exit(),
    stop: () => current.stop(10_000),
    kill() {
      current.signal('SIGKILL');
      return current.exited;
    },
    freeze: () => current.signal('SIGSTOP'),
    thaw: () => current.signal('SIGCONT'),
    async restart() {
      await current.stop(10_000);
      current = spawn();
    },
    logs: () => readFile(logPath, 'utf8'),
    logTail: () => readTail(logPath, 8000),
  };
}

/** The message of the last JSON line that carries an error; undefined when there is none (a crash before the
 *  logger). */
export function lastError(log: string): string | undefined {
  for (const line of log.split('\n').reverse()) {
    const match = /"err":\{.*?"message":("(?:[^"\\]|\\.)*")/.exec(line);
    if (match?.[1] !== undefined) return String(JSON.parse(match[1]));
  }
  return undefined;
}
