// Why a cluster has the size it has, as a person reads it: what was measured, the arithmetic, what comes
// next, what was decided. Pure.

import { type MarekvsCluster, minimumNodes, withDefaults } from '@marekvs/api';
import { autoscalerHolds, WATCHED_INTERVAL_MS } from '@marekvs/operator/projections';
import {
  CONFIRM_MS,
  decisionText,
  growsAtPercent,
  idealByLoad,
  isWholeLoad,
  labelText,
  loadBand,
  roundRate,
  type SizingRules,
  timeText,
  unevenText,
} from '@marekvs/planner';
import type { EventFact } from '../explain/finding.ts';
import type { SizeByHosts } from '../sizing/by-hosts.ts';
import type { MeasuredMember, SizedByLoad, SizingOutlook } from '../sizing/outlook.ts';
import { table } from './table.ts';
import { ageText, listed, type RenderContext, sentence, since } from './text.ts';

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

function isByHosts(reason: string | undefined): boolean {
  return reason === 'SizedByHosts';
}

/** `3 to 8 by load (5,000 ops/s a node) and disks (70 %)`: what spec.autoscale says; or `one on each host with
 *  pool=db`. */
export function boundsText({ spec }: MarekvsCluster): string {
  const rule = withDefaults(spec).hosts.onePerHost;
  if (rule !== undefined) return `one on each host with ${labelText(rule)}`;
  const { minNodes, maxNodes, targetOpsPerNode, targetDiskPercent } = spec.autoscale ?? {};
  const by = [
    ...(targetOpsPerNode === undefined ? [] : [`load (${exact(targetOpsPerNode)} ops/s a node)`]),
    ...(targetDiskPercent === undefined ? [] : [`disks (${targetDiskPercent} %)`]),
  ];
  return `${minNodes} to ${maxNodes} by ${by.join(' and ')}`;
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

/** What comes next, and when. `plan` uses these texts as well. */
export function nextLines(cluster: MarekvsCluster, outlook: SizingOutlook): readonly string[] {
  const { namespace, name } = cluster.metadata;
  switch (outlook.kind) {
    case 'fixed':
      return [`nothing: the size is fixed, as spec.nodes or kubectl mkv scale ${name} says`];
    case 'kept':
      return [
        `nothing until somebody sets a size: KeptSize, spec.nodes is ${outlook.asked} and was already there before ${isByHosts(outlook.decision.reason) ? 'spec.hosts.onePerHost' : 'spec.autoscale'} was removed`,
        `kubectl mkv scale ${name} ${outlook.size} -n ${namespace} keeps it, kubectl mkv scale ${name} ${outlook.asked} -n ${namespace} goes back`,
      ];
    case 'byHosts':
      return [
        outlook.decision === undefined
          ? 'the operator has stored no decision yet'
          : `a node joins for each host that gets the labels, and goes with each that loses them: kubectl get nodes -l ${labelTextOf(cluster)}`,
      ];
    case 'notBegun':
      return [`sizing begins with ${count(outlook.size, 'node')}: ${outlook.why}`];
    case 'byLoad':
      return [comesText(outlook), ...holdLines(outlook)];
  }
}

/** The size that the present hosts lead to. */
export function byHostsLines({ kind, size, next, message = '' }: SizeByHosts): readonly string[] {
  if (kind === 'unread') return [`${count(size, 'node')}, as it was decided last: you may not read hosts`];
  if (kind === 'none') return [`stays ${count(size, 'node')}: no host takes a member`];
  if (next === size) return [`stays: ${message}`];
  const when = next > size ? 'at once' : `once there have been fewer hosts for ${seconds(CONFIRM_MS)}`;
  return [`${next} instead of ${count(size, 'node')}, ${when}: ${message}`];
}

function labelTextOf({ spec }: MarekvsCluster): string {
  const rule = withDefaults(spec).hosts.onePerHost;
  return rule === undefined ? '' : labelText(rule);
}

/** A size that follows the load cannot be planned without it. */
export function unmeasuredLines({ metadata: { namespace, name }, spec }: MarekvsCluster): readonly string[] {
  if (spec.autoscale === undefined) return [];
  return [
    `what comes next depends on the load, which was not measured: kubectl mkv plan ${name} -n ${namespace} --autoscale`,
  ];
}

function holdLines({ holds, verdict, size }: SizedByLoad): readonly string[] {
  if (holds === undefined) return [];
  return [`${verdict.next === size ? 'in the way' : 'waits'}: ${holds.reason}, ${holds.message}`];
}

function comesText(outlook: SizedByLoad): string {
  const { rules, inputs, verdict, soonestMs, latestMs, size } = outlook;
  const text = decisionText(rules, inputs, verdict.next, verdict.reason);
  if (verdict.next > size) return `${verdict.reason}: ${text}${growthWhen(outlook)}`;
  if (verdict.next < size) {
    if (soonestMs === undefined || latestMs === undefined) return `${verdict.reason}: ${text}`;
    const soonest = soonestMs <= 0 ? 'at any moment' : `in ${ageText(soonestMs)} at the soonest`;
    return `${verdict.reason}: ${text}, ${soonest} and in ${ageText(latestMs)} at the latest, if it stays so: it has to be low for ${seconds(rules.windowMs)} without a break, and since when it is only the operator knows`;
  }
  switch (verdict.reason) {
    case 'AtMinNodes':
      return `AtMinNodes: nothing${bandText(rules, size, false)}`;
    case 'LoadWithinTarget':
      return `LoadWithinTarget: nothing${bandText(rules, size, true)}`;
    default:
      return `${verdict.reason}: ${text}`;
  }
}

function growthWhen({ rules, soonestMs, holds }: SizedByLoad): string {
  if (holds !== undefined) return '';
  if (soonestMs !== undefined && soonestMs > 0)
    return `, in ${ageText(soonestMs)}: ${seconds(rules.cooldownMs)} after the last change`;
  return `, as soon as the operator has measured it: it looks at each member every ${seconds(WATCHED_INTERVAL_MS)} in turns, and for 5 s at all of them before it grows`;
}

/** The range of loads in which the size stays. */
function bandText({ targetOps, windowMs }: SizingRules, size: number, mayShrink: boolean): string {
  if (targetOps === undefined) return '';
  const { growsAbove, shrinksBelow } = loadBand(targetOps, size);
  const less = mayShrink ? `, one node less below ${exact(shrinksBelow)} ops/s for ${seconds(windowMs)}` : '';
  return `; more nodes above ${exact(growsAbove)} ops/s${less}`;
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

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}

function rate(opsPerSecond: number): string {
  return roundRate(opsPerSecond).toLocaleString('en-US');
}

/** For values that somebody has written: not rounded as measured rates are. */
function exact(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 1 : 0 });
}

function count(value: number, what: string): string {
  return `${value} ${what}${value === 1 ? '' : 's'}`;
}

/** Without a measurement: what the operator has decided, for the head of a screen. Undefined for a fixed size. */
export function sizeLine(cluster: MarekvsCluster, nowMs: number): string | undefined {
  const { spec, status } = cluster;
  const { autoscale } = status ?? {};
  if (withDefaults(spec).hosts.onePerHost !== undefined)
    return autoscale === undefined
      ? `size ${boundsText(cluster)}, not decided yet`
      : `${count(autoscale.size, 'node')}, ${boundsText(cluster)}, for ${since(autoscale.since, nowMs)}`;
  if (spec.autoscale === undefined)
    return autoscale === undefined
      ? undefined
      : `${count(autoscale.size, 'node')}, kept since ${isByHosts(autoscale.reason) ? 'spec.hosts.onePerHost' : 'spec.autoscale'} was taken out`;
  if (autoscale === undefined) return `size ${boundsText(cluster)}, not decided yet`;
  const { opsPerSecond, target, diskPercent, reason = 'decided', since: at } = autoscale;
  const figures = [
    ...(opsPerSecond === undefined || target === undefined
      ? []
      : [`${rate(opsPerSecond)} ops/s at ${exact(target)} a node`]),
    ...(diskPercent === undefined ? [] : [`disks ${diskPercent} % full`]),
  ];
  const { minNodes, maxNodes, targetDiskPercent, targetOpsPerNode } = spec.autoscale;
  const by = [
    ...(targetOpsPerNode === undefined ? [] : ['load']),
    ...(targetDiskPercent === undefined ? [] : ['disks']),
  ];
  const floor = Math.max(minNodes, minimumNodes(spec));
  const basis = figures.length === 0 ? '' : `: ${figures.join(', ')}`;
  return `${count(autoscale.size, 'node')} (${floor} to ${Math.max(maxNodes, floor)} by ${by.join(' and ')}${basis}), ${reason} for ${since(at, nowMs)}`;
}
