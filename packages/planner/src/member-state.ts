// Answers, for one member: is it Active, and does anybody list it? From the members' own answers only; never a stored
// phase.

import { LABELS } from '@marekvs/api';
import type { ClusterObservation, NodeRecord } from './observation.ts';
import type { ViewLine } from './view-line.ts';

/** Active as it reports itself: it serves commands and shows itself with primaries
 *  (docs/design/server.md#phases-seen-from-outside). */
export function isActiveMember(node: NodeRecord): boolean {
  return showsActive(node, node.id);
}

/** It shows the member of this id with primaries: clients that know homes write to that one. */
export function showsActive({ answer }: NodeRecord, id: number): boolean {
  return answer.kind === 'serving' && answer.view.some((line) => line.id === id && line.hasPrimaries);
}

/** Its Pod is an endpoint of the client Service, as soon as it is ready: what is written to its node,
 *  the Pod gets a moment later. */
export function isBehindService({ pod }: NodeRecord): boolean {
  return pod?.labels[LABELS.serving] === 'true';
}

/** Active, let in to clients, and not about to end: it counts as one that carries its share. */
export function isCarrying(node: NodeRecord): boolean {
  return node.serving && node.pod !== undefined && !node.pod.isTerminating && isActiveMember(node);
}

/** True when somebody else serves and no serving member lists this one. Without anybody to ask that is not known:
 *  false. */
export function isUnlisted(o: Pick<ClusterObservation, 'nodes'>, node: NodeRecord): boolean {
  return isShownByNobody(o, node, () => true);
}

/** True when somebody else serves and no serving member shows this one with primaries. */
export function isShownByNobodyActive(o: Pick<ClusterObservation, 'nodes'>, node: NodeRecord): boolean {
  return isShownByNobody(o, node, (line) => line.hasPrimaries);
}

function isShownByNobody(
  { nodes }: Pick<ClusterObservation, 'nodes'>,
  { id }: NodeRecord,
  isCounted: (line: ViewLine) => boolean,
): boolean {
  const views = nodes.flatMap(({ answer }) => (answer.kind === 'serving' ? [answer.view] : []));
  return views.length > 0 && !views.some((view) => view.some((line) => line.id === id && isCounted(line)));
}

/** A process of it runs in its own Pod: the container has started, and does not wait to be started again after a
 *  crash. */
export function runsInPod({ uid, pod }: NodeRecord): boolean {
  return pod?.ownerUid === uid && pod.phase === 'Running' && pod.waiting === undefined;
}

/** It runs and is ready, and takes no password that is known here. Its figures and contents want none. */
export function isLockedOut({ uid, pod, answer }: NodeRecord): boolean {
  const isUp = pod?.ownerUid === uid && pod.isReady && !pod.isTerminating;
  return isUp && answer.kind === 'silent' && answer.isLocked === true;
}

/** True when it is known that no process of this member serves: it did not answer, it has no address to be asked at, or
 *  its container has never started (a Pod has its address before its image). One that was not asked yet may serve. */
export function isKnownSilent({ answer, pod }: NodeRecord): boolean {
  return answer.kind === 'silent' || (answer.kind === 'notAsked' && (pod?.ip === undefined || pod.phase === 'Pending'));
}
