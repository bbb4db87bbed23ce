// One cluster on one screen, and the list of clusters. Pure: objects in, lines out.

import { compareNodeIds, findCondition, type MarekvsCluster, type MarekvsNode, reasonSince } from '@marekvs/api';
import { isLarger } from '@marekvs/planner';
import type { SeenParts } from '../../cluster/cluster-parts.ts';
import { absenceLine, type OperatorLease } from '../../cluster/operator-lease.ts';
import { type Column, table } from '../../screen/table.ts';
import { fit, harmless, type Paint, type RenderContext, sentence, since, wrap } from '../../screen/text.ts';
import { sizeLine } from '../../sizing/text.ts';
import { contentsLines } from '../../verification/screen.ts';
import { operationLines } from './operation.ts';
import { zoneLines } from './zones.ts';

const PHASE_COLOURS: Readonly<Record<string, Parameters<Paint>[0]>> = {
  Healthy: 'green',
  Active: 'green',
  Blocked: 'red',
  Failed: 'red',
  Unknown: 'red',
};

function phaseColour(phase: string | undefined): Parameters<Paint>[0] | undefined {
  return phase === undefined ? undefined : (PHASE_COLOURS[phase] ?? 'yellow');
}

/** A row per cluster. @param withNamespace for lists over all namespaces */
export function clusterList(
  clusters: readonly MarekvsCluster[],
  withNamespace: boolean,
  context: RenderContext,
): readonly string[] {
  const columns: readonly Column<MarekvsCluster>[] = [
    ...(withNamespace ? [{ head: 'NAMESPACE', cell: (one: MarekvsCluster) => one.metadata.namespace, least: 9 }] : []),
    { head: 'NAME', cell: ({ metadata }) => metadata.name, least: 8 },
    { head: 'READY', cell: ({ status }) => `${status?.readyNodes ?? '?'}/${status?.desiredNodes ?? '?'}` },
    { head: 'OPS/S', cell: ({ status }) => figure(status?.opsPerSecond), isNumber: true },
    {
      head: 'PHASE',
      cell: ({ status }) => status?.phase ?? 'not seen',
      colour: ({ status }) => phaseColour(status?.phase),
    },
    { head: 'AGE', cell: ({ metadata }) => since(metadata.creationTimestamp, context.nowMs) },
    { head: 'OPERATION', cell: (one) => operationShort(one) },
    { head: 'MESSAGE', cell: ({ status }) => status?.message ?? '', least: 10 },
  ];
  return table(columns, clusters, context);
}

function operationShort({ status }: MarekvsCluster): string {
  const operation = status?.operation;
  if (operation === undefined) return '-';
  return operation.blocked === undefined ? operation.phase : operation.blocked.reason;
}

export function clusterScreen(parts: SeenParts, operator: OperatorLease, context: RenderContext): readonly string[] {
  const absence = absenceLine(operator, context.nowMs);
  return [
    ...(absence === undefined
      ? []
      : [...wrap(absence, context.width ?? Number.POSITIVE_INFINITY).map((line) => context.paint('red', line)), '']),
    ...headLines(parts.cluster, context),
    '',
    ...conditionLines(parts.cluster, context),
    ...contentsLines(parts.cluster, context),
    ...operationLines(parts.cluster, context),
    '',
    ...nodeTable(parts, context),
    ...zoneLines(parts.nodes, context),
    ...detachedLines(parts.cluster, context),
    ...(parts.unread.length === 0 ? [] : ['', ...sentence(`not seen: ${parts.unread.join('; ')}`, context)]),
  ];
}

/** While a cluster is to shrink, more are ready than are wanted. */
function sizeText(ready: number | undefined, wanted: number | undefined): string {
  if (ready !== undefined && wanted !== undefined && ready > wanted) return `${ready} nodes ready, ${wanted} wanted`;
  return `${ready ?? '?'} of ${wanted ?? '?'} nodes ready`;
}

function headLines(cluster: MarekvsCluster, context: RenderContext): readonly string[] {
  const { metadata, spec, status } = cluster;
  const phase = status?.phase ?? 'not seen by an operator';
  const painted = context.paint(phaseColour(status?.phase) ?? 'red', phase);
  const wished = pendingOf(status, 'spec.nodes');
  const size = `${sizeText(status?.readyNodes, status?.desiredNodes ?? spec.nodes)}${wished === undefined ? '' : ` (${wished.asked} asked for)`}`;
  const figures = [
    `replicationFactor ${inForce(status, 'spec.replicationFactor', spec.replicationFactor ?? 2)}`,
    `${figure(status?.opsPerSecond)} ops/s`,
    `age ${since(metadata.creationTimestamp, context.nowMs)}`,
    ...(status?.observedGeneration === metadata.generation ? [] : ['spec not seen yet']),
    ...(metadata.deletionTimestamp === undefined ? [] : ['being deleted']),
  ];
  return [
    `${context.paint('bold', `${metadata.namespace}/${metadata.name}`)}  ${painted}  ${size}`,
    ...sentence(sizeLine(cluster, context.nowMs), context),
    `  ${figures.join(', ')}`,
    `  image ${cut(inForce(status, 'spec.image', spec.image), context, 8)}`,
    ...sentence(status?.message, context),
    ...pendingLines(status, context),
  ];
}

type Status = MarekvsCluster['status'];

function pendingOf(status: Status, field: string) {
  return status?.pendingChanges?.find((change) => change.field === field);
}

/** The value in force, and the one that is asked for if it differs. */
function inForce(status: Status, field: string, written: string | number): string {
  const change = pendingOf(status, field);
  return change === undefined ? String(written) : `${change.effective} (${change.asked} asked for)`;
}

/** Fields that the lines above already show. */
const SHOWN_ABOVE: ReadonlySet<string> = new Set(['spec.nodes', 'spec.replicationFactor', 'spec.image']);

function pendingLines(status: Status, context: RenderContext): readonly string[] {
  const others = (status?.pendingChanges ?? []).filter(({ field }) => !SHOWN_ABOVE.has(field));
  return others.flatMap(({ field, asked, effective }) =>
    sentence(`${field.replace(/^spec\./, '')} ${effective} (${asked} asked for)`, context, 'yellow'),
  );
}

/** Conditions that are normally True; the others are normally False. Except for Ready, only abnormal ones are shown. */
const GOOD: ReadonlySet<string> = new Set(['Ready', 'Available', 'FullyReplicated']);

function conditionLines({ status }: MarekvsCluster, context: RenderContext): readonly string[] {
  const conditions = status?.conditions ?? [];
  if (conditions.length === 0) return ['conditions: none yet'];
  const isNormal = (one: (typeof conditions)[number]) => one.status === (GOOD.has(one.type) ? 'True' : 'False');
  const shown = conditions.filter((one) => one.type === 'Ready' || !isNormal(one));
  return table(
    [
      { head: 'CONDITION', cell: (one) => one.type },
      {
        head: 'STATUS',
        cell: (one) => one.status,
        colour: (one) => (isNormal(one) ? 'green' : 'yellow'),
      },
      { head: 'SINCE', cell: (one) => since(reasonSince(status, one.type), context.nowMs), isNumber: true },
      { head: 'REASON', cell: (one) => one.reason, least: 12 },
      { head: 'MESSAGE', cell: (one) => one.message, least: 10 },
    ],
    shown,
    context,
  );
}

export function nodeTable(parts: SeenParts, context: RenderContext): readonly string[] {
  const nodes = [...parts.nodes].sort((a, b) => compareNodeIds(a.spec.nodeId, b.spec.nodeId));
  if (nodes.length === 0) return ['no nodes'];
  const volumeOf = (node: MarekvsNode) => parts.volumes?.find(({ metadata }) => metadata.name === node.status?.pvcName);
  const podOf = (node: MarekvsNode) => parts.pods?.find(({ metadata }) => metadata.name === node.metadata.name);
  const ready = (node: MarekvsNode) => findCondition(node.status?.conditions, 'Ready');
  const columns: readonly Column<MarekvsNode>[] = [
    { head: 'NODE', cell: ({ metadata }) => metadata.name, least: 12 },
    { head: 'PHASE', cell: (node) => phaseText(node), colour: ({ status }) => phaseColour(status?.phase) },
    { head: 'SEENBY', cell: ({ status }) => status?.seenBy ?? '-' },
    { head: 'PARTS', cell: ({ status }) => String(status?.ownedPartitions ?? '-'), isNumber: true },
    {
      head: 'DISK',
      cell: (node) => diskText(parts.volumes === undefined ? 'unread' : volumeOf(node), node),
      isNumber: true,
    },
    {
      head: 'RESTARTS',
      cell: (node) => String(podOf(node)?.status?.containerStatuses?.[0]?.restartCount ?? '-'),
      isNumber: true,
      isWide: true,
    },
    { head: 'HOST', cell: ({ status }) => status?.hostName ?? '-', least: 6 },
    { head: 'ZONE', cell: ({ status }) => status?.zone ?? '-', least: 6, isWide: true },
    { head: 'AGE', cell: ({ metadata }) => since(metadata.creationTimestamp, context.nowMs), isNumber: true },
    { head: 'IP', cell: ({ status }) => status?.podIP ?? '-', isWide: true },
    { head: 'IMAGE', cell: ({ spec }) => spec.template.image, isWide: true },
    {
      head: 'WHY',
      cell: (node) => (ready(node)?.status === 'True' ? '' : (ready(node)?.reason ?? 'NotObserved')),
      least: 8,
      colour: () => 'yellow',
    },
  ];
  return table(columns, nodes, context);
}

function phaseText({ metadata, status }: MarekvsNode): string {
  const phase = status?.phase ?? 'Pending';
  return metadata.deletionTimestamp === undefined ? phase : `${phase} (deleted)`;
}

type Volume = NonNullable<SeenParts['volumes']>[number];

function diskText(volume: Volume | 'unread' | undefined, node: MarekvsNode): string {
  if (volume === undefined) return 'none';
  if (volume === 'unread') return '?';
  const asked = volume.spec?.resources?.requests?.storage ?? node.spec.storage.size;
  const has = String(volume.status?.capacity?.storage ?? asked);
  return isLarger(node.spec.storage.size, has) ? `${has} of ${node.spec.storage.size}` : has;
}

function detachedLines({ status }: MarekvsCluster, context: RenderContext): readonly string[] {
  const detached = status?.detachedVolumes ?? [];
  if (detached.length === 0) return [];
  return [
    '',
    ...table(
      [
        { head: 'DETACHED VOLUME', cell: (one) => one.pvcName, least: 14 },
        { head: 'ID', cell: (one) => String(one.nodeId), isNumber: true },
        { head: 'STATE', cell: (one) => one.state ?? '-' },
        { head: 'DETACHED', cell: (one) => since(one.detachedAt, context.nowMs), isNumber: true },
        { head: 'LAST ACTIVE', cell: (one) => since(one.lastActiveAt, context.nowMs), isNumber: true },
      ],
      detached,
      context,
    ),
  ];
}

function cut(text: string, { width }: RenderContext, before: number): string {
  return fit(harmless(text), width === undefined ? Number.POSITIVE_INFINITY : width - before);
}

function figure(value: number | undefined): string {
  return value === undefined ? '-' : String(value);
}
