// Answers: which node is replaced because its host is lost for good, with a volume that can be on no other? One at a
// time, by the same machinery as a node that a person deletes; none when several hosts went at once
// (docs/operations/hosts.md). A volume that can move needs none of this: its Pod goes to another host once that is safe
// (node-step.ts).

import { type Operation, stageOf } from '@marekvs/api';
import { isAnswering, isCarrying } from '../members/member-state.ts';
import { isUnlisted } from '../members/membership.ts';
import { isReplacementFinal, needsReplacement } from '../members/replacement.ts';
import { CONFIRM_MS, type HostFinding, isAway, whatIfOff } from '../observation/host-finding.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import { canBeRolledBack } from '../operations/roll-back.ts';
import type { ClusterStep } from '../steps/cluster-step.ts';
import { soonest } from '../steps/soonest.ts';
import { type Hold, hold } from '../values/hold.ts';
import { awayMembers } from './away-members.ts';

export interface LostHostsPlan {
  readonly steps: readonly ClusterStep[];
  readonly holds: readonly Hold[];
  /** Hosts are probed again after this time: no event would come. */
  readonly requeueAfterMs: number | undefined;
}

/** A host that is away is probed again this often. */
const CHECK_MS = 30_000;

interface Away {
  readonly node: NodeRecord;
  readonly finding: HostFinding;
}

/** What is done, and reported, about the hosts of members that do not answer. Pure. */
export function planLostHosts(o: ClusterObservation): LostHostsPlan {
  if (!o.cluster.isFormed || o.cluster.isDeleting) return { steps: [], holds: [], requeueAfterMs: undefined };
  const back = o.nodes.filter((node) => isBack(o, node));
  if (back.length > 0) {
    const steps = back.map((node): ClusterStep => ({ kind: 'unmarkHostLost', node }));
    return { steps, holds: [], requeueAfterMs: undefined };
  }
  const asked = awayMembers(o);
  const found = asked.nodes.flatMap((node): readonly Away[] => {
    const finding = o.hostFindings.get(node.uid);
    return finding === undefined ? [] : [{ node, finding }];
  });
  const away = found.filter(({ finding }) => isAway(finding));
  const fresh = away.filter(({ node }) => node.hostLost === undefined && !isReplacementFinal(node));
  const requeueAfterMs = soonest(asked.requeueAfterMs, found.length === 0 ? undefined : nextCheckMs(o, fresh));
  const holds = [...found.flatMap((one) => unknownHold(o, one)), ...away.flatMap((one) => markedHold(one))];
  const stranded = fresh.filter(({ finding }) => finding.volume === 'bound');
  const waiting = fresh.filter(({ finding }) => finding.volume !== 'bound');
  const judged = stranded.map((one) => ({ one, keeps: whatKeeps(o, away, one) }));
  const next = judged.find(({ keeps }) => keeps === undefined)?.one;
  return {
    steps: next === undefined ? [] : [{ kind: 'markHostLost', node: next.node, host: next.finding.host }],
    holds: [
      ...holds,
      ...waiting.map(movableHold),
      ...judged.flatMap(({ keeps }) => (keeps === undefined ? [] : [keeps])),
    ],
    requeueAfterMs,
  };
}

/** True when a node is being replaced for its drained host, and that host by now counts as lost, with the volume.
 *  Nothing can prove any more what only this node has, so it goes like a node on a lost host. */
export function isHostGivenUp(o: ClusterObservation, { uid, hostDrained, hostLost }: NodeRecord): boolean {
  if (hostDrained === undefined || hostLost !== undefined) return false;
  const finding = o.hostFindings.get(uid);
  if (finding === undefined || !isAway(finding) || finding.volume !== 'bound') return false;
  return o.cluster.spec.hosts.lostAfterSeconds > 0 && finding.awayForMs >= limitOf(o, finding);
}

/** True when the member answers again before it was replaced. Once it is being removed, the removal decides. */
function isBack(
  { cluster: { operation } }: ClusterObservation,
  { uid, hostLost, answer, isDeleting }: NodeRecord,
): boolean {
  return hostLost !== undefined && answer.kind === 'serving' && !isDeleting && operation?.target?.uid !== uid;
}

/** Why this node is not replaced now; undefined when it is. Ordered: what a person has to know of comes first. */
function whatKeeps(o: ClusterObservation, away: readonly Away[], { node, finding }: Away): Hold | undefined {
  const { lostAfterSeconds } = o.cluster.spec.hosts;
  const what = `the host ${finding.host} of ${node.name} ${stateText(finding)}`;
  if (away.length > 1 || finding.otherHosts > 0) return severalHold(o, away, finding);
  if (lostAfterSeconds === 0)
    return hold(
      'HostNotReady',
      `${what}, its volume can be on no other, and hosts.lostAfterSeconds is 0: it waits`,
      true,
    );
  // Hosts that were switched off while their members were hibernated come back one by one.
  if (o.cluster.operation?.type === 'Hibernate') return hold('HostNotReady', `${what}: ${wakingText(o, node)}`, true);
  const limitMs = limitOf(o, finding);
  if (finding.awayForMs < limitMs)
    return hold('HostNotReady', `${what}: after ${Math.round(limitMs / 1000)} s of that a new node takes its place`);
  const kept = whyNotNow(o, node);
  return kept === undefined
    ? undefined
    : hold(kept.reason, `replacing ${node.name} waits: ${kept.message}`, kept.needsPerson);
}

function wakingText({ cluster }: ClusterObservation, { name }: NodeRecord): string {
  return `it is waited for while all members start, and then a new node takes the place of ${name}; kubectl mkv replace ${name} -n ${cluster.namespace} does not wait`;
}

/** Why this node must not be given up now; undefined when only this one is missing and all others are there to copy
 *  from. */
function whyNotNow(o: ClusterObservation, node: NodeRecord): Hold | undefined {
  const { operation } = o.cluster;
  const others = o.nodes.filter(({ uid }) => uid !== node.uid);
  const single = o.nodes.find(({ replicationFactor }) => replicationFactor < 2);
  if (single !== undefined)
    return hold('ReplicationFactorOne', `with replicationFactor 1 nobody else has what ${node.name} holds`, true);
  const other = others.find(needsReplacement);
  if (other !== undefined) return hold('WaitingForTurn', `${other.name} is replaced first`);
  if (operation !== undefined && isInTheWay(o, operation, node))
    return hold('OperationInProgress', `operation ${operation.id} is under way`);
  const missing = others.find((other) => !isCarrying(other) && !isTakenBack(operation, other));
  if (missing !== undefined) return hold('MemberNotActive', `${missing.name} is not up, and might hold what it holds`);
  if (!isUnlisted(o, node)) return hold('ViewsDisagree', `other members still show ${node.name}`);
  return undefined;
}

/** False for a removal that may itself wait for this node. A removal that is taken back waits for its target, which
 *  never comes back if it is this node, or restarts only when all others are up (cancel-restart.ts). A removal whose
 *  target is gone waits for the copies of all others; it is in the way only while it can still be rolled back. */
function isInTheWay(o: ClusterObservation, operation: Operation, { uid }: NodeRecord): boolean {
  const { phase, target, roll } = operation;
  if (phase === 'Cancelling') return false;
  if (target === undefined) return roll?.uid === uid;
  return stageOf(operation) !== 'after' || canBeRolledBack({ o, record: operation, target });
}

/** True for a member that was told to leave by an operation that is taken back: it is still up with all it holds. */
function isTakenBack(operation: Operation | undefined, node: NodeRecord): boolean {
  const { id, pod } = node;
  const isTarget = operation?.phase === 'Cancelling' && (operation.target ?? operation.roll)?.nodeId === id;
  return isTarget && pod?.isLeaving === true && !pod.isTerminating && isAnswering(node);
}

/** Nothing is replaced automatically when several hosts went at about the same time: the cause may be a zone, a switch,
 *  or the network of the control plane. */
function severalHold({ cluster }: ClusterObservation, away: readonly Away[], { otherHosts }: HostFinding): Hold {
  const hosts = [...new Set(away.map(({ finding }) => finding.host))].sort();
  const names = away.map(({ node }) => node.name);
  const beside = otherHosts === 0 || hosts.length > 1 ? '' : ', and others of other clusters at about the same time';
  const until = hosts.length > 1 ? ' before all but one are back; if one is gone for good' : '; if it is gone for good';
  const way = `kubectl mkv replace ${names[0]} -n ${cluster.namespace}`;
  const message = `hosts ${hosts.join(', ')} of ${names.join(', ')} are not ready or gone${beside}: nobody is replaced by itself${until}: ${way}`;
  return hold('HostsLost', message, true);
}

/** Says that the Pod follows its volume to another host once that is safe, and what a person has to do until then. */
function movableHold({ node, finding }: Away): Hold {
  const what = `the host ${finding.host} of ${node.name} ${stateText(finding)}`;
  if (finding.volume === 'unknown')
    return hold(
      'HostUnknown',
      `${what}, and where else its volume can be is not known: ${finding.unknown ?? ''}`,
      true,
    );
  const isStuck = node.pod?.isTerminating === true && finding.state === 'notReady';
  return hold(
    'HostNotReady',
    `${what}; its volume can be on another one${isStuck ? `, ${untilOff(finding)}` : ''}`,
    isStuck,
  );
}

/** For a node that is being replaced and whose Pod may still run unseen. */
function markedHold({ node, finding }: Away): readonly Hold[] {
  if (node.hostLost === undefined || finding.state !== 'notReady' || node.pod?.hostName === undefined) return [];
  return [hold('HostNotReady', `${node.name} is replaced, and stays listed ${untilOff(finding)}`, true)];
}

function untilOff(finding: HostFinding): string {
  return `until host ${finding.host} reports that its Pod has ended: ${whatIfOff(finding.host)}`;
}

/** Reported once it makes a difference: by then a node whose host can be read would be given up. */
function unknownHold({ cluster, nowMs }: ClusterObservation, { node, finding }: Away): readonly Hold[] {
  const lostMs = cluster.spec.hosts.lostAfterSeconds * 1000;
  const sinceMs = node.answer.kind === 'silent' ? node.answer.sinceMs : (node.pod?.terminationDueMs ?? nowMs);
  if (finding.state !== 'unknown' || lostMs === 0 || nowMs - sinceMs < lostMs) return [];
  const message = `${node.name} does not answer, and nothing is known of its host: ${finding.unknown ?? ''}`;
  return [hold('HostUnknown', message, true)];
}

function limitOf({ cluster }: ClusterObservation, { state }: HostFinding): number {
  const lostMs = cluster.spec.hosts.lostAfterSeconds * 1000;
  return state === 'notReady' ? lostMs : Math.min(CONFIRM_MS, lostMs);
}

function nextCheckMs(o: ClusterObservation, away: readonly Away[]): number {
  const leftMs = away.map(({ finding }) => limitOf(o, finding) - finding.awayForMs).filter((ms) => ms > 0);
  return Math.min(CHECK_MS, ...leftMs);
}

function stateText({ state }: HostFinding): string {
  if (state === 'gone') return 'is gone';
  return state === 'outOfService' ? 'is out of service' : 'is not ready';
}
