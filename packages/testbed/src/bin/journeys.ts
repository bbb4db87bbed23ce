// The journeys' part of `npm test`: every file in a process of its own, so that one that leaves something behind, or dies, spoils no
// other. Files side by side are shown whole when they end, a file that runs alone as it goes. Which is which: journey-files.ts.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatElapsed } from '../control-plane/ticker.ts';
import { projectRoot } from '../paths.ts';
import { startAliveLine } from './alive-line.ts';
import { filesOfShard, type JourneyFile, journeyFile, runJourneyFiles, type Shard } from './journey-files.ts';
import { addTallies, NOTHING, type Tally } from './tally.ts';
import { runTestProcess } from './test-process.ts';

const TEST_MS = 120_000;
const FILE_LIMIT_MS = 480_000;

export interface JourneysOptions {
  readonly files: readonly string[];
  /** Which of them are this machine's. */
  readonly shard: Shard;
  /** How many at once, of those that allow it. */
  readonly jobs: number;
  readonly signal: AbortSignal;
  readonly write: (text: string) => void;
  /** Those that run alone wait for it. */
  readonly beforeAlone: Promise<unknown>;
}

export async function runJourneys(options: JourneysOptions): Promise<Tally> {
  const { files, shard, jobs, signal, write, beforeAlone } = options;
  const read = files.map(async (path) => journeyFile(path, await readFile(join(projectRoot, path), 'utf8')));
  const running = new Map<string, number>();
  let total: Tally = NOTHING;
  const output = startAliveLine(write, () =>
    [...running].map(([path, since]) => `${path} (${sinceThen(since)})`).join(', '),
  );

  async function runOne({ path, runsAlone }: JourneyFile): Promise<void> {
    const fileStartedAt = performance.now();
    running.set(path, fileStartedAt);
    const held: string[] = [];
    if (runsAlone) output.write(`${path} (alone)\n`);
    const tally = await runTestProcess([path], {
      style: 'each',
      testMs: TEST_MS,
      limitMs: FILE_LIMIT_MS,
      signal,
      onOutput: runsAlone ? output.write : (text) => void held.push(text),
    }).catch((err: unknown): Tally => {
      held.push(`  ✗ could not be run: ${String(err)}\n`);
      return { ...NOTHING, failed: 1 };
    });
    running.delete(path);
    total = addTallies(total, tally);
    const elapsed = sinceThen(fileStartedAt);
    output.write(`${runsAlone ? `  took ${elapsed}` : `${path} (${elapsed})`}\n${held.join('')}`);
  }

  try {
    await runJourneyFiles(filesOfShard(await Promise.all(read), shard), { jobs, runOne, signal, beforeAlone });
    return total;
  } finally {
    output.stop();
  }
}

function sinceThen(startedAt: number): string {
  return formatElapsed(performance.now() - startedAt);
}
