// The terminal of a page: one bash for the whole story, so that the next command has what one before it has exported or
// started in the background.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';

export interface Shell {
  /** Types a command and waits for its end. @throws Error when it takes too long or ends the shell */
  type(command: string, limitMs: number): Promise<Typed>;
  /** Ends the shell and whatever it has left running. */
  close(): Promise<void>;
}

export interface Typed {
  readonly code: number;
  /** Standard output and standard error, as a terminal shows them, without the empty line at the end. */
  readonly lines: readonly string[];
}

/** @param commandFile where the shell reads each command from; not in its folder, where the reader's files are */
export function openShell(cwd: string, env: NodeJS.ProcessEnv, commandFile: string): Shell {
  const child = spawn('bash', ['--noprofile', '--norc'], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  const closed = once(child, 'close');
  const mark = `typed-${process.pid}-${Math.trunc(performance.now())}`;
  const end = new RegExp(`\\n?${mark} (\\d+)\\n$`);
  let printed = '';
  let look: () => void = () => undefined;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      look();
    });
  }

  async function type(command: string, limitMs: number): Promise<Typed> {
    printed = '';
    await writeFile(commandFile, `${command}\n`);
    const { promise, resolve, reject } = Promise.withResolvers<Typed>();
    look = () => {
      const [whole = '', code] = end.exec(printed) ?? [];
      if (code !== undefined) resolve({ code: Number(code), lines: linesOf(printed.slice(0, -whole.length)) });
    };
    const timer = setTimeout(() => {
      reject(new Error(`has not ended after ${limitMs / 1000} s; it printed:\n${printed}`));
    }, limitMs);
    void closed.then(() => reject(new Error(`ended the shell; it printed:\n${printed}`)));
    child.stdin.write(`. '${commandFile}' </dev/null 2>&1; printf '\\n%s %s\\n' ${mark} "$?"\n`);
    return promise.finally(() => clearTimeout(timer));
  }

  return {
    type,
    async close() {
      signalAll(child, 'SIGTERM');
      const killer = setTimeout(() => signalAll(child, 'SIGKILL'), 3000);
      await closed;
      clearTimeout(killer);
      signalAll(child, 'SIGKILL');
    },
  };
}

/** The shell leads a process group, to which everything that it has started belongs. */
function signalAll({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

function linesOf(text: string): readonly string[] {
  const trimmed = text.replace(/\n+$/, '');
  return trimmed === '' ? [] : trimmed.split('\n');
}
