// `npm test`, the one gate: checks, unit tests, lives on virtual time, journeys on a real control plane, closing line.
// `--part check|unit|lives|journeys` and words of file names choose, `--jobs n` is the number of journey files at once,
// `--shard k/n` leaves other journeys to other machines. `// Runs alone: <why>`, `// Runs first: <why>` and
// `// Own API server: <why>` in the opening comment of a journey file change how it is run (journey-files.ts).
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runCheckSteps } from '../checks/check-steps.ts';
import { parseJobs, parseShard } from '../journeys/journey-files.ts';
import { runJourneys } from '../journeys/journeys.ts';
import { findTestFiles, JOURNEY_FILES } from '../mocha/test-files.ts';
import { projectRoot } from '../paths.ts';
import { watchForEnd } from '../processes/ending.ts';
import { runTool } from '../processes/run-tool.ts';
import type { ControlPlanePrograms } from '../programs/binaries.ts';
import { obtainDistributorTools } from '../programs/distributor-tools.ts';
import { obtainHelm } from '../programs/helm.ts';
import { MADE_VARIABLE, makePrograms } from '../programs/made-programs.ts';
import { obtainControlPlane } from '../programs/obtain-here.ts';
import { NoGoProgramError } from '../programs/one-program.ts';
import { obtainPromql } from '../programs/promql.ts';
import { startCpuByKind } from '../reporting/cpu-by-kind.ts';
import { cpuSeconds } from '../reporting/cpu-seconds.ts';
import { createFailures } from '../reporting/failures.ts';
import { addTallies, closingLine, NOTHING, type Tally } from '../reporting/tally.ts';
import { formatElapsed } from '../reporting/ticker.ts';
import { runUnitTests } from '../unit-tests/unit-tests.ts';

type Part = 'check' | 'unit' | 'lives' | 'journeys';

interface PartEnd {
  readonly part: Part;
  readonly tally: Tally;
  readonly cpuSeconds: number;
}

const PARTS: readonly Part[] = ['check', 'unit', 'lives', 'journeys'];
/** Niceness of unit tests and lives beside journeys: a third of the share of a process that has none. Much more, and
 *  beside other work of the machine they would take hours. */
const NICENESS = 5;
/** In the reliability package, by path, because this package does not depend on it. */
const SIM = join(projectRoot, 'packages', 'reliability', 'src', 'bin', 'sim.ts');
/** More of them by hand: `npm run sim`. */
const LIVES = 150;
/** Long, because lives get only what the journeys leave of the machine; each life has a limit of its own. */
const LIVES_LIMIT_MS = 4 * 3_600_000;
/** Lines about progress, which are not shown afterwards. */
const PROGRESS = /^\d+ of \d+ after \d+ s|^ *… still running/;
/** The cost of the lives, in the line in which the simulation tells how long it took. */
const COST = /; ([\d.]+) CPU seconds/;

const startedAt = performance.now();
const { signal } = watchForEnd();
const tellCpu = startCpuByKind();
const { values, positionals } = parseArgs({
  options: { part: { type: 'string', multiple: true }, jobs: { type: 'string' }, shard: { type: 'string' } },
  allowPositionals: true,
});
const chosen = orExit(chooseParts(values.part));
const jobs = orExit(parseJobs(values.jobs, availableParallelism()));
const shard = orExit(parseShard(values.shard));

const failures = createFailures();
/** Unit tests and lives need nothing but CPU: with journeys, they run beside those on what these leave. */
const hasJourneys = chosen.includes('journeys');
/** Nothing is at a low priority without journeys beside it: other work of the machine would have nearly all of it. */
let areJourneysRunning = false;
const niceness = (): number => (areJourneysRunning ? NICENESS : 0);
const others = chosen.filter((part) => part !== 'journeys');
const before = others.filter((part) => part === 'check' || !hasJourneys);
const beside = others.filter((part) => !before.includes(part));
const ends: PartEnd[] = [];
for (const part of before) if (!signal.aborted) ends.push(await runPart(part, write));
if (hasJourneys && !signal.aborted) ends.push(...(await runJourneysAndBeside()));
const total = ends.map(({ tally }) => tally).reduce(addTallies, NOTHING);
process.stdout.write(failures.tell());
if (chosen.length < PARTS.length || positionals.length > 0 || shard.count > 1) {
  say('Only a part was run: this is not the gate.');
}
if (signal.aborted) say('Stopped before the end.');
say(`CPU seconds: ${ends.map((end) => `${end.part} ${end.cpuSeconds.toFixed(0)}`).join(', ')}`);
say(`CPU seconds of ${tellCpu()}`);
say(`Took ${formatElapsed(performance.now() - startedAt)}`);
say(closingLine(total));
process.exitCode = total.failed > 0 || signal.aborted ? 1 : 0;
setTimeout(() => process.exit(), 2000).unref();

/** Exits with 2 when `parsed` is a text, which says what is wrong with the command line. */
function orExit<T>(parsed: T | string): T {
  if (typeof parsed !== 'string') return parsed;
  process.stderr.write(`${parsed}\n`);
  process.exit(2);
}

/** A misspelt part must not lead to a gate that passes. */
function chooseParts(names: readonly string[] = PARTS): readonly Part[] | string {
  const unknown = names.find((name) => !PARTS.some((part) => part === name));
  if (unknown !== undefined) return `--part ${unknown}: one of ${PARTS.join(', ')} is wanted`;
  return PARTS.filter((part) => names.includes(part));
}

async function runPart(part: Exclude<Part, 'journeys'>, onOutput: (text: string) => void): Promise<PartEnd> {
  switch (part) {
    case 'check': {
      say('Checks');
      const secondsBefore = cpuSeconds();
      const tally = await runCheckSteps(say, signal);
      return { part, tally, cpuSeconds: cpuSeconds() - secondsBefore };
    }
    case 'unit':
      return { part, ...(await runUnitTests({ words: positionals, write: onOutput, signal, niceness })) };
    case 'lives':
      return { part, ...(await runLives(onOutput)) };
  }
}

/** Journeys mostly wait, so the other parts run beside them at a low priority, one after the other. This also holds for
 *  journeys that run alone: they wait most, and are judged by counts. Each part is printed when it is over, since
 *  journeys print all the while. More journeys run at once when the unit tests are over; lives do not matter to that,
 *  since they take only what journeys leave. */
async function runJourneysAndBeside(): Promise<readonly PartEnd[]> {
  const secondsBefore = cpuSeconds();
  const room = Promise.withResolvers<void>();
  const runBeside = async (): Promise<readonly PartEnd[]> => {
    const done: PartEnd[] = [];
    for (const part of beside) {
      if (signal.aborted) break;
      if (part === 'lives') room.resolve();
      const held: string[] = [];
      done.push(await runPart(part, (text) => void held.push(text)));
      write(held.filter((text) => !PROGRESS.test(text)).join(''));
    }
    room.resolve();
    return done;
  };
  areJourneysRunning = true;
  const journeys = runAllJourneys(room.promise).finally(() => {
    areJourneysRunning = false;
  });
  const [tally, done] = await Promise.all([journeys, runBeside()]);
  const secondsBeside = done.reduce((sum, end) => sum + end.cpuSeconds, 0);
  return [...done, { part: 'journeys', tally, cpuSeconds: cpuSeconds() - secondsBefore - secondsBeside }];
}

/** Seeded lives of clusters in the deterministic world, each with faults of every kind; a violation names the seed that
 *  reproduces it. */
async function runLives(onOutput: (text: string) => void): Promise<Omit<PartEnd, 'part'>> {
  if (positionals.length > 0) return { tally: NOTHING, cpuSeconds: 0 };
  onOutput(`Lives of clusters with faults, on virtual time (${LIVES} seeds)\n`);
  const lives = ['--scenario', 'mixed', '--seeds', String(LIVES)];
  // At a low priority, so that what is measured has the machine first.
  const args = ['-n', String(niceness()), process.execPath, '--conditions=development', SIM, ...lives];
  const { code, output } = await runTool('nice', args, { limitMs: LIVES_LIMIT_MS, signal, onOutput });
  const tally = code === 0 ? { ...NOTHING, passed: LIVES } : { ...NOTHING, failed: 1 };
  return { tally, cpuSeconds: Number(COST.exec(output)?.[1] ?? 0) };
}

async function runAllJourneys(room: Promise<unknown>): Promise<Tally> {
  const files = findTestFiles(JOURNEY_FILES, positionals);
  const share = shard.count === 1 ? '' : `, shard ${shard.index} of ${shard.count}`;
  say(`Journeys on a real control plane (${files.length} files${share})`);
  if (files.length === 0) return NOTHING;
  let programs: ControlPlanePrograms;
  try {
    programs = await obtainControlPlane(say);
    if (programs.controllerManagerMissing !== undefined) {
      say(`Without kube-controller-manager (${programs.controllerManagerMissing}): journeys that need it are skipped`);
    }
  } catch (err) {
    return failedBecause(err);
  }
  const tools = obtainTools();
  const folder = await mkdtemp(join(tmpdir(), 'marekvs-programs-'));
  try {
    await makePrograms(folder);
    // The processes that run the journeys inherit it.
    process.env[MADE_VARIABLE] = folder;
    const tally = await runJourneys({ files, programs, shard, jobs, ready: tools, room, signal, write });
    return signal.aborted ? tally : addTallies(tally, await tools);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What only tests of the packaging and of the alerts need. It is built the first time, at a low priority beside the
 *  journeys that run alone: those mostly wait. Never rejects. */
async function obtainTools(): Promise<Tally> {
  try {
    const helm = await obtainHelm(say);
    if (helm.kind === 'missing') say(`Without helm (${helm.why}): tests of the chart are skipped`);
    const tools = await obtainDistributorTools(say);
    if (tools.kind === 'missing') say(`Without the tools of krew and OLM (${tools.why}): their checks are skipped`);
    await obtainPromql(say);
    return NOTHING;
  } catch (error) {
    if (!(error instanceof NoGoProgramError)) return failedBecause(error);
    say(`Without Prometheus' query engine (${error.message.split('\n')[0]}): tests of the alerts are skipped`);
    return NOTHING;
  }
}

function failedBecause(error: unknown): Tally {
  say(error instanceof Error ? error.message : String(error));
  return { ...NOTHING, failed: 1 };
}

function say(line: string): void {
  write(`${line}\n`);
}

function write(text: string): void {
  failures.see(text);
  process.stdout.write(text);
}
