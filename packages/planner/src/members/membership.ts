// Answers: which members are in the cluster, according to the members themselves?
// Every running member must have answered and all answers must be equal; anything less is unknown, with the reason.

import { LABELS, type Reason } from '@marekvs/api';
import type { NodeRecord, PodRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import { type Hold, hold, namesOf } from '../values/hold.ts';
import { leadingLess, type ViewLine, viewKey } from '../values/view-line.ts';

export interface UnknownMembership {
  readonly kind: 'unknown';
  readonly reason: Reason;
  readonly message: string;
}

/** `none`: no member serves yet. `agreed`: every serving member shows exactly these lines. */
export type Membership =
  | { readonly kind: 'none' }
  | UnknownMembership
  | { readonly kind: 'agreed'; readonly lines: readonly ViewLine[] };

/** What the running members agree on. Pure. A member that is still joining is not asked for a view;
 *  one that should serve and is silent, or was not asked yet, makes the membership unknown. */
export function agreeOnMembership(nodes: readonly NodeRecord[]): Membership {
  const serving = nodes.filter((node) => node.answer.kind === 'serving');
  if (serving.length === 0) return nodes.some(shouldServe) ? silence(nodes) : { kind: 'none' };
  const missing = nodes.filter((node) => shouldServe(node) && node.answer.kind !== 'serving');
  if (missing.length > 0) return silence(nodes);
  const groups = groupByView(serving);
  if (groups.length > 1) return disagreement(groups);
  return { kind: 'agreed', lines: viewOf(serving[0]) };
}

/** Serving members grouped by what they show, largest group first, then the one with the lowest id. */
export function groupByView(serving: readonly NodeRecord[]): readonly (readonly NodeRecord[])[] {
  const groups = new Map<string, NodeRecord[]>();
  for (const node of serving) {
    const key = viewKey(viewOf(node));
    const group = groups.get(key);
    if (group) group.push(node);
    else groups.set(key, [node]);
  }
  return [...groups.values()].sort((a, b) => b.length - a.length || lowestId(a) - lowestId(b));
}

/** The lines a serving node showed; empty for one that does not serve. */
export function viewOf(node: NodeRecord | undefined): readonly ViewLine[] {
  return node?.answer.kind === 'serving' ? node.answer.view : [];
}

/** True when a member's process runs and was once reported ready, so that its silence means something.
 *  A Pod of another owner is no member: it is never asked. Nor is one whose door is closed: the others speak for it. */
function shouldServe({ pod, uid }: NodeRecord): boolean {
  return pod?.isReady === true && !pod.isTerminating && pod.ownerUid === uid && !pod.isSealed;
}

function silence(nodes: readonly NodeRecord[]): UnknownMembership {
  const silent = nodes.filter((node) => shouldServe(node) && node.answer.kind !== 'serving');
  const notAsked = silent.filter((node) => node.answer.kind === 'notAsked');
  if (notAsked.length === silent.length) {
    return {
      kind: 'unknown',
      reason: 'NotObserved',
      message: `${namesOf(silent)} not asked yet`,
    };
  }
  const error = silent.map((node) => (node.answer.kind === 'silent' ? node.answer.error : '')).find((e) => e !== '');
  return {
    kind: 'unknown',
    reason: 'MemberSilent',
    message: `${namesOf(silent)} of ${nodes.length} members did not answer${error ? `: ${error}` : ''}`,
  };
}

function disagreement(groups: readonly (readonly NodeRecord[])[]): UnknownMembership {
  const differences = groups.map((group) => `${namesOf(group)} show ${shownIds(group[0])}`);
  return {
    kind: 'unknown',
    reason: 'ViewsDisagree',
    message: `members show different lists: ${differences.join('; ')}`,
  };
}

function shownIds(node: NodeRecord | undefined): string {
  const shown = viewOf(node)
    .map((line) => line.id)
    .sort((a, b) => a - b);
  return shown.length === 0 ? 'nobody' : shown.join(',');
}

function lowestId(nodes: readonly NodeRecord[]): number {
  return Math.min(...nodes.map((node) => node.id));
}

// Answers, for one member: is it Active, and does anybody list it? From the members' own answers only; never a stored
// phase.
/** Active as it reports itself: it serves commands and shows itself with primaries
 *  (docs/design/server.md#phases-seen-from-outside). */
export function isActiveMember(node: NodeRecord): boolean {
  return showsActive(node, node.id);
}

/** True when the member serves commands and leads nothing, or less than it should, and nobody here has told it to
 *  leave: somebody else has drained it (operations/mending/drained.ts). It stays a full home. The port for commands
 *  opens once a member has primaries. */
export function isDrainedOutside(node: NodeRecord): boolean {
  const { uid, pod, answer, intent, removalMark, stopped, isDeleting } = node;
  if (answer.kind !== 'serving' || !leadingLess(answer.view).has(node.id)) return false;
  const isUp = pod?.ownerUid === uid && pod.isReady && !pod.isTerminating && !pod.isLeaving && !pod.isSealed;
  const isTold = intent !== 'Active' || removalMark !== undefined || stopped !== undefined || isDeleting;
  return isUp && !isTold;
}

/** A process of it is there and has joined: it shows its list, or its figures behind a closed door. */
export function isAnswering({ answer }: NodeRecord): boolean {
  return answer.kind === 'serving' || answer.kind === 'sealed';
}

/** True when the node's list shows the member of this id with primaries: cluster-aware clients write to it. */
export function showsActive({ answer }: NodeRecord, id: number): boolean {
  return answer.kind === 'serving' && answer.view.some((line) => line.id === id && line.hasPrimaries);
}

/** True when its Pod is an endpoint of the client Service as soon as it is ready. The Pod gets this label a moment
 *  after its node gets `serving`. */
export function isBehindService({ pod }: NodeRecord): boolean {
  return pod?.labels[LABELS.serving] === 'true';
}

/** Active, serving clients, and not about to end: it carries its share. */
export function isCarrying(node: NodeRecord): boolean {
  return node.serving && node.pod !== undefined && !node.pod.isTerminating && isActiveMember(node);
}

/** True when members serve and none of them lists this one; false when none can be asked. */
export function isUnlisted(o: Pick<ClusterObservation, 'nodes'>, node: NodeRecord): boolean {
  return isShownByNobody(o, node, () => true);
}

/** True when members serve and none of them shows this one with primaries. */
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

/** True when a process runs in the node's own Pod: the container has started, and does not wait to be restarted after a
 *  crash. */
export function runsInPod({ uid, pod }: NodeRecord): boolean {
  return pod?.ownerUid === uid && pod.phase === 'Running' && pod.waiting === undefined;
}

/** Waiting reasons of a container that is about to start. */
const ON_ITS_WAY: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);

/** True when the kubelet reports what keeps the container from running. Otherwise a process runs, or may any moment. */
export function isHeldBack({ waiting }: PodRecord): boolean {
  return waiting !== undefined && !ON_ITS_WAY.has(waiting.reason);
}

/** True when the member is ready but accepts none of the known passwords. Its metrics and contents need none. */
export function isLockedOut({ uid, pod, answer }: NodeRecord): boolean {
  const isUp = pod?.ownerUid === uid && pod.isReady && !pod.isTerminating;
  return isUp && answer.kind === 'silent' && answer.isLocked === true;
}

/** True when it is known that no process of this member serves: it did not answer, it has no address to be asked at, or
 *  its container has never started (a Pod has its address before its image). A member that was not asked yet may
 *  serve. */
export function isKnownSilent({ answer, pod }: NodeRecord): boolean {
  return answer.kind === 'silent' || (answer.kind === 'notAsked' && (pod?.ip === undefined || pod.phase === 'Pending'));
}

export function membershipHold(membership: Extract<Membership, { kind: 'unknown' }>): Hold {
  return hold(membership.reason, membership.message);
}
