// Answers: what is the next thing to do for this cluster, and what keeps it from its desired state?
// The order of the questions is that of docs/design/contract.md#the-passes; what a removal does is in removal/.

import type { ComparisonRequest } from '../contents/request.ts';
import { currentVerification, type Verification } from '../evidence/verification/verification.ts';
import { adoptionHold, planAdoption } from '../forming/adoption.ts';
import { planForming } from '../forming/forming.ts';
import { planLostHosts } from '../hosts/lost-hosts.ts';
import { planDrainedHosts } from '../hosts/replacing.ts';
import { joiningLateHold } from '../members/joining-late.ts';
import { agreeOnMembership, type Membership } from '../members/membership.ts';
import { passwordSteps } from '../members/passwords.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import { drainedHold } from '../operations/mending/drained.ts';
import { lockedHold } from '../operations/mending/locked-out.ts';
import { type OperationPlan, unchanged } from '../operations/record.ts';
import { outdatedNodes, restingReason, stoppedHold } from '../operations/rolling/next-turn.ts';
import { isAsleep, isHibernation } from '../operations/sleep/hibernation.ts';
import { planRelease, planReleaseAsked, type ReleaseTurn, unchangedRelease } from '../releasing/plan.ts';
import { hostsSizeHolds, planHostsSize } from '../size/one-per-host.ts';
import { desiredSize } from '../size/sizing.ts';
import type { ClusterStep } from '../steps/cluster-step.ts';
import { soonest } from '../steps/soonest.ts';
import { revisionSteps, withRevision } from '../templates/revision-steps.ts';
import { currentUpdate, type Update } from '../templates/revisions.ts';
import { stampSteps } from '../templates/template-without-turn.ts';
import type { Hold } from '../values/hold.ts';
import { storageSteps, volumeHolds } from '../volumes/storage-steps.ts';
import { keepingSteps, volumeSteps } from '../volumes/volume-upkeep.ts';
import { type AutoscalePlan, planAutoscale, unchangedSize } from './autoscaling.ts';
import {
  blockedText,
  foreignHold,
  invalidSpec,
  lostVolumeHold,
  pausedHold,
  pendingChange,
  unformedHold,
  upstreamHold,
} from './cluster-holds.ts';
import { type PartialPlan, planFormed } from './plan-formed.ts';
import { updateAfter } from './update-after.ts';
import { verificationAfter } from './verification-after.ts';

export interface ClusterPlan {
  readonly steps: readonly ClusterStep[];
  readonly holds: readonly Hold[];
  readonly membership: Membership;
  readonly desiredNodes: number;
  /** True when all desired members agree for the first time and the identity may be latched. */
  readonly mayLatchFormed: boolean;
  /** Reconcile again after this time even if nothing changes; undefined: only when something changes. */
  readonly requeueAfterMs: number | undefined;
  /** The operation under way as it stands after this pass, and what it needs. */
  readonly removal: OperationPlan;
  /** Contents to be compared now, for the removal or at rest. */
  readonly contents: ComparisonRequest | undefined;
  /** What is known of the contents of the present members; undefined while nothing is. */
  readonly verification: Verification | undefined;
  /** How far the template that is asked for has reached the members. */
  readonly update: Update;
  /** Staying members that have an older template, including those that are down. */
  readonly outdated: readonly string[];
  /** Why the next member is not restarted yet, for a moment or until a person acts; undefined while no member waits for
   *  a turn. */
  readonly turnWaits: Hold | undefined;
  /** Why no further member is restarted: one has failed, or some keep an older template; undefined when all are
   *  updated, or the update goes on. */
  readonly resting: Hold | undefined;
  /** What was decided about the size by load or disks. */
  readonly autoscale: AutoscalePlan;
  /** How far the members are handed to a StatefulSet, as it stands after this pass. */
  readonly release: ReleaseTurn;
}

/** Missing permissions are tried again after this time. */
const ASKED_AGAIN_MS = 600_000;

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
    removal: unchanged(o.cluster.operation),
    contents: undefined,
    verification: currentVerification(o),
    update: currentUpdate(o),
    outdated: outdatedNodes(o).map(({ name }) => name),
    turnWaits: undefined,
    resting: restingReason(o),
    autoscale: unchangedSize(o),
    release: unchangedRelease(o),
  };
  if (o.cluster.isDeleting) return base;
  if (o.cluster.problems.length > 0) return { ...base, ...planInvalid(o) };
  const holds = lastingHolds(o, size);
  if (o.cluster.spec.paused) return { ...base, ...planPaused(o, size.nodes, holds) };
  const { release } = o.cluster;
  if (release?.stored !== undefined) {
    const released = planRelease(o, release, release.stored);
    return { ...base, ...released, holds: [...holds, ...released.holds] };
  }
  const asked = release?.isAsked === true ? planReleaseAsked(o, release, membership, size.nodes) : undefined;
  if (asked !== undefined && 'release' in asked) return { ...base, ...asked, holds };
  const part = o.cluster.isFormed ? planFormed(o, membership, size.nodes) : planUnformed(o, membership, size.nodes);
  const refused = asked === undefined ? [] : [asked.hold];
  if (isHibernation(o.cluster)) return { ...base, ...planSleeping(o, part, [...holds, ...refused]) };
  const running = planRunning(o, membership, part);
  const { autoscale } = running;
  return {
    ...base,
    ...part,
    ...running,
    update: updateAfter(base.update, part.removal),
    holds: [...holds, ...refused, ...running.holds],
    // A size that was just decided is shown at once, and applied when it is stored.
    desiredNodes: autoscale.isDecided ? (autoscale.status?.size ?? size.nodes) : size.nodes,
    requeueAfterMs: soonest(running.requeueAfterMs, asked?.requeueAfterMs),
  };
}

/** A spec that breaks a rule: only what keeps data is done. */
function planInvalid(o: ClusterObservation): Pick<ClusterPlan, 'steps' | 'holds'> {
  const pause = o.cluster.spec.paused ? [pausedHold('')] : [];
  return { steps: keepingSteps(o), holds: [...pause, invalidSpec(o), ...adoptionHolds(o)] };
}

/** A paused cluster: only what keeps data is done, and the holds say what waits for the end of the pause. */
function planPaused(
  o: ClusterObservation,
  desired: number,
  holds: readonly Hold[],
): Pick<ClusterPlan, 'steps' | 'removal' | 'holds'> {
  const { operation } = o.cluster;
  return {
    steps: keepingSteps(o),
    removal: { ...unchanged(operation), ...(operation === undefined ? {} : { waits: pausedHold('') }) },
    holds: [pausedHold(`${pendingChange(o, desired)}${blockedText(o)}`), ...holds, ...adoptionHolds(o)],
  };
}

/** What is reported whatever is done in this pass. */
function lastingHolds(o: ClusterObservation, { clamped }: ReturnType<typeof desiredSize>): readonly Hold[] {
  const others = o.nodes.filter((node) => node.uid !== o.cluster.operation?.target?.uid);
  const about = [
    clamped,
    foreignHold(o),
    upstreamHold(o),
    lockedHold(o),
    drainedHold(o),
    ...hostsSizeHolds(o),
    stoppedHold(o),
    ...others.map(lostVolumeHold),
  ];
  const late = o.nodes.map((node) => joiningLateHold(o, node));
  return [...[...about, ...late].filter((hold) => hold !== undefined), ...volumeHolds(o)];
}

/** A cluster whose members run: what its nodes need, hosts, revisions, volumes, the comparison at rest, and its
 *  size. */
function planRunning(
  o: ClusterObservation,
  membership: Membership,
  part: PartialPlan,
): Pick<ClusterPlan, 'steps' | 'holds' | 'contents' | 'verification' | 'autoscale' | 'requeueAfterMs'> {
  const hosts = planLostHosts(o);
  const drained = planDrainedHosts(o, part.removal?.operation !== undefined || hosts.steps.length > 0);
  const stamps = passwordSteps(o);
  const upkeep = [
    ...hosts.steps,
    ...drained.steps,
    ...revisionSteps(o),
    // One write per node at a time: the rest follows in the next pass.
    ...(stamps.length > 0 ? stamps : stampSteps(o)),
    ...volumeSteps(o),
    ...storageSteps(o),
  ];
  const verified = verificationAfter(o, part);
  const autoscale = o.cluster.spec.hosts.onePerHost === undefined ? planAutoscale(o, membership) : sizeByHosts(o);
  return {
    steps: [...part.steps.map((step) => withRevision(o, step)), ...upkeep],
    holds: [...hosts.holds, ...drained.holds, ...part.holds, ...(verified.hold === undefined ? [] : [verified.hold])],
    contents: verified.contents,
    verification: verified.verification,
    autoscale,
    requeueAfterMs: soonest(
      part.requeueAfterMs,
      verified.requeueAfterMs,
      autoscale.requeueAfterMs,
      hosts.requeueAfterMs,
    ),
  };
}

/** While all members are stopped for a while, or come back: nothing else is decided. Whether volumes go with their
 *  cluster still follows the spec, even while no member runs. */
function planSleeping(
  o: ClusterObservation,
  part: PartialPlan,
  holds: readonly Hold[],
): Omit<Partial<ClusterPlan>, 'membership'> {
  const revisions = isAsleep(o.cluster) ? [] : revisionSteps(o);
  const { verification } = verificationAfter(o, part);
  return {
    ...part,
    steps: [...part.steps, ...revisions, ...volumeSteps(o)],
    // Members that cannot start are reported now, and replaced when the others are back.
    holds: [...holds, ...planLostHosts(o).holds, ...part.holds],
    verification,
    contents: part.removal?.contents,
  };
}

/** The earlier decision stays in force while nothing is decided now. */
function sizeByHosts(o: ClusterObservation): AutoscalePlan {
  // An operator that may not read hosts may be granted it later, without an event.
  const requeueAfterMs = o.selectedHosts?.kind === 'unknown' ? ASKED_AGAIN_MS : undefined;
  return { ...unchangedSize(o), requeueAfterMs, ...planHostsSize(o) };
}

/** Members of a StatefulSet are taken over or left alone; a cluster is formed only where there are none. */
function planUnformed(o: ClusterObservation, membership: Membership, desired: number): PartialPlan {
  const { adoption, spec, autoscale } = o.cluster;
  if (spec.hibernated && o.nodes.length === 0)
    return { steps: [], holds: [unformedHold(o.cluster)], requeueAfterMs: undefined };
  // The status was lost while the members slept, and with it the record that they do.
  const stopped = o.nodes.filter((node) => node.stopped !== undefined);
  if (stopped.length > 0 && !spec.hibernated)
    return { steps: stopped.map((node) => ({ kind: 'startNode', node })), holds: [], requeueAfterMs: undefined };
  // All Pods are made together, so the size has to be known first.
  const isSizeKnown = spec.hosts.onePerHost === undefined || o.selectedHosts !== undefined || autoscale !== undefined;
  if (adoption === undefined && !isSizeKnown) return { steps: [], holds: [], requeueAfterMs: undefined };
  return adoption === undefined ? planForming(o, membership, desired) : planAdoption(o, adoption, membership);
}

function adoptionHolds({ cluster }: ClusterObservation): readonly Hold[] {
  const hold = adoptionHold(cluster);
  return hold === undefined ? [] : [hold];
}
