// Runs a program of the project to its end and keeps what it printed.
import { spawn } from 'node:child_process';
import { projectRoot } from '../paths.ts';
import { limit } from '../patience.ts';

export interface ToolOutcome {
  /** Anything but 0 is a failure; 127: not started, 128: ended by a signal. */
  readonly code: number;
  readonly output: string;
}

const MAX_OUTPUT_CHARS = 200_000;

export interface RunToolOptions {
  /** Default the project's folder. */
  readonly cwd?: string;
  /** Default that of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** When it is killed, on an idle machine (patience.ts); default 10 min. */
  readonly limitMs?: number;
  /** It is also killed when this aborts. */
  readonly signal?: AbortSignal;
  /** Also sees the output as it comes. */
  readonly onOutput?: (text: string) => void;
}

export function runTool(command: string, args: readonly string[], options: RunToolOptions = {}): Promise<ToolOutcome> {
  const limitMs = options.limitMs ?? 600_000;
  const child = spawn(command, [...args], {
    cwd: options.cwd ?? projectRoot,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: options.env ?? process.env,
  });
  const stop = (): void => {
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), 3000).unref();
  };
  options.signal?.addEventListener('abort', stop, { once: true });
  return new Promise((resolve) => {
    let output = '';
    const startedAt = performance.now();
    const endLimit = limit(limitMs, () => {
      output += `\nstopped after ${Math.round((performance.now() - startedAt) / 1000)} s\n`;
      stop();
    });
    const take = (text: string): void => {
      output = (output + text).slice(-MAX_OUTPUT_CHARS);
      options.onOutput?.(text);
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    const end = (code: number): void => {
      endLimit();
      options.signal?.removeEventListener('abort', stop);
      resolve({ code, output });
    };
    child.once('error', (err) => {
      output += `${command}: ${err.message}\n`;
      end(127);
    });
    child.once('close', (code, signal) => end(code ?? (signal === null ? 1 : 128)));
  });
}
