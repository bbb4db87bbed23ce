// The journeys' part of `npm test`: every file runs in a process of its own, so that one that leaves something behind,
// or dies, spoils no other. Files that run at once have a lane each, and files of one lane share its API server one
// after the other, unless they need their own (lane.ts). Output of files side by side is shown when they end, that of a
// file that runs alone as it comes. journey-files.ts tells them apart.

import { runTestProcess, type TestProcessEnd } from '../mocha/test-process.ts';
import type { ControlPlanePrograms } from '../programs/binaries.ts';
import { startAliveLine } from '../reporting/alive-line.ts';
import { addTallies, NOTHING, type Tally } from '../reporting/tally.ts';
import { formatElapsed } from '../reporting/ticker.ts';
import {
  filesOfShard,
  type Jobs,
  type JourneyFile,
  readTestFile,
  runJourneyFiles,
  type Shard,
} from './journey-files.ts';
import { createLane, type Lane } from './lane.ts';

const TEST_MS = 120_000;
const FILE_LIMIT_MS = 480_000;

export interface JourneysOptions {
  readonly files: readonly string[];
  readonly programs: ControlPlanePrograms;
  /** Which of the files this machine runs. */
  readonly shard: Shard;
  readonly jobs: Jobs;
  /** Resolves when what some of the files need has been built; those that run alone do not need it. */
  readonly ready: Promise<unknown>;
  /** Resolves when there is room for more files at once. */
  readonly room: Promise<unknown>;
  readonly signal: AbortSignal;
  readonly write: (text: string) => void;
}

type JourneyEnd = Omit<TestProcessEnd, 'hasDied'>;

export async function runJourneys(options: JourneysOptions): Promise<Tally> {
  const { files, programs, shard, jobs, ready, room, signal, write } = options;
  let guests = 0;
  const lanes = Array.from({ length: jobs.count + jobs.more }, () => createLane(programs));
  const running = new Map<string, number>();
  let total: Tally = NOTHING;
  const output = startAliveLine(write, () =>
    [...running].map(([path, since]) => `${path} (${sinceThen(since)})`).join(', '),
  );

  async function runOne({ path, runsAlone, isOwner }: JourneyFile, laneNumber: number): Promise<void> {
    const lane = isOwner ? undefined : lanes[laneNumber];
    const fileStartedAt = performance.now();
    running.set(path, fileStartedAt);
    const buffered: string[] = [];
    if (runsAlone) output.write(`${path} (alone)\n`);
    const { cpuSeconds, ...tally } = await runIn(
      lane,
      path,
      runsAlone ? output.write : (text) => void buffered.push(text),
    ).catch((err: unknown): JourneyEnd => {
      buffered.push(`  ✗ could not be run: ${String(err)}\n`);
      return { ...NOTHING, failed: 1, cpuSeconds: undefined };
    });
    running.delete(path);
    total = addTallies(total, tally);
    const cpu = cpuSeconds === undefined ? '' : `, ${cpuSeconds.toFixed(0)} s of CPU`;
    const elapsed = `${sinceThen(fileStartedAt)}${cpu}`;
    output.write(`${runsAlone ? `  took ${elapsed}` : `${path} (${elapsed})`}\n${buffered.join('')}`);
  }

  async function runIn(lane: Lane | undefined, path: string, onOutput: (text: string) => void): Promise<JourneyEnd> {
    const settings = { style: 'each' as const, testMs: TEST_MS, limitMs: FILE_LIMIT_MS, signal, onOutput };
    if (lane === undefined) return runTestProcess([path], settings);
    guests += 1;
    const { hasDied, ...tally } = await runTestProcess([path], { ...settings, env: await lane.lend() });
    const why = await lane.takeBack(hasDied);
    if (why !== undefined) onOutput(`      its API server is not lent to another: ${why.slice(0, 500)}\n`);
    return tally;
  }

  const stopLanes = () => Promise.all(lanes.map((lane) => lane.stop()));
  try {
    await runJourneyFiles(filesOfShard(await Promise.all(files.map(readTestFile)), shard), {
      jobs,
      ready,
      room,
      runOne,
      signal,
    });
    const started = lanes.reduce((sum, lane) => sum + lane.started(), 0);
    if (guests > 0) output.write(`${guests} files shared ${started} control planes\n`);
    return total;
  } finally {
    await stopLanes();
    output.stop();
  }
}

function sinceThen(startedAt: number): string {
  return formatElapsed(performance.now() - startedAt);
}
