// `kubectl mkv cancel <cluster>`: the removal under way is undone, as long as it can be.

import { ANNOTATIONS, type MarekvsCluster, type MarekvsNode } from '@marekvs/api';
import type { Command } from 'commander';
import { annotateNode, patchSpec } from '../../changing/writes.ts';
import { readCluster, readNodes } from '../../cluster/cluster-parts.ts';
import { type Cli, type Run, withSharedOptions } from '../../connection/cli.ts';
import { blocked, notFound } from '../../connection/errors.ts';
import { cancellation } from './cancellation.ts';

export function addCancel(program: Command, cli: Cli): void {
  withSharedOptions(program.command('cancel'), { output: false, writes: true })
    .summary('undo the removal under way')
    .description('undo the removal under way; possible until its node is deleted')
    .argument('<cluster>', 'name of the cluster')
    .action(cli.action<[string], object>((run, [name]) => cancel(run, name)));
}

async function cancel(run: Run, name: string): Promise<void> {
  const cluster = await readCluster(run, name);
  const nodes = await readNodes(run, cluster);
  const how = cancellation(cluster, nodes);
  switch (how.kind) {
    case 'nothing':
      run.print([how.text]);
      printMarks(run, nodes, undefined);
      return;
    case 'impossible':
      throw blocked(how.why, how.next);
    case 'keep':
      await patchSpec(run, cluster, { nodes: how.nodes });
      run.tell(
        `${cluster.metadata.name}: spec.nodes ${how.from} -> ${how.nodes}, so ${how.target} stays`,
        nextOf(cluster),
      );
      await endMark(run, nodes, how.target);
      printMarks(run, nodes, how.target);
      return;
    case 'unforce':
      await annotateNode(run, named(nodes, how.target), { [ANNOTATIONS.forceRemove]: null });
      run.tell(`${how.target} is no longer to be removed by force`, nextOf(cluster));
      printMarks(run, nodes, undefined);
  }
}

function nextOf({ metadata, status }: MarekvsCluster): string {
  const back =
    status?.operation === undefined ? '' : 'its member is restarted on its volume and serves again within seconds; ';
  return `${back}kubectl mkv status ${metadata.name} -n ${metadata.namespace} --watch`;
}

/** A mark to leave first was meant for the removal that ends here. */
async function endMark(run: Run, nodes: readonly MarekvsNode[], target: string): Promise<void> {
  const node = marked(nodes).find(({ metadata }) => metadata.name === target);
  if (node === undefined) return;
  await annotateNode(run, node, { [ANNOTATIONS.removeFirst]: null });
  run.tell(`${target} is no longer marked to leave first`);
}

function printMarks(run: Run, nodes: readonly MarekvsNode[], ended: string | undefined): void {
  for (const { metadata } of marked(nodes))
    if (metadata.name !== ended)
      run.print([
        `still marked to leave first: ${metadata.name}; kubectl mkv unmark ${metadata.name} -n ${metadata.namespace} takes that off`,
      ]);
}

function marked(nodes: readonly MarekvsNode[]): readonly MarekvsNode[] {
  return nodes.filter(({ metadata }) => metadata.annotations?.[ANNOTATIONS.removeFirst] === 'true');
}

function named(nodes: readonly MarekvsNode[], name: string): MarekvsNode {
  const node = nodes.find(({ metadata }) => metadata.name === name);
  if (node === undefined) throw notFound(`there is no MarekvsNode ${name} any more`);
  return node;
}
