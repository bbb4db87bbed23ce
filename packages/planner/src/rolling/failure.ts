// Answers: has the turn of a member failed? Its Pod cannot run what it was made from, or the member does not become one of the others.
// What merely takes its time is waited for until spec.update.progressDeadlineSeconds.

import type { Reason } from '@marekvs/api';
import { type Hold, hold } from '../hold.ts';
import { isActiveMember } from '../member-state.ts';
import type { ClusterObservation, NodeRecord, PodRecord } from '../observation.ts';
import { podTrouble } from '../pod-trouble.ts';
import type { Evidence } from '../removal/evidence.ts';

/** What may mend itself is given so long: a registry that is away for a moment, a host that is just being added, a mesh that connects. */
export const FAILURE_PATIENCE_MS = 60_000;

/** A member that ends so often with one template will not stay. */
const CRASHES = 3;

/** What the kubelet says before it has tried again, and of what no other try will mend. */
const FIRST_TRY = 'ErrImagePull';

/** The Pod cannot be made. */
const REFUSALS: ReadonlySet<Reason | undefined> = new Set<Reason | undefined>([
  'QuotaExceeded',
  'ForbiddenByPolicy',
  'Unauthorized',
  'RequestInvalid',
  'NameTaken',
]);

/** What is wrong with the restarted member, undefined while nothing is. Pure.
 *  @param sinceMs wall clock: since when it is being restarted
 *  @param evidence of all members with this one among them */
export function turnFailure(
  o: ClusterObservation,
  node: NodeRecord,
  sinceMs: number,
  evidence: Pick<Evidence, 'checks'>,
): Hold | undefined {
  const { pod } = node;
  if (pod === undefined) return refusal(node, o.nowMs - sinceMs);
  // The Pod of before, or one that is about to be made again.
  if (pod.templateHash !== node.templateHash || pod.isTerminating) return undefined;
  const ageMs = o.nowMs - pod.createdAtMs;
  return podFailure(o, node, pod, ageMs) ?? meshFailure(node, ageMs, evidence) ?? lateness(o, node, ageMs);
}

function refusal({ name, saidReason }: NodeRecord, forMs: number): Hold | undefined {
  if (saidReason === undefined || !REFUSALS.has(saidReason) || forMs < FAILURE_PATIENCE_MS) return undefined;
  return hold(saidReason, `Pod ${name} is refused for ${FAILURE_PATIENCE_MS / 1000} s`);
}

function podFailure(o: ClusterObservation, node: NodeRecord, pod: PodRecord, ageMs: number): Hold | undefined {
  if (pod.restartCount >= CRASHES)
    return hold('CrashLooping', `the member of ${node.name} has ended ${CRASHES} times with this template`);
  const trouble = podTrouble(node, pod, o.nowMs);
  switch (trouble?.reason) {
    case 'CrashLooping':
      return trouble;
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

/** Gossip looks healthy while two server versions do not understand each other on the mesh (docs/design/server.md#hazards). */
function meshFailure(node: NodeRecord, ageMs: number, { checks }: Pick<Evidence, 'checks'>): Hold | undefined {
  const mesh = checks.find(({ name }) => name === 'meshComplete');
  const isOpen = mesh?.passed === false && mesh.hold?.reason === 'MeshIncomplete';
  return isOpen && isActiveMember(node) && ageMs >= FAILURE_PATIENCE_MS ? mesh.hold : undefined;
}

function lateness({ cluster }: ClusterObservation, node: NodeRecord, ageMs: number): Hold | undefined {
  const { progressDeadlineSeconds } = cluster.spec.update;
  if (isActiveMember(node) || ageMs <= progressDeadlineSeconds * 1000) return undefined;
  return hold('DeadlineExceeded', `${node.name} has not joined within ${progressDeadlineSeconds} s`);
}
