// The flags of verbs whose effect takes a while.

import type { MarekvsCluster } from '@marekvs/api';
import { type Command, Option } from 'commander';
import type { Run } from '../connection/cli.ts';
import { duration } from '../connection/duration.ts';
import { failed } from '../connection/errors.ts';
import { ageText } from '../screen/text.ts';
import { createLiveLine } from '../watching/live-line.ts';
import { warnOnce } from '../watching/problems.ts';
import { readAgain } from '../watching/read-again.ts';

export interface WaitOptions {
  readonly wait?: boolean;
  readonly timeout: number;
}

export function withWait(command: Command): Command {
  return command
    .option('--wait', 'wait until it is done')
    .addOption(
      new Option('--timeout <time>', 'how long to wait, such as 90s').argParser(duration).default(600_000, '10m'),
    );
}

/** @throws CliError when it is not done in time */
export async function waitIfAsked(
  run: Run,
  cluster: MarekvsCluster,
  { wait, timeout }: WaitOptions,
  isDone: (cluster: MarekvsCluster) => boolean,
): Promise<void> {
  if (wait !== true || run.isDryRun) return;
  await waitFor(run, cluster, timeout, (seen) => (isDone(seen) ? undefined : (seen.status?.message ?? 'not seen yet')));
}

/** `--wait` reads the cluster once a second, and shows what is still missing. */
const INTERVAL_MS = 1_000;

/** @param missingOf what is still missing, in one sentence; undefined when nothing is
 *  @throws CliError when something is still missing after `timeoutMs` */
async function waitFor(
  run: Run,
  cluster: MarekvsCluster,
  timeoutMs: number,
  missingOf: (cluster: MarekvsCluster) => string | undefined,
): Promise<void> {
  const { ports } = run;
  const startedMs = ports.nowMs();
  const line = createLiveLine(run);
  const warn = warnOnce(run);
  try {
    for (;;) {
      await ports.delay(INTERVAL_MS);
      const seen = await readAgain(run, cluster, warn);
      const isSeen = seen !== undefined && seen.status?.observedGeneration === seen.metadata.generation;
      const missing = isSeen ? missingOf(seen) : 'the operator has not seen it yet';
      if (missing === undefined) return;
      line.show(missing);
      if (ports.nowMs() - startedMs < timeoutMs) continue;
      const { namespace, name } = cluster.metadata;
      throw failed(
        `not done within ${ageText(timeoutMs)}: ${missing}`,
        `it goes on; kubectl mkv explain ${name} -n ${namespace}`,
      );
    }
  } finally {
    line.end();
  }
}
