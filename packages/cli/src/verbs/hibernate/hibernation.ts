// Answers: what happens on a request to stop all members, or to start them again? The operator's own rules decide;
// their answer is shown before anything is written. Pure.

import { ANNOTATIONS, findCondition, type MarekvsCluster, withDefaults } from '@marekvs/api';
import { isPastGrace, neededGraceSeconds, reusableForMs, timeMs, timeText } from '@marekvs/planner';
import { type Change, operationCheck, refused } from '../../changing/change.ts';

/** The requested state, and what the operator checks first. */
export type SleepChange = Change<{ readonly isHibernated: boolean; readonly checks: readonly string[] }>;

export function hibernateChange(cluster: MarekvsCluster): SleepChange {
  const { metadata, spec, status } = cluster;
  const { namespace, name } = metadata;
  const ref = `${name} -n ${namespace}`;
  if (metadata.deletionTimestamp !== undefined)
    return refused(`${name} is being deleted`, `kubectl mkv explain ${ref}`);
  if (spec.hibernated === true)
    return { kind: 'same', text: `${name} is ${isStopped(cluster) ? 'hibernated' : 'to be hibernated'} already` };
  if (status?.formed === undefined)
    return refused(`${name} has never been formed, so there is nothing to stop`, `kubectl mkv status ${ref} --watch`);
  return {
    kind: 'change',
    isHibernated: true,
    checks: checksBefore(cluster),
    did: `${name} is to be hibernated${spec.paused === true ? '; it is paused, so nothing happens before it is resumed' : ''}`,
    next: `all members stop once every record is on all its homes; kubectl mkv status ${ref} --watch; kubectl mkv wake ${ref} takes it back`,
  };
}

/** In the order in which the operator checks them. */
function checksBefore(cluster: MarekvsCluster): readonly string[] {
  const { spec, status } = cluster;
  const replicated = findCondition(status?.conditions, 'FullyReplicated');
  const { replicationFactor } = withDefaults(spec);
  const wanted = status?.desiredNodes;
  return [
    operationCheck(cluster),
    `${status?.readyNodes ?? '?'} of ${wanted ?? '?'} members are ready${status?.readyNodes === wanted ? '' : ': all have to be'}`,
    replicated?.status === 'True'
      ? 'every record was on all its homes when it was last compared; it is compared again before they stop'
      : `contents: ${replicated?.message ?? 'not known'}; they stop when every record is on all its homes`,
    ...(replicationFactor < 2
      ? ['replicationFactor 1: a volume that is lost meanwhile takes the only copy of its keys with it']
      : []),
  ];
}

export function wakeChange(cluster: MarekvsCluster, nowMs: number): SleepChange {
  const { metadata, spec } = cluster;
  const { namespace, name } = metadata;
  const ref = `${name} -n ${namespace}`;
  if (spec.hibernated !== true) return { kind: 'same', text: `${name} is not hibernated` };
  const age = ageOf(cluster, nowMs);
  if (age?.isTooOld === true)
    return refused(
      `${name} has been stopped since ${age.since}, and its members remember deletions for ${age.graceSeconds} s: started as they are, each would drop what the first one does not have`,
      `kubectl patch mkv ${ref} --type merge -p '{"spec":{"gcGraceSeconds":${age.neededSeconds}}}', then kubectl mkv wake ${ref}`,
    );
  return {
    kind: 'change',
    isHibernated: false,
    checks: [
      age === undefined
        ? 'not all members have stopped yet: those that have are started again'
        : `stopped since ${age.since}, and may be started until ${age.until}`,
      ...pendingText(cluster),
    ],
    did: `${name} is woken${spec.paused === true ? '; it is paused, so nothing happens before it is resumed' : ''}`,
    next: `all members start together; kubectl mkv status ${ref} --watch`,
  };
}

function pendingText({ status }: MarekvsCluster): readonly string[] {
  const fields = (status?.pendingChanges ?? []).map(({ field }) => field);
  return fields.length === 0 ? [] : [`what was changed meanwhile comes into force: ${fields.join(', ')}`];
}

/** How old the contents of the volumes are; undefined before all members have stopped. `isTooOld` is false once a
 *  person has accepted a loss. */
function ageOf({ metadata, spec, status }: MarekvsCluster, nowMs: number) {
  const operation = status?.operation;
  if (operation?.type !== 'Hibernate' || operation.phase !== 'Hibernated') return undefined;
  const since = operation.timeline?.findLast(({ phase }) => phase === 'Stopping')?.at;
  const sinceMs = timeMs(since) ?? Number.NaN;
  // The value that the members will be started with.
  const graceSeconds = withDefaults(spec).gcGraceSeconds;
  const isAccepted = (metadata.annotations?.[ANNOTATIONS.startAfterOutage] ?? '').trim() !== '';
  const untilMs = sinceMs + reusableForMs(graceSeconds);
  return {
    since: since ?? 'an unknown time',
    until: Number.isNaN(untilMs) ? 'an unknown time' : timeText(untilMs),
    graceSeconds,
    neededSeconds: neededGraceSeconds(sinceMs, nowMs),
    isTooOld: !isAccepted && isPastGrace(sinceMs, nowMs, graceSeconds),
  };
}

/** No member runs. */
export function isStopped({ status }: MarekvsCluster): boolean {
  return findCondition(status?.conditions, 'Hibernated')?.status === 'True';
}

/** All members run again, and the cluster is healthy. */
export function isAwake({ status }: MarekvsCluster): boolean {
  return findCondition(status?.conditions, 'Hibernated') === undefined && status?.phase === 'Healthy';
}
