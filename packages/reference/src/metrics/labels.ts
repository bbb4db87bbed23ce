// The labels of metrics: every value one can have, and how many there can be. A label without an entry does not compile into the page.

import { REASONS } from '@marekvs/api';
import { ANSWER_KINDS, FAILURE_REASONS, MAX_SERIES, PROBLEM_KINDS, SHOWN_PHASES } from '@marekvs/operator/reference';

export interface LabelText {
  /** All values, or what they are. */
  readonly values: readonly string[] | string;
  /** The most different values at one time. */
  readonly bound: number;
}

function oneOf(...values: readonly string[]): LabelText {
  return { values, bound: values.length };
}

const CONTROLLERS = oneOf('marekvscluster', 'marekvsnode');
/** Kinds that are cached, the lease, and what is only written or asked. */
const RESOURCES: LabelText = {
  values: 'resource of the API, such as `pods` or `marekvsnodes.marekvs.io/status`',
  bound: 20,
};
const VERBS = oneOf('get', 'list', 'watch', 'create', 'update', 'patch', 'delete');
const CODES: LabelText = { values: 'HTTP status, or `error` when there was no answer', bound: 20 };
const OBJECT: LabelText = { values: `only of what is wrong or under way, at most ${MAX_SERIES}`, bound: MAX_SERIES };
/** Bounded by the objects they are of: one value each. */
const OF_THAT_OBJECT: LabelText = { values: 'of that object', bound: 1 };
const REASON: LabelText = { values: 'a code of [errors.md](../errors.md)', bound: Object.keys(REASONS).length };

/** By label, and by `family label` where a label means something else in one family. Families without our prefix. */
export const LABEL_TEXTS: Readonly<Record<string, LabelText>> = {
  controller: CONTROLLERS,
  'workqueue name': CONTROLLERS,
  name: oneOf('leader-election'),
  priority: oneOf('high', 'low'),
  result: oneOf('success', 'requeue_after', 'conflict', 'error', 'terminal', 'timeout', 'aborted', 'skipped'),
  'controller_runtime_reconcile_total result': oneOf('success', 'requeue_after', 'requeue', 'error'),
  'events_total result': oneOf('written', 'duplicate', 'dropped', 'failed'),
  'ownership_renewals_total result': oneOf('success', 'failure'),
  resource: RESOURCES,
  kind: RESOURCES,
  verb: VERBS,
  code: CODES,
  method: oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
  guard: oneOf('resourceVersion', 'uid', 'exists'),
  type: oneOf('Remove', 'Replace', 'Roll', 'Resize'),
  'watch_events_total type': oneOf('ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'),
  'watch_restarts_total reason': oneOf(
    'end',
    'idle',
    'reset',
    'expired',
    'throttled',
    'truncated',
    'error',
    'forbidden',
    'not-found',
    'regressed',
    'unsupported',
  ),
  reason: REASON,
  'cluster_stuck_since_timestamp_seconds reason': {
    values: `a code of [errors.md](../errors.md), or with PassFailing ${FAILURE_REASONS.map((one) => `\`${one}\``).join(', ')}`,
    bound: 1,
  },
  basis: oneOf('Proof', 'NeverJoined', 'Dead', 'Forced'),
  outcome: oneOf('Succeeded', 'Cancelled', 'Failed'),
  problem: oneOf(...PROBLEM_KINDS),
  answer: oneOf(...ANSWER_KINDS),
  phase: oneOf(...SHOWN_PHASES),
  'operation_started_timestamp_seconds phase': {
    values: ['Claimed', 'Isolating', 'Proving', 'Deleting', 'Departing', 'Settling', 'Reclaiming', 'Cancelling'],
    bound: 1,
  },
  'operation_started_timestamp_seconds type': { values: ['Remove', 'Replace', 'Roll', 'Resize'], bound: 1 },
  namespace: OF_THAT_OBJECT,
  cluster: OBJECT,
  'member_silent_since_timestamp_seconds cluster': OF_THAT_OBJECT,
  'member_disk_used_ratio cluster': OF_THAT_OBJECT,
  node: OBJECT,
  version: { values: 'version of the operator', bound: 1 },
  commit: { values: 'commit it was built from', bound: 1 },
  node_version: { values: 'version of Node', bound: 1 },
};

/** @param family without our prefix
 *  @throws Error for a label nobody has described */
export function labelText(family: string, label: string): LabelText {
  const workqueue = family.startsWith('workqueue_') ? LABEL_TEXTS[`workqueue ${label}`] : undefined;
  const text = LABEL_TEXTS[`${family} ${label}`] ?? workqueue ?? LABEL_TEXTS[label];
  if (text === undefined) throw new Error(`packages/reference/src/metrics/labels.ts: nothing about ${family} ${label}`);
  return text;
}
