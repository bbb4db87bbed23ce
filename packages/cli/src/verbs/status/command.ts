// `kubectl mkv status [cluster]`: one cluster on one screen, or a list of clusters.

import type { Command } from 'commander';
import { checkedName, listClusters, readCluster, readNodes, readSeenParts } from '../../cluster/cluster-parts.ts';
import { readOperatorLease } from '../../cluster/operator-lease.ts';
import type { Cli, Run } from '../../connection/cli.ts';
import { withSharedOptions } from '../../connection/cli.ts';
import { listScreen } from '../../watching/list-screen.ts';
import { refuseDocument } from '../../watching/problems.ts';
import { type Screen, watchScreen } from '../../watching/watch-screen.ts';
import { clusterList, clusterScreen } from './screen.ts';

interface StatusOptions {
  readonly watch?: boolean;
}

export function addStatus(program: Command, cli: Cli): void {
  withSharedOptions(program.command('status'), { all: true })
    .summary('one cluster on one screen, or the list of clusters')
    .description(
      'one cluster on one screen: size, conditions, the operation, a row per node; without a name, the list of clusters',
    )
    .argument('[cluster]', 'name of the cluster')
    .option('-w, --watch', 'redraw whenever something changes')
    .action(
      cli.action<[string | undefined], StatusOptions>((run, [name], { watch }) =>
        showStatus(run, name === undefined ? undefined : checkedName(name, 'cluster'), watch === true),
      ),
    );
}

async function showStatus(run: Run, name: string | undefined, isWatched: boolean): Promise<void> {
  if (isWatched) {
    refuseDocument(run, 'kubectl get mkv,mkvnode');
    return watchScreen(run, name, () => readScreen(run, name));
  }
  if (run.isDocument) await run.printDocument(await document(run, name));
  else run.print((await readScreen(run, name))());
}

async function readScreen(run: Run, name: string | undefined): Promise<Screen> {
  if (name === undefined) return listScreen(run, clusterList);
  const cluster = await readCluster(run, name);
  const [parts, operator] = await Promise.all([
    readSeenParts(run, cluster),
    readOperatorLease(run, cluster, undefined),
  ]);
  return () => clusterScreen(parts, operator, run.context());
}

/** What kubectl would print: a cluster with its nodes as a List, or the clusters. */
async function document(run: Run, name: string | undefined): Promise<object> {
  if (name === undefined) return list(await listClusters(run));
  const cluster = await readCluster(run, name);
  return list([cluster, ...(await readNodes(run, cluster))]);
}

function list(items: readonly { readonly metadata: object }[]): object {
  return { apiVersion: 'v1', kind: 'List', items: items.map(withoutManagedFields) };
}

function withoutManagedFields<T extends { readonly metadata: object }>(object: T): T {
  return { ...object, metadata: { ...object.metadata, managedFields: undefined } };
}
