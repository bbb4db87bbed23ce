// Answers: what is the next thing to do for one MarekvsNode's volume and Pod, and what keeps it from being Active?
// One step a pass. A Pod is only ever started on the volume its node was recorded with (docs/design/server.md#h2, #h3).

import { gossipAddresses, sameSeeds } from '../forming/seeds.ts';
import { hasLastingPod, hasLostVolume, isActiveMember, isAskedToLeave } from '../members/member-state.ts';
import { wantsPassword } from '../members/passwords.ts';
import { podTrouble, startPatienceLeftMs } from '../members/pod-trouble.ts';
import { offInMs } from '../observation/host-finding.ts';
import type { NodeRecord, PodRecord } from '../observation/node-record.ts';
import { isHalfResized } from '../templates/revisions.ts';
import { isOutdatedUnstarted } from '../templates/template-without-turn.ts';
import { isAskedFor, isInForce } from '../values/compute-resources.ts';
import { type Hold, hold } from '../values/hold.ts';
import { NO_PASSWORD } from '../values/password-source.ts';
import { claimChange, volumePatienceLeftMs } from '../volumes/claim-change.ts';
import { adoptPodStep, adoptVolumeStep } from './adoption.ts';
import { planDeparture } from './departure.ts';
import { departureHold, isDeparting } from './departure-permit.ts';
import { leavingMark, planComeback, planDrain, planSealing } from './leaving.ts';
import {
  AS_SEEN,
  act,
  endPod,
  type NodeObservation,
  type NodePlan,
  othersOf,
  ownPod,
  planForgetting,
  wait,
  waitForTermination,
} from './node-step.ts';
import { OUTAGE_CHECK_MS, outageHold } from './outage.ts';
import { planReleased } from './release.ts';
import { waitToStart } from './restart-order.ts';
import { planStop, stoppedHold } from './stop.ts';

/** A member that has not accepted the password is given it again after this long. */
export const PASSWORD_INTERVAL_MS = 2_000;

/** The next step for one node. Pure. */
export function planNode(o: NodeObservation): NodePlan {
  if (o.parent === 'gone') return planRelease(o);
  if (o.parent === 'none') return wait(orphaned(o));
  if (o.parent === 'foreign') return planForeign(o);
  const released = o.parent === 'present' ? planReleased(o) : undefined;
  if (released !== undefined) return released;
  const stays = o.node.isDeleting ? departureHold(o) : undefined;
  const mayGo = o.node.isDeleting && stays === undefined;
  if (o.parent === 'paused' && !(mayGo && isDeparting(o)))
    return wait(hold('Paused', 'spec.paused of the cluster is true'));
  const plan = mayGo ? planDeparture(o) : planUpkeep(o, stays);
  // Nothing is made or ended for a cluster that may be gone, or going with its namespace (F60).
  const isConfirmed = o.parent !== 'unconfirmed' || (plan.step === undefined && !o.node.isDeleting);
  return isConfirmed ? plan : act({ kind: 'confirmParent' });
}

/** The node stays, at least for now: volume and Pod are kept as they should be. */
function planUpkeep(o: NodeObservation, stays: Hold | undefined): NodePlan {
  // Somebody removed the finalizer: without it a deleted node would be gone before anything is proven (F57).
  if (!o.hasFinalizer && !o.node.isDeleting) return act({ kind: 'addFinalizer' });
  const plan = withVolumePatience(o, planVolume(o) ?? planPod(o));
  const isBusy = plan.step !== undefined && plan.step.kind !== 'drain';
  if (stays === undefined || isBusy || plan.hold?.needsPerson === true) return plan;
  return { ...plan, hold: stays };
}

function orphaned(o: NodeObservation): Hold {
  return hold(
    'NodeOrphaned',
    `${o.node.name} has no owner: give it its owner reference to MarekvsCluster ${o.clusterName} back; until then it is left as it is`,
    true,
  );
}

/** It counts for nothing, and nothing is made or ended for it. Deleted by whoever copied it, it may go. One that has a
 *  Pod was a node of a cluster once, and may hold what nobody else has: its owner reference has to be put right. */
function planForeign(o: NodeObservation): NodePlan {
  if (o.node.isDeleting && ownPod(o) === undefined)
    return o.hasFinalizer ? act({ kind: 'releaseNode' }) : wait(undefined);
  const message = `${o.node.name} names a MarekvsCluster that it is not a node of, and counts for nothing: ${o.foreignWhy ?? 'its owner is another one'}`;
  return wait(hold('NodeForeign', message, true));
}

/** The cluster is gone: the Pod is ended, the volume stays, the node is released. */
function planRelease(o: NodeObservation): NodePlan {
  if (!o.node.isDeleting) return wait(undefined);
  return endPod(o, 'Deleting') ?? act({ kind: 'releaseNode' });
}

function planVolume(o: NodeObservation): NodePlan | undefined {
  const { node } = o;
  if (hasLostVolume(node)) return planLeftover(o) ?? wait(volumeGone(node));
  const adoption = adoptVolumeStep(o);
  if (adoption !== undefined) return adoption;
  if (node.volume === undefined) return node.isDeleting ? wait(undefined) : act({ kind: 'createVolume' });
  if (node.volume.clusterName !== o.clusterName || node.volume.nodeId !== node.id) {
    return wait(
      hold(
        'VolumeForeign',
        `PersistentVolumeClaim ${node.volume.name} carries labels of something else: relabel or remove it`,
        true,
      ),
    );
  }
  if (node.volume.isTerminating && node.pod === undefined) {
    return wait(
      hold('VolumeLost', `PersistentVolumeClaim ${node.volume.name} is being deleted: its Pod is not started again`),
    );
  }
  // The volume of a stopped node is left to the person who repairs it.
  return planAttach(o) ?? (node.stopped === undefined ? planClaimChange(o) : undefined);
}

/** Nothing else waits for this change: the Pod starts on the volume as it is. */
function planClaimChange({ node, volumeRefusal }: NodeObservation): NodePlan | undefined {
  const change = node.isDeleting || volumeRefusal !== undefined ? undefined : claimChange(node);
  if (change === undefined || node.volume === undefined) return undefined;
  return act({ kind: 'changeClaim', volume: node.volume, change });
}

/** Requeues to retry a refused change of the claim, or to report one that has taken too long. */
function withVolumePatience({ node, volumeRefusal, nowMs }: NodeObservation, plan: NodePlan): NodePlan {
  if (node.isDeleting || plan.step !== undefined) return plan;
  const leftMs = volumeRefusal?.leftMs ?? volumePatienceLeftMs(node, nowMs);
  if (leftMs === undefined) return plan;
  return { ...plan, requeueAfterMs: Math.min(leftMs, plan.requeueAfterMs ?? leftMs) };
}

/** A process may have outlived its volume: it keeps its data, and hands over its clients when the node has to go. */
function planLeftover(o: NodeObservation): NodePlan | undefined {
  const pod = ownPod(o);
  return pod === undefined || pod.isTerminating ? undefined : (planLabels(o, pod) ?? planDrain(o, pod));
}

function volumeGone({ volume }: NodeRecord): Hold {
  const what = volume === undefined ? 'of this node is gone' : `${volume.name} is another one than before`;
  const message = `volume ${what}: no Pod is started on an empty volume under a used id`;
  return hold('VolumeLost', message);
}

/** A detached volume counts as in use again only once its member is Active: until then its recorded age still
 *  counts. */
function planAttach({ node }: NodeObservation): NodePlan | undefined {
  const { volume } = node;
  if (volume?.detachedAtMs === undefined || node.isDeleting || node.intent !== 'Active') return undefined;
  return isActiveMember(node) ? act({ kind: 'attachVolume', volume }) : undefined;
}

function planPod(o: NodeObservation): NodePlan {
  const { pod } = o.node;
  if (pod === undefined) return planStart(o);
  if (pod.ownerUid !== o.node.uid) return adoptPodStep(o, pod) ?? planForeignPod(pod);
  const forgotten = planForgetting(o, pod);
  if (forgotten !== undefined) return forgotten;
  if (pod.isTerminating) return waitForTermination(o, pod);
  const stopping = planStop(o, pod);
  if (stopping !== undefined) return stopping;
  if (pod.phase === 'Failed' || pod.phase === 'Succeeded') return act({ kind: 'deletePod', pod, why: 'PodTerminal' });
  if (isLonely(o, pod)) return act({ kind: 'deletePod', pod, why: 'MemberLonely' });
  if (isOutdatedUnstarted(o.siblings, o.node, pod, { isFormed: o.isClusterFormed, nowMs: o.nowMs }))
    return act({ kind: 'deletePod', pod, why: 'TemplateOutdated', ...AS_SEEN });
  const planned =
    planComeback(o, pod) ??
    planSealing(o, pod) ??
    planLabels(o, pod) ??
    planDrain(o, pod) ??
    planResizing(o, pod) ??
    planPassword(o, pod);
  const trouble = podTrouble(o.node, pod, o.nowMs);
  // A process that is told to leave again and again may never come up.
  if (planned !== undefined) return planned.step?.kind === 'drain' ? { ...planned, hold: trouble } : planned;
  return wait(trouble, startPatienceLeftMs(o.node, pod, o.nowMs) ?? offInMs(o.hostFinding));
}

/** Gives the member the password of the spec. Open sessions go on and new ones require it, so that nothing is restarted
 *  (docs/design/server.md#resp). */
function planPassword({ node, password, isClusterFormed }: NodeObservation, pod: PodRecord): NodePlan | undefined {
  if (password?.isUsable !== true || pod.ip === undefined || node.answer.kind !== 'serving') return undefined;
  // Before the cluster is formed, a member takes up another Secret with a new Pod.
  if (!isClusterFormed && password.asked !== (node.password ?? NO_PASSWORD)) return undefined;
  if (wantsPassword(node, password.asked)) return undefined;
  // Without this note nothing would show that the member may require this password, once the spec was set back and this
  // process has ended.
  const known = [NO_PASSWORD, node.password, ...(node.passwordsGiven ?? [])];
  if (!known.includes(password.asked)) return act({ kind: 'notePassword', source: password.asked });
  return act({ kind: 'setPassword', pod, source: password.asked }, PASSWORD_INTERVAL_MS);
}

/** True when the node has other seeds than its Pod was started with, and a restart is harmless: while the cluster forms
 *  the member holds nothing yet; while it wakes the member serves no clients yet, and its data is on its volume. */
function isLonely({ node, isClusterFormed, operation }: NodeObservation, pod: PodRecord): boolean {
  const isWaking = operation?.type === 'Hibernate' && operation.phase === 'Waking' && !node.serving;
  return (!isClusterFormed || isWaking) && node.seeds.length > 0 && !sameSeeds(pod.seeds, node.seeds);
}

function planStart(o: NodeObservation): NodePlan {
  const asleep = stoppedHold(o);
  if (asleep !== undefined) return asleep;
  const outage = outageHold(o);
  if (outage !== undefined) return wait(outage, OUTAGE_CHECK_MS);
  const turn = waitToStart(o);
  if (turn !== undefined) return turn;
  // The status tells which volume it is before a process uses it. Otherwise both could go while no operator is there,
  // and nothing would show that the id was used (docs/design/server.md#h2).
  if (isVolumeToRecord(o)) return wait(undefined);
  return act({ kind: 'createPod', seeds: o.node.seeds.length > 0 ? o.node.seeds : knownSeeds(o) });
}

/** True while the first Pod of a node waits until its status names the volume. Nothing of a cluster that has never
 *  formed is worth this write. */
export function isVolumeToRecord({ node, isClusterFormed }: NodeObservation): boolean {
  const { pod, volume, recordedVolumeUid } = node;
  return isClusterFormed && pod === undefined && volume !== undefined && recordedVolumeUid === undefined;
}

/** A Pod of the node's name with another owner: an earlier node of that name, or somebody else's. It is waited for and
 *  never deleted here. */
function planForeignPod(pod: PodRecord): NodePlan {
  return wait(
    hold(
      'NameTaken',
      `Pod ${pod.name} belongs to another owner${pod.isTerminating ? ' and is terminating' : ''}: waiting until it is gone`,
      pod.ownerUid === undefined && !pod.isTerminating,
    ),
  );
}

/** One patch for all of it: before a member is told to leave it is out of the Service, and its Pod is marked. */
function planLabels(o: NodeObservation, pod: PodRecord): NodePlan | undefined {
  const labels = labelChanges(pod.labels, o.wantedPodLabels);
  const annotations = leavingMark(o, pod);
  if (labels === undefined && annotations === undefined) return undefined;
  return act({ kind: 'labelPod', pod, labels: labels ?? {}, ...(annotations === undefined ? {} : { annotations }) });
}

/** Gossip addresses of the other members that have a Pod with an address, smallest first. */
function knownSeeds(o: NodeObservation): readonly string[] {
  return gossipAddresses(othersOf(o).filter(hasLastingPod));
}

function labelChanges(
  labels: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | null>> | undefined {
  const changes = Object.entries(wanted)
    .filter(([name, value]) => labels[name] !== value)
    .map(([name, value]) => [name, value ?? null] as const);
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

// Resizes a Pod in place. First the resources are requested. Once the host reports them in force, their revision is
// noted on the Pod, since what a member runs is read from its Pod. The permit comes with the stamp of the node.
function planResizing({ node }: NodeObservation, pod: PodRecord): NodePlan | undefined {
  const { resize, resources, templateHash } = node;
  // The permit of another stamp does not count, and a member on its way out is restarted or gone soon.
  if (resize === undefined || !isHalfResized(node) || resize.revision !== templateHash) return undefined;
  if (isAskedToLeave(node) || node.isDeleting) return undefined;
  const { revision, operationId } = resize;
  if (isInForce(pod.resources, resources)) return act({ kind: 'noteResized', pod, revision, operationId });
  if (isAskedFor(pod.resources, resources) || node.resizeRefused !== undefined) return undefined;
  return act({ kind: 'resizePod', pod, resources });
}
