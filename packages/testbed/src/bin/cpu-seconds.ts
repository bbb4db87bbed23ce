// How much CPU this process has used, and all those that it, or a process of its own, has started and seen end. Times
// on the wall say little on a machine that others use as well.
import { readFileSync } from 'node:fs';

/** Of a second, in /proc; the same on every Linux. */
const TICKS = 100;

/** Where there is no /proc, that of this process alone. */
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
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS;
}
