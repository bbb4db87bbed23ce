// Why a cluster has the size it has, as a person reads it: what was measured, the arithmetic, what comes
// next, what was decided. Pure.

import type { MarekvsCluster } from '@marekvs/api';
import { autoscalerHolds } from '@marekvs/operator/projections';
import { growsAtPercent, idealByLoad, isWholeLoad, type SizingRules, timeText, unevenText } from '@marekvs/planner';
import type { EventFact } from '../../explain/facts/finding.ts';
import { table } from '../../screen/table.ts';
import { ageText, listed, type RenderContext, sentence, since } from '../../screen/text.ts';
import { nextLines } from '../../sizing/next-lines.ts';
import type { MeasuredMember, SizedByLoad, SizingOutlook } from '../../sizing/outlook.ts';
import { boundsText, count, exact, isByHosts, rate } from '../../sizing/text.ts';

export interface SizingView {
  readonly cluster: MarekvsCluster;
  readonly outlook: SizingOutlook;
  /** Seconds between the two readings. */
  readonly seconds: number;
  /** Newest first. */
  readonly decisions: readonly EventFact[];
  /** HorizontalPodAutoscalers that aim at it beside spec.autoscale. */
  readonly autoscalers: readonly string[];
  readonly unread: readonly string[];
}

export function sizingScreen(view: SizingView, context: RenderContext): readonly string[] {
  const { cluster, outlook, autoscalers, unread } = view;
  const { namespace, name } = cluster.metadata;
  return [
    `${context.paint('bold', `${namespace}/${name}`)}  ${headText(cluster, outlook)}`,
    ...sentence(whyText(cluster, context), context),
    ...autoscalerHolds(autoscalers).flatMap(({ reason, message }) =>
      sentence(`${reason}: ${message}`, context, 'yellow'),
    ),
    ...(outlook.kind === 'byLoad' ? measuredLines(outlook, view.seconds, context) : []),
    '',
    'next:',
    ...listed(nextLines(cluster, outlook), context),
    ...decisionLines(view.decisions, context),
    ...(unread.length === 0 ? [] : ['', ...sentence(`not seen: ${unread.join('; ')}`, context)]),
  ];
}

/** `5 nodes, 3 to 8 by load (5,000 ops/s a node)`. */
function headText(cluster: MarekvsCluster, outlook: SizingOutlook): string {
  const { size } = outlook;
  if (outlook.kind === 'fixed') return `${count(size, 'node')}, a fixed size`;
  if (outlook.kind === 'kept')
    return `${count(size, 'node')}, kept from when the size was decided by ${isByHosts(outlook.decision.reason) ? 'hosts' : 'load'}`;
  return `${count(size, 'node')}, ${boundsText(cluster)}`;
}

/** What the operator has decided, and when. */
function whyText({ status }: MarekvsCluster, { nowMs }: RenderContext): string | undefined {
  const { autoscale } = status ?? {};
  if (autoscale === undefined) return undefined;
  const { reason = 'decided', message = '', since: at } = autoscale;
  return `${reason}: ${message}; this size for ${since(at, nowMs)}`;
}

function measuredLines(outlook: SizedByLoad, seconds: number, context: RenderContext): readonly string[] {
  const { members, inputs } = outlook;
  const unread = members.filter((member) => member.unread !== undefined);
  const [first] = unread;
  return [
    '',
    `measured from here, over ${seconds} s:`,
    ...memberTable(outlook, context),
    ...(first === undefined
      ? []
      : sentence(
          `not read: ${unread.map(({ node }) => node).join(', ')} (${first.unread}); the operator asks members itself and may know`,
          context,
          'yellow',
        )),
    '',
    'arithmetic:',
    ...listed(arithmetic(outlook), context),
    ...sentence(unevenText(inputs.load), context, 'yellow'),
  ];
}

function memberTable({ members, inputs }: SizedByLoad, context: RenderContext): readonly string[] {
  const all = inputs.load.opsPerSecond;
  const isShareKnown = isWholeLoad(inputs.load) && all > 0;
  return table<MeasuredMember>(
    [
      { head: 'NODE', cell: ({ node }) => node, least: 12 },
      { head: 'OPS/S', cell: ({ opsPerSecond }) => opsPerSecond?.toFixed(0) ?? '-', isNumber: true },
      {
        head: 'SHARE',
        cell: ({ opsPerSecond }) =>
          opsPerSecond === undefined || !isShareKnown ? '-' : `${Math.round((100 * opsPerSecond) / all)}%`,
        isNumber: true,
      },
      {
        head: 'DISK',
        cell: ({ diskPercent }) => (diskPercent === undefined ? '-' : `${diskPercent}%`),
        isNumber: true,
      },
    ],
    members,
    context,
  );
}

function arithmetic({ rules, inputs, verdict }: SizedByLoad): readonly string[] {
  const { load, size } = inputs;
  const ideal = idealByLoad(rules, load);
  const atLeast = isWholeLoad(load) ? '' : 'at least ';
  const byLoad =
    rules.targetOps === undefined
      ? []
      : ideal === undefined
        ? ['load: not known']
        : [
            `load: ${atLeast}${rate(load.opsPerSecond)} ops/s at ${exact(rules.targetOps)} a node: ${atLeast}${count(ideal, 'node')}`,
          ];
  return [
    ...byLoad,
    ...diskArithmetic(rules, inputs),
    `${limitsText(rules)}; asked for ${askedText(verdict.ideal)}, now ${size}`,
  ];
}

function diskArithmetic({ targetDiskPercent }: SizingRules, inputs: SizedByLoad['inputs']): readonly string[] {
  if (targetDiskPercent === undefined) return [];
  const { disk, grownAtPercent } = inputs;
  if (disk.now === undefined) return ['disks: not known'];
  const grows = Math.round(growsAtPercent(targetDiskPercent, grownAtPercent));
  const without =
    disk.afterRemoval === undefined ? '' : `; one node less would fill one to ${Math.round(disk.afterRemoval)} %`;
  return [`disks: ${disk.fullest} is ${Math.round(disk.now)} % full, a node is added from ${grows} % on${without}`];
}

function limitsText({ floor, ceiling }: SizingRules): string {
  return `limits: ${floor} to ${count(ceiling, 'node')}`;
}

function askedText(ideal: number | undefined): string {
  return ideal === undefined ? 'is not known' : count(ideal, 'node').replace(/ nodes?$/, '');
}

const DECIDED_AT = / \(decided at [^)]*\)$/;

function decisionLines(decisions: readonly EventFact[], context: RenderContext): readonly string[] {
  if (decisions.length === 0) return [];
  return [
    '',
    'decisions, the newest first:',
    ...table<EventFact>(
      [
        {
          head: 'AGO',
          cell: ({ atMs }) => ageText(atMs === undefined ? undefined : context.nowMs - atMs),
          isNumber: true,
        },
        { head: 'AT', cell: ({ atMs }) => timeOfDay(atMs) },
        { head: 'REASON', cell: ({ reason }) => reason, least: 12 },
        { head: 'WHY', cell: ({ note }) => note.replace(DECIDED_AT, ''), least: 20 },
      ],
      decisions,
      context,
    ),
  ];
}

function timeOfDay(ms: number | undefined): string {
  return ms === undefined ? '-' : timeText(ms);
}
