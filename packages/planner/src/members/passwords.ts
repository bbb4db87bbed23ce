// Answers: which members require the password that the spec names, and may the templates of their next Pods follow?
// Nodes give it to running members (node-plan.ts). Once every running member is known to require it, the templates get
// the new Secret. The same write notes that running Pods count as made from it, so that none is restarted for this
// (docs/decisions/passwords.md). Pure.

import type { NodeRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import type { ClusterStep } from '../steps/cluster-step.ts';
import { type Hold, hold, namesOf } from '../values/hold.ts';
import { NO_PASSWORD, type PasswordSource } from '../values/password-source.ts';
import { hasLastingPod, hasPast, runsInPod } from './member-state.ts';

/** True when the member's last answer shows that it lets in clients with this password and no others. False for a
 *  member that has not answered. */
export function wantsPassword({ answer }: Pick<NodeRecord, 'answer'>, source: PasswordSource): boolean {
  if (answer.kind !== 'serving') return false;
  if (source === NO_PASSWORD) return answer.isGuarded !== true;
  return answer.isGuarded === true && answer.wants === source && answer.hasOldPassword !== true;
}

/** Members that answer and require another password than this, or none. */
export function membersWithOtherPassword(nodes: readonly NodeRecord[], source: PasswordSource): readonly NodeRecord[] {
  return nodes.filter((node) => node.answer.kind === 'serving' && !node.isDeleting && !wantsPassword(node, source));
}

/** True when at least one member runs and all running members require this password. A member without a process takes
 *  up whatever its next Pod is made from, and one that never joined lets no client in: neither counts. */
export function isWantedByAll(nodes: readonly NodeRecord[], source: PasswordSource): boolean {
  const running = nodes.filter(mayLetClientsIn);
  return running.length > 0 && running.every((node) => wantsPassword(node, source));
}

function mayLetClientsIn(node: NodeRecord): boolean {
  const hasJoined = hasPast(node) || node.answer.kind === 'serving';
  return hasJoined && !node.isDeleting && hasLastingPod(node) && runsInPod(node);
}

/** Stamps the nodes that do not have the Secret in force yet, then clears the notes of Secrets that no member can
 *  require any more. */
export function passwordSteps(o: ClusterObservation): readonly ClusterStep[] {
  const { password, isFormed, operation } = o.cluster;
  // Before the cluster is formed, its members take up every change with a new Pod.
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

/** True when it notes more than what its Pods are, or were, started with. */
function hasNeedlessNote(node: NodeRecord): boolean {
  const { passwordsGiven = [], pod } = node;
  return passwordsGiven.some((source) => source !== sourceOf(node) && source !== pod?.password);
}

/** Set while members are given another password, which takes seconds; undefined otherwise, and while it cannot be done.
 *  Turns of an update begin afterwards: a restarted member is started with the Secret in force. */
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

/** True when this Pod starts its process with another Secret than a new Pod would. After a crash the process requires
 *  the old password again, and it does not start at all once the old Secret is gone. */
export function isOfOtherSecret(node: NodeRecord): boolean {
  return node.pod?.password !== undefined && node.pod.password !== sourceOf(node);
}
