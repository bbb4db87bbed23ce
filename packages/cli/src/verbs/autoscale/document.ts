// What `kubectl mkv autoscale -o json` prints: the same as the screen, as figures. What is not known is left out. Pure.

import { isoText } from '../../screen/text.ts';
import type { SizedByLoad } from '../../sizing/outlook.ts';
import type { SizingView } from './screen.ts';

export function sizingDocument({ cluster, outlook, seconds, decisions, autoscalers, unread }: SizingView): object {
  const { metadata, spec, status } = cluster;
  return {
    namespace: metadata.namespace,
    cluster: metadata.name,
    state: outlook.kind,
    size: outlook.size,
    autoscale: spec.autoscale,
    onePerHost: spec.hosts?.onePerHost,
    decision: status?.autoscale,
    ...(outlook.kind === 'byLoad' ? measured(outlook, seconds) : {}),
    ...(outlook.kind === 'kept' ? { asked: outlook.asked } : {}),
    ...(outlook.kind === 'notBegun' ? { why: outlook.why } : {}),
    decisions: decisions.map(({ atMs, reason, note }) => ({ at: isoText(atMs), reason, note })),
    autoscalers,
    unread,
  };
}

function measured({ rules, inputs, members, verdict, soonestMs, latestMs, holds }: SizedByLoad, seconds: number) {
  const { load, disk } = inputs;
  const isAnyKnown = load.missing.length < load.members;
  return {
    floor: rules.floor,
    ceiling: rules.ceiling,
    measured: {
      seconds,
      opsPerSecond: isAnyKnown ? load.opsPerSecond : undefined,
      unknownMembers: load.missing,
      diskPercent: disk.now,
      diskPercentWithOneLess: disk.afterRemoval,
      members,
    },
    ideal: verdict.ideal,
    reason: verdict.reason,
    next: {
      nodes: verdict.next,
      soonestInSeconds: inSeconds(soonestMs),
      latestInSeconds: inSeconds(latestMs),
      waitsFor: holds,
    },
  };
}

function inSeconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.ceil(ms / 1000);
}
