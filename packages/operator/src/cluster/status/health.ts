// Answers: how well is the cluster, member by member? The counts that status and conditions share. Pure.

import { kindOf, type PendingChange, REASONS } from '@marekvs/api';
import {
  type ClusterObservation,
  type ClusterPlan,
  type DataRecord,
  type Hold,
  hasLostVolume,
  isActiveMember,
  isBehindService,
  isHibernation,
  type NodeRecord,
  needsReplacement,
  podTrouble,
} from '@marekvs/planner';

export interface ClusterHealth {
  /** Nodes whose volume is not lost: those that count towards the size. */
  readonly usable: readonly NodeRecord[];
  /** Usable nodes that clients may use: Pod ready, Active as it reports itself, behind the Service. */
  readonly ready: readonly NodeRecord[];
  /** Usable nodes that have served and are not well now: something is being repaired. */
  readonly impaired: readonly NodeRecord[];
  /** Usable nodes without a ready Pod that have their turn of a rolling update, or are off their volume for repair:
   *  away on purpose. */
  readonly awayOnPurpose: readonly NodeRecord[];
  /** Usable nodes that count as members: all but the joining ones. */
  readonly counted: readonly NodeRecord[];
  /** Nodes that need replacement, with or without an operation about them yet. Includes those that have lost their
   *  volume. */
  readonly leaving: readonly NodeRecord[];
  /** Usable nodes on their way in. */
  readonly joining: readonly NodeRecord[];
  /** All holds, the most serious first. */
  readonly holds: readonly Hold[];
  readonly isReady: boolean;
}

/** @param refusals what the API server refused in this pass */
export function clusterHealth(o: ClusterObservation, plan: ClusterPlan, refusals: readonly Hold[]): ClusterHealth {
  const usable = o.nodes.filter((node) => !hasLostVolume(node));
  // A Pod that is being deleted may stay Ready until its host reports again, and a dead host never does.
  const isWell = (node: NodeRecord) => node.pod?.isReady === true && !node.pod.isTerminating && isActiveMember(node);
  // The target of a removal no longer counts, from the moment that is decided.
  const leavingUid = plan.removal.operation?.target?.uid;
  // A member that has its turn is away on purpose: it comes back with everything it has.
  const { operation } = plan.removal;
  const roll = operation?.roll;
  const rolledUid = kindOf(operation) === 'turn' ? roll?.uid : undefined;
  const isRolled = (node: NodeRecord) => rolledUid !== undefined && node.uid === rolledUid;
  const ready = usable.filter(
    (node) => node.uid !== leavingUid && node.serving && isWell(node) && isBehindService(node),
  );
  const replaced = usable.filter(needsReplacement);
  // Members that hibernate are neither joining nor to be repaired.
  const isSleeping = isHibernation({ operation: plan.removal.operation });
  const impaired = usable.filter((node) => node.serving && !isWell(node) && !node.isDeleting && node.uid !== roll?.uid);
  const troubles = o.nodes.flatMap((node) =>
    // A Pod without a host is no news for a node whose host is lost.
    node.pod === undefined || isRolled(node) || node.hostLost !== undefined
      ? []
      : [podTrouble(node, node.pod, o.nowMs)],
  );
  const holds = [...refusals, ...plan.holds, ...troubles].filter((hold) => hold !== undefined).sort(bySeverity);
  const isWhole =
    (plan.membership.kind === 'agreed' || rolledUid !== undefined) &&
    usable.every((node) => ready.includes(node) || isRolled(node)) &&
    usable.length === plan.desiredNodes &&
    replaced.length === 0;
  const joining = usable.filter(
    (node) =>
      !isSleeping &&
      node.uid !== leavingUid &&
      node.uid !== roll?.uid &&
      !ready.includes(node) &&
      !impaired.includes(node) &&
      !needsReplacement(node) &&
      node.intent === 'Active',
  );
  return {
    usable,
    ready,
    impaired,
    awayOnPurpose: usable.filter(
      (node) => node.uid === roll?.uid && (node.pod?.isReady !== true || node.pod.isTerminating),
    ),
    counted: usable.filter((node) => !joining.includes(node)),
    leaving: o.nodes.filter(needsReplacement),
    joining,
    holds,
    isReady:
      o.cluster.isFormed &&
      isWhole &&
      (plan.removal.operation === undefined || rolledUid !== undefined) &&
      o.nodes.length === usable.length &&
      holds.every(isHarmless),
  };
}

/** True for a hold that is reported and does not make the cluster less ready. */
export function isHarmless(hold: Hold): boolean {
  return REASONS[hold.reason].weight !== undefined;
}

function bySeverity(a: Hold, b: Hold): number {
  return rank(a) - rank(b);
}

function rank(hold: Hold): number {
  if (isHarmless(hold)) return 2;
  return hold.needsPerson ? 0 : 1;
}

export interface ConditionInput {
  readonly observation: ClusterObservation;
  readonly plan: ClusterPlan;
  readonly health: ClusterHealth;
  /** What is known of lost homes and lost data. */
  readonly data: DataRecord;
  /** Changes of the spec that are not in force. */
  readonly pending: readonly PendingChange[];
}
