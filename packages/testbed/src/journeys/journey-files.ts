// How test files share the machine: which may run side by side, which need it for themselves, and in what order.
// Pure but for reading the files; the caller runs them.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../paths.ts';

/** A line of its own in a file's opening comment. Such a file measures times, CPU or requests, which neighbours would
 *  change. */
const ALONE_LINE = /^\/\/ Runs alone: ./;
/** Likewise: such a file stops its API server, changes what is installed there, or starts it with other options. */
const OWN_LINE = /^\/\/ Own API server: ./;
/** Likewise: such a file takes longer than its size suggests, so it must not be the last to be started. */
const FIRST_LINE = /^\/\/ Runs first: ./;

const MOST_JOBS = 16;
const MOST_SHARDS = 16;

export interface JourneyFile {
  readonly path: string;
  readonly runsAlone: boolean;
  readonly runsFirst: boolean;
  /** Starts a control plane by itself; other files may get one that earlier files have used. */
  readonly isOwner: boolean;
  readonly sizeBytes: number;
}

export function journeyFile(path: string, text: string): JourneyFile {
  const lines = openingComment(text);
  const says = (pattern: RegExp): boolean => lines.some((line) => pattern.test(line));
  const runsAlone = says(ALONE_LINE);
  // Measurements need a server that no other file has used.
  const isOwner = runsAlone || says(OWN_LINE);
  return { path, runsAlone, runsFirst: says(FIRST_LINE), isOwner, sizeBytes: text.length };
}

export async function readTestFile(path: string): Promise<JourneyFile> {
  return journeyFile(path, await readFile(join(projectRoot, path), 'utf8'));
}

function openingComment(text: string): readonly string[] {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return end < 0 ? lines : lines.slice(0, end);
}

/** How many files run at once, of those that allow it. */
export interface Jobs {
  readonly count: number;
  /** How many more run once there is room for them. */
  readonly more: number;
}

/** Whole number of files at once, 1 to 16. Journeys mostly wait: one takes a quarter of a core (measured), so two cores
 *  carry six beside unit tests, and eight without. A given number is used as it is.
 *  @returns the numbers, or what is wrong with the text */
export function parseJobs(text: string | undefined, cores: number): Jobs | string {
  if (text === undefined) return cores >= 2 ? { count: 6, more: 2 } : { count: 2, more: 0 };
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= MOST_JOBS) return { count, more: 0 };
  return `--jobs ${text}: a whole number from 1 to ${MOST_JOBS} is wanted`;
}

/** One machine's part of the journeys, when several share them: the first of three is `{ index: 1, count: 3 }`. */
export interface Shard {
  /** From 1. */
  readonly index: number;
  readonly count: number;
}

export const ONE_SHARD: Shard = { index: 1, count: 1 };

/** `1/3`, of at most 16. @returns the shard, or what is wrong with the text */
export function parseShard(text: string | undefined): Shard | string {
  if (text === undefined) return ONE_SHARD;
  const [, index, count] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  const isShard = index !== undefined && count !== undefined && index >= 1 && index <= count && count <= MOST_SHARDS;
  return isShard ? { index, count } : `--shard ${text}: k/n is wanted, such as 1/3, with n up to ${MOST_SHARDS}`;
}

/** Every file is in exactly one shard, whatever order the files come in. Long and large files are dealt out first, and
 *  those that run alone separately, so that no machine gets all the long ones. */
export function filesOfShard(files: readonly JourneyFile[], { index, count }: Shard): JourneyFile[] {
  const deal = (some: readonly JourneyFile[]): JourneyFile[] =>
    some.toSorted((a, b) => byLength(a, b) || (a.path < b.path ? -1 : 1)).filter((_, at) => at % count === index - 1);
  return [...deal(files.filter((file) => !file.runsAlone)), ...deal(files.filter((file) => file.runsAlone))];
}

export interface JourneyRun {
  readonly jobs: Jobs;
  /** Resolves when files may run side by side. */
  readonly ready: Promise<unknown>;
  /** Resolves when there is room for more of them. */
  readonly room: Promise<unknown>;
  /** Must not reject. @param lane from 0; no two files that run at once have the same */
  readonly runOne: (file: JourneyFile, lane: number) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Runs every file once. The files that run alone come first, one by one, while the most unit tests are left to fill
 *  the rest of the machine. Then the others run side by side, long ones first and then by size, so that no long file is
 *  left for the end. Starts nothing more once the signal is aborted, and resolves when everything started has ended. */
export async function runJourneyFiles(
  files: readonly JourneyFile[],
  { jobs, ready, room, runOne, signal }: JourneyRun,
): Promise<void> {
  const together = files.filter((file) => !file.runsAlone).sort(byLength);
  const alone = files.filter((file) => file.runsAlone);
  const takeTurns = async (queue: JourneyFile[], lane: number): Promise<void> => {
    for (let file = queue.shift(); file !== undefined && !signal.aborted; file = queue.shift())
      await runOne(file, lane);
  };
  if (alone.length > 0) await takeTurns(alone, 0);
  await Promise.race([ready, ended(signal)]);
  const all = Promise.all(Array.from({ length: jobs.count }, (_, lane) => takeTurns(together, lane)));
  // When all files end before there is room, the further lanes find nothing to do.
  await Promise.race([all, room]);
  await Promise.all(Array.from({ length: jobs.more }, (_, index) => takeTurns(together, jobs.count + index)));
  await all;
}

async function ended(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** Files that run first before the others, then large before small. */
export function byLength(a: JourneyFile, b: JourneyFile): number {
  return Number(b.runsFirst) - Number(a.runsFirst) || b.sizeBytes - a.sizeBytes;
}
