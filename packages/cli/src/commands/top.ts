// `kubectl mkv top [cluster]`: commands per second, memory and disk per node.

import type { MarekvsNode } from '@marekvs/api';
import { defineKind, type KubeObject } from '@marekvs/runtime';
import { type Command, InvalidArgumentError } from 'commander';
import { type Cli, type Run, withSharedOptions } from '../cli.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type ClusterParts, readCluster, readParts } from '../reading/cluster-parts.ts';
import { bytesText } from '../render/bytes.ts';
import { table } from '../render/table.ts';
import { harmless, wrap } from '../render/text.ts';
import { type MemberFigures, memberFigures, rateBetween } from '../top/member-figures.ts';

interface TopOptions {
  readonly interval: number;
}

interface Row {
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
  withSharedOptions(program.command('top'))
    .summary('commands, memory and disk per node')
    .description('commands per second, memory and disk per node; - where nothing is known')
    .argument('[cluster]', 'name of the cluster (default: the only one of the namespace)')
    .option('--interval <seconds>', 'time between the two readings a rate needs, 1 to 60', seconds, 2)
    .action(cli.action<[string | undefined], TopOptions>((run, [name], options) => top(run, name, options)));
}

async function top(run: Run, name: string | undefined, { interval }: TopOptions): Promise<ExitCode> {
  const parts = await readParts(run, await readCluster(run, name));
  const first = await readAll(run, parts);
  const isAnyRead = [...first.values()].some(({ kind }) => kind === 'read');
  if (isAnyRead) await run.ports.delay(interval * 1000);
  const second = isAnyRead ? await readAll(run, parts) : first;
  const memory = await memoryOf(run, parts);
  const rows = parts.nodes.map((node) => toRow(node, first, second, memory));
  if (run.format === 'json' || run.format === 'yaml') await run.printDocument({ nodes: rows });
  else run.print([...rowsTable(run, rows), ...remarks(run, parts, rows)]);
  return EXIT.fine;
}

async function readAll(run: Run, { pods }: ClusterParts): Promise<ReadonlyMap<string, MemberFigures>> {
  return new Map(
    await Promise.all(pods.map(async (pod) => [pod.metadata.name ?? '', await memberFigures(run, pod)] as const)),
  );
}

interface PodMetrics extends KubeObject {
  readonly containers?: readonly { readonly usage?: { readonly memory?: string } }[];
}
const podMetrics = defineKind<PodMetrics>({
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  kind: 'PodMetrics',
  plural: 'pods',
  namespaced: true,
});

/** Memory needs a metrics server; without one, or without the permission, it stays unknown. */
async function memoryOf(run: Run, { cluster }: ClusterParts): Promise<ReadonlyMap<string, string>> {
  const { client } = await run.connect();
  const { namespace, name } = cluster.metadata;
  const labelSelector = `marekvs.io/cluster=${name}`;
  const list = await client
    .list(podMetrics, { namespace, labelSelector, signal: run.ports.signal })
    .catch(() => undefined);
  return new Map(
    list?.items.flatMap(({ metadata, containers }) => {
      const memory = containers?.[0]?.usage?.memory;
      return memory === undefined ? [] : [[metadata.name, memory] as const];
    }),
  );
}

function toRow(
  { metadata }: MarekvsNode,
  first: ReadonlyMap<string, MemberFigures>,
  second: ReadonlyMap<string, MemberFigures>,
  memory: ReadonlyMap<string, string>,
): Row {
  const before: MemberFigures = first.get(metadata.name) ?? { kind: 'unread', why: 'it has no Pod' };
  const now = second.get(metadata.name) ?? before;
  const metrics = now.kind === 'read' && now.metrics.isFresh ? now.metrics : undefined;
  const { diskTotalBytes, diskAvailBytes, diskWriteStopped } = metrics ?? {};
  const isDiskKnown = diskTotalBytes !== undefined && diskAvailBytes !== undefined && diskTotalBytes > 0;
  return {
    node: metadata.name,
    opsPerSecond: rateBetween(before, now),
    clients: metrics?.connectedClients,
    memory: memory.get(metadata.name),
    dataBytes: metrics?.dbTotalBytes,
    diskPercent: isDiskKnown ? Math.round(100 * (1 - diskAvailBytes / diskTotalBytes)) : undefined,
    diskTotalBytes,
    writesStopped: diskWriteStopped === undefined ? undefined : diskWriteStopped > 0,
    unread: now.kind === 'unread' ? now.why : undefined,
  };
}

function rowsTable(run: Run, rows: readonly Row[]): readonly string[] {
  return table<Row>(
    [
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
    { width: run.width, isWide: run.format === 'wide', paint: run.paint },
  );
}

function remarks(run: Run, { cluster }: ClusterParts, rows: readonly Row[]): readonly string[] {
  const unread = rows.filter((row) => row.unread !== undefined);
  const { opsPerSecond } = cluster.status ?? {};
  const total = opsPerSecond === undefined ? [] : [`the operator counts ${opsPerSecond} ops/s for the whole cluster`];
  const why =
    unread.length === 0
      ? []
      : [
          `not read: ${unread.map(({ node }) => node).join(', ')} (${unread[0]?.unread}); figures go through the API server's Pod proxy: it needs pods/proxy, and the NetworkPolicy of the cluster has to let it in`,
        ];
  return [...total, ...why].flatMap((text) => ['', ...wrap(harmless(text), run.width ?? Number.POSITIVE_INFINITY)]);
}

function seconds(text: string): number {
  const value = Number(text);
  if (value >= 1 && value <= 60) return value;
  throw new InvalidArgumentError('seconds from 1 to 60 are wanted');
}
