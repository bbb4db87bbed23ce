// Runs test files in a few processes that stay: each takes the next file when it is done with one, so that none is idle
// while there is work. A process that ends or hangs is a failure of its file, and another one takes its place.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { projectRoot } from '../paths.ts';
import { limit } from '../patience.ts';
import { lowerPriority } from '../processes/priority.ts';
import { addTallies, NOTHING, readCpuSeconds, readTally, type Tally } from '../reporting/tally.ts';

const WORKER = fileURLToPath(new URL('../bin/mocha-worker.ts', import.meta.url));
const END_LIMIT_MS = 10_000;

export interface TestPoolOptions {
  readonly processes: number;
  /** Niceness of the processes, 0 to 19, asked before each file. A process cannot be given a higher priority without
   *  rights, so another one takes its place. */
  readonly niceness: () => number;
  /** For one test. */
  readonly testMs: number;
  /** For one file; then its process is ended. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** Failures and skips, as they come. */
  readonly onOutput: (text: string) => void;
}

export interface TestPoolEnd {
  readonly tally: Tally;
  /** CPU of all processes and of what they had started, without files whose process did not finish them. */
  readonly cpuSeconds: number;
}

/** Runs every file once, in their order, and starts nothing more once the signal is aborted. */
export async function runTestPool(files: readonly string[], options: TestPoolOptions): Promise<TestPoolEnd> {
  const waiting = files.values();
  let tally: Tally = NOTHING;
  let seconds = 0;
  const row = async (): Promise<void> => {
    let worker: Worker | undefined;
    for (const file of waiting) {
      if (options.signal.aborted) break;
      const niceness = options.niceness();
      if (worker !== undefined && worker.niceness !== niceness) {
        await end(worker);
        worker = undefined;
      }
      worker ??= start(niceness, options);
      const outcome = await runOne(worker, file, options);
      if (typeof outcome === 'string') {
        options.onOutput(`  ✗ ${file} ${outcome}\n`);
        tally = addTallies(tally, { ...NOTHING, failed: 1 });
        worker = undefined;
      } else {
        tally = addTallies(tally, outcome.tally);
        seconds += outcome.cpuSeconds - worker.cpuSeconds;
        worker.cpuSeconds = outcome.cpuSeconds;
      }
    }
    if (worker !== undefined) await end(worker);
  };
  await Promise.all(Array.from({ length: Math.min(options.processes, files.length) }, row));
  return { tally, cpuSeconds: seconds };
}

interface Worker {
  readonly child: ChildProcess;
  readonly niceness: number;
  /** How it ended, which may happen while no answer is awaited. */
  readonly ended: Promise<string>;
  /** Since its start, as it last reported. */
  cpuSeconds: number;
}

function start(niceness: number, { onOutput }: TestPoolOptions): Worker {
  const child = fork(WORKER, [], {
    cwd: projectRoot,
    execArgv: ['--conditions=development', '--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  child.on('error', () => undefined);
  lowerPriority(child.pid, niceness);
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, by) => resolve(`ended with ${code ?? by}`));
  });
  // Resolves when all output has arrived. The child's `close` event does not come after a disconnect from this side.
  const printed = Promise.all(
    [child.stdout, child.stderr].map(
      (stream) => new Promise<void>((resolve) => (stream === null ? resolve() : stream.once('close', resolve))),
    ),
  );
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', onOutput);
  return { child, niceness, ended: printed.then(() => ended), cpuSeconds: 0 };
}

/** @returns the tally and the CPU of the process so far, or what became of it */
async function runOne({ child, ended }: Worker, file: string, options: TestPoolOptions): Promise<TestPoolEnd | string> {
  const { testMs, limitMs, signal } = options;
  const over = new AbortController();
  const kill = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { signal: over.signal });
  let isLate = false;
  const startedAt = performance.now();
  const endLimit = limit(limitMs, () => {
    isLate = true;
    kill();
  });
  try {
    const answer = new Promise<TestPoolEnd>((resolve) => {
      child.once('message', (said) => resolve({ tally: readTally(said), cpuSeconds: readCpuSeconds(said) ?? 0 }));
    });
    child.send({ file, testMs });
    const outcome = await Promise.race([answer, ended]);
    return isLate ? `was stopped after ${Math.round((performance.now() - startedAt) / 1000)} s` : outcome;
  } finally {
    endLimit();
    over.abort();
  }
}

async function end({ child, ended }: Worker): Promise<void> {
  if (child.connected) child.disconnect();
  const timer = setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS);
  await ended;
  clearTimeout(timer);
}
