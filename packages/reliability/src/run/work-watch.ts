// Whether a process still makes progress with its life. Judged by CPU time, not by elapsed time: a busy machine may
// leave campaigns a hundredth of a processor.

import { readFileSync } from 'node:fs';

/** CPU seconds: a hundred times what a life takes. */
const WORK_LIMIT_SECONDS = 300;
const CHECK_EVERY_MS = 10_000;
/** After this many checks asleep without any work the process waits for something that never comes, since time is
 *  virtual. */
const IDLE_CHECKS = 6;
/** Clock ticks per second in /proc. */
const TICKS = 100;

export interface Work {
  readonly cpuSeconds: number;
  /** Asleep, with nothing to do; otherwise it is running or waiting for a processor. */
  readonly isAsleep: boolean;
}

/** Checks a process every 10 s. @param read returns undefined when the work is unknown; @returns stops it */
export function watchWork(
  pid: number | undefined,
  onFault: (found: string) => void,
  read: (pid: number) => Work | undefined = readWork,
): () => void {
  const judge = createJudge();
  const timer = setInterval(() => {
    const work = pid === undefined ? undefined : read(pid);
    const found = work === undefined ? undefined : judge(work);
    if (found !== undefined) onFault(found);
  }, CHECK_EVERY_MS);
  return () => clearInterval(timer);
}

/** Judges one check after the other: returns what is wrong with the life, or undefined while nothing is. */
export function createJudge(): (work: Work) => string | undefined {
  let first: number | undefined;
  let last: number | undefined;
  let idleChecks = 0;
  return ({ cpuSeconds, isAsleep }) => {
    first ??= cpuSeconds;
    idleChecks = isAsleep && last === cpuSeconds ? idleChecks + 1 : 0;
    last = cpuSeconds;
    if (cpuSeconds - first > WORK_LIMIT_SECONDS) return `no end within ${WORK_LIMIT_SECONDS} s of work`;
    return idleChecks >= IDLE_CHECKS ? 'it waits for what never comes' : undefined;
  };
}

/** Undefined where there is no /proc, and for a process that has ended. */
function readWork(pid: number): Work | undefined {
  try {
    return workOf(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined;
  }
}

/** @param stat proc_pid_stat(5): after the name, in brackets, come the state and as fields 14 and 15 `utime` and
 *  `stime` */
export function workOf(stat: string): Work {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS, isAsleep: fields[0] === 'S' };
}
