// Runs many lives in as many processes as there are cores, one life at a time per process; only totals are kept. A
// process that ends or hangs is a violation of its current life, and another process replaces it.

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { LifeReport } from '../life/life.ts';
import type { Unit, UnitReport } from './units.ts';
import { watchWork } from './work-watch.ts';

export interface CampaignOptions {
  /** Taken one at a time, as processes become free. */
  readonly units: Iterable<Unit>;
  readonly jobs: number;
  readonly signal: AbortSignal;
  readonly onReport: (report: UnitReport, cpuSeconds: number | undefined) => void;
}

/** What a process reports after a life. */
export interface Outcome {
  readonly report: UnitReport;
  /** CPU time of the life; in the first one of a process this includes its start. Undefined when the process died. */
  readonly cpuSeconds: number | undefined;
}

const WORKER = fileURLToPath(new URL(`./worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url));
const HEAP_MB = 1_024;
/** MiB. A life makes 150 MB of objects, most of which die at once: with room for all of them the collector hardly looks
 *  at any twice, and a process takes 0.6 GB instead of 0.3. Nearly all that survives belongs to the current life, so
 *  the old space is collected only after it has grown to five times what was left, not every third life. */
const HEAP = ['--min-semi-space-size=256', '--max-semi-space-size=256', '--heap-growing-percent=400'];
const STDERR_LIMIT = 8_000;

/** Resolves when all units were run, or soon after `signal`; all processes have ended by then. */
export async function runCampaign({ units, jobs, signal, onReport }: CampaignOptions): Promise<void> {
  const waiting = units[Symbol.iterator]();
  const row = async (): Promise<void> => {
    let worker: Worker | undefined;
    try {
      for (let next = waiting.next(); next.done !== true && !signal.aborted; next = waiting.next()) {
        worker ??= startWorker();
        const { report, cpuSeconds } = await worker.run(next.value, signal);
        if (signal.aborted) break;
        onReport(report, cpuSeconds);
        if (worker.hasEnded()) worker = undefined;
      }
    } finally {
      await worker?.end();
    }
  };
  await Promise.all(Array.from({ length: jobs }, row));
}

interface Worker {
  run(unit: Unit, signal: AbortSignal): Promise<Outcome>;
  hasEnded(): boolean;
  end(): Promise<void>;
}

function startWorker(): Worker {
  const child = fork(WORKER, [], {
    execArgv: [...process.execArgv, `--max-old-space-size=${HEAP_MB}`, ...HEAP],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_LIMIT);
  });
  const ended = new Promise<string>((resolve) => {
    child.once('close', (code, by) => resolve(`its process ended with ${code ?? by}\n${stderr}`));
    child.once('error', (error) => resolve(`its process: ${error.message}`));
  });
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;

  return {
    hasEnded,
    async run(unit, signal) {
      const giveUp = new AbortController();
      const kill = (): void => void child.kill('SIGKILL');
      signal.addEventListener('abort', kill, { signal: giveUp.signal });
      let fault: string | undefined;
      const endWatch = watchWork(child.pid, (found) => {
        fault = found;
        kill();
      });
      try {
        const answer = await Promise.race([answerOf(child, unit), ended]);
        if (typeof answer !== 'string') return answer;
        return { report: { unit, life: brokenLife(unit, fault ?? answer) }, cpuSeconds: undefined };
      } finally {
        endWatch();
        giveUp.abort();
      }
    },
    async end() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function answerOf(child: ChildProcess, unit: Unit): Promise<Outcome> {
  return new Promise((resolve) => {
    child.once('message', (outcome) => resolve(outcome as Outcome));
    child.send(unit, () => {});
  });
}

function brokenLife({ scenario, seed }: Unit, violation: string): LifeReport {
  const nothing = { removals: 0, steps: 0, virtualSeconds: 0, acknowledged: 0, writes: 0, faults: {} };
  return { scenario, seed, ...nothing, violation };
}
