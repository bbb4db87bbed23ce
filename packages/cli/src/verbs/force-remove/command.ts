// `kubectl mkv force-remove <node>`: the escape hatch. Asks for the UID of the node, so that nobody forces the wrong
// one out of habit, and for a reason, which is stored and repeated in events.

import { ANNOTATIONS, type MarekvsNode } from '@marekvs/api';
import type { Command } from 'commander';
import { annotateNode } from '../../changing/writes.ts';
import { readCluster, readNode } from '../../cluster/cluster-parts.ts';
import { type Cli, type Run, withSharedOptions } from '../../connection/cli.ts';
import { blocked, wrongUsage } from '../../connection/errors.ts';
import { harmless } from '../../screen/text.ts';

interface ForceOptions {
  readonly uid?: string;
  readonly reason?: string;
}

const MAX_REASON = 256;

export function addForceRemove(program: Command, cli: Cli): void {
  withSharedOptions(program.command('force-remove'), { output: false, writes: true })
    .summary('remove a node without proof')
    .description('remove a node without proof: what only it holds may be lost')
    .argument('<node>', 'name of the MarekvsNode')
    .option('--uid <uid>', 'UID of the node, from `kubectl get mkvnode <node> -o jsonpath={.metadata.uid}`')
    .option('--reason <text>', `why, at most ${MAX_REASON} characters; stored, and shown in events`)
    .action(cli.action<[string], ForceOptions>((run, [name], options) => forceRemove(run, name, options)));
}

async function forceRemove(run: Run, name: string, given: ForceOptions): Promise<void> {
  const node = await readNode(run, name);
  const cluster = await readCluster(run, node.spec.clusterName);
  const { name: own, uid, namespace } = node.metadata;
  for (const line of warning(node)) run.note(line);
  const typedUid = given.uid ?? (await answer(run, '--uid', `Type the UID of ${own} (${uid}): `));
  if (typedUid !== uid) throw blocked(`that is not the UID of ${own}, so nothing was done`, `its UID is ${uid}`);
  const reason = checkedReason(given.reason ?? (await answer(run, '--reason', 'Why does it have to go? ')));
  await annotateNode(run, node, { [ANNOTATIONS.forceRemove]: `${uid}/${reason}` });
  run.tell(
    `${own} is to be removed without proof: ${reason}`,
    `the operator removes it as soon as no other removal is under way and enough others stay; take it back with kubectl mkv cancel ${cluster.metadata.name} -n ${namespace}`,
  );
}

function warning({ metadata, status }: MarekvsNode): readonly string[] {
  return [
    harmless(
      `${metadata.name} (phase ${status?.phase ?? 'unknown'}, ${status?.ownedPartitions ?? 'unknown'} partitions) would be removed WITHOUT proof.`,
    ),
    'Acknowledged writes that only it holds are lost, or stay on its volume. A removal with proof: kubectl mkv replace.',
  ];
}

async function answer({ ports, options }: Run, flag: string, question: string): Promise<string> {
  if (ports.ask === undefined || options.yes === true)
    throw wrongUsage(`${flag} is needed where nobody can be asked`, `kubectl mkv force-remove --help`);
  return ports.ask(question);
}

function checkedReason(text: string): string {
  const reason = text.trim();
  if (reason === '' || reason.length > MAX_REASON)
    throw wrongUsage(`a reason of 1 to ${MAX_REASON} characters is needed`);
  if (harmless(reason) !== reason) throw wrongUsage('a reason is one line without control characters');
  return reason;
}
