// Is this still the process it was? A pid alone is reused; pid and start time together are not.
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessIdentity {
  readonly pid: number;
  readonly startTicks: number | undefined;
}

/** Start of the process in clock ticks after boot (field 22 of /proc/<pid>/stat); undefined when it is
 *  gone or there is no /proc. */
export function processStartTicks(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command in parentheses may hold spaces and parentheses itself, so count from its last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[19]);
    return Number.isFinite(ticks) ? ticks : undefined;
  } catch {
    return undefined;
  }
}

/** True while the same process lives (a zombie counts as gone). */
export function isSameProcess(identity: ProcessIdentity): boolean {
  try {
    process.kill(identity.pid, 0);
  } catch (err) {
    // EPERM: it lives and belongs to somebody else.
    if (!(err instanceof Error && 'code' in err && err.code === 'EPERM')) return false;
  }
  if (isZombie(identity.pid)) return false;
  if (identity.startTicks === undefined) return true;
  return processStartTicks(identity.pid) === identity.startTicks;
}

/** The pids whose environment holds `NAME=value`. Linux only; elsewhere none. */
export function processesWithEnvironment(entry: string): number[] {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return [];
  }
  return names
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && environmentHolds(pid, entry) && !isZombie(pid));
}

function environmentHolds(pid: number, entry: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(entry);
  } catch {
    return false;
  }
}

function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat[stat.lastIndexOf(')') + 2] === 'Z';
  } catch {
    return false;
  }
}
