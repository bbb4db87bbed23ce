// One process at a time. The lock itself is the kernel's: an exclusive transaction on an empty SQLite file, which ends
// with its process, however that ends. Who holds it stands in a file beside it, for a person only. Waiting is left to
// the caller.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface LockHolder {
  readonly pid: number;
  /** ISO 8601, for a person. */
  readonly since: string;
  /** A line for a person, e.g. the kubeconfig path. */
  readonly note: string;
}

export type LockOutcome =
  | { readonly kind: 'held'; release(): void; describe(note: string): Promise<void> }
  /** `holder` is undefined while the other one has not yet written who it is. */
  | { readonly kind: 'taken'; readonly holder: LockHolder | undefined };

/** SQLITE_BUSY, https://sqlite.org/rescode.html#busy. */
const BUSY = 5;

/** Takes the lock or says who has it; never waits. */
export async function takeLock(path: string, note = ''): Promise<LockOutcome> {
  await mkdir(dirname(path), { recursive: true });
  const database = lockedDatabase(`${path}.sqlite`);
  if (database === undefined) return { kind: 'taken', holder: await readHolder(path) };
  const me: LockHolder = { pid: process.pid, since: new Date().toISOString(), note };
  const describe = (words: string): Promise<void> => writeWhole(path, JSON.stringify({ ...me, note: words }));
  await describe(note);
  return { kind: 'held', release: () => database.close(), describe };
}

function lockedDatabase(path: string): DatabaseSync | undefined {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (err) {
    database.close();
    if (err instanceof Error && 'errcode' in err && err.errcode === BUSY) return undefined;
    throw err;
  }
}

/** So that nobody reads half of it. Only whoever has the lock writes. */
async function writeWhole(path: string, text: string): Promise<void> {
  const draft = `${path}.draft`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path);
}

async function readHolder(path: string): Promise<LockHolder | undefined> {
  try {
    return parseHolder(JSON.parse(await readFile(path, 'utf8')));
  } catch (err) {
    if (err instanceof SyntaxError || (err instanceof Error && 'code' in err && err.code === 'ENOENT'))
      return undefined;
    throw err;
  }
}

function parseHolder(value: unknown): LockHolder | undefined {
  if (typeof value !== 'object' || value === null || !('pid' in value) || typeof value.pid !== 'number')
    return undefined;
  return {
    pid: value.pid,
    since: 'since' in value && typeof value.since === 'string' ? value.since : '',
    note: 'note' in value && typeof value.note === 'string' ? value.note : '',
  };
}
