// May this Pod be ended? Its node goes by an operation that has come far enough, or it is started anew on its volume,
// or no client can have written through its member.

import { ANNOTATIONS, type MarekvsCluster, type MarekvsNode, type OperationPhase } from '@marekvs/api';
import { templateHash } from '@marekvs/operator/projections';
import type { ApiObject, SimulatedMember } from '@marekvs/simulator';
import type { WorldView } from '../cluster/world-view.ts';
import type { WriteBody } from '../operator/write-effect.ts';
import { forgottenProblem } from './host-judge.ts';
import type { SleepJudge } from './sleep-judge.ts';
import {
  isBroughtBack,
  isLeaving,
  isOpenOneOf,
  isTurnOf,
  type Lately,
  mayBeBroughtBack,
  operationOn,
} from './under-way.ts';

/** Members that fall silent are shown for longer than this, and within this time others learn what a kubelet has
 *  started. */
const UNSEEN_MS = 1_000;

/** From the proof on, a Pod ends for good. */
const BEFORE_THE_PROOF: ReadonlySet<OperationPhase> = new Set(['Claimed', 'Isolating', 'Sealing', 'Proving']);

/** What is judged elsewhere. */
interface Judged {
  readonly sleep: SleepJudge;
  readonly lately: Lately;
}

/** Why this Pod must not be deleted; undefined when it may. */
export function podEndProblem(
  view: WorldView,
  pod: ApiObject,
  body: WriteBody,
  { sleep, lately }: Judged,
): string | undefined {
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
  const node = view.nodes().find(({ metadata }) => metadata.uid === owner);
  if (node === undefined || pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded') return undefined;
  if (body.gracePeriodSeconds === 0) return forgottenProblem(view, pod);
  if (isBroughtBack(node, pod)) return keepsVolume(view, node) ? undefined : 'its volume would go with it';
  const cluster = view.clusterOf(node);
  const seeds = node.spec.seeds ?? [];
  const isLonely = seeds.length > 0 && seeds.join() !== pod.metadata.annotations?.[ANNOTATIONS.seeds];
  const isWaking = cluster?.status?.operation?.phase === 'Waking' && node.spec.serving !== true;
  if (isLonely && (cluster?.status?.formed === undefined || isWaking)) return undefined;
  if (isOutdated(node, pod) && isNobodysYet(view, node, cluster)) return undefined;
  const hasTurn = cluster !== undefined && isTurnOf(cluster, node);
  if (isOutdated(node, pod) && (hasTurn || hasJustBegun(view, node)))
    return keepsVolume(view, node) ? undefined : 'its volume would go with it';
  if (cluster !== undefined && isToBeSealed(cluster, node, pod, lately))
    return keepsVolume(view, node) ? undefined : 'its volume would go with it';
  if (cluster !== undefined && node.spec.stopped !== undefined)
    return keepsVolume(view, node) ? sleep.stopProblem(node, lately(cluster)) : 'its volume would go with it';
  if (node.metadata.deletionTimestamp === undefined)
    return mayBeBroughtBack(node, pod) && keepsVolume(view, node) ? undefined : 'its node is to stay as it is';
  if (cluster === undefined || isLeaving(cluster)) return undefined;
  const phase = operationOn(cluster, node)?.phase;
  return phase === 'Deleting' || phase === 'Departing' ? undefined : `its node is held, at ${phase}`;
}

/** The Pod is the one whose door is to be closed, by a removal that goes on. */
function isToBeSealed(cluster: MarekvsCluster, node: MarekvsNode, pod: ApiObject, lately: Lately): boolean {
  const phase = operationOn(cluster, node)?.phase;
  if (!isOpenOneOf(node, pod) || phase === 'Deleting' || phase === 'Departing') return false;
  return lately(cluster).some((one) => {
    const operation = operationOn(one, node);
    return operation !== undefined && BEFORE_THE_PROOF.has(operation.phase);
  });
}

/** The node has got another template since the Pod was made. */
function isOutdated({ spec }: MarekvsNode, pod: ApiObject): boolean {
  return pod.metadata.annotations?.[ANNOTATIONS.templateHash] !== templateHash(spec.template);
}

/** No client can have written through this member: it does not run, joins for the first time, or its cluster is not
 *  formed. A joining member answers no client, and clients find a member that has just joined only once another
 *  member shows it. */
function isNobodysYet(view: WorldView, { spec, status }: MarekvsNode, cluster: MarekvsCluster | undefined): boolean {
  if (cluster?.status?.formed === undefined) return true;
  const member = view.member(spec.nodeId);
  if (member === undefined) return true;
  if (spec.serving === true || status?.lastActiveAt !== undefined) return false;
  return member.phase === 'Joining' || isActiveForItselfAlone(view, member, spec.nodeId);
}

/** Active for so short a time that no other member can have shown it and dropped it again. */
function isActiveForItselfAlone(view: WorldView, { phase, phaseSinceMs }: SimulatedMember, id: number): boolean {
  if (phase !== 'Active' || view.kube.clock.now() - phaseSinceMs >= UNSEEN_MS) return false;
  const others = view.nodeIds().filter((other) => other !== id);
  return others.every((other) => view.phaseShownBy(other, id) !== 'Active');
}

/** The process may not have run yet when its Pod was read: it started just now and answers nobody yet. */
function hasJustBegun(view: WorldView, { spec }: MarekvsNode): boolean {
  const member = view.member(spec.nodeId);
  return member?.phase === 'Joining' && view.kube.clock.now() - member.phaseSinceMs < UNSEEN_MS;
}

function keepsVolume(view: WorldView, { spec }: MarekvsNode): boolean {
  const claim = view.claim(spec.nodeId);
  return claim !== undefined && claim.metadata.deletionTimestamp === undefined;
}
