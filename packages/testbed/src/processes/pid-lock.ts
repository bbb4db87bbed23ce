// One process at a time: a lock file that names its holder by pid and start time.
// The start time tells a holder that died from another process that got the same pid. Waiting is left to the caller.
import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isSameProcess, processStartTicks } from './process-identity.ts';

export interface LockHolder {
  readonly pid: number;
  /** Clock ticks after boot as the kernel counts them; undefined where there is no /proc. */
  readonly startTicks: number | undefined;
  /** ISO 8601, for a person. */
  readonly since: string;
  /** A line for a person, e.g. the kubeconfig path. */
  readonly note: string;
}

export type LockOutcome =
  | { readonly kind: 'held'; release(): Promise<void>; describe(note: string): Promise<void> }
  | { readonly kind: 'taken'; readonly holder: LockHolder };

/** Takes the lock or returns its holder; never waits. A lock whose holder is gone is taken over. */
export async function takeLock(path: string, note = ''): Promise<LockOutcome> {
  await mkdir(dirname(path), { recursive: true });
  const me: LockHolder = {
    pid: process.pid,
    startTicks: processStartTicks(process.pid),
    since: new Date().toISOString(),
    note,
  };
  for (;;) {
    if (await createWith(path, me)) return held(path, me);
    const holder = await readHolder(path);
    if (holder === 'gone') continue;
    if (holder !== 'unreadable' && isSameProcess(holder)) return { kind: 'taken', holder };
    await removeStale(path);
  }
}

/** link(2) makes the file appear with its content in one step, so that nobody reads half a lock. */
async function createWith(path: string, holder: LockHolder): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, JSON.stringify(holder), { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (err) {
    if (isCode(err, 'EEXIST')) return false;
    throw err;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Two processes may both see a stale lock. The one that renames second would move the first one's fresh lock, so it
 *  checks what it has moved, and puts a valid lock back. */
async function removeStale(path: string): Promise<void> {
  const stalePath = `${path}.${randomUUID()}`;
  try {
    await rename(path, stalePath);
  } catch (err) {
    if (isCode(err, 'ENOENT')) return;
    throw err;
  }
  const moved = await readHolder(stalePath);
  if (typeof moved !== 'string' && isSameProcess(moved)) await link(stalePath, path).catch(() => undefined);
  await rm(stalePath, { force: true });
}

async function readHolder(path: string): Promise<LockHolder | 'gone' | 'unreadable'> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (err) {
    if (isCode(err, 'ENOENT')) return 'gone';
    throw err;
  }
  return parseHolder(text) ?? 'unreadable';
}

function parseHolder(text: string): LockHolder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('pid' in value) || typeof value.pid !== 'number')
      return undefined;
    return {
      pid: value.pid,
      startTicks: 'startTicks' in value && typeof value.startTicks === 'number' ? value.startTicks : undefined,
      since: 'since' in value && typeof value.since === 'string' ? value.since : '',
      note: 'note' in value && typeof value.note === 'string' ? value.note : '',
    };
  } catch {
    return undefined;
  }
}

function held(path: string, me: LockHolder): LockOutcome {
  return {
    kind: 'held',
    async describe(note) {
      const draft = `${path}.${randomUUID()}`;
      await writeFile(draft, JSON.stringify({ ...me, note }), { mode: 0o600 });
      await rename(draft, path);
    },
    async release() {
      const holder = await readHolder(path);
      if (typeof holder !== 'string' && holder.pid === me.pid && holder.startTicks === me.startTicks)
        await rm(path, { force: true });
    },
  };
}

function isCode(err: unknown, code: string): boolean {
  return err instanceof Error && 'code' in err && err.code === code;
}
