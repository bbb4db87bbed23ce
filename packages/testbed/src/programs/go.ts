// Finds Go, and runs it so that it and all its children end with this process.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { stretched } from '../patience.ts';
import { lowerPriority } from '../processes/priority.ts';
import { createProcessGroup, readTail } from '../processes/processes.ts';

/** Niceness of a build of what only a few tests need: beside other tests it takes what these leave. */
export const BESIDE_TESTS = 10;

export interface GoRun {
  readonly go: string;
  readonly args: readonly string[];
  readonly logPath: string;
  /** The folder of the module. */
  readonly cwd: string;
  readonly limitMs: number;
  /** Niceness of it and of the compilers it starts, 0 to 19. */
  readonly niceness?: number;
}

/** `go` of the PATH, or where its installer puts it; undefined when neither answers. */
export async function findGo(cwd: string): Promise<string | undefined> {
  for (const place of ['go', '/usr/local/go/bin/go']) {
    try {
      // Run inside of the module: a Go that is too old for it fails, or downloads a newer one.
      await promisify(execFile)(place, ['version'], { cwd, timeout: stretched(20_000) });
      return place;
    } catch {
      // The next place, or none.
    }
  }
  return undefined;
}

/** @throws Error with the end of what Go printed */
export async function runGo({ go, args, logPath, cwd, limitMs, niceness = 0 }: GoRun): Promise<void> {
  const group = createProcessGroup();
  const env = Object.entries(process.env).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  const child = group.spawn({
    name: 'go',
    command: go,
    args,
    env: { ...Object.fromEntries(env), CGO_ENABLED: '0', GOFLAGS: '-mod=readonly', GOWORK: 'off' },
    logPath,
    cwd,
  });
  lowerPriority(child.pid, niceness);
  const limit = setTimeout(() => void child.stop(0), limitMs);
  const { code, signal, error } = await child.exited;
  clearTimeout(limit);
  await group.stopAll(0);
  if (code === 0) return;
  const tail = (await readTail(logPath)).split('\n').slice(-8).join('\n');
  throw new Error(`go ended with ${error?.message ?? signal ?? code}: ${tail}`);
}
