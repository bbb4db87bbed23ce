// What `npm run sim` does: runs seeds of scenarios on all cores and prints the results, and how to replay a violation.

import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { MUTANTS } from '../mutants/catalogue.ts';
import { originOfNow, recordCampaigns } from '../record/record.ts';
import { runCampaign } from '../run/campaign.ts';
import { GOLDEN_FOLDER, GOLDEN_STORIES, tellGolden } from '../run/golden.ts';
import { Totals } from '../run/totals.ts';
import { trialsText, tryMutants } from '../run/trial.ts';
import { titleOf } from '../run/units.ts';
import { helpText } from './sim-help.ts';
import { countUnits, type MutantsWish, parseSimOptions, type SimWish, unitsOf } from './sim-options.ts';
import { reportJson, reportText } from './sim-text.ts';

const PROGRESS_MS = 10_000;

const wish = parseSimOptions(process.argv.slice(2), availableParallelism());
if (wish === 'help') process.stdout.write(helpText());
else if (wish === 'golden') await writeGolden();
else if ('mutants' in wish) process.exitCode = await runMutants(wish);
else if ('problem' in wish) {
  process.stderr.write(`${wish.problem}\nnpm run sim -- --help says what there is\n`);
  process.exitCode = 2;
} else process.exitCode = await runSim(wish);

async function writeGolden(): Promise<void> {
  await mkdir(GOLDEN_FOLDER, { recursive: true });
  for (const golden of GOLDEN_STORIES) {
    const { text, report } = await tellGolden(golden);
    if (report.violation !== undefined) throw new Error(`${golden.name}: ${report.violation}`);
    await writeFile(new URL(`${golden.name}.txt`, GOLDEN_FOLDER), text);
    process.stdout.write(`${golden.name}: ${text.split('\n').length} lines\n`);
  }
}

async function runSim(wish: SimWish): Promise<number> {
  const origin = wish.isRecorded ? originOfNow() : undefined;
  const { signal } = watchForEnd();
  const totals = new Totals();
  const count = countUnits(wish);
  const jobs = Math.min(wish.jobs, count);
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1_000;
  let done = 0;
  const progress = setInterval(
    () =>
      process.stderr.write(`${done} of ${count} after ${seconds().toFixed(0)} s, ${totals.violations} violations\n`),
    PROGRESS_MS,
  );
  try {
    await runCampaign({
      units: unitsOf(wish),
      jobs,
      signal,
      onReport(report, cpuSeconds) {
        done += 1;
        totals.add(report, cpuSeconds);
        if (report.life?.violation !== undefined)
          process.stderr.write(`✗ ${titleOf(report.unit)}: ${report.life.violation.split('\n')[0]}\n`);
        if (report.transcript !== undefined && !wish.isJson)
          process.stdout.write(`${titleOf(report.unit)}\n${report.transcript}\n`);
      },
    });
  } finally {
    clearInterval(progress);
  }
  const timing = { seconds: seconds(), jobs };
  process.stdout.write(wish.isJson ? reportJson(totals, timing) : reportText(totals, timing));
  if (signal.aborted) process.stderr.write(`Stopped after ${done} of ${count}\n`);
  if (origin !== undefined && !signal.aborted) recordCampaigns(totals.scenarios, wish.from, origin);
  if (totals.violations > 0) return 1;
  return signal.aborted ? 130 : 0;
}

async function runMutants({ jobs }: MutantsWish): Promise<number> {
  const { signal } = watchForEnd();
  const trials = await tryMutants(MUTANTS, { jobs, signal });
  process.stdout.write(trialsText(trials));
  if (trials.some(({ problem }) => problem !== undefined)) return 1;
  return signal.aborted ? 130 : 0;
}

/** From now on a signal ends the workers before the process. The end of the launcher counts as a signal. */
function watchForEnd(): { readonly signal: AbortSignal } {
  const ending = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) process.on(name, () => ending.abort());
  process.channel?.unref();
  process.stdout.on('error', () => ending.abort());
  return { signal: ending.signal };
}
