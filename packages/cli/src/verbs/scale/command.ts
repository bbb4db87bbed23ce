// `kubectl mkv scale <cluster> <nodes>`

import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { carryOut } from '../../changing/carry-out.ts';
import { MOST_NODES, sizeChange } from '../../changing/size.ts';
import { patchCluster } from '../../changing/writes.ts';
import { readCluster, readNodes } from '../../cluster/cluster-parts.ts';
import { type Cli, type Run, withSharedOptions } from '../../connection/cli.ts';

export function addScale(program: Command, cli: Cli): void {
  withSharedOptions(program.command('scale'), { output: false, writes: true })
    .summary('change the number of nodes')
    .description('change the number of nodes; nodes are removed one at a time, each with proof')
    .argument('<cluster>', 'name of the cluster')
    .argument('<nodes>', `desired number, at least replicationFactor + 1 and at most ${MOST_NODES}`, wholeNumber)
    .action(cli.action<[string, number], object>((run, [name, nodes]) => scale(run, name, nodes)));
}

export async function scale(run: Run, name: string, wanted: number): Promise<void> {
  const cluster = await readCluster(run, name);
  const change = sizeChange(cluster, await readNodes(run, cluster), wanted);
  return carryOut(run, change, async ({ isSmaller, did, write }) => {
    if (isSmaller) await run.consent(did);
    await patchCluster(run, cluster, write);
  });
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= MOST_NODES) return value;
  throw new InvalidArgumentError(`expected a whole number from 1 to ${MOST_NODES}`);
}
