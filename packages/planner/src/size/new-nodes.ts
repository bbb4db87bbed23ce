// Answers: which nodes are made now? Those for members without a node, replacements of nodes that have to go, and
// growth, which happens in one jump.

import { MAX_NODE_ID, type Operation } from '@marekvs/api';
import { hasLastingPod, hasLostVolume, isCarrying } from '../members/member-state.ts';
import { type Membership, membershipHold } from '../members/membership.ts';
import { isReplacementFinal, needsReplacement, stayingNodes } from '../members/replacement.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import type { ClusterStep, NodeOrigin } from '../steps/cluster-step.ts';
import type { Hold } from '../values/hold.ts';
import { growthLimit } from './one-per-host.ts';
import { chooseNodeIds } from './sizing.ts';

export interface NewNodes {
  /** `createNode` only. */
  readonly steps: readonly ClusterStep[];
  readonly holds: readonly Hold[];
  /** Reconcile again after this many milliseconds even if nothing changes. */
  readonly requeueAfterMs?: number | undefined;
}

/** A member in the agreed list without a MarekvsNode must have been there this long, so that the last
 *  seconds of a dead member's gossip entry (1-5 s, docs/design/server.md#failure-detection) never bring its node
 *  back. */
export const GHOST_MEMBER_MS = 15_000;

/** Members without a node first, then replacements and growth to `desired` nodes. */
export function planNewNodes(o: ClusterObservation, membership: Membership, desired: number): NewNodes {
  const silent = membership.kind === 'unknown' ? [membershipHold(membership)] : [];
  const orphans = membersWithoutNode(o, membership);
  if (orphans.ids.length > 0) {
    const steps = orphans.ids.map((id): ClusterStep => ({ kind: 'createNode', id, why: 'MemberWithoutNode' }));
    return { steps, holds: silent };
  }
  const missing = missingNodes(o, growthLimit(o, desired));
  return { steps: missing.steps, holds: [...silent, ...missing.holds], requeueAfterMs: orphans.requeueAfterMs };
}

/** Nodes to create so that `desired` usable ones exist. A node whose volume is lost is not usable: a new id joins
 *  first. For nodes that have to go although they work, one new node at a time joins before one of them leaves.
 *  @param isTogether the nodes that have to go are replaced all at once instead */
function missingNodes(o: ClusterObservation, desired: number, isTogether = false): NewNodes {
  const staying = stayingNodes(o).length;
  // A node that has to go counts while it still carries its share. One that carries nothing does not.
  const usable =
    staying + o.nodes.filter((node) => needsReplacement(node) && !hasLostVolume(node) && isCarrying(node)).length;
  const growth = Math.max(0, desired - usable);
  const isNext = growth === 0 && staying < desired && (usable <= desired || isTogether);
  const replacement = !isNext ? 0 : isTogether ? desired - staying : 1;
  const isRepair = o.nodes.length >= desired && growth > 0;
  const why: NodeOrigin = replacement > 0 || isRepair ? originOf(o, replacement > 0) : 'ScalingUp';
  const { ids, holds } = chooseNodeIds(o, growth + replacement);
  return { steps: ids.map((id) => ({ kind: 'createNode', id, why })), holds };
}

/** Why a new node is made in place of another. */
function originOf({ nodes }: ClusterObservation, isReplacement: boolean): NodeOrigin {
  const replaced = nodes.filter(needsReplacement);
  if (replaced.length > 0 && !replaced.some(isReplacementFinal)) return 'HostDrained';
  if (isReplacement) return 'Replacement';
  return replaced.some(({ hostLost }) => hostLost !== undefined) && !nodes.some(hasLostVolume)
    ? 'HostLost'
    : 'VolumeLost';
}

/** A member that is to be restarted waits until others are replaced (cancel-restart.ts), and no other operation can
 *  begin meanwhile. So new nodes are made at once when another node needs replacement and its volume is gone or going,
 *  or it does not carry its share. */
export function replacedMeanwhile(
  o: ClusterObservation,
  { phase, target, roll }: Operation,
  desired: number,
): NewNodes {
  const others = o.nodes.filter(({ id }) => id !== (target ?? roll)?.nodeId);
  const isNeeded = others.some(
    (node) => needsReplacement(node) && (node.volume?.isTerminating !== false || !isCarrying(node)),
  );
  // While the node of the target itself is missing, it is recreated on its volume rather than replaced.
  const isThere = others.length < o.nodes.length;
  // A deleted target runs on as long as too few would be left without it (removal/deleting.ts).
  const isKept =
    phase === 'Deleting' &&
    o.nodes.some((node) => node.id === target?.nodeId && node.isDeleting && hasLastingPod(node));
  const isRestart = phase === 'Cancelling' || roll !== undefined || isKept;
  // No replaced node goes before this operation is over, so all nodes whose volumes go are replaced together.
  const isTogether = others.filter(({ volume }) => volume?.isTerminating === true).length > 1;
  const isMade = isRestart && isThere && isNeeded;
  return isMade ? missingNodes(o, growthLimit(o, desired), isTogether) : { steps: [], holds: [] };
}

/** Ids the members agree on that have no MarekvsNode: gossip is canonical (docs/design/contract.md#the-passes). */
function membersWithoutNode(
  o: ClusterObservation,
  membership: Membership,
): { readonly ids: readonly number[]; readonly requeueAfterMs: number | undefined } {
  if (membership.kind !== 'agreed') return { ids: [], requeueAfterMs: undefined };
  const known = new Set(o.nodes.map((node) => node.id));
  // Without its volume the node would start empty under a used id (docs/design/server.md#h2): then a new id takes its
  // place.
  const volumes = new Set(o.volumes.filter((volume) => !volume.isTerminating).map((volume) => volume.nodeId));
  const ids = membership.lines
    .map((line) => line.id)
    .filter((id) => !known.has(id) && id <= MAX_NODE_ID && volumes.has(id));
  const seenForMs = agreementSeenForMs(o);
  if (ids.length === 0 || seenForMs >= GHOST_MEMBER_MS) return { ids, requeueAfterMs: undefined };
  return { ids: [], requeueAfterMs: GHOST_MEMBER_MS - seenForMs };
}

/** Milliseconds from the beginning of the agreement to the oldest answer it rests on. In a settled cluster answers are
 *  up to half a minute old, and may show members that have ended since. */
function agreementSeenForMs({ history, nodes, nowMs }: ClusterObservation): number {
  const agesMs = nodes.flatMap(({ answer }) => (answer.kind === 'serving' ? [nowMs - answer.atMs] : []));
  return Math.max(0, (history.agreedForMs ?? 0) - Math.max(0, ...agesMs));
}
