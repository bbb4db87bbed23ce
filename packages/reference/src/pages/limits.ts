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
    instead: 'replace nodes one at a time: a cluster of another name and class takes the data from its clients',
  },
  {
    what: 'grow volumes that are folders of a larger disk by `spec.storage.autoGrow`: their members tell the fill level of that disk',
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
    what: 'hand a cluster that it has formed itself to a StatefulSet',
    instead:
      'one that was taken over goes [back](operations/adopting.md#back) as it is; members that joined since are removed first',
  },
  {
    what: 'make backups',
    instead:
      'snapshots of all claims together ([one volume is no backup](operations/volumes.md#one-volume-is-no-backup))',
  },
  {
    what: 'go below `replicationFactor + 1` nodes, or run a cluster of one',
    instead: '`kubectl mkv validate` notes it, the operator keeps the floor',
  },
  {
    what: 'restart several members of a cluster at once, whatever `spec.update.maxUnavailable` allows',
    instead:
      'any two members are homes of some keys together ([rolling updates](operations/rolling-updates.md#a-members-turn)); several clusters change at once',
  },
  {
    what: 'remove a node by a deadline, or because somebody deleted its Pod',
    instead:
      'what a removal waits for is said with its way out; `kubectl mkv force-remove` is the one way without proof',
  },
];

export function limitsPage(): string {
  const [major, minor] = FIRST_VERSION.split('.');
  return page({
    title: `What ${major}.${minor} does not do`,
    source: 'packages/reference/src/pages/limits.ts',
    blocks: [
      'What is asked for and not in force is never called fine: the status names the field, what counts in its place, and the way out. This page says it beforehand.',
      table(
        ['it does not', 'what to do instead'],
        LIMITS.map(({ what, instead }) => [what, instead]),
      ),
    ],
  });
}
