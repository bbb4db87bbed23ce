// What comes next for the size of a cluster, and when. Pure.

import { type MarekvsCluster, withDefaults } from '@marekvs/api';
import { WATCHED_INTERVAL_MS } from '@marekvs/operator/projections';
import { CONFIRM_MS, decisionText, labelText, loadBand, type SizingRules } from '@marekvs/planner';
import { ageText } from '../screen/text.ts';
import type { SizeByHosts } from './by-hosts.ts';
import type { SizedByLoad, SizingOutlook } from './outlook.ts';
import { count, exact, isByHosts, seconds } from './text.ts';

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
