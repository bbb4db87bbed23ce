// `kubectl mkv pause` and `resume`: nothing is written to Pods, volumes or nodes meanwhile.

import type { Command } from 'commander';
import { patchSpec } from '../../changing/writes.ts';
import { readCluster } from '../../cluster/cluster-parts.ts';
import { type Cli, type Run, withSharedOptions } from '../../connection/cli.ts';

export function addPause(program: Command, cli: Cli): void {
  const verbs = [
    ['pause', true, 'stop all changes to Pods, volumes and nodes; observation and status continue'],
    ['resume', false, 'let changes continue after a pause'],
  ] as const;
  for (const [verb, isPaused, text] of verbs) {
    withSharedOptions(program.command(verb), { output: false, writes: true })
      .description(text)
      .argument('<cluster>', 'name of the cluster')
      .action(cli.action<[string], object>((run, [name]) => setPaused(run, name, isPaused)));
  }
}

async function setPaused(run: Run, name: string, isPaused: boolean): Promise<void> {
  const cluster = await readCluster(run, name);
  const { namespace, name: own } = cluster.metadata;
  if ((cluster.spec.paused ?? false) === isPaused)
    return run.print([`${own} is ${isPaused ? 'paused already' : 'not paused'}`]);
  await patchSpec(run, cluster, { paused: isPaused });
  const operation = cluster.status?.operation;
  const ofOne =
    operation?.roll === undefined
      ? `removal of ${operation?.target?.name}`
      : `${operation.phase === 'Resizing' ? 'resize' : 'restart'} of ${operation.roll.name}`;
  const isSuspension = operation?.type === 'Suspend';
  const what = operation?.type === 'Hibernate' ? 'hibernation' : isSuspension ? 'suspension' : ofOne;
  const consequence = operation === undefined ? '' : `; the ${what} stops at its next step`;
  if (isPaused) run.tell(`${own} is paused${consequence}`, `kubectl mkv resume ${own} -n ${namespace}`);
  else
    run.tell(
      `${own} is no longer paused`,
      `what was asked for meanwhile is done now; kubectl mkv status ${own} -n ${namespace}`,
    );
}
