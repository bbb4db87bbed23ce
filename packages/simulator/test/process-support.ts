// Starts simulator processes for tests and waits for what they say. Everything started here is ended by `endAll`.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { hollowLaunch, memberLaunch } from './launch.ts';

const cacheDir = path.join(os.tmpdir(), 'simulator-compile-cache');
const children = new Set<ChildProcess>();

/** A /24 of 127.0.0.0/8 nobody else uses: taken from the pid. */
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

  /** Resolves with the first line that contains `text`, said before or later. */
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
  const { args, env: launchEnv } = hollowLaunch(cacheDir);
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

/** Asks again until the answer suits; every ask is a round trip to a process, so this never spins without it. */
export async function until<T>(ask: () => Promise<T>, suits: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (suits(answer)) return answer;
  }
}
