// Answers: what happens on a request to take one member off its volume, or to let it run again? The operator's own
// rules decide; their answer is shown before anything is written. Pure.

import { ANNOTATIONS, type MarekvsCluster, type MarekvsNode, withDefaults } from '@marekvs/api';
import { isPastGrace, reusableForMs, timeMs } from '@marekvs/planner';
import { type Change, operationCheck, refused } from '../../changing/change.ts';

export type SuspendChange = Change<{ readonly words: string | null; readonly checks: readonly string[] }>;

export interface Wish {
  /** Who asks, and what for. */
  readonly words: string;
  readonly acceptsOnlyCopy: boolean;
}

export function suspendChange(
  cluster: MarekvsCluster,
  nodes: readonly MarekvsNode[],
  node: MarekvsNode,
  { words, acceptsOnlyCopy }: Wish,
): SuspendChange {
  const { namespace, name } = node.metadata;
  const ref = `${cluster.metadata.name} -n ${namespace}`;
  if (node.metadata.deletionTimestamp !== undefined)
    return refused(`${name} is leaving`, `kubectl mkv proof ${name} -n ${namespace}`);
  if (cluster.status?.formed === undefined)
    return refused(`${cluster.metadata.name} has never been formed`, `kubectl mkv status ${ref} --watch`);
  const asked = node.metadata.annotations?.[ANNOTATIONS.suspend];
  if (asked !== undefined) return { kind: 'same', text: `${name} is asked to be suspended already: ${asked}` };
  const other = nodes.find(({ metadata }) => metadata.annotations?.[ANNOTATIONS.suspend] !== undefined);
  if (other !== undefined)
    return refused(
      `${other.metadata.name} is suspended, or is to be: one at a time`,
      `kubectl mkv resume-member ${other.metadata.name} -n ${namespace}`,
    );
  if (cluster.spec.hibernated === true)
    return refused(`${cluster.metadata.name} is hibernated, or is to be`, `kubectl mkv wake ${ref}`);
  if (withDefaults(cluster.spec).replicationFactor < 2 && !acceptsOnlyCopy)
    return refused(
      `with replicationFactor 1 nobody else has what ${name} holds, and its keys would be away meanwhile`,
      `accept that with --only-copy, or raise spec.replicationFactor`,
    );
  return {
    kind: 'change',
    words: `${acceptsOnlyCopy ? 'only-copy/' : ''}${words}`.slice(0, MAX_REASON_LENGTH),
    checks: checksBefore(cluster, nodes, node),
    did: `${name} is to be taken off its volume`,
    next: `its Pod ends once the others have what it has; kubectl mkv status ${ref} --watch; kubectl mkv resume-member ${name} -n ${namespace} brings it back`,
  };
}

/** Messages repeat no more than this. */
const MAX_REASON_LENGTH = 253;

function checksBefore(cluster: MarekvsCluster, nodes: readonly MarekvsNode[], node: MarekvsNode): readonly string[] {
  const down = nodes.filter((one) => one.metadata.uid !== node.metadata.uid && one.status?.phase !== 'Active');
  const names = down.map(({ metadata }) => metadata.name).join(', ');
  const limitSeconds = Math.floor(reusableForMs(withDefaults(cluster.spec).gcGraceSeconds) / 1000);
  return [
    operationCheck(cluster),
    down.length === 0 ? 'all other members are up' : `${names} not up: all others have to be`,
    `it has to be back within ${limitSeconds} s; meanwhile nothing else is restarted, removed or updated`,
  ];
}

export function resumeChange(cluster: MarekvsCluster, node: MarekvsNode, nowMs: number): SuspendChange {
  const { namespace, name } = node.metadata;
  const ref = `${cluster.metadata.name} -n ${namespace}`;
  if (node.metadata.annotations?.[ANNOTATIONS.suspend] === undefined)
    return { kind: 'same', text: `${name} is not suspended` };
  const { operation } = cluster.status ?? {};
  const isOfIt = operation?.type === 'Suspend' && operation.roll?.uid === node.metadata.uid;
  const since = isOfIt ? operation.timeline?.findLast(({ phase }) => phase === 'Stopping')?.at : undefined;
  const grace = node.spec.template.gcGraceSeconds;
  const sinceMs = timeMs(since);
  const isTooOld = sinceMs !== undefined && isPastGrace(sinceMs, nowMs, grace);
  const isAccepted = (cluster.metadata.annotations?.[ANNOTATIONS.startAfterOutage] ?? '').trim() !== '';
  if (isTooOld && !isAccepted)
    return refused(
      `${name} has been off its volume since ${since}, and the others remember deletions for ${grace} s: as it is it is not started again`,
      `let a new node take its place: kubectl mkv replace ${name} -n ${namespace}`,
    );
  return {
    kind: 'change',
    words: null,
    checks: [since === undefined ? 'it has not been stopped' : `stopped since ${since}`],
    did: `${name} is to run again`,
    next: `its Pod is made again on its volume, and the others bring it what it has missed; kubectl mkv status ${ref} --watch`,
  };
}

/** The member has been taken off its volume. */
export function isOff({ status }: MarekvsCluster, name: string): boolean {
  const operation = status?.operation;
  return operation?.roll?.name === name && operation.phase === 'Suspended';
}

export function isBack({ status }: MarekvsCluster): boolean {
  return status?.operation === undefined && status?.phase === 'Healthy';
}
