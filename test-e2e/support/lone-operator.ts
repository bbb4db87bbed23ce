// The operator as a process with exactly the flags and the environment that a test gives it, for surroundings in which
// it cannot work, or not alone. Otherwise, testbed.startOperator starts it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { limit, madeProgram, projectRoot } from '@marekvs/testbed';

export interface LogLine {
  readonly level?: string;
  readonly msg?: string;
  readonly [field: string]: unknown;
}

export interface LoneOperator {
  /** All it has printed so far, stdout and stderr, one entry per line. */
  readonly lines: readonly string[];
  /** The lines that are JSON. */
  logged(): readonly LogLine[];
  /** Resolves with the first matching line, already printed or not. @throws Error with everything printed, when the
   *  operator ends or `limitMs` pass before */
  line(fits: (line: LogLine) => boolean, limitMs?: number): Promise<LogLine>;
  /** Resolves with the exit code, which is undefined if it was ended by a signal. */
  readonly exited: Promise<number | undefined>;
  isRunning(): boolean;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves when it is gone. */
  stop(): Promise<void>;
}

const ENTRY = join(projectRoot, 'packages', 'operator', 'src', 'main.ts');
const LINE_LIMIT_MS = 20_000;

/** @param env complete; nothing but PATH is inherited
 *  @param made the file to run; default the present operator */
export function startLoneOperator(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  made = madeProgram('operator'),
): LoneOperator {
  const program = made === undefined ? ['--conditions=development', ENTRY] : [made];
  const child = spawn(process.execPath, [...program, ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const watchers = new Set<() => void>();
  const tell = () => {
    for (const look of watchers) look();
  };
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      tell();
    });
  }
  // A journey that is interrupted must leave no operator behind.
  const killNow = () => child.kill('SIGKILL');
  process.once('exit', killNow);
  let isOver = false;
  const exited = once(child, 'close').then(([code]) => {
    isOver = true;
    process.removeListener('exit', killNow);
    tell();
    return typeof code === 'number' ? code : undefined;
  });
  const logged = () => lines.flatMap(parse);

  return {
    lines,
    logged,
    exited,
    isRunning: () => !isOver,
    async line(fits, limitMs = LINE_LIMIT_MS) {
      const { promise, resolve, reject } = Promise.withResolvers<LogLine>();
      const fail = (why: string) => reject(new Error(`no such line, ${why}:\n${lines.join('\n')}`));
      const look = () => {
        const found = logged().find(fits);
        if (found !== undefined) resolve(found);
        else if (isOver) fail('and it has ended');
      };
      const endLimit = limit(limitMs, () => fail(`after ${limitMs} ms of a machine of its own`));
      watchers.add(look);
      look();
      try {
        return await promise;
      } finally {
        endLimit();
        watchers.delete(look);
      }
    },
    async kill() {
      if (!isOver) child.kill('SIGKILL');
      await exited;
    },
    async stop() {
      if (!isOver) child.kill('SIGTERM');
      await exited;
    },
  };
}

function parse(line: string): readonly LogLine[] {
  if (!line.startsWith('{')) return [];
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
