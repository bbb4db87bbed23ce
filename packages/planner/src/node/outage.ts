// Answers: may this Pod be created now, while no member is up and they may have been away for as long as deletions are
// remembered? A member that starts alone keeps everything; one that was away for gcGraceSeconds and joins it later
// drops whatever the first does not have, even the only copy. Members that start together keep what they have. A Pod
// that its kubelet starts again is out of our hands.

import { reasonRow } from '@marekvs/api';
import { hasLostVolume, hasOwnVolume, isNewcomer, isUp } from '../members/member-state.ts';
import { CLOCK_SKEW_MS, reusableForMs } from '../members/volume-age.ts';
import type { NodeRecord, PodRecord } from '../observation/node-record.ts';
import { type Hold, hold, namesOf } from '../values/hold.ts';
import type { NodeObservation } from './node-step.ts';
import { isYoungPod } from './restart-order.ts';

/** The last obstacle may go without an event, and members that start together have to do so within a second. */
export const OUTAGE_CHECK_MS = 500;

/** Why the missing Pod of this node is not created yet; undefined when it may be. Pure. */
export function outageHold(o: NodeObservation): Hold | undefined {
  const { node, siblings } = o;
  if (!o.isClusterFormed || o.mayStartAfterOutage || siblings.some(isUp)) return undefined;
  const holders = siblings.filter((one) => !hasLostVolume(one) && !isNewcomer(one));
  const old = holders.filter((one) => mayBeOld(o, one));
  if (old.length === 0) return undefined;
  const obstacle = holders.includes(node)
    ? holders.map((one) => obstacleOf(o, one)).find((found) => found !== undefined)
    : 'those that hold data are up';
  return obstacle === undefined ? undefined : tooLong(node, old, obstacle);
}

/** True when the member may have been away for too long, with the margin of a kept volume: it has to be up and heard
 *  before gcGraceSeconds are over. Also true when nothing says for how long. */
function mayBeOld(o: NodeObservation, one: NodeRecord): boolean {
  const lastMs = lastActiveMs(o, one);
  return lastMs === undefined || o.nowMs - lastMs >= reusableForMs(o.gcGraceSeconds);
}

/** Wall clock: when the member was certainly Active. From the annotations of its volume while that is not in use again,
 *  otherwise from its node: a member cannot have been away for longer than it exists. Undefined when nothing is
 *  recorded, or a wrong clock wrote a time in the future. */
function lastActiveMs({ lastActiveMs, nowMs }: NodeObservation, one: NodeRecord): number | undefined {
  const { volume, uid, createdAtMs } = one;
  const ofVolume = [volume?.detachedAtMs, volume?.lastActiveAtMs].filter((ms) => ms !== undefined);
  const ofNode = [lastActiveMs.get(uid), hasOwnVolume(one) ? createdAtMs : undefined].filter((ms) => ms !== undefined);
  if (ofVolume.length + ofNode.length === 0) return undefined;
  const ms = ofVolume.length > 0 ? Math.min(...ofVolume) : Math.max(...ofNode);
  return ms > nowMs + CLOCK_SKEW_MS ? undefined : ms;
}

/** What has to happen before this member can start with the others; undefined when it can, or is starting. */
function obstacleOf(o: NodeObservation, one: NodeRecord): string | undefined {
  const { pod, volume, name } = one;
  if (pod !== undefined) return isStartingAnew(o, one, pod) ? undefined : `the earlier Pod ${name} is gone`;
  if (volume?.isBound !== true || volume.isTerminating) return `the volume of ${name} is there`;
  const isRefused = one.uid !== o.node.uid && cannotBeMade(one.reportedReason);
  return isRefused ? `the Pod of ${name} can be created` : undefined;
}

/** True for a node whose Pod cannot be created until a person acts. */
function cannotBeMade(reason: Hold['reason'] | undefined): boolean {
  const { refusal, obstacle } = reasonRow(reason) ?? {};
  return refusal === 'object' || obstacle === 'foreign';
}

/** True when its Pod was made after the outage began. */
function isStartingAnew(o: NodeObservation, one: NodeRecord, pod: PodRecord): boolean {
  if (pod.ownerUid !== one.uid || pod.isTerminating || pod.phase === 'Failed' || pod.phase === 'Succeeded')
    return false;
  return isYoungPod(pod, o.nowMs) || pod.createdAtMs > (lastActiveMs(o, one) ?? Number.POSITIVE_INFINITY);
}

function tooLong({ name }: NodeRecord, old: readonly NodeRecord[], obstacle: string): Hold {
  const who = namesOf(old);
  const message = `${name} waits: no member is up, and ${who} may have been away for gcGraceSeconds; all start together once ${obstacle}. To start without that, losing what only members that come later hold, annotate the MarekvsCluster marekvs.io/start-after-outage=<reason>`;
  return hold('OutageTooLong', message, true);
}
