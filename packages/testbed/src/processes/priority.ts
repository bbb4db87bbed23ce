import { getPriority, setPriority } from 'node:os';

/** Gives a process that was just started at least this niceness. It never gets less than this process has, which would
 *  need rights. @param pid undefined or 0: it could not be started */
export function lowerPriority(pid: number | undefined, niceness: number): void {
  if (pid !== undefined && pid > 0 && niceness > getPriority()) setPriority(pid, niceness);
}
