// Starts simulator processes for tests and waits for their output. `endAll` ends everything that was started here.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { hollowLaunch, hostedLaunch, type Launch, memberLaunch } from './launch.ts';

const cacheDir = path.join(os.tmpdir(), 'simulator-compile-cache');
const children = new Set<ChildProcess>();

/** A /24 of 127.0.0.0/8 that no other process uses, derived from the pid. */
export const network = `127.${64 + (process.pid & 0x3f)}.${(process.pid >> 6) & 0xff}`;
export const ip = (id: number) => `${network}.${id}`;

export function createFolder(): string {
  return fs.mkdtempSync(path.join(os.tmpdir(), 'simulator-'));
}

export function memberEnv(id: number, folder: string, env: Record<string, string> = {}): Record<string, string> {
  const host = ip(id);
  return {
    MAREKVS_NODE_ID: String(id),
    MAREKVS_ADVERTISE_IP: host,
    MAREKVS_CLUSTER: 'process-test',
    MAREKVS_REPLICAS_N: '2',
    MAREKVS_DATA_DIR: path.join(folder, String(id)),
    MAREKVS_RESP_ADDR: `${host}:6379`,
    MAREKVS_MESH_ADDR: `${host}:7373`,
    MAREKVS_GOSSIP_ADDR: `${host}:7946`,
    MAREKVS_METRICS_ADDR: `${host}:9121`,
    SIMULATOR_SPEED: '10',
    ...env,
  };
}

export class MemberProcess {
  readonly child: ChildProcess;
  readonly lines: string[] = [];
  readonly #waiting = new Set<() => void>();

  constructor(env: Record<string, string>) {
    const { args, env: launchEnv } = memberLaunch(cacheDir);
    this.child = spawn(process.execPath, args, {
      env: { ...env, ...launchEnv, PATH: process.env.PATH ?? '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.add(this.child);
    for (const stream of [this.child.stdout, this.child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        this.lines.push(line);
        for (const look of this.#waiting) look();
      });
    }
  }

  /** Resolves with the first line that contains `text`, whether it was printed already or not. */
  said(text: string): Promise<string> {
    return new Promise((resolve) => {
      const look = () => {
        const line = this.lines.find((each) => each.includes(text));
        if (line === undefined) return;
        this.#waiting.delete(look);
        resolve(line);
      };
      this.#waiting.add(look);
      look();
    });
  }

  async exited(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'close');
    return this.child.exitCode;
  }
}

export function forkHollow(env: Record<string, string>): ChildProcess {
  return fork(hollowLaunch(cacheDir), env);
}

/** A process of many members, each with its folder, and its log beside that. */
export class Host {
  readonly #child = fork(hostedLaunch(cacheDir), {});
  readonly #folder: string;
  #starts = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Resolves when it runs, with its name for the other calls. */
  async start(id: number, env: Record<string, string> = {}): Promise<string> {
    this.#starts += 1;
    const name = `${id}-${this.#starts}`;
    const started = this.#answer(name, 'started');
    const settings = memberEnv(id, this.#folder, env);
    this.#child.send({ type: 'start', id: name, env: settings, folder: this.#folder, logPath: this.logPath(name) });
    await started;
    return name;
  }

  /** Resolves with its exit code or signal. */
  async end(name: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<Record<string, unknown>> {
    const ended = this.ended(name);
    this.signal(name, signal);
    return ended;
  }

  ended(name: string): Promise<Record<string, unknown>> {
    return this.#answer(name, 'ended');
  }

  signal(name: string, signal: string): void {
    this.#child.send({ type: 'signal', id: name, signal });
  }

  logPath(name: string): string {
    return path.join(this.#folder, `${name}.log`);
  }

  log(name: string): string {
    return fs.readFileSync(this.logPath(name), 'utf8');
  }

  /** Resolves once all report that they serve clients. */
  async serving(names: readonly string[]): Promise<void> {
    await until(
      () => Promise.resolve(names.map((name) => this.log(name))),
      (logs) => logs.every((log) => log.includes('serving')),
    );
  }

  #answer(name: string, type: string): Promise<Record<string, unknown>> {
    return new Promise((resolve) => {
      const take = (message: Record<string, unknown>) => {
        if (message.id !== name || message.type !== type) return;
        this.#child.off('message', take);
        resolve(message);
      };
      this.#child.on('message', take);
    });
  }
}

function fork({ args, env: launchEnv }: Launch, env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env, ...launchEnv },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  children.add(child);
  return child;
}

export async function endAll(): Promise<void> {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  children.clear();
}

/** Asks again until the answer is the wanted one. Each question is a round trip to a process, so this does not spin. */
export async function until<T>(ask: () => Promise<T>, suits: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (suits(answer)) return answer;
  }
}
