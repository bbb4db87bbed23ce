// Answers: which member has the next turn of a rolling update, and what keeps it from beginning? One at a time,
// whatever spec.update allows: any two members of a cluster are homes of some partition together
// (docs/decisions/rolling-updates.md).

import type { Operation } from '@marekvs/api';
import { restartPreflight } from '../../evidence/preflight/preflight.ts';
import { isHeldOut, isKnownSilent, runsInPod } from '../../members/member-state.ts';
import { passwordHold } from '../../members/passwords.ts';
import { needsReplacement } from '../../members/replacement.ts';
import type { NodeRecord } from '../../observation/node-record.ts';
import type { ClusterObservation } from '../../observation/observation.ts';
import {
  currentUpdate,
  isKept,
  isUpdated,
  revisionBefore,
  runningRevision,
  stoppedUpdate,
} from '../../templates/revisions.ts';
import { type Hold, hold, namesOf } from '../../values/hold.ts';
import { isVolumeRestartDue } from '../../volumes/claim-change.ts';
import { begun, none, type OperationPlan, operationId, rollOf, store } from '../record.ts';
import { type WayOfTurn, wayOfTurn } from './way-of-turn.ts';

/** A new turn, if a member runs another template than is asked for and no check blocks its restart now. */
export function planNextTurn(o: ClusterObservation): OperationPlan {
  const node = nextNode(o);
  if (node === undefined || restingReason(o) !== undefined) return none();
  if (o.isInLine)
    return none(
      hold(
        'RolloutInLine',
        `${node.name} waits: members of a few clusters are restarted at a time, and others were first`,
      ),
    );
  const way = wayOfTurn(o, node);
  const what = way === 'restart' ? 'restarting' : 'resizing';
  const missing = passwordHold(o) ?? missingRevision(o, node) ?? restartPreflight(o, node, 'Turn') ?? unknownWay(way);
  if (missing !== undefined) return none({ ...missing, message: `${what} ${node.name} waits: ${missing.message}` });
  return store(newTurn(o, node, way));
}

/** A member is to be restarted, now or as soon as something lets it. */
export function isTurnPending(o: ClusterObservation): boolean {
  const isWanted = o.cluster.isFormed && !o.cluster.isDeleting && !o.cluster.spec.paused;
  return isWanted && restingReason(o) === undefined && nextNode(o) !== undefined;
}

/** True when a held-out member is to be restarted. Whatever else waits for all members to be whole waits for that. */
export function isMendPending(o: ClusterObservation): boolean {
  const node = isTurnPending(o) ? nextNode(o) : undefined;
  return node !== undefined && isHeldOut(node) && mayLeave(node) && !isUpdated(node, o.cluster.templateHash);
}

/** Why no further member is restarted: one has failed, or the spec or a person holds back those with an older template
 *  or a grown volume; undefined otherwise. */
export function restingReason(o: ClusterObservation): Hold | undefined {
  const { spec, rollout } = o.cluster;
  const stopped = stoppedHold(o);
  // Also when the failed member was the last: it stays as it is when rollback is not wanted.
  if (stopped !== undefined) return stopped;
  const outdated = outdatedNodes(o);
  const grown = grownNodes(o);
  const { revision, total } = currentUpdate(o);
  if (spec.update.type === 'OnDelete' && outdated.length > 0)
    return hold('RolloutOnDelete', `${namesOf(outdated)} take up revision ${revision} when their Pods are deleted`);
  if (spec.update.type === 'OnDelete' && grown.length > 0)
    return hold('RolloutOnDelete', `${namesOf(grown)} take up the size of their volumes when their Pods are deleted`);
  if (rollout.isPaused && outdated.length > 0)
    return hold('RolloutPaused', `${namesOf(outdated)} keep the older template: the update is paused`);
  if (rollout.isPaused && grown.length > 0)
    return hold('RolloutPaused', `${namesOf(grown)} await a restart for their volumes: the update is paused`);
  if (outdated.length === 0) return undefined;
  const taken = total - outdated.length;
  const isAtCanaries = spec.update.canaryNodes > 0 && taken >= spec.update.canaryNodes;
  if (isAtCanaries && rollout.approved !== revision)
    return hold(
      'RolloutAwaitsApproval',
      `${taken} of ${total} members have revision ${revision}; the others wait until it is approved`,
    );
  return undefined;
}

/** Why the update has stopped, in one sentence; undefined while it has not. */
export function stoppedHold(o: ClusterObservation): Hold | undefined {
  const stopped = stoppedUpdate(o.cluster);
  if (stopped === undefined) return undefined;
  return hold(
    'RolloutStopped',
    `the update to revision ${o.cluster.templateHash} has stopped at ${stopped.node}: ${stopped.message}`,
    true,
  );
}

/** Members that stay and have another template than is asked for, highest id first. */
export function outdatedNodes(o: ClusterObservation): readonly NodeRecord[] {
  const { templateHash } = o.cluster;
  return o.nodes
    .filter((node) => !needsReplacement(node) && !isUpdated(node, templateHash))
    .sort((a, b) => b.id - a.id);
}

/** How a member gets the template that is asked for; `nextPod`: it does not run, and is not asked to leave
 *  (template-without-turn.ts). */
export interface ComingTurn {
  readonly node: NodeRecord;
  readonly way: WayOfTurn | 'nextPod';
}

/** Members that will have their turn, in order, without the one that has it; also while something blocks them. */
export function comingTurns(o: ClusterObservation): readonly ComingTurn[] {
  if (!o.cluster.isFormed || o.cluster.isDeleting) return [];
  const underWay = o.cluster.operation?.roll?.uid;
  return inTurn(o)
    .filter(({ uid }) => uid !== underWay)
    .map((node) => ({ node, way: mayLeave(node) ? wayOfTurn(o, node) : 'nextPod' }));
}

/** A member that has to be restarted for its template takes up both, and so comes first. */
function nextNode(o: ClusterObservation): NodeRecord | undefined {
  return inTurn(o)[0] ?? grownNodes(o).filter(mayLeave).at(-1);
}

/** Members that stay and whose volumes take up their size only with a restart of the Pod. */
function grownNodes(o: ClusterObservation): readonly NodeRecord[] {
  return o.nodes.filter((node) => !needsReplacement(node) && isVolumeRestartDue(node, o.nowMs));
}

/** A held-out member comes first, since it keeps the others from their turns. */
function inTurn(o: ClusterObservation): readonly NodeRecord[] {
  const rank = (node: NodeRecord): number => (!mayLeave(node) ? 2 : isHeldOut(node) ? 0 : 1);
  return [...outdatedNodes(o)].sort((a, b) => rank(a) - rank(b));
}

function mayLeave(node: NodeRecord): boolean {
  return runsInPod(node) && !isKnownSilent(node);
}

/** Both the new template and the one of its node are stored before anything is done. */
export function missingRevision(o: ClusterObservation, node: NodeRecord): Hold | undefined {
  const hash = [o.cluster.templateHash, node.templateHash].find((needed) => !isKept(o, needed));
  return hash === undefined ? undefined : hold('InvalidRevision', `revision ${hash} is being stored`);
}

function unknownWay(way: WayOfTurn): Hold | undefined {
  return way === 'unknown' ? hold('NotObserved', 'the API server is asked whether it resizes running Pods') : undefined;
}

export function newTurn(o: ClusterObservation, node: NodeRecord, way: WayOfTurn): Operation {
  const { templateHash } = o.cluster;
  const isOfVolume = isUpdated(node, templateHash);
  const chosen = isOfVolume
    ? 'its volume has grown, and its file system takes that up when its Pod starts anew'
    : `it has revision ${runningRevision(node)}, and ${templateHash} is asked for`;
  const roll = rollOf(node, revisionBefore(node, templateHash), isOfVolume ? 'Volume' : undefined);
  return begun(o, operationId(node, o), { type: 'Roll', chosen, roll }, way === 'resize' ? 'Resizing' : 'Claimed');
}
