// How journey files share the machine: which may run side by side, which want it for themselves, and in what order.
// Pure but for reading the files' heads; running one is the caller's.

/** A line of its own in a file's opening comment. Such a file measures times, CPU or requests, which neighbours would move. */
const ALONE_LINE = /^\/\/ Runs alone: ./;
/** Likewise: such a file takes longer than its size tells, so it must not be the last to be started. */
const FIRST_LINE = /^\/\/ Runs first: ./;

const MOST_JOBS = 16;

export interface JourneyFile {
  readonly path: string;
  readonly runsAlone: boolean;
  readonly runsFirst: boolean;
  readonly sizeBytes: number;
}

export function journeyFile(path: string, text: string): JourneyFile {
  const lines = openingComment(text);
  const says = (pattern: RegExp): boolean => lines.some((line) => pattern.test(line));
  return { path, runsAlone: says(ALONE_LINE), runsFirst: says(FIRST_LINE), sizeBytes: text.length };
}

function openingComment(text: string): readonly string[] {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return end < 0 ? lines : lines.slice(0, end);
}

/** Whole number of files at once, 1 to 16. Journeys mostly wait: one takes about 0.4 of a core (measured), so two cores carry four.
 *  @returns the number, or what is wrong with the text */
export function parseJobs(text: string | undefined, cores: number): number | string {
  if (text === undefined) return cores >= 2 ? 4 : 2;
  const jobs = Number(text);
  if (/^\d+$/.test(text) && jobs >= 1 && jobs <= MOST_JOBS) return jobs;
  return `--jobs ${text}: a whole number from 1 to ${MOST_JOBS} is wanted`;
}

export interface JourneyRun {
  /** How many at once, of those that allow it. */
  readonly jobs: number;
  /** Must not reject. */
  readonly runOne: (file: JourneyFile) => Promise<void>;
  readonly signal: AbortSignal;
  /** Something else that uses the machine: no file runs alone before it has ended. */
  readonly beforeAlone?: Promise<unknown>;
}

/** Runs every file once, at most `jobs` of them at a time: first those that may have neighbours, the long ones before the others and
 *  the largest before the small, so that none that takes long is left over for the end; then those that run alone, one by one. Starts nothing more once the signal is aborted, and resolves
 *  when all that was started has ended. */
export async function runJourneyFiles(
  files: readonly JourneyFile[],
  { jobs, runOne, signal, beforeAlone = Promise.resolve() }: JourneyRun,
): Promise<void> {
  const together = files.filter((file) => !file.runsAlone).sort(byLength);
  const alone = files.filter((file) => file.runsAlone);
  const takeTurns = async (queue: JourneyFile[]): Promise<void> => {
    for (let file = queue.shift(); file !== undefined && !signal.aborted; file = queue.shift()) await runOne(file);
  };
  await Promise.all(Array.from({ length: jobs }, () => takeTurns(together)));
  await beforeAlone;
  await takeTurns(alone);
}

function byLength(a: JourneyFile, b: JourneyFile): number {
  return Number(b.runsFirst) - Number(a.runsFirst) || b.sizeBytes - a.sizeBytes;
}
