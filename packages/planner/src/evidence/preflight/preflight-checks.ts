// The checks before something begins, one small function each: undefined when it passes, otherwise a hold for a person.
// Which of them are asked for what, and in which order, is in checks.ts. Messages do not change while nothing changes:
// no running seconds, no running counts.

import {
  hasLostVolume,
  hasPast,
  isBehindService,
  isDrainedOutside,
  isJoiningOut,
  isOnItsWayOut,
} from '../../members/member-state.ts';
import { type Membership, membershipHold } from '../../members/membership.ts';
import { cannotComeBack, needsReplacement } from '../../members/replacement.ts';
import type { NodeRecord } from '../../observation/node-record.ts';
import type { ClusterObservation } from '../../observation/observation.ts';
import type { Candidate } from '../../size/candidate.ts';
import { clockText, type Hold, hold, namesOf } from '../../values/hold.ts';
import type { ViewLine } from '../../values/view-line.ts';
import { capacityHold, forecastDisks, highWaterPercent } from '../../volumes/disk-forecast.ts';
import { absence, type Witness } from '../answers.ts';
import type { Beginning, Holds } from '../checks.ts';
import { FIGURE_CHECKS, type FigureName } from '../present-checks.ts';
import { currentVerification } from '../verification/verification.ts';

export interface PreflightScope {
  readonly o: ClusterObservation;
  readonly candidate: Candidate;
  readonly purpose: Beginning;
  /** The candidate is only restarted, on its volume. */
  readonly isRestart: boolean;
  /** All other nodes whose members count, by id. */
  readonly survivors: readonly NodeRecord[];
  /** Nodes that may be listed, but that no member relies on: those that are joining, when the candidate is one of them,
   *  or a candidate that does not have to answer. */
  readonly uncounted: readonly NodeRecord[];
  /** Nodes whose answers are needed: the survivors, and the candidate when it has to prove something. */
  readonly asked: readonly NodeRecord[];
  /** What the asked members agree on. */
  readonly membership: () => Membership;
  readonly witnesses: () => readonly Witness[];
}

export const PREFLIGHT_HOLDS: Holds<Beginning, PreflightScope> = {
  replicationFactorAboveOne,
  floor,
  sameReplicationFactor,
  nobodyMoving,
  nobodyLeaving,
  nobodyElseLeaving,
  volumesKept,
  notFollowing,
  membersReady,
  membershipAgreed,
  membersMatchNodes,
  nobodyJoining,
  recordsInPlace,
  meshComplete: figureHold('meshComplete'),
  writesAllowed: figureHold('writesAllowed'),
  noRejoin: figureHold('noRejoin'),
  diskFits,
};

function replicationFactorAboveOne({ o, candidate, survivors }: PreflightScope): Hold | undefined {
  const single = [candidate.node, ...survivors].find((node) => node.replicationFactor < 2);
  if (single === undefined) return undefined;
  const { name, uid } = candidate.node;
  const way =
    o.cluster.spec.replicationFactor > 1
      ? `replicationFactor ${o.cluster.spec.replicationFactor} reaches ${single.name} first`
      : 'raise spec.replicationFactor to 2 or more';
  const message = `with replicationFactor 1 nobody else has what ${name} holds: ${way}, or accept the loss by annotating it marekvs.io/force-remove=${uid}/<reason>`;
  return hold('ReplicationFactorOne', message, o.cluster.spec.replicationFactor < 2);
}

function floor({ o, candidate, survivors }: PreflightScope): Hold | undefined {
  // Members that still run with a higher factor than the spec asks for place copies by it.
  const factor = Math.max(o.cluster.spec.replicationFactor, ...survivors.map((node) => node.replicationFactor));
  if (survivors.length >= factor + 1) return undefined;
  const message = `${survivors.length} would be left without ${candidate.node.name}, and replicationFactor ${factor} needs ${factor + 1}`;
  return hold('AtFloor', message);
}

/** A smaller size waits until all members have the same factor. A node that has to go anyway does not: turns wait until
 *  it is replaced. */
function sameReplicationFactor({ asked, candidate }: PreflightScope): Hold | undefined {
  if (needsReplacement(candidate.node)) return undefined;
  const [first] = asked;
  const other = asked.find((node) => node.replicationFactor !== first?.replicationFactor);
  if (first === undefined || other === undefined) return undefined;
  const message = `${first.name} runs with replicationFactor ${first.replicationFactor}, ${other.name} with ${other.replicationFactor}: all get the same first`;
  return hold('MixedReplicationFactor', message);
}

/** A node that has to go carries its share until another does. A new node has the changed template and is its first
 *  trial. A held-out member that joins carries nothing, and may be the one that is to replace the other. */
function nobodyMoving({ o: { nodes }, candidate, purpose }: PreflightScope): Hold | undefined {
  const other = nodes.find(needsReplacement);
  const isAwaited = purpose === 'Turn' && isJoiningOut(candidate.node);
  if (other !== undefined && !isAwaited) return hold('Repairing', `${other.name} is replaced first`);
  const coming = nodes.find((one) => !hasPast(one));
  if (coming !== undefined) return hold('MemberJoining', `${coming.name} joins first`);
  const entering = nodes.find((one) => one.serving && one.pod !== undefined && !isBehindService(one));
  return entering === undefined ? undefined : hold('Repairing', `${entering.name} is let in to clients first`);
}

/** A removal that was taken back is over only when its member was restarted. */
export function nobodyLeaving({ o }: Pick<PreflightScope, 'o'>): Hold | undefined {
  const leaving = o.nodes.find(isOnItsWayOut);
  return leaving === undefined ? undefined : hold('MemberLeaving', `${leaving.name} was told to leave`);
}

function nobodyElseLeaving({ o, candidate }: PreflightScope): Hold | undefined {
  const leaving = o.nodes.filter((node) => node.uid !== candidate.node.uid && isOnItsWayOut(node));
  return leaving.length === 0 ? undefined : hold('MemberLeaving', `${namesOf(leaving)} was told to leave`);
}

/** What the candidate holds may be all that is left of what another node lost. A candidate that lost its volume as well
 *  is safe only on other members: it goes while the other one's process still has what they share
 *  (docs/decisions/members-without-proof.md). */
function volumesKept({ o, candidate }: PreflightScope): Hold | undefined {
  if (hasLostVolume(candidate.node)) return undefined;
  const lost = o.nodes.filter((node) => node.uid !== candidate.node.uid && hasLostVolume(node));
  return lost.length === 0 ? undefined : hold('VolumeLost', `the volume of ${namesOf(lost)} is gone`);
}

function notFollowing({ o, candidate }: PreflightScope): Hold | undefined {
  if (!followsUpstream(o.cluster)) return undefined;
  const message = `${candidate.node.name} follows an upstream Redis, and that feed would end with it: take MAREKVS_REPLICAOF out of spec.extraEnv`;
  return hold('FollowsUpstream', message, true);
}

function membersReady({ asked }: PreflightScope): Hold | undefined {
  for (const node of asked) {
    const { name, pod, answer } = node;
    if (pod === undefined) return hold('PodMissing', `${name} has no Pod`);
    const absent = absence(node);
    if (pod.isTerminating) return absent;
    if (answer.kind === 'silent')
      return hold('MemberSilent', `${name} has not answered since ${clockText(answer.sinceMs)}`);
    if (answer.kind === 'joining') return hold('MemberJoining', joiningText(node));
    if (absent !== undefined) return absent;
    if (answer.kind === 'notAsked') return hold('NotObserved', `${name} was not asked yet`);
  }
  return undefined;
}

/** A member that was Active before waits for those it shares its data with, for ever if they are gone
 *  (docs/design/server.md#h4). Without its Pod, a deleted node counts as given up (replacement.ts): nobody is told to
 *  restart that. */
function joiningText({ name, uid, wasActive, isDeleting }: NodeRecord): string {
  if (!wasActive) return `${name} does not serve commands yet`;
  const restart = isDeleting ? '' : 'restart its Pod, or ';
  return `${name} was Active before and is joining again: should that last, ${restart}accept the loss of what only it holds by annotating it marekvs.io/force-remove=${uid}/<reason>`;
}

function membershipAgreed(scope: PreflightScope): Hold | undefined {
  const membership = scope.membership();
  if (membership.kind === 'unknown') return membershipHold(membership);
  return membership.kind === 'none' ? hold('NotObserved', 'no member serves') : undefined;
}

function membersMatchNodes(scope: PreflightScope): Hold | undefined {
  const { asked, candidate, uncounted } = scope;
  const listed = linesOf(scope).map((line) => line.id);
  const missing = asked.filter((node) => !listed.includes(node.id));
  if (missing.length > 0) return hold('MemberMissing', `no member shows ${namesOf(missing)}`);
  const known = new Set([...asked, ...uncounted].map((node) => node.id));
  // A forced node may be in the list or not, since it is not asked.
  if (candidate.basis === 'Forced') known.add(candidate.node.id);
  const foreign = listed.filter((id) => !known.has(id)).sort((a, b) => a - b);
  return foreign.length === 0
    ? undefined
    : hold('MemberWithoutNode', `the members show ${foreign.join(', ')} beside those that were asked`);
}

function nobodyJoining(scope: PreflightScope): Hold | undefined {
  const { asked, candidate, uncounted, isRestart } = scope;
  const { node } = candidate;
  // A removal that was taken back may have told it to leave, for good.
  const apart = [...uncounted, ...(candidate.basis === 'Forced' || cannotComeBack(node) ? [node] : [])];
  // A restart puts right what somebody else has drained, or comes before that: it moves nobody's copies.
  const drained = isRestart ? asked.filter(isDrainedOutside) : [];
  const isApart = (id: number) => [...apart, ...drained].some((one) => one.id === id);
  const without = linesOf(scope).filter((line) => !line.hasPrimaries && !isApart(line.id));
  if (without.length === 0) return undefined;
  const names = asked.filter((node) => without.some((line) => line.id === node.id));
  if (names.length > 0 && names.every(isDrainedOutside))
    return hold(
      'DrainedFromOutside',
      `${namesOf(names)} was drained from outside and leads nothing: that is put right first`,
    );
  return hold('MemberJoining', `${namesOf(names)} is joining or leaving: it has no primaries`);
}

/** Missing records would keep the removal from ending, with its target drained meanwhile. Also what the candidate alone
 *  lacks, since then another member becomes its home. */
function recordsInPlace({ o }: PreflightScope): Hold | undefined {
  const known = currentVerification(o);
  if (known?.state !== 'Missing') return undefined;
  return hold('RecordsMissing', `${known.message ?? 'records are missing'}: it begins when they have arrived`);
}

/** A figure that is not known yet is waited for, before it is judged. */
function figureHold(name: FigureName): (scope: PreflightScope) => Hold | undefined {
  const { figureOf, holdOf } = FIGURE_CHECKS[name];
  return ({ asked, witnesses }) => {
    for (const witness of witnesses()) {
      const figure = witness.last?.isFresh === true ? figureOf(witness) : undefined;
      const wrong =
        figure === undefined
          ? hold('NotObserved', `the figures of ${witness.node.name} are not known yet`)
          : holdOf(figure, witness.node.name, asked.length - 1);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };
}

function diskFits({ o, candidate, witnesses }: PreflightScope): Hold | undefined {
  const all = witnesses();
  const target = all.find(({ node }) => node.uid === candidate.node.uid);
  const highWater = highWaterPercent(o.cluster.spec.extraEnv);
  const capacity = forecastDisks({
    target: target ?? { node: candidate.node, last: undefined },
    survivors: all.filter((witness) => witness !== target),
    replicationFactor: candidate.node.replicationFactor,
    highWaterPercent: highWater,
  });
  return capacityHold(capacity, candidate.node, highWater);
}

function linesOf(scope: PreflightScope): readonly ViewLine[] {
  const membership = scope.membership();
  return membership.kind === 'agreed' ? membership.lines : [];
}

export function followsUpstream({ spec }: ClusterObservation['cluster']): boolean {
  const { MAREKVS_REPLICAOF: upstream = '' } = spec.extraEnv;
  return upstream !== '';
}
