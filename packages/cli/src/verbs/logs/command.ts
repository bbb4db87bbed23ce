// `kubectl mkv logs <cluster|node>`: what the members print. For a cluster, each line has the name of its member.

import { parseNodeId } from '@marekvs/api';
import { MAREKVS_NODE } from '@marekvs/operator/projections';
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { checkedName, listClusters, namesOf, readNodes, requiredNamespace } from '../../cluster/cluster-parts.ts';
import { nextAfter } from '../../cluster/near-name.ts';
import { type Cli, type Run, withSharedOptions } from '../../connection/cli.ts';
import { failureOf, notFound } from '../../connection/errors.ts';
import { readLog } from '../../members/logs.ts';
import { harmless } from '../../screen/text.ts';

interface LogsOptions {
  readonly follow?: boolean;
  readonly previous?: boolean;
  readonly tail: number;
}

const MOST_LINES = 100_000;

export function addLogs(program: Command, cli: Cli): void {
  withSharedOptions(program.command('logs'), { output: false })
    .summary('what the members print')
    .description('the logs of all members of a cluster, or of one member')
    .argument('<cluster|node>', 'name of a cluster or of a MarekvsNode')
    .option('-f, --follow', 'keep printing new lines')
    .option('-p, --previous', 'logs of the container before its last restart')
    .option('--tail <lines>', `number of last lines of each member, at most ${MOST_LINES}`, lineCount, 20)
    .action(
      cli.action<[string], LogsOptions>((run, [name], options) =>
        logs(run, checkedName(name, 'cluster or node'), options),
      ),
    );
}

async function logs(run: Run, name: string, options: LogsOptions): Promise<void> {
  const namespace = await requiredNamespace(run);
  const { pods, isCluster } = await podNames(run, namespace, name);
  const width = Math.max(...pods.map((pod) => pod.length));
  const show = async (pod: string): Promise<void> => {
    const prefix = !isCluster ? '' : `${run.paint('dim', pod.padEnd(width))}  `;
    const how = { tail: options.tail, isFollowed: options.follow === true, isPrevious: options.previous === true };
    await readLog(run, { namespace, name: pod }, how, (line) => run.ports.out.write(`${prefix}${harmless(line)}\n`));
  };
  if (options.follow === true) {
    await Promise.all(pods.map(show)).catch((error: unknown) => {
      // Ctrl-C is how following ends.
      if (!run.ports.signal.aborted) throw error;
    });
    return;
  }
  if (!isCluster) {
    await show(pods[0] ?? name);
    return;
  }
  // A member without a Pod, or whose log may not be read, does not hide the logs of the others.
  const failures: unknown[] = [];
  for (const pod of pods)
    await show(pod).catch((error: unknown) => {
      failures.push(error);
      if (failures.length < pods.length) run.note(harmless(`${pod}: ${failureOf(error).message}`));
    });
  if (failures.length === pods.length) throw failures[0];
}

/** A Pod has the name of its node. The name of a cluster stands for all its nodes. */
async function podNames(
  run: Run,
  namespace: string,
  name: string,
): Promise<{ readonly pods: readonly string[]; readonly isCluster: boolean }> {
  const items = await listClusters(run);
  const cluster = items.find(({ metadata }) => metadata.name === name);
  if (cluster === undefined) {
    if (items.some(({ metadata }) => parseNodeId(metadata.name, name) !== undefined))
      return { pods: [name], isCluster: false };
    const known = async () => [
      ...items.map(({ metadata }) => metadata.name),
      ...(await namesOf(run, MAREKVS_NODE, namespace)),
    ];
    throw notFound(
      `there is no cluster and no node ${name} in namespace ${namespace}`,
      await nextAfter(name, known, 'kubectl mkv status -A'),
    );
  }
  const nodes = await readNodes(run, cluster);
  if (nodes.length === 0) throw notFound(`${name} has no nodes yet`, `kubectl mkv explain ${name} -n ${namespace}`);
  return { pods: nodes.map(({ metadata }) => metadata.name), isCluster: true };
}

function lineCount(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= MOST_LINES) return value;
  throw new InvalidArgumentError(`expected a whole number of at most ${MOST_LINES}`);
}
