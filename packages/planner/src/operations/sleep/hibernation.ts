// Answers: all members of a cluster are to stop for a while, or to come back: what is next? They stop together once
// every record was seen on all its homes, and start together, before deletions could have been forgotten
// (docs/decisions/hibernation.md). One operation lasts from the request until all are back, so that nothing
// else begins in between.

import type { LastOperation, Operation, Reason } from '@marekvs/api';
import { restartPreflight, retryAtMs } from '../../evidence/preflight/preflight.ts';
import { restartLonelyMembers } from '../../forming/forming.ts';
import { hasLostVolume, isBehindService } from '../../members/member-state.ts';
import type { Membership } from '../../members/membership.ts';
import { needsReplacement } from '../../members/replacement.ts';
import { sharedFactor } from '../../members/shared-factor.ts';
import type { NodeRecord } from '../../observation/node-record.ts';
import type { ClusterObservation } from '../../observation/observation.ts';
import { servingSteps } from '../../service/serving.ts';
import type { ClusterStep } from '../../steps/cluster-step.ts';
import { isKept, revisionForStart } from '../../templates/revisions.ts';
import { clockText, type Hold, hold, namesOf, timeText } from '../../values/hold.ts';
import {
  begun,
  closed,
  end,
  enteredMs,
  inPhase,
  none,
  type OperationPlan,
  proceed,
  store,
  turnedBack,
} from '../record.ts';
import { gatherAmong } from '../removal/after.ts';
import { restingReason } from '../rolling/next-turn.ts';
import { graceSeconds, isAwayTooLong, neededGraceSeconds, startableUntilMs } from './grace.ts';

export function isHibernation({ operation }: Pick<ClusterObservation['cluster'], 'operation'>): boolean {
  return operation?.type === 'Hibernate';
}

/** No member runs or is to run, and there is nothing to do. */
export function isAsleep({ operation, spec }: Pick<ClusterObservation['cluster'], 'operation' | 'spec'>): boolean {
  return operation?.type === 'Hibernate' && operation.phase === 'Hibernated' && spec.hibernated;
}

/** Claims a hibernation when no check blocks stopping all members now. */
export function planHibernate(o: ClusterObservation): OperationPlan {
  const missing = whatKeeps(o);
  if (missing !== undefined)
    return none(hold('HibernationWaits', `stopping all members waits: ${missing.message}`, missing.needsPerson));
  const id = `all-${Math.floor(o.nowMs).toString(36)}`;
  return store(begun(o, id, { type: 'Hibernate', chosen: 'spec.hibernated is true' }));
}

/** Undefined when all members are up, whole and there to stay, and the last try was not given up a moment ago. */
function whatKeeps(o: ClusterObservation): Hold | undefined {
  const [first] = o.nodes;
  if (first === undefined) return hold('MemberMissing', 'no node is there');
  return restartPreflight(o, first, 'Hibernate') ?? retryHold(o);
}

function retryHold(o: ClusterObservation): Hold | undefined {
  const againMs = o.cluster.lastOperation?.type === 'Hibernate' ? retryAtMs(o) : undefined;
  if (againMs === undefined) return undefined;
  return hold('RetryDelayed', `it was given up, and is tried again at ${clockText(againMs)}, or when the spec changes`);
}

/** The next step of the stored operation. */
export function planHibernation(o: ClusterObservation, record: Operation, membership: Membership): OperationPlan {
  const isWanted = o.cluster.spec.hibernated;
  switch (record.phase) {
    case 'Stopping':
      return isWanted ? planStopping(o, record) : planUnstopping(o, record);
    case 'Hibernated':
      return isWanted ? planAsleep(o, record) : planRising(o, record);
    case 'Waking':
      return planWaking(o, record, membership);
    default:
      return isWanted ? planSettingOut(o, record) : store(inPhase(record, 'Waking', o.nowMs));
  }
}

/** Members still run. They leave the Service first and are compared then, so they stop with what was seen. */
function planSettingOut(o: ClusterObservation, record: Operation): OperationPlan {
  const other = o.nodes.find(needsReplacement);
  if (other !== undefined) return givenUp(o, record, 'Repairing', `${other.name} is replaced first`);
  const inService = o.nodes.filter(({ serving }) => serving);
  if (inService.length > 0)
    return proceed(record, { steps: inService.map((node) => ({ kind: 'setServing', node, serving: false })) });
  const isolating = isGraceOver(record) ? record : inPhase(record, 'Isolating', o.nowMs);
  const open = openGrace(o, isolating);
  if (open !== undefined) return proceed(isolating, { waits: open });
  const { evidence, contents } = gatherAmong(scopeOf(o, record), o.nodes, true);
  const proving = inPhase(isolating, 'Proving', o.nowMs);
  if (evidence.isProven) return store(inPhase(proving, 'Stopping', o.nowMs), contents);
  const { update, removal } = o.cluster.spec;
  const limitSeconds = update.progressDeadlineSeconds + removal.clientGraceSeconds;
  if (o.nowMs - Date.parse(record.startedAt) > limitSeconds * 1000) {
    const why = evidence.missing === undefined ? '' : `: ${evidence.missing.message}`;
    return givenUp(o, record, 'DeadlineExceeded', `not proven within ${limitSeconds} s${why}`);
  }
  return proceed(proving, { waits: evidence.missing, contents });
}

/** Clients have had their time to move away: nobody waits until they are gone. What they write until the end is on the
 *  volumes. */
function openGrace(o: ClusterObservation, record: Operation): Hold | undefined {
  const inside = o.nodes.find(isBehindService);
  if (inside !== undefined) return hold('MemberLeaving', `${inside.name} is being taken out of the client Service`);
  const { clientGraceSeconds } = o.cluster.spec.removal;
  // An earlier version of the operator went on to Proving without it when there were no clients.
  const sinceMs = enteredMs(record, 'Isolating') ?? Date.parse(record.startedAt);
  if (o.nowMs - sinceMs >= clientGraceSeconds * 1000) return undefined;
  return hold('MemberLeaving', `clients have ${clientGraceSeconds} s to finish`);
}

/** The grace was over once: it does not begin anew with every pass that has not stored the phase after it yet. */
function isGraceOver(record: Operation): boolean {
  return enteredMs(record, 'Proving') !== undefined;
}

function givenUp(o: ClusterObservation, record: Operation, reason: Reason, message: string): OperationPlan {
  return store(turnedBack(record, 'Waking', { reason, message }, o.nowMs));
}

/** From here on all Pods end at once, and none is made again. */
function planStopping(o: ClusterObservation, record: Operation): OperationPlan {
  const running = stopSteps(o);
  if (running.length > 0) return proceed(record, { steps: running });
  const left = o.nodes.filter(({ pod, uid }) => pod?.ownerUid === uid);
  if (left.length === 0) return store(inPhase(record, 'Hibernated', o.nowMs));
  const names = namesOf(left);
  return proceed(record, { waits: hold('Hibernating', `the Pods of ${names} end`) });
}

/** The members are to run again before it was recorded that all have ended. If no operator ran meanwhile, they may have
 *  ended long ago. */
function planUnstopping(o: ClusterObservation, record: Operation): OperationPlan {
  const isOver = o.nodes.every(({ pod }) => pod === undefined) && tooLongHold(o, record) !== undefined;
  return store(inPhase(record, isOver ? 'Hibernated' : 'Waking', o.nowMs));
}

function stopSteps({ nodes }: ClusterObservation): readonly ClusterStep[] {
  return nodes
    .filter(({ stopped }) => stopped !== 'Hibernated')
    .map((node) => ({ kind: 'stopNode', node, how: 'Hibernated' }));
}

function planAsleep(o: ClusterObservation, record: Operation): OperationPlan {
  return proceed(record, { steps: stopSteps(o) });
}

/** The members are to come back: with the template that is asked for, and only while all still remember every
 *  deletion. */
function planRising(o: ClusterObservation, record: Operation): OperationPlan {
  const stamps = stampsToWake(o);
  if (stamps.length > 0) return proceed(record, { steps: stamps });
  const tooLong = tooLongHold(o, record);
  if (tooLong !== undefined) return proceed(record, { waits: tooLong });
  return store(inPhase(record, 'Waking', o.nowMs));
}

/** While no member runs, the template that is asked for by now reaches all of them with their start, unless a person
 *  holds up the update. */
function stampsToWake(o: ClusterObservation): readonly ClusterStep[] {
  const resting = restingReason(o)?.reason;
  if (resting === 'RolloutPaused' || resting === 'RolloutAwaitsApproval') return [];
  return o.nodes.flatMap((node): readonly ClusterStep[] => {
    const revision = revisionForStart(o, node);
    const isBehind = node.templateHash !== revision && !node.isDeleting && !hasLostVolume(node);
    return isBehind && isKept(o, revision) ? [{ kind: 'stampNode', node, revision }] : [];
  });
}

/** Why the members are not started without a person (grace.ts). */
function tooLongHold(o: ClusterObservation, record: Operation): Hold | undefined {
  const sinceMs = enteredMs(record, 'Stopping') ?? Number.NaN;
  if (!isAwayTooLong(o, sinceMs)) return undefined;
  const needed = neededGraceSeconds(sinceMs, o.nowMs);
  const message = `stopped since ${record.timeline?.findLast(({ phase }) => phase === 'Stopping')?.at ?? 'an unknown time'}, and members remember deletions for ${graceSeconds(o)} s: raise spec.gcGraceSeconds to ${needed} or more, then they start together; or accept that records are lost: annotate the MarekvsCluster marekvs.io/start-after-outage=<reason>`;
  return hold('HibernatedTooLong', message, true);
}

/** Until when the members can be started, as a time; undefined when that is over. */
function wakeableUntil(o: ClusterObservation, record: Operation): string | undefined {
  const sinceMs = enteredMs(record, 'Stopping');
  if (sinceMs === undefined || tooLongHold(o, record) !== undefined) return undefined;
  return timeText(startableUntilMs(o, sinceMs));
}

/** All members start at once, serve clients when they agree, and are compared; then everything else goes on. */
function planWaking(o: ClusterObservation, record: Operation, membership: Membership): OperationPlan {
  const stopped = o.nodes.filter((node) => node.stopped !== undefined);
  // Hibernation is wanted again before any member has started. The time since they were stopped goes on.
  if (o.cluster.spec.hibernated && record.cancel === undefined && o.nodes.every(({ pod }) => pod === undefined))
    return store(inPhase(record, 'Hibernated', o.nowMs));
  if (stopped.length > 0) return planStarting(o, record, stopped);
  const other = o.nodes.find(needsReplacement);
  if (other !== undefined) return finished(o, record, 'Repairing', `${other.name} is replaced`);
  const sinceMs = enteredMs(record, 'Waking') ?? Date.parse(record.startedAt);
  const steps = comingSteps(o, membership, o.nowMs - sinceMs > ALONE_MS);
  const { evidence, contents } = gatherAmong(scopeOf(o, record), o.nodes);
  const isServing = o.nodes.every((node) => node.serving && isBehindService(node));
  if (isServing && evidence.isProven) return finished(o, record, 'Woken', 'all members serve and have every record');
  const { progressDeadlineSeconds } = o.cluster.spec.update;
  if (o.nowMs - sinceMs > progressDeadlineSeconds * 1000) {
    const why = evidence.missing === undefined ? '' : `: ${evidence.missing.message}`;
    return finished(o, record, 'DeadlineExceeded', `not all are back within ${progressDeadlineSeconds} s${why}`);
  }
  return proceed(record, {
    steps,
    waits: evidence.missing ?? hold('WakingUp', 'members are let in to clients'),
    contents,
  });
}

/** No operator may have run since they were to be started: whether they may be is decided again. */
function planStarting(o: ClusterObservation, record: Operation, stopped: readonly NodeRecord[]): OperationPlan {
  const tooLong = tooLongHold(o, record);
  if (tooLong === undefined) return proceed(record, { steps: stopped.map((node) => ({ kind: 'startNode', node })) });
  const isNoneThere = o.nodes.every(({ pod }) => pod === undefined);
  return isNoneThere ? store(inPhase(record, 'Hibernated', o.nowMs)) : proceed(record, { waits: tooLong });
}

/** How long clients are kept out while a member is still missing: by then the others are found by name
 *  (docs/design/server.md#h7). */
const ALONE_MS = 90_000;

/** No client is let in to a member that shows only itself: it would answer nothing for keys of which it is no home. A
 *  member that missed the others when all started at once is given their addresses and restarted. */
function comingSteps(o: ClusterObservation, membership: Membership, isLate: boolean): readonly ClusterStep[] {
  const lonely = o.nodes.some(({ serving }) => serving) ? [] : restartLonelyMembers(o).steps;
  if (lonely.length > 0) return lonely;
  const shown = membership.kind === 'agreed' ? new Set(membership.lines.map(({ id }) => id)) : new Set<number>();
  return isLate || o.nodes.every(({ id }) => shown.has(id)) ? servingSteps(o, membership) : [];
}

function finished(o: ClusterObservation, record: Operation, reason: Reason, message: string): OperationPlan {
  const { cancel } = record;
  const isBack = reason === 'Woken';
  const text = cancel === undefined ? message : `not stopped: ${cancel.message}`;
  const outcome: LastOperation['outcome'] = isBack && cancel === undefined ? 'Succeeded' : 'Failed';
  const why = isBack && cancel !== undefined ? reasonOf(cancel.reason) : reason;
  return end(closed(record, { outcome, reason: why, message: text }, o.nowMs));
}

function reasonOf(text: string): Reason {
  return text === 'Repairing' ? 'Repairing' : 'DeadlineExceeded';
}

function scopeOf(o: ClusterObservation, record: Operation) {
  return { o, record, replicationFactor: sharedFactor(o) };
}

/** What a person should read first about a cluster that sleeps, goes to sleep, or wakes. */
export function hibernationHold(o: ClusterObservation, record: Operation): Hold | undefined {
  switch (record.phase) {
    case 'Hibernated': {
      if (!o.cluster.spec.hibernated) return tooLongHold(o, record) ?? wakingHold();
      const until = wakeableUntil(o, record);
      const how = `kubectl mkv wake ${o.cluster.name} -n ${o.cluster.namespace}`;
      const text = until === undefined ? `${how} is now refused` : `${how}, before ${until}`;
      return hold('Hibernated', `all members are stopped and their volumes kept: ${text}`);
    }
    case 'Waking':
      if (o.nodes.some(({ stopped }) => stopped !== undefined)) return tooLongHold(o, record) ?? wakingHold();
      return record.cancel === undefined ? wakingHold() : hold('WakingUp', `not stopped: ${record.cancel.message}`);
    default:
      return hold('Hibernating', PHASES[record.phase] ?? 'all members are being stopped');
  }
}

function wakingHold(): Hold {
  return hold('WakingUp', 'all members start together and are compared');
}

const PHASES: Readonly<Partial<Record<Operation['phase'], string>>> = {
  Claimed: 'all members are taken out of the clients’ way',
  Isolating: 'all members are taken out of the clients’ way',
  Proving: 'proving that every record is on all its homes',
  Stopping: 'the Pods of all members end, and their volumes are kept',
};
