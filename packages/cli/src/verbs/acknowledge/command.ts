// `kubectl mkv acknowledge <cluster>`: records on the cluster who has read that data is lost, and when. It brings
// nothing back, and does not cover a later loss.

import { ANNOTATIONS, acknowledgementText, findCondition } from '@marekvs/api';
import type { Command } from 'commander';
import { userName } from '../../changing/user-name.ts';
import { annotateCluster } from '../../changing/writes.ts';
import { readCluster } from '../../cluster/cluster-parts.ts';
import { type Cli, type Run, withSharedOptions } from '../../connection/cli.ts';
import { blocked, wrongUsage } from '../../connection/errors.ts';
import { harmless, sentence } from '../../screen/text.ts';

interface AcknowledgeOptions {
  readonly by?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

export function addAcknowledge(program: Command, cli: Cli): void {
  withSharedOptions(program.command('acknowledge'), { output: false })
    .summary('acknowledge that data is lost')
    .description('acknowledge that data is lost: who did and when is stored; this brings nothing back')
    .argument('<cluster>', 'name of the cluster')
    .option('--by <name>', 'who acknowledges it (default: the user of the kubeconfig)')
    .option('--yes', 'do not ask for confirmation')
    .option('--dry-run', 'say what would be written, and write nothing')
    .action(cli.action<[string], AcknowledgeOptions>((run, [name], options) => acknowledge(run, name, options)));
}

async function acknowledge(run: Run, name: string, options: AcknowledgeOptions): Promise<void> {
  const cluster = await readCluster(run, name);
  const { namespace, name: own } = cluster.metadata;
  const losses = cluster.status?.data?.losses ?? [];
  const last = losses
    .map(({ at }) => at)
    .sort((a, b) => Date.parse(a) - Date.parse(b))
    .at(-1);
  if (last === undefined) return run.print([`${own} has lost no data that nobody has acknowledged`]);
  const by = options.by ?? (await userName(run));
  const text = acknowledgementText({ loss: last, at: new Date(run.ports.nowMs()).toISOString(), by });
  const message = findCondition(cluster.status?.conditions, 'DataLost')?.message ?? 'data is lost';
  for (const line of sentence(message, run.context())) run.note(line);
  if (options.dryRun === true)
    return run.print([`${own} would get the annotation ${ANNOTATIONS.acknowledgedLoss}=${harmless(text)}`]);
  if (options.yes !== true) await confirm(run, own);
  await annotateCluster(run, cluster, { [ANNOTATIONS.acknowledgedLoss]: text });
  run.print([
    `${own}: the loss is acknowledged by ${harmless(by)}`,
    `next: status.data.acknowledged keeps it; kubectl mkv status ${own} -n ${namespace}`,
  ]);
}

async function confirm({ ports }: Run, name: string): Promise<void> {
  if (ports.ask === undefined)
    throw wrongUsage('--yes is needed where nobody can be asked', 'kubectl mkv acknowledge --help');
  const answer = await ports.ask(`Type the name of the cluster (${name}) if you have read this: `);
  if (answer !== name) throw blocked(`that is not ${name}, so nothing was written`);
}
