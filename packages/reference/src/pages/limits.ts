// What this version does not do, on one page. A later capability removes its line.

import { page, table } from '../markdown.ts';
import { FIRST_VERSION } from '../since.ts';

interface Limit {
  readonly what: string;
  readonly instead: string;
}

const LIMITS: readonly Limit[] = [
  {
    what: 'make volumes smaller, or move them to another StorageClass',
    instead: 'have the clients copy the data to a cluster with another name, size or class',
  },
  {
    what: 'grow volumes by `spec.storage.autoGrow` that are folders on a larger disk: their members report the fill level of that disk',
    instead: 'watch the disk itself',
  },
  {
    what: 'size a cluster by memory or CPU, or ahead of the load',
    instead:
      '`spec.autoscale` follows commands and disks ([autoscaling](operations/autoscaling.md)); without it a HorizontalPodAutoscaler may move `spec.nodes` by any metric',
  },
  {
    what: 'hibernate by a calendar, or wake when a client comes',
    instead: 'a CronJob that runs `kubectl mkv hibernate` and `wake` ([sleeping](operations/sleeping.md))',
  },
  {
    what: 'hand over a cluster that it formed itself to a StatefulSet',
    instead:
      'a cluster that was taken over can be handed [back](operations/adopting.md#back) as it is; members that have joined since are removed first',
  },
  {
    what: 'make backups',
    instead:
      'snapshots of all claims together ([one volume is no backup](operations/volumes.md#one-volume-is-no-backup))',
  },
  {
    what: 'go below `replicationFactor + 1` nodes, or run a cluster of one',
    instead: '`kubectl mkv validate` points it out, and the operator keeps to the minimum',
  },
  {
    what: 'restart several members of a cluster at once, whatever `spec.update.maxUnavailable` allows',
    instead:
      'any two members are homes of some keys together ([rolling updates](operations/rolling-updates.md#a-members-turn)); several clusters can be updated at once',
  },
  {
    what: 'remove a node by a deadline, or because somebody deleted its Pod',
    instead:
      'the status says what a removal waits for, and how to resolve it; `kubectl mkv force-remove` is the only way without proof',
  },
];

export function limitsPage(): string {
  const [major, minor] = FIRST_VERSION.split('.');
  return page({
    title: `What ${major}.${minor} does not do`,
    source: 'packages/reference/src/pages/limits.ts',
    blocks: [
      'When a cluster does not do what its spec asks for, its status says so: which field it is, what is in force instead, and how to resolve it. This page tells you beforehand.',
      table(
        ['it does not', 'what to do instead'],
        LIMITS.map(({ what, instead }) => [what, instead]),
      ),
    ],
  });
}
