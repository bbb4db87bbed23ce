// The labels of metrics: every value one can have, and how many there can be. A label without an entry
// does not compile into the page.

import {
  type LastOperation,
  OPERATION_PHASES,
  OPERATION_TYPES,
  type Operation,
  PRESSURE_KINDS,
  REASONS,
} from '@marekvs/api';
import {
  ANSWER_KINDS,
  FAILURE_REASONS,
  MAX_SERIES,
  PROBLEM_KINDS,
  REFUSAL_REASONS,
  SHOWN_PHASES,
} from '@marekvs/operator/reference';
import type { PassResult, RestartReason, Verb } from '@marekvs/runtime';

export interface LabelText {
  /** All values, or a description of them. */
  readonly values: readonly string[] | string;
  /** The largest number of values at one time. */
  readonly bound: number;
}

function oneOf(...values: readonly string[]): LabelText {
  return { values, bound: values.length };
}

/** Every value of a type: does not compile when one is missing. */
function allOf<T extends string>(values: Readonly<Record<T, true>>): LabelText {
  return oneOf(...Object.keys(values));
}

const CONTROLLERS = oneOf('marekvscluster', 'marekvsnode');
/** Kinds that are cached, the lease, and resources that are only written or asked for. */
const RESOURCES: LabelText = {
  values: 'resource of the API, such as `pods` or `marekvsnodes.marekvs.io/status`',
  bound: 20,
};
const VERBS = allOf<Verb>({
  get: true,
  list: true,
  watch: true,
  create: true,
  update: true,
  patch: true,
  delete: true,
});
const CODES: LabelText = { values: 'HTTP status, or `error` when there was no answer', bound: 20 };
const OBJECT: LabelText = { values: `only of what is wrong or under way, at most ${MAX_SERIES}`, bound: MAX_SERIES };
const OPERATIONS = oneOf(...OPERATION_TYPES);
const PHASES = oneOf(...OPERATION_PHASES);
/** One value per object, so bounded by the objects. */
const OF_THAT_OBJECT: LabelText = { values: 'of that object', bound: 1 };
const REASON: LabelText = { values: 'a code of [errors.md](../errors.md)', bound: Object.keys(REASONS).length };

/** By label, and by `family label` where a label means something else in one family. Families without our prefix. */
export const LABEL_TEXTS: Readonly<Record<string, LabelText>> = {
  controller: CONTROLLERS,
  'workqueue name': CONTROLLERS,
  name: oneOf('leader-election', 'share'),
  of: oneOf(...PRESSURE_KINDS),
  priority: oneOf('high', 'low'),
  result: allOf<PassResult>({
    success: true,
    requeue_after: true,
    conflict: true,
    error: true,
    timeout: true,
    aborted: true,
    skipped: true,
  }),
  'controller_runtime_reconcile_total result': oneOf('success', 'requeue_after', 'requeue', 'error'),
  'events_total result': oneOf('written', 'duplicate', 'dropped', 'failed'),
  'ownership_renewals_total result': oneOf('success', 'failure'),
  resource: RESOURCES,
  kind: RESOURCES,
  verb: VERBS,
  code: CODES,
  method: oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
  guard: oneOf('resourceVersion', 'uid', 'exists'),
  type: OPERATIONS,
  'watch_events_total type': oneOf('ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'),
  'watch_restarts_total reason': allOf<RestartReason>({
    end: true,
    idle: true,
    reset: true,
    expired: true,
    throttled: true,
    truncated: true,
    error: true,
    forbidden: true,
    'not-found': true,
    regressed: true,
    unsupported: true,
  }),
  reason: REASON,
  'api_refusals_total reason': oneOf(...REFUSAL_REASONS),
  'cluster_stuck_since_timestamp_seconds reason': {
    values: `a code of [errors.md](../errors.md), or with PassFailing ${FAILURE_REASONS.map((one) => `\`${one}\``).join(', ')}`,
    bound: 1,
  },
  basis: allOf<NonNullable<Operation['basis']>>({ Proof: true, NeverJoined: true, Dead: true, Forced: true }),
  outcome: allOf<LastOperation['outcome']>({ Succeeded: true, Cancelled: true, Failed: true }),
  problem: oneOf(...PROBLEM_KINDS),
  answer: oneOf(...ANSWER_KINDS),
  state: oneOf('updated', 'total'),
  'turn_places state': oneOf('held', 'inLine'),
  'namespaces state': oneOf('held', 'quiet', 'starting', 'refused', 'leaving'),
  'cluster_update_members cluster': { ...OBJECT, bound: MAX_SERIES / 2 },
  phase: oneOf(...SHOWN_PHASES),
  'operation_started_timestamp_seconds phase': { ...PHASES, bound: 1 },
  'operation_started_timestamp_seconds type': { ...OPERATIONS, bound: 1 },
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
