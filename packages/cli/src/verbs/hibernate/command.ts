// `kubectl mkv hibernate <cluster>` stops all members for a while, `wake` starts them again. Volumes and nodes stay.
// What the operator checks is shown first; it decides when.

import type { MarekvsCluster } from '@marekvs/api';
import type { Command } from 'commander';
import { carryOut } from '../../changing/carry-out.ts';
import { type WaitOptions, waitIfAsked, withWait } from '../../changing/waiting.ts';
import { patchSpec } from '../../changing/writes.ts';
import { readCluster } from '../../cluster/cluster-parts.ts';
import { type Cli, type Run, withSharedOptions } from '../../connection/cli.ts';
import { hibernateChange, isAwake, isStopped, type SleepChange, wakeChange } from './hibernation.ts';

export function addHibernate(program: Command, cli: Cli): void {
  const verbs = [
    ['hibernate', 'stop all members, and keep their volumes', hibernateChange, isStopped],
    ['wake', 'start all members of a hibernated cluster together', wakeChange, isAwake],
  ] as const;
  for (const [verb, text, change, isDone] of verbs)
    withWait(withSharedOptions(program.command(verb), { output: false, writes: true }))
      .description(text)
      .argument('<cluster>', 'name of the cluster')
      .action(
        cli.action<[string], WaitOptions>((run, [name], options) => sleepOrWake(run, name, options, change, isDone)),
      );
}

async function sleepOrWake(
  run: Run,
  name: string,
  options: WaitOptions,
  changeOf: (cluster: MarekvsCluster, nowMs: number) => SleepChange,
  isDone: (cluster: MarekvsCluster) => boolean,
): Promise<void> {
  const cluster = await readCluster(run, name);
  const change = changeOf(cluster, run.ports.nowMs());
  await carryOut(run, change, async ({ isHibernated, checks, did }) => {
    run.print(checks.map((check) => `- ${check}`));
    await run.consent(did);
    await patchSpec(run, cluster, { hibernated: isHibernated });
  });
  await waitIfAsked(run, cluster, options, isDone);
}
