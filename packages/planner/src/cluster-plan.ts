// Answers: what is the next thing to do for this cluster, and what keeps it from its desired state?
// Adding and repairing only: a cluster asked to shrink holds with `RemovalUnsupported` and touches nothing.

import { MAX_NODE_ID } from '@marekvs/api';
import { planForming } from './forming.ts';
import type { Membership } from './membership.ts';
import { agreeOnMembership } from './membership.ts';
import type { ClusterObservation, Hold, NodeRecord } from './observation.ts';
import { desiredSize, detachedVolumes, hasLostVolume, nextNodeIds } from './sizing.ts';

/** One write of the cluster controller. The executor adds the preconditions. */
export type ClusterStep =
  | { readonly kind: 'createNode'; readonly id: number; readonly why: NodeOrigin }
  | { readonly kind: 'setServing'; readonly node: NodeRecord; readonly serving: boolean }
  | { readonly kind: 'setSeeds'; readonly node: NodeRecord; readonly seeds: readonly string[] };

/** Why a MarekvsNode is created: for an event and for the reader of a log. */
export type NodeOrigin = 'Forming' | 'ScalingUp' | 'MemberWithoutNode' | 'VolumeLost';

export interface ClusterPlan {
  readonly steps: readonly ClusterStep[];
  readonly holds: readonly Hold[];
  readonly membership: Membership;
  readonly desiredNodes: number;
  /** True when all desired members agree for the first time and the identity may be latched. */
  readonly mayLatchFormed: boolean;
  /** Look again after this time even if nothing changes; undefined: only when something changes. */
  readonly lookAgainAfterMs: number | undefined;
}

/** A member in the agreed list without a MarekvsNode must have been there this long, so that the last
 *  seconds of a dead member's gossip entry (1-5 s, marekvs.md 3) never bring its node back. */
export const GHOST_MEMBER_MS = 15_000;

/** The next steps for one cluster, in the order of design 3. Pure. */
export function planCluster(o: ClusterObservation): ClusterPlan {
  const size = desiredSize(o.cluster.spec);
  const membership = agreeOnMembership(o.nodes);
  const base = { membership, desiredNodes: size.nodes, mayLatchFormed: false, lookAgainAfterMs: undefined };
  if (o.cluster.isDeleting) return { ...base, steps: [], holds: [] };
  if (o.cluster.problems.length > 0) {
    const pause = o.cluster.spec.paused ? [pausedHold('')] : [];
    return { ...base, steps: [], holds: [...pause, invalidSpec(o)] };
  }
  const standing = [
    size.clamped,
    ...o.nodes.map(lostVolumeHold),
    ...o.nodes.map(deletedByHandHold),
    surplusHold(o, size.nodes),
  ];
  const holds = standing.filter((hold) => hold !== undefined);
  if (o.cluster.spec.paused) return { ...base, steps: [], holds: [pausedHold(pendingChange(o, size.nodes)), ...holds] };
  if (!o.cluster.isFormed) return withHolds(planForming(o, membership, size.nodes), base, holds);
  return withHolds(planGrown(o, membership, size.nodes), base, holds);
}

interface PartialPlan {
  readonly steps: readonly ClusterStep[];
  readonly holds: readonly Hold[];
  readonly mayLatchFormed?: boolean;
  readonly lookAgainAfterMs?: number | undefined;
}

function withHolds(part: PartialPlan, base: Omit<ClusterPlan, 'steps' | 'holds'>, holds: readonly Hold[]): ClusterPlan {
  return { ...base, ...part, holds: [...holds, ...part.holds] };
}

/** A formed cluster: members without a node first, then replacements and growth in one jump, then serving. */
function planGrown(o: ClusterObservation, membership: Membership, desired: number): PartialPlan {
  if (isTotalLoss(o)) return { steps: [], holds: [totalLossHold(o)] };
  const holds = membership.kind === 'unknown' ? [membershipHold(membership)] : [];
  const orphans = membersWithoutNode(o, membership);
  if (orphans.ids.length > 0)
    return { steps: orphans.ids.map((id) => ({ kind: 'createNode', id, why: 'MemberWithoutNode' })), holds };
  const missing = missingNodes(o, desired);
  if (missing.length > 0) return { steps: missing, holds };
  return { steps: servingSteps(o, membership), holds, lookAgainAfterMs: orphans.lookAgainAfterMs };
}

/** Nodes to create so that `desired` usable ones exist. A node whose volume is lost is not usable: a new id joins first. */
function missingNodes(o: ClusterObservation, desired: number): readonly ClusterStep[] {
  const lost = o.nodes.filter(hasLostVolume).length;
  const usable = o.nodes.length - lost;
  const why: NodeOrigin = o.nodes.length >= desired ? 'VolumeLost' : 'ScalingUp';
  return nextNodeIds(o, Math.max(0, desired - usable)).map((id) => ({ kind: 'createNode', id, why }));
}

/** Every agreed member may serve once it has primaries in every view; nobody is taken out here. */
export function servingSteps(o: ClusterObservation, membership: Membership): readonly ClusterStep[] {
  if (membership.kind !== 'agreed') return [];
  const active = new Set(membership.lines.filter((line) => line.hasPrimaries).map((line) => line.id));
  return o.nodes
    .filter((node) => !node.serving && !node.isDeleting && active.has(node.id) && node.answer.kind === 'serving')
    .map((node) => ({ kind: 'setServing', node, serving: true }));
}

/** Ids the members agree on that have no MarekvsNode: gossip is canonical (design 1). */
function membersWithoutNode(
  o: ClusterObservation,
  membership: Membership,
): { readonly ids: readonly number[]; readonly lookAgainAfterMs: number | undefined } {
  if (membership.kind !== 'agreed') return { ids: [], lookAgainAfterMs: undefined };
  const known = new Set(o.nodes.map((node) => node.id));
  const ids = membership.lines.map((line) => line.id).filter((id) => !known.has(id) && id <= MAX_NODE_ID);
  const agreedForMs = o.history.agreedForMs ?? 0;
  if (ids.length === 0 || agreedForMs >= GHOST_MEMBER_MS) return { ids, lookAgainAfterMs: undefined };
  return { ids: [], lookAgainAfterMs: GHOST_MEMBER_MS - agreedForMs };
}

/** Formed once, and now neither a node with its volume nor a detached volume is left. */
function isTotalLoss(o: ClusterObservation): boolean {
  return o.nodes.every(hasLostVolume) && detachedVolumes(o).length === 0;
}

function totalLossHold(o: ClusterObservation): Hold {
  return {
    reason: 'TotalLoss',
    message: `no volume of the formed cluster ${o.cluster.name} is left: it is not formed a second time by itself`,
    needsPerson: true,
  };
}

function lostVolumeHold(node: NodeRecord): Hold | undefined {
  if (!hasLostVolume(node)) return undefined;
  return {
    reason: 'VolumeLost',
    message: `the volume of ${node.name} is gone: its id is not used again and a new node takes its place`,
    needsPerson: false,
  };
}

function deletedByHandHold(node: NodeRecord): Hold | undefined {
  if (!node.isDeleting) return undefined;
  return {
    reason: 'RemovalUnsupported',
    message: `${node.name} was deleted by hand: removal is not supported yet, its member keeps running`,
    needsPerson: true,
  };
}

function surplusHold(o: ClusterObservation, desired: number): Hold | undefined {
  const usable = o.nodes.filter((node) => !hasLostVolume(node)).length;
  if (!o.cluster.isFormed || usable <= desired) return undefined;
  return {
    reason: 'RemovalUnsupported',
    message: `${desired} of ${usable} nodes are wanted: removal is not supported yet, nothing is touched; set spec.nodes back to ${usable}`,
    needsPerson: true,
  };
}

function membershipHold(membership: Extract<Membership, { kind: 'unknown' }>): Hold {
  return { reason: membership.reason, message: membership.message, needsPerson: false };
}

function pausedHold(pending: string): Hold {
  return { reason: 'Paused', message: `spec.paused is true${pending}`, needsPerson: false };
}

/** What would change in size if the cluster were not paused, as the end of a sentence. */
function pendingChange(o: ClusterObservation, desired: number): string {
  const change = desired - o.nodes.filter((node) => !hasLostVolume(node)).length;
  if (change === 0) return '';
  const count = Math.abs(change);
  return `: ${count} ${count === 1 ? 'node is' : 'nodes are'} to be ${change > 0 ? 'added' : 'removed'}`;
}

function invalidSpec(o: ClusterObservation): Hold {
  const text = o.cluster.problems.map((problem) => `${problem.path}: ${problem.message}`).join('; ');
  return { reason: 'InvalidSpec', message: text, needsPerson: true };
}
