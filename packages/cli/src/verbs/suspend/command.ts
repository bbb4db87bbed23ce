// `kubectl mkv suspend <node>` takes one member's Pod off its volume, for repair by hand, `resume-member` brings it
// back. What the operator checks is shown first; it decides when.

import { ANNOTATIONS } from '@marekvs/api';
import type { Command } from 'commander';
import { carryOut } from '../../changing/carry-out.ts';
import { userName } from '../../changing/user-name.ts';
import { type WaitOptions, waitIfAsked, withWait } from '../../changing/waiting.ts';
import { annotateNode } from '../../changing/writes.ts';
import { readCluster, readNode, readNodes } from '../../cluster/cluster-parts.ts';
import { type Cli, type Run, withSharedOptions } from '../../connection/cli.ts';
import { isBack, isOff, resumeChange, type SuspendChange, suspendChange } from './suspension.ts';

interface SuspendOptions extends WaitOptions {
  readonly reason?: string;
  readonly onlyCopy?: boolean;
}

export function addSuspend(program: Command, cli: Cli): void {
  withWait(withSharedOptions(program.command('suspend'), { output: false, writes: true }))
    .summary('take one member off its volume, for manual repair')
    .description('take one member off its volume, for manual repair: its Pod ends, its volume and node are kept')
    .argument('<node>', 'name of the MarekvsNode, such as demo-3')
    .option('--reason <words>', 'why; shown while the member is away')
    .option('--only-copy', 'with replicationFactor 1: accept that its keys are unavailable meanwhile')
    .action(cli.action<[string], SuspendOptions>((run, [name], options) => suspend(run, name, options)));
  withWait(withSharedOptions(program.command('resume-member'), { output: false, writes: true }))
    .summary('bring a suspended member back on its volume')
    .description('bring a suspended member back on its volume; nothing else continues until it has every record')
    .argument('<node>', 'name of the MarekvsNode, such as demo-3')
    .action(cli.action<[string], WaitOptions>((run, [name], options) => resume(run, name, options)));
}

async function suspend(run: Run, name: string, options: SuspendOptions): Promise<void> {
  const node = await readNode(run, name);
  const cluster = await readCluster(run, node.spec.clusterName);
  const who = await userName(run);
  const words = options.reason === undefined ? who : `${who}: ${options.reason}`;
  const wish = { words, acceptsOnlyCopy: options.onlyCopy === true };
  const change = suspendChange(cluster, await readNodes(run, cluster), node, wish);
  await annotate(run, change, node);
  const own = node.metadata.name;
  await waitIfAsked(run, cluster, options, (seen) => isOff(seen, own));
}

async function resume(run: Run, name: string, options: WaitOptions): Promise<void> {
  const node = await readNode(run, name);
  const cluster = await readCluster(run, node.spec.clusterName);
  await annotate(run, resumeChange(cluster, node, run.ports.nowMs()), node);
  await waitIfAsked(run, cluster, options, isBack);
}

function annotate(run: Run, change: SuspendChange, node: Parameters<typeof annotateNode>[1]): Promise<void> {
  return carryOut(run, change, async ({ words, checks, did }) => {
    run.print(checks.map((check) => `- ${check}`));
    await run.consent(did);
    await annotateNode(run, node, { [ANNOTATIONS.suspend]: words });
  });
}
