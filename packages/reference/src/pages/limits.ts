// What this version does not do, on one page. Fields come from the table of those that are recorded without effect: a later capability
// takes its line out by taking its row out.

import { UNSUPPORTED_FIELDS } from '@marekvs/api';
import { code, codes, page, table } from '../markdown.ts';
import { FIRST_VERSION } from '../since.ts';

export interface FieldLimit {
  /** The field, or the parent of several that go together. */
  readonly path: string;
  readonly what: string;
  readonly instead: string;
}

/** Words for the rows of the table; a test holds both to each other. */
export const FIELD_LIMITS: readonly FieldLimit[] = [
  {
    path: 'spec.autoscale',
    what: 'size a cluster by load or disk',
    instead:
      'set `spec.nodes`, or `kubectl mkv scale` ([decision 0001](decisions/0001-nodes-counts-while-autoscaling-is-not-built.md))',
  },
];

/** Of a path of the table, or of its parent. */
export function limitOf(path: string): FieldLimit | undefined {
  return FIELD_LIMITS.find((limit) => path === limit.path || path.startsWith(`${limit.path}.`));
}

interface OtherLimit {
  readonly what: string;
  readonly instead: string;
}

const OTHERS: readonly OtherLimit[] = [
  {
    what: 'give a cluster that holds data another `replicationFactor`, `gcGraceSeconds` or password while it serves',
    instead:
      'stop and apply it again: all members have to share them ([decision 0007](decisions/0007-shared-settings-wait-for-a-rollout.md))',
  },
  {
    what: 'grow volumes that are there: `spec.storage.size` counts for new nodes',
    instead: 'grow the claims by hand where their StorageClass allows it ([volumes](operations/volumes.md))',
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
    what: 'remove a node by a deadline, or because somebody deleted its Pod',
    instead:
      'what a removal waits for is said with its way out; `kubectl mkv force-remove` is the one way without proof',
  },
];

export function limitsPage(): string {
  const [major, minor] = FIRST_VERSION.split('.');
  const fields = FIELD_LIMITS.flatMap(({ path, what, instead }) => {
    const recorded = UNSUPPORTED_FIELDS.map((field) => field.path).filter((one) => limitOf(one)?.path === path);
    return recorded.length === 0 ? [] : [[codes(recorded), what, instead]];
  });
  return page({
    title: `What ${major}.${minor} does not do`,
    source: 'packages/reference/src/pages/limits.ts and the table of fields in packages/api',
    blocks: [
      'What is asked for and not in force is never called fine: the status names the field, what counts in its place, and the way out. This page says it beforehand.',
      '## Fields that are recorded and have no effect',
      `They are in the kind so that a cluster's file of the existing operator is accepted unchanged; ${code('kubectl mkv validate')} and the status name each one that is set to something else than its default.`,
      table(['field', 'what it does not do', 'what to do instead'], fields),
      '## What else it does not do',
      table(
        ['it does not', 'what to do instead'],
        OTHERS.map(({ what, instead }) => [what, instead]),
      ),
    ],
  });
}
