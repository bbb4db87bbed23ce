// `kubectl mkv top [cluster]`: commands per second, memory and disk per node.

import { LABELS, type MarekvsCluster, type MarekvsNode } from '@marekvs/api';
import { defineKind, type KubeObject, keyOf } from '@marekvs/runtime';
import type { Command } from 'commander';
import { type ClusterParts, listClusters, readCluster, readParts } from '../../cluster/cluster-parts.ts';
import { type Cli, type Run, withSharedOptions } from '../../connection/cli.ts';
import { secondsOf } from '../../connection/duration.ts';
import { diskPercentOf, rateBetween } from '../../members/member-figures.ts';
import { NO_POD, type Readings, readTwice } from '../../members/two-readings.ts';
import { table } from '../../screen/table.ts';
import { bytesText, harmless, wrap } from '../../screen/text.ts';

interface TopOptions {
  readonly interval: number;
}

interface Row {
  readonly namespace: string;
  readonly node: string;
  readonly opsPerSecond: number | undefined;
  readonly clients: number | undefined;
  readonly memory: string | undefined;
  readonly dataBytes: number | undefined;
  readonly diskPercent: number | undefined;
  readonly diskTotalBytes: number | undefined;
  readonly writesStopped: boolean | undefined;
  readonly unread: string | undefined;
}

export function addTop(program: Command, cli: Cli): void {
  withSharedOptions(program.command('top'), { all: true })
    .summary('commands, memory and disk per node')
    .description('commands per second, memory and disk per node; - means unknown')
    .argument('[cluster]', 'name of the cluster (default: the only one of the namespace)')
    .option('--interval <seconds>', 'time between the two readings that a rate needs, 1 to 60', secondsOf, 2)
    .action(cli.action<[string | undefined], TopOptions>((run, [name], options) => top(run, name, options)));
}

async function top(run: Run, name: string | undefined, { interval }: TopOptions): Promise<void> {
  const clusters = await chosen(run, name);
  const parts = await Promise.all(clusters.map((cluster) => readParts(run, cluster)));
  const pods = parts.flatMap((one) => one.pods);
  const readings = await readTwice(run, pods, interval);
  const memory = await Promise.all(parts.map((one) => memoryOf(run, one)));
  const rows = parts.flatMap((one, index) =>
    one.nodes.map((node) => toRow(node, readings, memory[index] ?? new Map())),
  );
  if (run.isDocument) await run.printDocument({ nodes: rows });
  else run.print([...rowsTable(run, rows), ...remarks(run, clusters, rows)]);
}

/** With -A every cluster there is. */
async function chosen(run: Run, name: string | undefined): Promise<readonly MarekvsCluster[]> {
  if (run.options.allNamespaces !== true || name !== undefined) return [await readCluster(run, name)];
  return listClusters(run);
}

interface PodMetrics extends KubeObject {
  readonly containers?: readonly { readonly usage?: { readonly memory?: string } }[];
}
const podMetrics = defineKind<PodMetrics>('metrics.k8s.io/v1beta1', 'PodMetrics', { plural: 'pods' });

/** Memory needs a metrics server; without one, or without the permission, it stays unknown. */
async function memoryOf(run: Run, { cluster }: ClusterParts): Promise<ReadonlyMap<string, string>> {
  const { namespace, name } = cluster.metadata;
  const known = await run.list(podMetrics, { namespace, labelSelector: `${LABELS.cluster}=${name}` }).catch(() => []);
  return new Map(
    known.flatMap(({ metadata, containers }) => {
      const memory = containers?.[0]?.usage?.memory;
      return memory === undefined ? [] : [[metadata.name, memory] as const];
    }),
  );
}

function toRow(node: MarekvsNode, readings: Readings, memory: ReadonlyMap<string, string>): Row {
  const { before, now } = readings.get(keyOf(node.metadata)) ?? NO_POD;
  const metrics = now.kind === 'read' && now.metrics.isFresh ? now.metrics : undefined;
  const { diskTotalBytes, diskWriteStopped } = metrics ?? {};
  return {
    namespace: node.metadata.namespace,
    node: node.metadata.name,
    opsPerSecond: rateBetween(before, now),
    clients: metrics?.connectedClients,
    memory: memory.get(node.metadata.name),
    dataBytes: metrics?.dbTotalBytes,
    diskPercent: diskPercentOf(now),
    diskTotalBytes,
    writesStopped: diskWriteStopped === undefined ? undefined : diskWriteStopped > 0,
    unread: now.kind === 'unread' ? now.why : undefined,
  };
}

function rowsTable(run: Run, rows: readonly Row[]): readonly string[] {
  return table<Row>(
    [
      ...(run.options.allNamespaces === true
        ? [{ head: 'NAMESPACE', cell: ({ namespace }: Row) => namespace, least: 9 }]
        : []),
      { head: 'NODE', cell: ({ node }) => node, least: 12 },
      { head: 'OPS/S', cell: ({ opsPerSecond }) => opsPerSecond?.toFixed(0) ?? '-', isNumber: true },
      { head: 'CLIENTS', cell: ({ clients }) => String(clients ?? '-'), isNumber: true },
      { head: 'MEMORY', cell: ({ memory }) => memory ?? '-', isNumber: true },
      { head: 'DATA', cell: ({ dataBytes }) => bytesText(dataBytes), isNumber: true },
      {
        head: 'DISK',
        cell: ({ diskPercent }) => (diskPercent === undefined ? '-' : `${diskPercent}%`),
        isNumber: true,
      },
      { head: 'OF', cell: ({ diskTotalBytes }) => bytesText(diskTotalBytes), isNumber: true },
      {
        head: 'WRITES',
        cell: ({ writesStopped }) => (writesStopped === undefined ? '-' : writesStopped ? 'STOPPED' : 'ok'),
      },
    ],
    rows,
    run.context(),
  );
}

function remarks(run: Run, clusters: readonly MarekvsCluster[], rows: readonly Row[]): readonly string[] {
  const unread = rows.filter((row) => row.unread !== undefined);
  const total = clusters.flatMap(({ metadata, status }) => {
    if (status?.opsPerSecond === undefined) return [];
    const whole = clusters.length === 1 ? 'the whole cluster' : `all of ${metadata.namespace}/${metadata.name}`;
    return [`the operator counts ${status.opsPerSecond} ops/s for ${whole}`];
  });
  const why =
    unread.length === 0
      ? []
      : [
          `not read: ${unread.map(({ node }) => node).join(', ')} (${unread[0]?.unread}); figures go through the API server's Pod proxy, or through kubectl port-forward: one of pods/proxy and pods/portforward is needed`,
        ];
  return [...total, ...why].flatMap((text) => ['', ...wrap(harmless(text), run.width ?? Number.POSITIVE_INFINITY)]);
}
