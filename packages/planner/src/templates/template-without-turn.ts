// Answers: which nodes take up a template by themselves, without a turn of a rolling update? Those that never served
// clients, and those whose Pod cannot run: otherwise the correction of a mistake would never reach them. Pure.

import { isJoiningLate } from '../members/joining-late.ts';
import { hasOwnVolume, isKnownSilent, runsInPod, showsActive } from '../members/member-state.ts';
import { isOfOtherSecret } from '../members/passwords.ts';
import { podTrouble } from '../members/pod-trouble.ts';
import { isStillJoining, wasSeenLately } from '../members/replacement.ts';
import type { NodeRecord, PodRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import type { ClusterStep } from '../steps/cluster-step.ts';
import { revisionForStart, stoppedUpdate } from './revisions.ts';

export function stampSteps(o: ClusterObservation): readonly ClusterStep[] {
  const { spec, isFormed, operation } = o.cluster;
  const isOnDelete = isFormed && spec.update.type === 'OnDelete';
  return o.nodes
    .map((node) => ({ kind: 'stampNode', node, revision: revisionForStart(o, node) }) as const)
    .filter(({ node, revision }) => node.templateHash !== revision)
    .filter(({ node }) => !node.isDeleting && node.uid !== operation?.roll?.uid)
    .filter(({ node }) => isOnDelete || takesItUp(o, node) || isToBeMended(o, node));
}

/** False for a member that was seen lately: it may have served for a moment, unseen, before it fell silent. It may only
 *  be frozen, so it waits for its turn. */
function takesItUp(o: ClusterObservation, node: NodeRecord): boolean {
  const { isFormed } = o.cluster;
  if (isFormed && isLateJoiner(o, node)) return true;
  return mayStartAnew(o.nodes, node, isFormed) && !(isFormed && wasSeenLately(o, node));
}

/** True for a new member that has been joining for longer than a turn may take. Whether it copies its share for an hour
 *  or for ever cannot be told, and every turn waits for it, so it is started anew with the corrected template. What it
 *  has copied is on its volume. */
function isLateJoiner(o: ClusterObservation, node: NodeRecord): boolean {
  return node.intent === 'Active' && isJoiningLate(o, node) && isStillJoining(o, node);
}

/** True when the Pod has another template or Secret than the node's stamp and recreating it loses nothing. */
export function isOutdatedUnstarted(
  nodes: readonly NodeRecord[],
  node: NodeRecord,
  pod: PodRecord,
  { isFormed, nowMs }: { readonly isFormed: boolean; readonly nowMs: number },
): boolean {
  // A volume that is being deleted goes with the Pod, and what is on it may be nowhere else.
  if (isFormed && node.volume?.isTerminating === true) return false;
  const isOutdated = pod.templateHash !== undefined && pod.templateHash !== node.templateHash;
  if (isOutdated && (mayStartAnew(nodes, node, isFormed) || mayJoinAnew(nodes, node))) return true;
  return (isOutdated || isOfOtherSecret(node)) && cannotRun(node, nowMs);
}

/** True for a member that never served clients, was never known to be Active, and does not answer now. Before the
 *  cluster is formed no member serves clients, and those that run may keep the others from getting a host. */
function mayStartAnew(nodes: readonly NodeRecord[], node: NodeRecord, isFormed: boolean): boolean {
  if (node.serving || node.intent !== 'Active') return false;
  return !isFormed || (isKnownSilent(node) && isNobodysYet(nodes, node));
}

/** The same for a member that reports that it is joining for the first time: it is a home of nothing
 *  (docs/decisions/members-without-proof.md). */
function mayJoinAnew(nodes: readonly NodeRecord[], node: NodeRecord): boolean {
  const { serving, intent, answer } = node;
  return (
    !serving && intent === 'Active' && answer.kind === 'joining' && hasOwnVolume(node) && isNobodysYet(nodes, node)
  );
}

function isNobodysYet(nodes: readonly NodeRecord[], node: NodeRecord): boolean {
  return !node.wasActive && node.pod?.isReady !== true && !isShownActive(nodes, node);
}

/** True when a member shows it with primaries: cluster-aware clients write to it, and it may only be frozen. */
function isShownActive(nodes: readonly NodeRecord[], { id }: NodeRecord): boolean {
  return nodes.some((one) => showsActive(one, id));
}

/** A member that failed its turn stays as it is when the spec does not want a rollback. */
function isToBeMended(o: ClusterObservation, node: NodeRecord): boolean {
  const stopped = stoppedUpdate(o.cluster);
  if (stopped?.nodeUID === node.uid && !o.cluster.spec.update.rollbackOnFailure) return false;
  return node.intent === 'Active' && cannotRun(node, o.nowMs);
}

/** True when no process runs and none will with this template: because of its image, its settings, its host, or because
 *  it ends again and again. Its data stays on its volume. */
export function cannotRun(node: NodeRecord, nowMs: number): boolean {
  const { pod } = node;
  if (pod === undefined || pod.isTerminating || pod.ownerUid !== node.uid) return false;
  return !runsInPod(node) && isKnownSilent(node) && podTrouble(node, pod, nowMs)?.needsPerson === true;
}
