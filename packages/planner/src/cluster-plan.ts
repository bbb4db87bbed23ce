// Answers: what is the next thing to do for this cluster, and what keeps it from its desired state?
// The order of the questions is that of docs/design/contract.md#the-passes; what a removal does is told in removal/.

import { MAX_NODE_ID, type Operation } from '@marekvs/api';
import { adoptionHold, planAdoption } from './adoption.ts';
import { type AutoscalePlan, planAutoscale, standingSize } from './autoscale/decision.ts';
import {
  heldUp,
  invalidSpec,
  lostVolumeHold,
  membershipHold,
  pausedHold,
  pendingChange,
  totalLossHold,
} from './cluster-holds.ts';
import type { ClusterStep, NodeOrigin } from './cluster-step.ts';
import type { ComparisonRequest } from './contents/request.ts';
import {
  coveredNow,
  planVerification,
  standingVerification,
  type Verification,
  type VerificationPlan,
} from './contents/verification.ts';
import { planForming } from './forming.ts';
import type { Hold } from './hold.ts';
import { planLostHosts } from './hosts/lost-hosts.ts';
import { isMovePending, planNextMove, stayingHolds } from './hosts/moving.ts';
import { isCarrying } from './member-state.ts';
import type { Membership } from './membership.ts';
import { agreeOnMembership } from './membership.ts';
import type { ClusterObservation, NodeRecord } from './observation.ts';
import { hasOwnVolume, isGoing, stayingNodes } from './removal/going.ts';
import { planClaim, planOperation } from './removal/plan.ts';
import { type OperationPlan, standing } from './removal/step.ts';
import { isTurnPending, outdatedNodes, planNextTurn, restingReason, stoppedHold } from './rolling/next-turn.ts';
import { planResize } from './rolling/resize.ts';
import {
  currentUpdate,
  revisionForNewNodes,
  revisionsToDrop,
  revisionsToStore,
  stoppedUpdate,
  type Update,
} from './rolling/revisions.ts';
import { planTurn } from './rolling/turn.ts';
import { chooseNodeIds, desiredSize, hasLostVolume } from './sizing.ts';
import { stampSteps } from './stamping.ts';
import { isTotalLoss } from './total-loss.ts';
import { keepingSteps, volumeSteps } from './volume-upkeep.ts';
import { storageSteps, volumeHolds } from './volumes/storage-steps.ts';

export interface ClusterPlan {
  readonly steps: readonly ClusterStep[];
  readonly holds: readonly Hold[];
  readonly membership: Membership;
  readonly desiredNodes: number;
  /** True when all desired members agree for the first time and the identity may be latched. */
  readonly mayLatchFormed: boolean;
  /** Reconcile again after this time even if nothing changes; undefined: only when something changes. */
  readonly requeueAfterMs: number | undefined;
  /** The removal under way, as it stands after this pass, and what it needs. */
  readonly removal: OperationPlan;
  /** Contents to be compared now, for the removal or at rest. */
  readonly contents: ComparisonRequest | undefined;
  /** What is known of the contents of the members as they are now; undefined while it is not. */
  readonly verification: Verification | undefined;
  /** How far the template that is asked for has reached the members. */
  readonly update: Update;
  /** Members that stay and have an older one, those that are down among them. */
  readonly outdated: readonly string[];
  /** Why the next member is not restarted yet, for a moment or until somebody acts; undefined while nobody waits for a turn. */
  readonly turnWaits: Hold | undefined;
  /** Why no further member is restarted: one has failed, or some have an older template; undefined when all have it, or it goes on. */
  readonly resting: Hold | undefined;
  /** What was decided about the size by load or disks. */
  readonly autoscale: AutoscalePlan;
}

/** A member in the agreed list without a MarekvsNode must have been there this long, so that the last
 *  seconds of a dead member's gossip entry (1-5 s, docs/design/server.md#failure-detection) never bring its node back. */
export const GHOST_MEMBER_MS = 15_000;

/** Reported in conditions and events; nothing waits for them. */
const INFORMATIONAL: ReadonlySet<Hold['reason']> = new Set<Hold['reason']>([
  'AnnotationIgnored',
  'ForceIgnored',
  'VolumeTooOld',
]);

/** What a removal waits for while members are restarted: a time, or just that. */
const BEFORE_REMOVALS: ReadonlySet<Hold['reason']> = new Set<Hold['reason']>([
  'RetryDelayed',
  'MixedReplicationFactor',
  'ReplicationFactorOne',
]);

/** A removal is looked at this often: its evidence grows by the second, and nothing else would wake it. */
const REMOVAL_INTERVAL_MS = 1_000;

/** The next steps for one cluster, in the order of docs/design/contract.md#the-passes. Pure. */
export function planCluster(o: ClusterObservation): ClusterPlan {
  const size = desiredSize(o.cluster);
  const membership = agreeOnMembership(o.nodes);
  const base: ClusterPlan = {
    steps: [],
    holds: [],
    membership,
    desiredNodes: size.nodes,
    mayLatchFormed: false,
    requeueAfterMs: undefined,
    removal: standing(o.cluster.operation),
    contents: undefined,
    verification: standingVerification(o),
    update: currentUpdate(o),
    outdated: outdatedNodes(o).map(({ name }) => name),
    turnWaits: undefined,
    resting: restingReason(o),
    autoscale: standingSize(o),
  };
  if (o.cluster.isDeleting) return base;
  if (o.cluster.problems.length > 0) {
    const pause = o.cluster.spec.paused ? [pausedHold('')] : [];
    return { ...base, steps: keepingSteps(o), holds: [...pause, invalidSpec(o), ...standingAdoption(o)] };
  }
  const others = o.nodes.filter((node) => node.uid !== o.cluster.operation?.target?.uid);
  const about = [size.clamped, stoppedHold(o), ...others.map(lostVolumeHold)].filter((hold) => hold !== undefined);
  const holds = [...about, ...volumeHolds(o)];
  if (o.cluster.spec.paused) {
    const removal = { ...base.removal, ...(o.cluster.operation === undefined ? {} : { waits: pausedHold('') }) };
    return {
      ...base,
      steps: keepingSteps(o),
      removal,
      holds: [pausedHold(`${pendingChange(o, size.nodes)}${heldUp(o)}`), ...holds, ...standingAdoption(o)],
    };
  }
  const part = o.cluster.isFormed ? planFormed(o, membership, size.nodes) : planUnformed(o, membership, size.nodes);
  const hosts = planLostHosts(o);
  const upkeep = [...hosts.steps, ...revisionSteps(o), ...stampSteps(o), ...volumeSteps(o), ...storageSteps(o)];
  const verified = verificationOf(o, part);
  const autoscale = planAutoscale(o, membership);
  return {
    ...base,
    ...part,
    steps: [...part.steps.map((step) => withRevision(o, step)), ...upkeep],
    update: updateOf(base.update, part.removal),
    holds: [
      ...holds,
      ...hosts.holds,
      ...stayingHolds(o),
      ...part.holds,
      ...(verified.hold === undefined ? [] : [verified.hold]),
    ],
    contents: verified.contents,
    verification: verified.verification,
    autoscale,
    // What was just decided is shown at once, and done when it is stored.
    desiredNodes: autoscale.isDecided ? (autoscale.status?.size ?? size.nodes) : size.nodes,
    requeueAfterMs: [verified, autoscale, hosts].reduce<number | undefined>(
      (earliest, { requeueAfterMs }) => soonest(earliest, requeueAfterMs),
      part.requeueAfterMs,
    ),
  };
}

/** What is asked for, and what nodes were made from, is stored; what nobody needs any more goes. */
function revisionSteps(o: ClusterObservation): readonly ClusterStep[] {
  // What a StatefulSet runs is not taken over yet: nothing of ours is there to go back to.
  if (o.cluster.adoption !== undefined) return [];
  const missing = revisionsToStore(o);
  if (missing.length > 0) return missing.map((hash) => ({ kind: 'storeRevision', hash }));
  return revisionsToDrop(o).map((revision) => ({ kind: 'dropRevision', revision }));
}

function withRevision(o: ClusterObservation, step: ClusterStep): ClusterStep {
  const revision = revisionForNewNodes(o);
  return step.kind === 'createNode' && revision !== o.cluster.templateHash ? { ...step, revision } : step;
}

function updateOf(update: Update, removal: OperationPlan | undefined): Update {
  const node = removal?.operation?.roll?.name;
  // Only what is stored with the record is confirmed live before.
  const stopped = (removal?.isUrgent === true ? removal.stopped : undefined) ?? update.stopped;
  return { ...update, ...(node === undefined ? {} : { node }), ...(stopped === undefined ? {} : { stopped }) };
}

/** A removal compares what it needs, and its last proof is an answer about all members; a cluster that forms on new volumes is empty. */
function verificationOf(o: ClusterObservation, { removal, mayLatchFormed }: PartialPlan): VerificationPlan {
  const only = { hold: undefined, requeueAfterMs: undefined };
  if (removal?.ended?.proof?.post !== undefined) {
    const verification = coveredNow(o, 'the survivors of the last removal were compared');
    return { ...only, contents: undefined, verification };
  }
  if (removal?.ended?.reason === 'RolledOut' || removal?.ended?.reason === 'MovedOff') {
    const verification = coveredNow(o, 'all members were compared when the last one was restarted');
    return { ...only, contents: removal.contents, verification };
  }
  if (removal?.operation !== undefined)
    return { ...only, contents: removal.contents, verification: o.cluster.verification };
  if (o.cluster.isFormed) return planVerification(o);
  const isEmpty = mayLatchFormed === true && o.nodes.every(hasOwnVolume);
  const verification = isEmpty ? coveredNow(o, 'the cluster was formed on new volumes') : undefined;
  return { ...only, contents: undefined, verification };
}

function soonest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

/** What a StatefulSet runs is taken over or left alone; a cluster is formed only where there is none. */
function planUnformed(o: ClusterObservation, membership: Membership, desired: number): PartialPlan {
  const { adoption } = o.cluster;
  return adoption === undefined ? planForming(o, membership, desired) : planAdoption(o, adoption, membership);
}

function standingAdoption({ cluster }: ClusterObservation): readonly Hold[] {
  const hold = adoptionHold(cluster);
  return hold === undefined ? [] : [hold];
}

interface PartialPlan {
  readonly steps: readonly ClusterStep[];
  readonly holds: readonly Hold[];
  readonly mayLatchFormed?: boolean;
  readonly requeueAfterMs: number | undefined;
  readonly removal?: OperationPlan;
  readonly turnWaits?: Hold | undefined;
}

/** A formed cluster: the operation in flight comes before everything else, a new one after everything else. */
function planFormed(o: ClusterObservation, membership: Membership, desired: number): PartialPlan {
  if (isTotalLoss(o)) return { steps: [], holds: [totalLossHold(o)], requeueAfterMs: undefined };
  const { operation } = o.cluster;
  if (operation?.roll !== undefined) {
    const turn =
      operation.phase === 'Resizing'
        ? planResize(o, operation, operation.roll)
        : planTurn(o, operation, operation.roll, membership, desired);
    const others = o.nodes.filter(({ uid }) => uid !== operation.roll?.uid);
    const { steps, holds } = replacedMeanwhile(o, operation, desired);
    const stray = others.flatMap(strayStep);
    return withRemoval(turn, [...stray, ...steps, ...servingSteps({ ...o, nodes: others }, membership)], holds);
  }
  if (operation !== undefined) {
    const removal = planOperation(o, operation, membership, desired);
    const stray = o.nodes.filter((node) => node.id !== operation.target?.nodeId).flatMap(strayStep);
    const { steps, holds } = replacedMeanwhile(o, operation, desired);
    return withRemoval(removal, [...stray, ...steps, ...servingSteps(o, membership)], holds);
  }
  const grown = planGrown(o, membership, desired);
  if (grown.steps.length > 0) return grown;
  const { plan, holds } = planClaim(o, desired);
  const isFree = plan.operation === undefined && (plan.waits === undefined || BEFORE_REMOVALS.has(plan.waits.reason));
  if (isFree && (isMovePending(o) || isTurnPending(o))) {
    // Who is about to be evicted comes before who is only out of date.
    const { waits, ...turn } = isMovePending(o) ? planNextMove(o) : planNextTurn(o);
    const said = plan.waits === undefined ? holds : [...holds, plan.waits];
    const removal = { ...turn, waits: undefined };
    return {
      steps: [],
      holds: [...grown.holds, ...said],
      removal,
      turnWaits: waits,
      requeueAfterMs: REMOVAL_INTERVAL_MS,
    };
  }
  const claimed = withRemoval(plan, [], holds);
  return {
    ...claimed,
    holds: [...grown.holds, ...claimed.holds],
    requeueAfterMs: claimed.requeueAfterMs ?? grown.requeueAfterMs,
  };
}

function withRemoval(removal: OperationPlan, steps: readonly ClusterStep[], holds: readonly Hold[]): PartialPlan {
  const isUnderWay = removal.operation !== undefined || removal.waits !== undefined;
  const isWaiting = isUnderWay || holds.some((hold) => !INFORMATIONAL.has(hold.reason));
  return {
    steps: [...removal.steps, ...steps],
    // What an operation waits for becomes a hold once it has stood for a while; that is for whoever remembers to judge.
    holds: removal.operation !== undefined || removal.waits === undefined ? holds : [...holds, removal.waits],
    removal,
    requeueAfterMs: isWaiting ? REMOVAL_INTERVAL_MS : undefined,
  };
}

/** Members without a node first, then replacements and growth in one jump, then serving. */
function planGrown(o: ClusterObservation, membership: Membership, desired: number): PartialPlan {
  const silent = membership.kind === 'unknown' ? [membershipHold(membership)] : [];
  const orphans = membersWithoutNode(o, membership);
  if (orphans.ids.length > 0) {
    const steps = orphans.ids.map((id): ClusterStep => ({ kind: 'createNode', id, why: 'MemberWithoutNode' }));
    return { steps, holds: silent, requeueAfterMs: undefined };
  }
  const missing = missingNodes(o, desired);
  const holds = [...silent, ...missing.holds];
  if (missing.steps.length > 0) return { steps: missing.steps, holds, requeueAfterMs: undefined };
  const stray = o.nodes.flatMap(strayStep);
  // Its mesh connections come without an event of ours.
  const isTriedAgain = o.nodes.some((node) => !node.serving && isUnmeshed(o, node));
  const requeueAfterMs = isTriedAgain ? REMOVAL_INTERVAL_MS : orphans.requeueAfterMs;
  return { steps: [...stray, ...servingSteps(o, membership)], holds, requeueAfterMs };
}

/** Nodes to create so that `desired` usable ones exist. A node whose volume is lost is not usable: a new id joins first.
 *  For nodes that have to go although they work, one new node at a time joins before one of them leaves. */
function missingNodes(
  o: ClusterObservation,
  desired: number,
): { steps: readonly ClusterStep[]; holds: readonly Hold[] } {
  const staying = stayingNodes(o).length;
  // Who has to go and still carries its share holds its place until the new one does; who carries nothing holds none.
  const usable = staying + o.nodes.filter((node) => isGoing(node) && !hasLostVolume(node) && isCarrying(node)).length;
  const growth = Math.max(0, desired - usable);
  const replacement = growth === 0 && staying < desired && usable <= desired ? 1 : 0;
  const isRepair = o.nodes.length >= desired && growth > 0;
  const isOfHost = o.nodes.some(({ hostLost }) => hostLost !== undefined) && !o.nodes.some(hasLostVolume);
  const repair: NodeOrigin = isOfHost ? 'HostLost' : 'VolumeLost';
  const why: NodeOrigin = replacement > 0 ? 'Replacement' : isRepair ? repair : 'ScalingUp';
  const { ids, holds } = chooseNodeIds(o, growth + replacement);
  return { steps: ids.map((id) => ({ kind: 'createNode', id, why })), holds };
}

/** A member that is to be restarted waits for those that are to be replaced (taking-back.ts), and no other operation can begin
 *  meanwhile: new nodes are made at once, where somebody else has to go who cannot stay or does not carry its share. */
function replacedMeanwhile(
  o: ClusterObservation,
  { phase, target, roll }: Operation,
  desired: number,
): Pick<PartialPlan, 'steps' | 'holds'> {
  const others = o.nodes.filter(({ id }) => id !== (target ?? roll)?.nodeId);
  const isNeeded = others.some((node) => isGoing(node) && (node.volume?.isTerminating !== false || !isCarrying(node)));
  // While the node of the target itself is missing it is made again on its volume, and not replaced.
  const isThere = others.length < o.nodes.length;
  const isRestart = phase === 'Cancelling' || roll !== undefined;
  return isRestart && isThere && isNeeded ? missingNodes(o, desired) : { steps: [], holds: [] };
}

/** A node that was told to leave by an operation its cluster does not know: taken back, never obeyed
 *  (docs/design/contract.md#removing-a-node). */
function strayStep(node: NodeRecord): readonly ClusterStep[] {
  const isStray = node.removalMark !== undefined || node.intent === 'Leaving';
  return isStray ? [{ kind: 'reinstate', node }] : [];
}

/** Every agreed member may serve once it has primaries in every view; nobody is taken out here. */
export function servingSteps(o: ClusterObservation, membership: Membership): readonly ClusterStep[] {
  if (membership.kind !== 'agreed') return [];
  const active = new Set(membership.lines.filter((line) => line.hasPrimaries).map((line) => line.id));
  return o.nodes
    .filter(
      (node) =>
        !node.serving &&
        node.intent === 'Active' &&
        !node.isDeleting &&
        active.has(node.id) &&
        node.answer.kind === 'serving' &&
        !isUnmeshed(o, node),
    )
    .map((node) => ({ kind: 'setServing', node, serving: true }));
}

/** Of a member that failed its turn, or is tried again: it shows itself Active also when the others' version does not understand it, and
 *  what clients wrote to it then would reach nobody. */
function isUnmeshed(o: ClusterObservation, { id, uid, pod, wasActive }: NodeRecord): boolean {
  const { cluster, facts, nodes } = o;
  const isSuspect = cluster.rollout.retry !== undefined || stoppedUpdate(cluster)?.nodeUID === uid;
  if (!wasActive || !isSuspect) return false;
  const own = facts.find(({ podUid, nodeId }) => podUid === pod?.uid && nodeId === id);
  return (own?.meshPeers ?? 0) < nodes.filter(({ answer }) => answer.kind === 'serving').length - 1;
}

/** Ids the members agree on that have no MarekvsNode: gossip is canonical (docs/design/contract.md#the-passes). */
function membersWithoutNode(
  o: ClusterObservation,
  membership: Membership,
): { readonly ids: readonly number[]; readonly requeueAfterMs: number | undefined } {
  if (membership.kind !== 'agreed') return { ids: [], requeueAfterMs: undefined };
  const known = new Set(o.nodes.map((node) => node.id));
  // Without its volume the node would start empty under a used id (docs/design/server.md#h2): then a new id takes its place.
  const volumes = new Set(o.volumes.filter((volume) => !volume.isTerminating).map((volume) => volume.nodeId));
  const ids = membership.lines
    .map((line) => line.id)
    .filter((id) => !known.has(id) && id <= MAX_NODE_ID && volumes.has(id));
  const seenForMs = agreementSeenForMs(o);
  if (ids.length === 0 || seenForMs >= GHOST_MEMBER_MS) return { ids, requeueAfterMs: undefined };
  return { ids: [], requeueAfterMs: GHOST_MEMBER_MS - seenForMs };
}

/** From the beginning of the agreement to the oldest of the answers it rests on: in a settled cluster these are up to half a minute
 *  old, and show members that have ended since. */
function agreementSeenForMs({ history, nodes, nowMs }: ClusterObservation): number {
  const agesMs = nodes.flatMap(({ answer }) => (answer.kind === 'serving' ? [nowMs - answer.atMs] : []));
  return Math.max(0, (history.agreedForMs ?? 0) - Math.max(0, ...agesMs));
}
