// The size of a cluster in few words, and the figures in such texts. Pure.

import { type MarekvsCluster, minimumNodes, withDefaults } from '@marekvs/api';
import { labelText, roundRate } from '@marekvs/planner';
import { since } from '../screen/text.ts';

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

export function isByHosts(reason: string | undefined): boolean {
  return reason === 'SizedByHosts';
}

export function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}

export function rate(opsPerSecond: number): string {
  return roundRate(opsPerSecond).toLocaleString('en-US');
}

/** For values that somebody has written: not rounded as measured rates are. */
export function exact(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 1 : 0 });
}

export function count(value: number, what: string): string {
  return `${value} ${what}${value === 1 ? '' : 's'}`;
}
