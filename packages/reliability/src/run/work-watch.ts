// Whether a process that lives a life still gets on. Judged by the work it has done, not by the time it took: what
// little a busy machine leaves to campaigns may be a hundredth of a processor.

import { readFileSync } from 'node:fs';

/** Of CPU: a hundred times what a life takes. */
const WORK_LIMIT_SECONDS = 300;
const CHECK_EVERY_MS = 10_000;
/** Without work for so many checks, and not because others have the processor: it waits for what never
 *  comes, since time is virtual. */
const IDLE_CHECKS = 6;
/** In /proc, of a second. */
const TICKS = 100;

export interface Work {
  readonly cpuSeconds: number;
  /** It has nothing to do; otherwise it works, or would if it could. */
  readonly isAsleep: boolean;
}

/** Checks a process every 10 s. @param read undefined where work cannot be known; @returns ends it */
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

/** Of one check after the other: what is wrong with a life that shows these; undefined while nothing is. */
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
