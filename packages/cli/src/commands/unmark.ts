// `kubectl mkv unmark <node>`: takes the marks of a person off a node, so that it leaves no sooner than the others.

import { ANNOTATIONS } from '@marekvs/api';
import type { Command } from 'commander';
import { type Cli, type Run, withSharedOptions } from '../cli.ts';
import { blocked } from '../errors.ts';
import { annotateNode } from '../reading/changes.ts';
import { readCluster, readNode } from '../reading/cluster-parts.ts';

export function addUnmark(program: Command, cli: Cli): void {
  withSharedOptions(program.command('unmark'), { output: false, writes: true })
    .summary('take the mark to leave first off a node')
    .description('take the mark to leave first off a node, and the one to leave without proof')
    .argument('<node>', 'name of the MarekvsNode, such as demo-3')
    .action(cli.action<[string], object>((run, [name]) => unmark(run, name)));
}

const MARKS: Readonly<Record<string, string>> = {
  [ANNOTATIONS.removeFirst]: 'to leave first',
  [ANNOTATIONS.forceRemove]: 'to leave without proof',
};

async function unmark(run: Run, name: string): Promise<void> {
  const node = await readNode(run, name);
  const { name: own, namespace, uid, annotations = {} } = node.metadata;
  const marks = Object.keys(MARKS).filter((key) => annotations[key] !== undefined);
  if (marks.length === 0) return run.print([`${own} is not marked`]);
  const cluster = await readCluster(run, node.spec.clusterName);
  if (cluster.status?.operation?.target?.uid === uid)
    throw blocked(
      `${own} is leaving already, and its mark goes with it`,
      `keep it: kubectl mkv cancel ${cluster.metadata.name} -n ${namespace}`,
    );
  await annotateNode(run, node, Object.fromEntries(marks.map((key) => [key, null])));
  run.tell(`${own} is no longer marked ${marks.map((key) => MARKS[key]).join(' and ')}`);
}
