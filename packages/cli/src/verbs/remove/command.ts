// `kubectl mkv remove <node>` marks the node that leaves next, `replace <node>` lets a new one take its place.
// Neither removes anything by itself: the operator's checks and proofs decide when.

import { ANNOTATIONS, type MarekvsCluster, type MarekvsNode, minimumNodes } from '@marekvs/api';
import type { Command } from 'commander';
import { sizeChange, sizedByHosts, wantedSize } from '../../changing/size.ts';
import { annotateNode, deleteNode, patchCluster } from '../../changing/writes.ts';
import { readCluster, readNode, readNodes } from '../../cluster/cluster-parts.ts';
import { type Cli, type Run, withSharedOptions } from '../../connection/cli.ts';
import { blocked } from '../../connection/errors.ts';

interface RemoveOptions {
  readonly shrink?: boolean;
}

export function addRemove(program: Command, cli: Cli): void {
  withSharedOptions(program.command('remove'), { output: false, writes: true })
    .summary('mark the node that leaves next')
    .description('mark the node that leaves next when the cluster shrinks; the usual checks still apply')
    .argument('<node>', 'name of the MarekvsNode, such as demo-3')
    .option('--shrink', 'also lower spec.nodes by one, so that the node leaves now')
    .action(cli.action<[string], RemoveOptions>((run, [name], { shrink }) => remove(run, name, shrink === true)));
  withSharedOptions(program.command('replace'), { output: false, writes: true })
    .summary('replace a node with a new one')
    .description('replace a node with a new one: the new one joins first, then the old one leaves with proof')
    .argument('<node>', 'name of the MarekvsNode, such as demo-3')
    .action(cli.action<[string], object>((run, [name]) => replace(run, name)));
}

async function remove(run: Run, name: string, isShrinking: boolean): Promise<void> {
  const node = await readNode(run, name);
  const cluster = await readCluster(run, node.spec.clusterName);
  refuseIfLeaving(cluster, node);
  // Throws before anything is written when the size may not go down.
  const smaller = isShrinking ? await smallerSize(run, cluster, node) : undefined;
  if (smaller !== undefined) await run.consent(`${node.metadata.name} leaves after proof; ${smaller.did}`);
  const isMarked = node.metadata.annotations?.[ANNOTATIONS.removeFirst] === 'true';
  if (!isMarked) await annotateNode(run, node, { [ANNOTATIONS.removeFirst]: 'true' });
  const own = node.metadata.name;
  if (smaller === undefined)
    return run.tell(
      isMarked ? `${own} is marked already` : `${own} is marked to leave first`,
      whenMarked(cluster, own),
    );
  await patchCluster(run, cluster, smaller.write);
  run.tell(`${own} is marked to leave first; ${smaller.did}`, smaller.next);
}

function whenMarked(cluster: MarekvsCluster, node: string): string {
  const { metadata, spec } = cluster;
  const { namespace, name } = metadata;
  const { nodes: size } = wantedSize(cluster);
  const byHosts = sizedByHosts(cluster);
  if (byHosts !== undefined)
    return `it leaves when fewer hosts are selected than there are nodes; a new node takes its place with kubectl mkv replace ${node} -n ${namespace}`;
  if (spec.autoscale !== undefined)
    return `it leaves when the load lets ${name} shrink: kubectl mkv autoscale ${name} -n ${namespace}; a new node takes its place with kubectl mkv replace ${node} -n ${namespace}`;
  return size > minimumNodes(spec)
    ? `it leaves when the cluster shrinks: kubectl mkv scale ${name} ${size - 1} -n ${namespace}`
    : `${name} has the fewest nodes it may have, ${size}, so nothing shrinks; a new node takes its place with kubectl mkv replace ${node} -n ${namespace}`;
}

async function smallerSize(run: Run, cluster: MarekvsCluster, node: MarekvsNode) {
  const size = wantedSize(cluster).nodes;
  const change = sizeChange(cluster, await readNodes(run, cluster), size - 1);
  if (change.kind === 'change') return change;
  if (change.kind === 'same') throw blocked(change.text);
  const { namespace, name } = node.metadata;
  const isFixed = cluster.spec.autoscale === undefined && sizedByHosts(cluster) === undefined;
  const isAtFloor = isFixed && size === minimumNodes(cluster.spec);
  const next = isAtFloor ? `let a new node take its place: kubectl mkv replace ${name} -n ${namespace}` : change.next;
  throw blocked(change.why, next);
}

async function replace(run: Run, name: string): Promise<void> {
  const node = await readNode(run, name);
  const cluster = await readCluster(run, node.spec.clusterName);
  refuseIfLeaving(cluster, node);
  if (cluster.spec.deletionProtection === true)
    throw blocked(
      `${cluster.metadata.name} has deletionProtection`,
      `switch it off first: kubectl patch mkv ${cluster.metadata.name} -n ${cluster.metadata.namespace} --type merge -p '{"spec":{"deletionProtection":false}}'`,
    );
  const { namespace, name: own } = node.metadata;
  await run.consent(`${own} is deleted once a new node has taken its place, which cannot be taken back`);
  await deleteNode(run, node);
  run.tell(
    `${own} is to be replaced`,
    `a new node joins first, then ${own} leaves after proof; kubectl mkv status ${cluster.metadata.name} -n ${namespace} --watch`,
  );
}

function refuseIfLeaving(cluster: MarekvsCluster, { metadata }: MarekvsNode): void {
  if (metadata.deletionTimestamp === undefined && cluster.status?.operation?.target?.uid !== metadata.uid) return;
  throw blocked(`${metadata.name} is leaving already`, `kubectl mkv proof ${metadata.name} -n ${metadata.namespace}`);
}

export function addUnmark(program: Command, cli: Cli): void {
  withSharedOptions(program.command('unmark'), { output: false, writes: true })
    .summary('undo remove: the node is no longer the next to leave')
    .description('undo remove and force-remove: the node is no longer the next to leave, nor leaves without proof')
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
