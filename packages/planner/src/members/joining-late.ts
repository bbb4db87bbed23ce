// Answers: has a member been joining for so long that its template may be the reason, or that a person has to know? How
// long a first copy takes cannot be known; a member that was Active before is back within seconds.

import type { NodeRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import { type Hold, hold } from '../values/hold.ts';
import { hasLostVolume } from './member-state.ts';

/** True for a member that has been joining for longer than a turn may take. */
export function isJoiningLate({ cluster, nowMs }: ClusterObservation, { answer, pod }: NodeRecord): boolean {
  const ageMs = nowMs - (pod?.createdAtMs ?? nowMs);
  return answer.kind === 'joining' && ageMs > cluster.spec.update.progressDeadlineSeconds * 1000;
}

/** Tells a person about a member that does not join, when nothing else would end that: it was Active before, or its
 *  volume is lost while its process runs. Not in its turn, which fails by itself. */
export function joiningLateHold(o: ClusterObservation, node: NodeRecord): Hold | undefined {
  const { name, uid, wasActive, removalMark, isDeleting } = node;
  const isOnLostVolume = hasLostVolume(node);
  const goesWithPod = node.volume?.isTerminating === true;
  if (!(wasActive || isOnLostVolume) || removalMark !== undefined || !isJoiningLate(o, node)) return undefined;
  const { namespace, spec } = o.cluster;
  const seconds = spec.update.progressDeadlineSeconds;
  const accept = `accept the loss of what only it holds (kubectl annotate marekvsnode ${name} -n ${namespace} marekvs.io/force-remove=${uid}/<reason>)`;
  const late =
    isOnLostVolume || goesWithPod
      ? `has not joined within ${seconds} s, see its log, and its volume is ${goesWithPod ? 'being deleted' : 'gone'}, so that a restart would end what it holds`
      : `was Active before and has not joined again within ${seconds} s, see its log`;
  // A deleted node without a process would go without proof: it is not restarted, with the same template or another.
  const mend = `correct the template if that is the reason, restart it (kubectl delete pod ${name} -n ${namespace}), or `;
  const way = isDeleting || isOnLostVolume || goesWithPod ? accept : `${mend}${accept}`;
  return hold('MemberJoining', `${name} ${late}: ${way}`, true);
}
