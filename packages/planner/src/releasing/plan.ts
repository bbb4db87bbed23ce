// Answers: the members are to be handed to a StatefulSet; what is next? First everything that selects Pods is made to
// find them in either hands, then each running Pod changes hands, and only when the StatefulSet has all of them the
// nodes go (docs/decisions/adopting-and-releasing.md). Until then the phase follows from the request, the StatefulSet
// and the owners of the Pods, so that the handover can be taken back at any point.

import { clientsPolicyName, networkPolicyName, type ReleasePhase, releasedSelector } from '@marekvs/api';
import { hasReadyPod } from '../members/member-state.ts';
import type { Membership } from '../members/membership.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import type { ReleaseSeen } from '../observation/release-seen.ts';
import type { ClusterStep } from '../steps/cluster-step.ts';
import { type Hold, hold, namesOf } from '../values/hold.ts';
import { releaseObstacle } from './obstacle.ts';

/** What the status should say about the handover. */
export interface ReleaseTurn {
  /** Undefined: nothing is under way. */
  readonly stored: ReleaseSeen['stored'];
  /** The phase has to be stored before anything follows from it. */
  readonly isTurn: boolean;
  /** The StatefulSet has every Pod: from here on the cluster is like one that was never formed by us. */
  readonly isOver: boolean;
}

export interface ReleasePlan {
  readonly steps: readonly ClusterStep[];
  readonly holds: readonly Hold[];
  readonly release: ReleaseTurn;
  readonly requeueAfterMs: number | undefined;
}

/** StatefulSets are not watched. */
export const RELEASE_INTERVAL_MS = 2_000;
/** While nothing has begun; most obstacles go away with an event. */
const REFUSED_INTERVAL_MS = 5_000;

/** The handover as it stands, for a pass that does nothing about it. */
export function unchangedRelease({ cluster: { release } }: ClusterObservation): ReleaseTurn {
  return { stored: release?.stored, isTurn: false, isOver: false };
}

/** The first turn, or the hold that blocks it while everything else goes on as always. */
export function planReleaseAsked(
  o: ClusterObservation,
  seen: ReleaseSeen,
  membership: Membership,
  desired: number,
): { readonly release: ReleaseTurn } | { readonly hold: Hold; readonly requeueAfterMs: number } {
  const obstacle = releaseObstacle({ o, identity: seen.identity, membership, desired });
  if (obstacle !== undefined) return { hold: obstacle, requeueAfterMs: REFUSED_INTERVAL_MS };
  return { release: turnTo('Preparing') };
}

/** The next steps of a handover that has begun. Pure. */
export function planRelease(
  o: ClusterObservation,
  seen: ReleaseSeen,
  { phase, setUid }: NonNullable<ReleaseSeen['stored']>,
): ReleasePlan {
  const { set, isAsked } = seen;
  const stays = (holds: readonly Hold[], steps: readonly ClusterStep[] = []): ReleasePlan => ({
    steps,
    holds,
    release: { stored: { phase, setUid }, isTurn: false, isOver: false },
    requeueAfterMs: RELEASE_INTERVAL_MS,
  });
  const goesTo = (next: ReleasePhase, uid?: string) =>
    phase === next && setUid === uid ? undefined : { ...stays([progress(o, next)]), release: turnTo(next, uid) };

  if (phase === 'Closing') return closing(o, stays);
  if (set.kind === 'unread') return stays([set.hold]);
  if (set.kind === 'notRead') return stays([progress(o, phase)]);
  const letGo = o.nodes.filter(isInOtherHands);
  const { name, namespace } = o.cluster;
  const adopt = `kubectl mkv adopt ${name} -n ${namespace}`;
  if (!isAsked || (set.kind === 'none' && letGo.length > 0)) {
    const isStillThere = set.kind === 'there' && set.isOurs;
    if (!isStillThere && letGo.length === 0)
      return { ...stays([]), release: { stored: undefined, isTurn: true, isOver: false } };
    const blocked = isStillThere
      ? hold(
          'ReleaseWaiting',
          `the members are taken back, and StatefulSet ${name} is still there: ${adopt} lets it go`,
          true,
        )
      : progress(o, 'TakingBack');
    return goesTo('TakingBack') ?? stays([blocked]);
  }
  if (set.kind === 'there' && set.problem !== undefined)
    return stays([hold('ReleaseWaiting', `StatefulSet ${name} ${set.problem}: ${adopt} takes the members back`, true)]);
  if (!isPrepared(o, seen)) return goesTo('Preparing') ?? stays([progress(o, 'Preparing')], preparation(o, seen));
  if (set.kind === 'none') {
    const go = `StatefulSet ${name} is to be made: kubectl mkv release ${name} -n ${namespace} goes on, ${adopt} takes it back`;
    return goesTo('Waiting') ?? stays([hold('ReleaseWaiting', go, true)]);
  }
  if (seen.hasPolicy)
    return stays([
      hold(
        'ReleaseWaiting',
        `our NetworkPolicies would cut off a Pod that the StatefulSet makes: kubectl delete networkpolicy ${networkPolicyName(name)} ${clientsPolicyName(name)} -n ${namespace} --ignore-not-found`,
        true,
      ),
    ]);
  const begun = goesTo('LettingGo', set.uid);
  if (begun !== undefined) return begun;
  const isAllThere = o.nodes.every((node) => node.pod?.ownerUid === set.uid && hasReadyPod(node));
  return isAllThere ? { ...stays([]), release: turnTo('Closing', set.uid) } : stays([progress(o, 'LettingGo')]);
}

/** The point of no return: all Pods have changed hands. */
function closing(
  o: ClusterObservation,
  stays: (holds: readonly Hold[], steps: readonly ClusterStep[]) => ReleasePlan,
): ReleasePlan {
  if (o.nodes.length === 0) {
    const plan = stays([], []);
    return { ...plan, release: { stored: undefined, isTurn: true, isOver: true } };
  }
  const steps = o.nodes
    .filter(({ isDeleting }) => !isDeleting)
    .map((node): ClusterStep => ({ kind: 'dropNode', node }));
  return stays([progress(o, 'Closing')], steps);
}

/** The node controller writes the labels of the Pods. The Services are switched when all Pods have them. */
function preparation(o: ClusterObservation, { children }: ReleaseSeen): readonly ClusterStep[] {
  if (!o.nodes.every((node) => isLabelled(o, node))) return [];
  return children.filter(({ isReleased }) => !isReleased).map((child) => ({ kind: 'handChild', child }));
}

function isPrepared(o: ClusterObservation, { children }: ReleaseSeen): boolean {
  return children.every(({ isReleased }) => isReleased) && o.nodes.every((node) => isLabelled(o, node));
}

/** The Pod is found by the selectors of either side. */
function isLabelled({ cluster: { name } }: ClusterObservation, { pod }: NodeRecord): boolean {
  return pod !== undefined && Object.entries(releasedSelector(name)).every(([key, value]) => pod.labels[key] === value);
}

/** Its Pod is the StatefulSet's, or has no owner for a moment. */
function isInOtherHands({ pod, uid }: NodeRecord): boolean {
  return pod !== undefined && pod.ownerUid !== uid;
}

function turnTo(phase: ReleasePhase, setUid?: string): ReleaseTurn {
  return { stored: { phase, setUid }, isTurn: true, isOver: false };
}

/** Names what is still missing, in a fixed order. */
function progress(o: ClusterObservation, phase: ReleasePhase): Hold {
  const { nodes, cluster } = o;
  const outside = nodes.filter(isInOtherHands).length;
  switch (phase) {
    case 'Preparing':
    case 'Waiting':
      return hold('Releasing', `the Services of ${cluster.name} are switched to the selector of a StatefulSet`);
    case 'LettingGo':
      return hold(
        'Releasing',
        `${outside} of ${nodes.length} Pods are let go: waiting until StatefulSet ${cluster.name} has every one, ready`,
      );
    case 'TakingBack':
      return hold(
        'Releasing',
        `the members are taken back: waiting for ${namesOf(nodes.filter(isInOtherHands)) || 'the final check'}`,
      );
    case 'Closing':
      return hold(
        'Releasing',
        `StatefulSet ${cluster.name} has every Pod; ${namesOf(nodes) || 'nobody'} is taken off this operator`,
      );
  }
}
