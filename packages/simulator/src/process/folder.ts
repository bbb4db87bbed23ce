// The data folder of one member process: a lock, a few small files and an append-only log of versions. Written before a
// client gets its answer but never fsynced, like the page cache of the real server.

import fs from 'node:fs';
import path from 'node:path';
import { FolderLockedError } from '../member/basics/errors.ts';
import type { Version } from '../member/basics/messages.ts';
import type { DiskFile, MemberDisk } from '../member/basics/world.ts';

type LogLine =
  | readonly [key: string, clock: number, origin: number, value: string, isDead: 0 | 1, rest?: Rest]
  | readonly [key: string];

/** Fields that only some versions have. */
type Rest = Pick<Version, 'expiresAtMs' | 'merged'>;

export interface Folder extends MemberDisk {
  /** Writes everything stored so far to the files. */
  flush(): void;
  close(): void;
  /** As if the process had been killed: data not yet in the files is lost, and the lock is free. */
  abandon(): void;
}

/** The folders that members of this process have locked. */
export type FolderLocks = Set<string>;

/** Opens and locks `dir`, creating it if needed.
 *  @throws FolderLockedError another live process, or another member of this process, holds it */
export function openFolder(dir: string, onError: (error: Error) => void, locks: FolderLocks): Folder {
  fs.mkdirSync(dir, { recursive: true });
  lock(dir, locks);
  const logPath = path.join(dir, 'records.log');
  const versions = readLog(logPath);
  compact(logPath, versions);
  let log: number | undefined;
  let pending: string[] = [];
  let isFlushPlanned = false;

  const guarded = (run: () => void) => {
    try {
      run();
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const flush = () => {
    if (pending.length === 0) return;
    const text = pending.join('');
    pending = [];
    guarded(() => {
      log ??= fs.openSync(logPath, 'a');
      fs.writeSync(log, text);
    });
  };
  const append = (line: LogLine) => {
    pending.push(`${JSON.stringify(line)}\n`);
    if (isFlushPlanned) return;
    isFlushPlanned = true;
    setImmediate(() => {
      isFlushPlanned = false;
      flush();
    });
  };
  const pathOf = (name: DiskFile) => path.join(dir, name);
  const release = () => {
    if (log !== undefined) fs.closeSync(log);
    log = undefined;
    locks.delete(dir);
  };

  return {
    read: (name) => readText(pathOf(name)),
    write: (name, text) =>
      guarded(() => {
        // Written aside and renamed, so that a kill leaves no half-written file.
        fs.writeFileSync(`${pathOf(name)}.new`, text);
        fs.renameSync(`${pathOf(name)}.new`, pathOf(name));
      }),
    remove: (name) => guarded(() => fs.rmSync(pathOf(name), { force: true })),
    loadVersions: () => versions.values(),
    storeVersion: (version) => append(lineOf(version)),
    dropVersion: (key) => append([key]),
    totalBytes: () => statBytes(dir, 'blocks'),
    availableBytes: () => statBytes(dir, 'bavail'),
    flush,
    close: () => {
      flush();
      release();
      fs.rmSync(path.join(dir, 'LOCK'), { force: true });
    },
    abandon: () => {
      pending = [];
      release();
    },
  };
}

/** Node has no advisory locks: the file names its holder, and a dead holder is overridden. */
function lock(dir: string, locks: FolderLocks): void {
  const file = path.join(dir, 'LOCK');
  const holder = readText(file);
  const isLocked = holder === String(process.pid) ? locks.has(dir) : holder !== undefined && isAlive(Number(holder));
  if (isLocked) throw new FolderLockedError(dir, holder ?? '');
  fs.writeFileSync(file, String(process.pid));
  locks.add(dir);
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function readLog(file: string): Map<string, Version> {
  const versions = new Map<string, Version>();
  for (const text of (readText(file) ?? '').split('\n')) {
    const line = parseLine(text);
    if (line === undefined) continue;
    const [key, clock, origin, value, isDead, rest] = line;
    if (clock === undefined || origin === undefined) versions.delete(key);
    else versions.set(key, { key, clock, origin, value: value ?? '', isDead: isDead === 1, ...rest });
  }
  return versions;
}

function lineOf({ key, clock, origin, value, isDead, ...rest }: Version): LogLine {
  const line = [key, clock, origin, value, isDead ? 1 : 0] as const;
  return Object.keys(rest).length === 0 ? line : [...line, rest];
}

/** Undefined for an incomplete last line, left by a killed process. */
function parseLine(text: string): LogLine | undefined {
  if (text === '') return undefined;
  try {
    const line: unknown = JSON.parse(text);
    return isLogLine(line) ? line : undefined;
  } catch {
    return undefined;
  }
}

function isLogLine(line: unknown): line is LogLine {
  if (!Array.isArray(line) || typeof line[0] !== 'string') return false;
  return (
    line.length === 1 || (typeof line[1] === 'number' && typeof line[2] === 'number' && typeof line[3] === 'string')
  );
}

function compact(file: string, versions: ReadonlyMap<string, Version>): void {
  if (!fs.existsSync(file)) return;
  let text = '';
  for (const version of versions.values()) text += `${JSON.stringify(lineOf(version))}\n`;
  fs.writeFileSync(`${file}.new`, text);
  fs.renameSync(`${file}.new`, file);
}

function readText(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function statBytes(dir: string, field: 'blocks' | 'bavail'): number {
  try {
    const stat = fs.statfsSync(dir);
    return stat[field] * stat.bsize;
  } catch {
    return 0;
  }
}
