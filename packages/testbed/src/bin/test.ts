// `npm test`, the one gate: checks, unit tests, journeys on a real control plane, one closing line over all of them.
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { obtainControlPlane } from '../control-plane/obtain-here.ts';
import { formatElapsed } from '../control-plane/ticker.ts';
import { projectRoot } from '../paths.ts';
import { runCheckSteps } from './check-steps.ts';
import { watchForEnd } from './ending.ts';
import { runTool } from './run-tool.ts';
import { addTallies, closingLine, NOTHING, parseTally, type Tally } from './tally.ts';

type Part = 'check' | 'unit' | 'journeys';

const PARTS: readonly Part[] = ['check', 'unit', 'journeys'];
const UNIT_FILES = 'packages/*/test/**/*.test.ts';
const JOURNEY_FILES = 'test-e2e/**/*.test.ts';
const UNIT_TEST_MS = 10_000;
const JOURNEY_TEST_MS = 120_000;
const UNIT_LIMIT_MS = 300_000;
const JOURNEY_FILE_LIMIT_MS = 480_000;
const SILENCE_MS = 30_000;

const startedAt = performance.now();
const { signal } = watchForEnd();
const { values, positionals } = parseArgs({
  options: { part: { type: 'string', multiple: true } },
  allowPositionals: true,
});
const chosen = PARTS.filter((part) => values.part === undefined || values.part.includes(part));

let total: Tally = NOTHING;
for (const part of chosen) {
  if (signal.aborted) break;
  total = addTallies(total, await runPart(part));
}
if (chosen.length < PARTS.length || positionals.length > 0) say('Only a part was run: this is not the gate.');
if (signal.aborted) say('Stopped before the end.');
say(`Took ${formatElapsed(performance.now() - startedAt)}`);
say(closingLine(total));
process.exitCode = total.failed > 0 || signal.aborted ? 1 : 0;
setTimeout(() => process.exit(), 2000).unref();

async function runPart(part: Part): Promise<Tally> {
  switch (part) {
    case 'check':
      say('Checks');
      return runCheckSteps(say, signal);
    case 'unit':
      return runUnitTests();
    case 'journeys':
      return runJourneys();
  }
}

async function runUnitTests(): Promise<Tally> {
  const files = testFiles(UNIT_FILES);
  say(`Unit and simulation tests (${files.length} files)`);
  const tally = await runFiles(files, 'compact', UNIT_TEST_MS, UNIT_LIMIT_MS);
  say(`  ${closingLine(tally)}`);
  return tally;
}

/** One process per file: a journey that leaves something behind, or dies, spoils no other. */
async function runJourneys(): Promise<Tally> {
  const files = testFiles(JOURNEY_FILES);
  say(`Journeys on a real control plane (${files.length} files)`);
  if (files.length === 0) return NOTHING;
  try {
    const programs = await obtainControlPlane(say);
    if (programs.controllerManagerMissing !== undefined) {
      say(`Without kube-controller-manager (${programs.controllerManagerMissing}): journeys that need it are skipped`);
    }
  } catch (err) {
    say(err instanceof Error ? err.message : String(err));
    return { ...NOTHING, failed: 1 };
  }
  let tally: Tally = NOTHING;
  for (const file of files) {
    if (signal.aborted) break;
    say(file);
    tally = addTallies(tally, await runFiles([file], 'each', JOURNEY_TEST_MS, JOURNEY_FILE_LIMIT_MS));
  }
  return tally;
}

async function runFiles(
  files: readonly string[],
  style: 'compact' | 'each',
  testMs: number,
  limitMs: number,
): Promise<Tally> {
  if (files.length === 0) return NOTHING;
  const folder = await mkdtemp(join(tmpdir(), 'marekvs-test-'));
  const tallyPath = join(folder, 'tally.json');
  const runner = fileURLToPath(new URL('./mocha-run.ts', import.meta.url));
  let lastOutputMs = performance.now();
  const alive = setInterval(() => {
    if (performance.now() - lastOutputMs > SILENCE_MS)
      say(`  … still running, ${formatElapsed(performance.now() - startedAt)} in all`);
  }, SILENCE_MS);
  try {
    const { code } = await runTool(
      process.execPath,
      ['--conditions=development', runner, tallyPath, style, String(testMs), ...files],
      {
        limitMs,
        signal,
        onOutput: (text) => {
          lastOutputMs = performance.now();
          process.stdout.write(text);
        },
      },
    );
    const tally = parseTally(await readFile(tallyPath, 'utf8').catch(() => undefined));
    // A process that ends badly after its last test (an unhandled rejection, a crash in a hook) is a failure too.
    if (code === 0 || tally.failed > 0) return tally;
    say(`  ✗ ${files.length === 1 ? files[0] : 'the test process'} ended with ${code}`);
    return { ...tally, failed: 1 };
  } finally {
    clearInterval(alive);
    await rm(folder, { recursive: true, force: true });
  }
}

function testFiles(pattern: string): string[] {
  const files = globSync(pattern, { cwd: projectRoot, exclude: (name) => name === 'node_modules' }).sort();
  return positionals.length === 0 ? files : files.filter((file) => positionals.some((one) => file.includes(one)));
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
