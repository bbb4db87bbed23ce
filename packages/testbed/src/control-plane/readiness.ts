// Waits until a program answers on its health address, or throws the reason why it never will: it ended, the disk is
// full, its port is taken.
import { get as getPlain } from 'node:http';
import { get as getSecure } from 'node:https';
import { DiskFullError, ProgramFailedError } from '../errors.ts';
import { findDiskFull } from '../processes/disk.ts';
import { type ManagedProcess, readTail } from '../processes/processes.ts';

export interface HealthAddress {
  readonly url: string;
  readonly caPem?: string;
}

const POLL_MS = 40;
const ANSWER_MS = 2_000;
/** Three starts at once on two busy cores were seen to take 20 s. */
const LIMIT_MS = 90_000;

/** Resolves at the first 200. @throws ProgramFailedError, DiskFullError */
export async function waitUntilReady(
  program: ManagedProcess,
  address: HealthAddress,
  folder: string,
  limitMs = LIMIT_MS,
): Promise<void> {
  const until = performance.now() + limitMs;
  while (performance.now() < until) {
    if (program.exit() !== undefined) throw await explainExit(program, folder);
    if ((await statusOf(address)) === 200) return;
    await Promise.race([program.exited, new Promise((resolve) => setTimeout(resolve, POLL_MS))]);
  }
  throw new ProgramFailedError(
    program.name,
    `not ready after ${limitMs / 1000} s`,
    await readTail(program.logPath, 2000),
  );
}

/** Whether it failed because another process has its port. */
export function isPortTaken(err: unknown): boolean {
  return err instanceof ProgramFailedError && /address already in use/.test(err.logTail);
}

async function explainExit(program: ManagedProcess, folder: string): Promise<Error> {
  const { code, signal, error } = await program.exited;
  const tail = await readTail(program.logPath, 4000);
  const full = findDiskFull(`${tail}\n${error?.message ?? ''}`);
  if (full !== undefined) return new DiskFullError(folder, `${program.name}: ${full.slice(0, 300)}`, error);
  const how =
    error === undefined
      ? `ended with ${signal ?? `exit code ${code}`} before it was ready`
      : `could not be started: ${error.message}`;
  return new ProgramFailedError(program.name, how, tail);
}

/** The HTTP status; undefined when nothing answered. */
function statusOf(address: HealthAddress): Promise<number | undefined> {
  return new Promise((resolve) => {
    const options = { agent: false, timeout: ANSWER_MS, ...(address.caPem === undefined ? {} : { ca: address.caPem }) };
    const get = address.url.startsWith('https:') ? getSecure : getPlain;
    const request = get(address.url, options, (response) => {
      response.resume();
      response.once('error', () => resolve(undefined));
      response.once('end', () => resolve(response.statusCode));
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(undefined));
    request.once('close', () => resolve(undefined));
  });
}
