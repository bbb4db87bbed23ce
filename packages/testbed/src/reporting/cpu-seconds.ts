// The CPU time of this process and of those of its descendants that have ended and were waited for. Wall-clock times
// say little on a machine that others use as well.
import { readFileSync } from 'node:fs';

/** Clock ticks per second in /proc; the same on every Linux. */
const TICKS = 100;

/** Where there is no /proc, the seconds of this process alone. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + endedChildrenSeconds();
}

function endedChildrenSeconds(): number {
  try {
    return childrenSecondsOf(readFileSync('/proc/self/stat', 'utf8'));
  } catch {
    return 0;
  }
}

/** @param stat proc_pid_stat(5): the name, in brackets, may have spaces and brackets of its own; `cutime` and
 *  `cstime` are fields 16, 17 */
export function childrenSecondsOf(stat: string): number {
  const fields = fieldsOf(stat);
  return (Number(fields[13]) + Number(fields[14])) / TICKS;
}

/** Of the process itself: `utime` and `stime`, fields 14, 15. */
export function ownSecondsOf(stat: string): number {
  const fields = fieldsOf(stat);
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

export function parentOf(stat: string): number {
  return Number(fieldsOf(stat)[1]);
}

function fieldsOf(stat: string): readonly string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
