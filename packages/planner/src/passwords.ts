// Answers: which members want the password that the spec names, and may what their next Pods are made from follow? Each
// member is told by its node while it runs (node-plan.ts). Only when every one that runs has shown that it wants it,
// the templates of the nodes are given the other Secret: in one write with a note that the Pods that run count as made
// from it, so that nobody is restarted for this (docs/decisions/0040-another-secret-while-members-run.md). Pure.

import type { ClusterStep } from './cluster-step.ts';
import { type Hold, hold, namesOf } from './hold.ts';
import { runsInPod } from './membership.ts';
import type { ClusterObservation, NodeRecord } from './observation.ts';
import { NO_PASSWORD, type PasswordSource } from './password-source.ts';

/** By its last answer it lets in clients with this password, and no others. One that has not answered has shown
 *  nothing. */
export function wantsPassword({ answer }: Pick<NodeRecord, 'answer'>, source: PasswordSource): boolean {
  if (answer.kind !== 'serving') return false;
  if (source === NO_PASSWORD) return answer.isGuarded !== true;
  return answer.isGuarded === true && answer.wants === source && answer.hasOldPassword !== true;
}

/** Members that answer, and want another password than this, or none. */
export function membersWithOtherPassword(nodes: readonly NodeRecord[], source: PasswordSource): readonly NodeRecord[] {
  return nodes.filter((node) => node.answer.kind === 'serving' && !node.isDeleting && !wantsPassword(node, source));
}

/** Every member that runs has shown that it wants this password, and there is one. A member of which no process runs
 *  takes up whatever its next Pod is made from; one that never joined lets nobody in. */
export function isWantedByAll(nodes: readonly NodeRecord[], source: PasswordSource): boolean {
  const running = nodes.filter(mayLetClientsIn);
  return running.length > 0 && running.every((node) => wantsPassword(node, source));
}

function mayLetClientsIn(node: NodeRecord): boolean {
  const hasJoined = node.serving || node.wasActive || node.answer.kind === 'serving';
  return hasJoined && !node.isDeleting && node.pod?.isTerminating === false && runsInPod(node);
}

/** The templates of nodes that do not have the Secret that is in force by now; and notes of Secrets that
 *  nobody can want any more. */
export function passwordSteps(o: ClusterObservation): readonly ClusterStep[] {
  const { password, isFormed, operation } = o.cluster;
  // Before it is formed its members take up every change with a new Pod.
  if (password === undefined || !isFormed || password.asked !== password.stamped) return [];
  const staying = o.nodes.filter(({ isDeleting, uid }) => !isDeleting && uid !== operation?.roll?.uid);
  const behind = staying.filter((node) => sourceOf(node) !== password.stamped);
  if (behind.length > 0) return behind.map((node) => ({ kind: 'stampPassword', node }));
  if (!isWantedByAll(o.nodes, password.asked)) return [];
  return staying.filter(hasNeedlessNote).map((node) => ({ kind: 'forgetPasswords', node }));
}

/** What its next Pod is started with. */
function sourceOf({ password }: NodeRecord): PasswordSource {
  return password ?? NO_PASSWORD;
}

/** It names more than what its Pods are, or were, started with. */
function hasNeedlessNote(node: NodeRecord): boolean {
  const { passwordsGiven = [], pod } = node;
  return passwordsGiven.some((source) => source !== sourceOf(node) && source !== pod?.password);
}

/** Members are being given another password, which takes seconds; undefined while they are not, and
 *  while that cannot be done. Turns of an update begin afterwards: a member that starts anew is started
 *  with the Secret that is in force. */
export function passwordHold(o: ClusterObservation): Hold | undefined {
  const { password, isFormed } = o.cluster;
  if (password === undefined || !isFormed) return undefined;
  const { asked, stamped, isUsable } = password;
  const behind = isUsable ? membersWithOtherPassword(o.nodes, asked) : [];
  if (behind.length > 0)
    return hold('PasswordRotating', `the password of the spec is given to ${namesOf(behind)} first`);
  const unstamped = o.nodes.filter((node) => !node.isDeleting && sourceOf(node) !== asked);
  const isFollowing = asked === stamped || isWantedByAll(o.nodes, asked);
  if (unstamped.length === 0 || !isFollowing) return undefined;
  return hold('PasswordRotating', `the templates of ${namesOf(unstamped)} follow the Secret of the spec first`);
}

/** What a process is started with in this Pod is not what a new Pod is made with: after an end of the process in it, it
 *  wants the one of before, and does not start at all once that Secret is gone. */
export function isOfOtherSecret(node: NodeRecord): boolean {
  return node.pod?.password !== undefined && node.pod.password !== sourceOf(node);
}
