// `kubectl mkv cancel <cluster>`: the removal under way is undone, as long as it can be.

import { ANNOTATIONS, type MarekvsCluster, type MarekvsNode } from '@marekvs/api';
import type { Command } from 'commander';
import { cancellation } from '../changing/cancel.ts';
import { type Cli, type Run, withSharedOptions } from '../cli.ts';
import { CliError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { annotateNode, patchSpec } from '../reading/changes.ts';
import { readCluster, readNodes } from '../reading/cluster-parts.ts';

export function addCancel(program: Command, cli: Cli): void {
  withSharedOptions(program.command('cancel'), { output: false })
    .summary('undo the removal under way')
    .description('undo the removal under way; possible until its node is deleted')
    .argument('<cluster>', 'name of the cluster')
    .action(cli.action<[string], object>((run, [name]) => cancel(run, name)));
}

async function cancel(run: Run, name: string): Promise<ExitCode> {
  const cluster = await readCluster(run, name);
  const nodes = await readNodes(run, cluster);
  const how = cancellation(cluster, nodes);
  switch (how.kind) {
    case 'nothing':
      run.print([how.text]);
      return EXIT.fine;
    case 'impossible':
      throw new CliError(EXIT.blocked, how.why, how.next);
    case 'keep':
      await patchSpec(run, cluster, { nodes: how.nodes });
      run.print([
        `${cluster.metadata.name}: spec.nodes ${how.from} -> ${how.nodes}, so ${how.target} stays`,
        nextOf(cluster),
      ]);
      return EXIT.fine;
    case 'unforce':
      await annotateNode(run, named(nodes, how.target), { [ANNOTATIONS.forceRemove]: null });
      run.print([`${how.target} is no longer to be removed by force`, nextOf(cluster)]);
      return EXIT.fine;
  }
}

function nextOf({ metadata, status }: MarekvsCluster): string {
  const back =
    status?.operation === undefined ? '' : 'its member is restarted on its volume and serves again within seconds; ';
  return `next: ${back}kubectl mkv status ${metadata.name} -n ${metadata.namespace} --watch`;
}

function named(nodes: readonly MarekvsNode[], name: string): MarekvsNode {
  const node = nodes.find(({ metadata }) => metadata.name === name);
  if (node === undefined) throw new CliError(EXIT.notFound, `there is no MarekvsNode ${name} any more`);
  return node;
}
