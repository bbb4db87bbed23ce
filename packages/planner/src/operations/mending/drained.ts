// Answers: does a member lead nothing although nobody here has told it to leave, and is it restarted now? Whoever
// reaches its port 9121 can send it `GET /drain`, which asks for no password (docs/design/server.md#http) and which
// only a restart undoes. It is put right by a turn on its volume. When that is done again and again, restarts alone
// would keep a member away for as long as somebody likes: they become rarer, and a person is told what to close. Pure.

import { restartPreflight } from '../../evidence/preflight/preflight.ts';
import { isDrainedOutside } from '../../members/member-state.ts';
import { agreeOnMembership, viewOf } from '../../members/membership.ts';
import { needsReplacement } from '../../members/replacement.ts';
import type { NodeRecord } from '../../observation/node-record.ts';
import type { ClusterObservation } from '../../observation/observation.ts';
import { clockText, type Hold, hold, namesOf } from '../../values/hold.ts';
import { leadingLess } from '../../values/view-line.ts';
import { begun, none, type OperationPlan, operationId, rollOf, store } from '../record.ts';

/** Members agree for a moment also while one of them is about to end: the kubelet drains before it restarts. */
export const DRAINED_SETTLE_MS = 3_000;
/** Before the first restart that follows another one. */
export const DRAINED_RETRY_MS = 600_000;
export const DRAINED_RETRY_LIMIT_MS = 3_600_000;
/** After this time without such a restart, the next one counts as the first. */
const FORGOTTEN_AFTER_MS = 2 * DRAINED_RETRY_LIMIT_MS;

/** The drained member that may be restarted now, as far as time and spec go. */
export function memberToMend(o: ClusterObservation): NodeRecord | undefined {
  if (o.cluster.spec.paused || whatForbids(o) !== undefined) return undefined;
  return drainedMembers(o).find((one) => leftMs(o, one) === 0);
}

/** Claims such a turn, or says what blocks it. */
export function planUndraining(o: ClusterObservation): OperationPlan {
  const node = memberToMend(o);
  if (node === undefined) return none();
  const missing = restartPreflight(o, node, 'Mend');
  if (missing !== undefined)
    return none({ ...missing, message: `restarting ${node.name}, which was drained, waits: ${missing.message}` });
  const roll = { ...rollOf(node, node.templateHash, 'Drained'), attempt: attemptsBefore(o) + 1 };
  const chosen = 'it leads nothing, and nothing here has asked for that';
  return store(begun(o, operationId(node, o), { type: 'Roll', chosen, roll }));
}

/** Milliseconds until a drained member is recognised, or may be restarted; undefined when nothing waits for a time. */
export function undrainingDueInMs(o: ClusterObservation): number | undefined {
  const settleMs = DRAINED_SETTLE_MS - (o.history.agreedForMs ?? 0);
  if (settleMs > 0) return idleMembers(o).length === 0 ? undefined : settleMs;
  const waits = drainedMembers(o)
    .map((node) => leftMs(o, node))
    .filter((ms) => ms > 0);
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/** What is said of the members that were drained; a person is needed once they are not restarted at once. */
export function drainedHold(o: ClusterObservation): Hold | undefined {
  const drained = drainedMembers(o);
  const [first] = drained;
  if (first === undefined) return undefined;
  const waitMs = Math.min(...drained.map((node) => leftMs(o, node)));
  const forbidden = whatForbids(o);
  const isLeft = forbidden !== undefined || waitMs > 0;
  const who = drained.length === 1 ? `${first.name} leads` : `${namesOf(drained)} lead`;
  const cause = `${who} nothing, or less than it should: somebody who reaches port 9121 has sent it GET /drain`;
  const text = !isLeft
    ? `${cause}; it is restarted on its volume`
    : forbidden === undefined
      ? `${cause} again; it is restarted at ${clockText(o.nowMs + waitMs)}; until then close that port to whoever is not the operator, the kubelet or a scraper`
      : `${cause}; it is not restarted by itself, since ${forbidden}: kubectl mkv restart ${first.name} -n ${o.cluster.namespace}`;
  return hold('DrainedFromOutside', text, isLeft);
}

/** Members that stay and are shown like that by all, for longer than a change of members takes. */
function drainedMembers(o: ClusterObservation): readonly NodeRecord[] {
  return (o.history.agreedForMs ?? 0) < DRAINED_SETTLE_MS ? [] : idleMembers(o);
}

function idleMembers({ nodes, cluster }: ClusterObservation): readonly NodeRecord[] {
  if (!cluster.isFormed || cluster.isDeleting) return [];
  // All have to show the same, so that one list tells whether there is any.
  const one = nodes.find(({ answer }) => answer.kind === 'serving');
  if (leadingLess(viewOf(one)).size === 0 || agreeOnMembership(nodes).kind !== 'agreed') return [];
  return nodes.filter((node) => isDrainedOutside(node) && !needsReplacement(node));
}

/** Milliseconds until this member may be restarted. Each member once at once; then every further restart waits. */
function leftMs(o: ClusterObservation, node: NodeRecord): number {
  const last = o.cluster.lastOperation;
  const attempts = attemptsBefore(o);
  if (last === undefined || attempts === 0) return 0;
  const repeats = last.roll?.uid === node.uid ? attempts - 1 : attempts - o.nodes.length;
  if (repeats < 0) return 0;
  const pauseMs = Math.min(DRAINED_RETRY_LIMIT_MS, DRAINED_RETRY_MS * 2 ** repeats);
  return Math.max(0, pauseMs - sinceMs(o, last.finishedAt));
}

/** How many such restarts have followed each other until now. Another operation in between ends the count. */
function attemptsBefore(o: ClusterObservation): number {
  const last = o.cluster.lastOperation;
  if (last?.roll?.cause !== 'Drained' || sinceMs(o, last.finishedAt) >= FORGOTTEN_AFTER_MS) return 0;
  return last.roll.attempt ?? 1;
}

/** By distance: a clock that was set back must not hold up anything for as long as it was wrong. */
function sinceMs({ nowMs }: ClusterObservation, at: string): number {
  return Math.abs(nowMs - Date.parse(at));
}

/** Why no member is restarted by itself; undefined when they are. */
function whatForbids({ cluster: { spec, rollout } }: ClusterObservation): string | undefined {
  if (spec.update.type === 'OnDelete') return 'spec.update.type is OnDelete';
  return rollout.isPaused ? 'restarts are paused' : undefined;
}
