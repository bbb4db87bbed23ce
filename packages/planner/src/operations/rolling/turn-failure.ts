// Answers: has the turn of a member failed? It has when its Pod cannot run what it was made from, or the member does
// not become one of the others. Whatever merely takes time is waited for until spec.update.progressDeadlineSeconds.

import { reasonRow } from '@marekvs/api';
import type { Evidence } from '../../evidence/evidence.ts';
import { isActiveMember } from '../../members/member-state.ts';
import { podTrouble } from '../../members/pod-trouble.ts';
import { factsOf, recentReading } from '../../observation/member-facts.ts';
import type { NodeRecord, PodRecord } from '../../observation/node-record.ts';
import type { ClusterObservation } from '../../observation/observation.ts';
import { servingPeers } from '../../service/serving.ts';
import { type Hold, hold } from '../../values/hold.ts';

/** Time given to what may mend itself: a registry that is away for a moment, a host that is just being added, a mesh
 *  that connects. */
export const FAILURE_PATIENCE_MS = 60_000;

/** Shorter: cluster-aware clients write to a member that shows itself Active, and those writes reach no other. */
export const MESH_PATIENCE_MS = 30_000;

/** A member that has ended this often with one template will not stay. */
const CRASHES = 3;

/** Reported by the kubelet before it has tried again, also for images that no other try will get. */
const FIRST_TRY = 'ErrImagePull';

/** What is wrong with the restarted member; undefined while nothing is. Pure.
 *  @param sinceMs wall clock: since when it is being restarted
 *  @param evidence of all members, this one among them */
export function turnFailure(
  o: ClusterObservation,
  node: NodeRecord,
  sinceMs: number,
  evidence: Pick<Evidence, 'checks'>,
): Hold | undefined {
  const { pod } = node;
  if (pod === undefined) return refusal(node, o.nowMs - sinceMs);
  // The old Pod, or one that is about to be recreated.
  if (pod.templateHash !== node.templateHash || pod.isTerminating) return undefined;
  const ageMs = o.nowMs - pod.createdAtMs;
  return podFailure(o, node, pod, ageMs) ?? meshFailure(o, node, ageMs, evidence) ?? lateness(o, node, ageMs);
}

function refusal({ name, reportedReason }: NodeRecord, forMs: number): Hold | undefined {
  if (reportedReason === undefined || forMs < FAILURE_PATIENCE_MS) return undefined;
  // The Pod cannot be made.
  if (reasonRow(reportedReason)?.refusal !== 'object' && reportedReason !== 'NameTaken') return undefined;
  return hold(reportedReason, `Pod ${name} is refused for ${FAILURE_PATIENCE_MS / 1000} s`);
}

function podFailure(o: ClusterObservation, node: NodeRecord, pod: PodRecord, ageMs: number): Hold | undefined {
  if (pod.restartCount >= CRASHES)
    return hold('CrashLooping', `the member of ${node.name} has ended ${CRASHES} times with this template`);
  const trouble = podTrouble(node, pod, o.nowMs);
  switch (trouble?.reason) {
    case 'CrashLooping':
      // The container waits for its next start, so it has ended once more than it was restarted. The third end comes
      // ten seconds and a run after the second. For a process that runs longer, no more than a minute is waited after
      // the first.
      return pod.restartCount + 1 >= CRASHES || ageMs >= FAILURE_PATIENCE_MS ? trouble : undefined;
    case 'ImagePullFailed':
      return pod.waiting?.reason === FIRST_TRY && ageMs < FAILURE_PATIENCE_MS ? undefined : trouble;
    case 'ContainerConfigInvalid':
    case 'PodUnschedulable':
    case 'MemberAnswerInvalid':
      return ageMs < FAILURE_PATIENCE_MS ? undefined : trouble;
    default:
      return undefined;
  }
}

/** Gossip looks healthy while two server versions do not understand each other on the mesh
 *  (docs/design/server.md#hazards). Members are meshed some seconds after one has started. A member that counts too few
 *  may also be cut off for a while: that fails no turn before it has lasted. */
function meshFailure(
  o: ClusterObservation,
  node: NodeRecord,
  ageMs: number,
  { checks }: Pick<Evidence, 'checks'>,
): Hold | undefined {
  const mesh = openMesh(checks);
  if (mesh === undefined || !isActiveMember(node) || ageMs < MESH_PATIENCE_MS || !isMeshShort(o)) return undefined;
  const { unmeshedSinceMs = o.monotonicMs } = o;
  return o.monotonicMs - unmeshedSinceMs < MESH_PATIENCE_MS ? undefined : mesh;
}

type Counts = Pick<ClusterObservation, 'nodes' | 'facts' | 'monotonicMs'>;

/** True when any member counts fewer connections than there are others. */
export function isMeshShort(o: Counts): boolean {
  return o.nodes.some((node) => countsTooFew(o, node));
}

/** At most one of the connections a member counts is an observer's, so too few is certain whoever compares. What it
 *  counted before it fell silent says nothing about now. */
function countsTooFew(o: Counts, node: NodeRecord): boolean {
  const figures = recentReading(factsOf(o, node), o.monotonicMs)?.figures;
  return (figures?.meshPeers ?? Number.POSITIVE_INFINITY) < servingPeers(o);
}

/** True when the mesh has been incomplete for long by a count that may lack us and not another member: another observer
 *  has taken our place and gone. No contents are read until the members have been counted without the connections of a
 *  comparison. */
export function isMeshDoubtful(o: ClusterObservation, node: NodeRecord, { checks }: Pick<Evidence, 'checks'>): boolean {
  return openMesh(checks) !== undefined && node.pod !== undefined && o.nowMs - node.pod.createdAtMs >= MESH_PATIENCE_MS;
}

function openMesh(checks: Evidence['checks']): Hold | undefined {
  const mesh = checks.find(({ name }) => name === 'meshComplete');
  return mesh?.passed === false && mesh.hold?.reason === 'MeshIncomplete' ? mesh.hold : undefined;
}

function lateness({ cluster }: ClusterObservation, node: NodeRecord, ageMs: number): Hold | undefined {
  const { progressDeadlineSeconds } = cluster.spec.update;
  if (isActiveMember(node) || ageMs <= progressDeadlineSeconds * 1000) return undefined;
  return hold('DeadlineExceeded', `${node.name} has not joined within ${progressDeadlineSeconds} s`);
}
