// The flags of verbs whose effect takes a while.

import type { MarekvsCluster } from '@marekvs/api';
import { type Command, Option } from 'commander';
import type { Run } from '../cli.ts';
import { duration } from '../duration.ts';
import { waitFor } from '../watching/wait-for.ts';

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
