// Follows one cluster from pass to pass: tells the background workers whom to ask, and adds to the observation what
// they and earlier passes know.

import { findCondition, kindOf, LABELS, type MarekvsCluster } from '@marekvs/api';
import {
  type AutoscaleSeen,
  areHostsFewer,
  awayMembers,
  type ClusterObservation,
  desiredSize,
  hasLostVolume,
  hostsToAsk,
  isMeshShort,
  isOperationPending,
  isResizeWanted,
  isTurnPending,
  leadingLess,
  leavingMembers,
  type MemberLoad,
  membersWithOtherPassword,
  type NodeRecord,
  seenLoad,
} from '@marekvs/planner';
import type { HostQuestion } from '../../hosts/host-findings.ts';
import type { Pace } from '../../members/probing-pace.ts';
import type { OperationMemory } from '../../operations/operation-memory.ts';
import type { TurnWish } from '../../operations/turn-places.ts';
import { hostQuestion } from '../../pass/host-question.ts';
import { sampleTargets } from '../../pass/node-record.ts';
import type { Ports } from '../../pass/ports.ts';
import type { ClusterScope } from './observe.ts';

/** The scope with everything known besides the caches. Also sets the pace at which the members are asked from now on,
 *  by the state of the cluster. */
export function followCluster(key: string, scope: ClusterScope, ports: Ports, memory: OperationMemory): ClusterScope {
  const { cluster, observation } = scope;
  const { nodes, monotonicMs } = observation;
  const { onePerHost } = observation.cluster.spec.hosts;
  const selectedHosts = ports.selectedHosts.follow(key, onePerHost?.nodeSelector);
  const seen: ClusterObservation = { ...observation, selectedHosts };
  const desired = desiredSize(seen.cluster).nodes;
  const hostFindings = ports.hostFindings.ask(key, questionsOf(seen, ports));
  const isInLine = ports.turns.isInLine(key, turnWish(seen));
  const isPending = isOperationPending({ ...seen, hostFindings, isInLine }, desired);
  const isFewer = areHostsFewer({ ...seen, hostFindings });
  const pace = isPending ? 'operation' : restingPace(seen, cluster);
  ports.sampler.follow(key, sampleTargets(nodes), pace === 'settled' ? loadPace(key, seen, ports) : pace);
  ports.secretWatches.follow(key, followedSecret(scope));
  const operation = memory.recall(key, seen.cluster.operation);
  const target = nodes.find(({ uid }) => uid === (operation?.target ?? operation?.roll)?.uid);
  const facts = ports.sampler.facts(key);
  const followed: ClusterObservation = {
    ...seen,
    cluster: { ...seen.cluster, operation },
    history: ports.histories.note(key, nodes, monotonicMs),
    facts,
    comparison: ports.comparisons.report(key),
    verifiedAtMs: memory.verifiedAtMs(key, monotonicMs),
    isolatedSinceMs: memory.isolatedSince(key, target !== undefined && isIsolated(target), monotonicMs),
    unmeshedSinceMs: memory.unmeshedSince(key, isMeshShort({ nodes, facts, monotonicMs }), monotonicMs),
    hosts: isPending ? ports.hosts.ask(key, hostsToAsk(seen, desired)) : seen.hosts,
    fewerHostsForMs:
      onePerHost === undefined ? undefined : ports.sizes.seen(key, cluster.status?.autoscale, isFewer, seen).lowForMs,
    hostFindings,
    resizeSupport: isPending && isResizeWanted(seen) ? ports.resizing.ask(key) : seen.resizeSupport,
    isInLine,
    isProvenHere: ports.provenHere.has(key, operation?.id),
  };
  return {
    ...scope,
    // While the hosts are not known, it is too early to report anything new about them.
    isWaitingForAnswers: scope.isWaitingForAnswers || (onePerHost !== undefined && selectedHosts === undefined),
    observation: { ...followed, autoscale: autoscaleSeen(key, followed, ports) },
  };
}

function turnWish(o: ClusterObservation): TurnWish {
  const { operation } = o.cluster;
  // A member that is off its volume for a while has no turn, and keeps no other cluster waiting.
  if (operation !== undefined && kindOf(operation) === 'turn') return { turn: operation.id };
  return operation === undefined && isTurnPending(o) ? 'pending' : undefined;
}

/** Asks only about the hosts of members that do not answer or are to be moved. */
function questionsOf(o: ClusterObservation, { caches }: Ports): readonly HostQuestion[] {
  const { namespace } = o.cluster;
  return [
    ...awayMembers(o).nodes.map((node) => hostQuestion(node, namespace, caches)),
    ...leavingMembers(o).map((node) => hostQuestion(node, namespace, caches, true)),
  ];
}

/** The load and disks of the members, and for how long one node less would have done; undefined for a fixed size. */
function autoscaleSeen(key: string, o: ClusterObservation, ports: Ports): AutoscaleSeen | undefined {
  const { sizes } = ports;
  const measured = sizes.measuring(key, o.monotonicMs);
  const seen = seenLoad(o, memberLoads(o.nodes, ports), measured?.sinceMs);
  if (seen === undefined) return undefined;
  const { load, disk, isLow } = seen;
  return { load, disk, ...sizes.seen(key, o.cluster.autoscale, isLow, o) };
}

function memberLoads(nodes: readonly NodeRecord[], { sampler }: Ports): readonly MemberLoad[] {
  return nodes.map(({ name, pod }) => {
    const { perSecond, fromMs = 0, toMs = 0 } = sampler.sample(pod).rate ?? {};
    return { name, opsPerSecond: perSecond, fromMs, toMs };
  });
}

/** The Secret whose changes are to be noticed. A Secret that may not be read may not be watched either. */
function followedSecret({ cluster: { metadata, spec }, inForce }: ClusterScope) {
  const isKnown = inForce.secret !== undefined && inForce.secret !== 'forbidden' && inForce.secret !== 'unknown';
  if (spec.auth === undefined || !isKnown) return undefined;
  return { namespace: metadata.namespace, name: spec.auth.secretRef.name };
}

/** The cluster is gone, or not managed here any more. */
export function unfollowCluster(key: string, ports: Ports, memory: OperationMemory): void {
  ports.sampler.forget(key);
  ports.comparisons.want(key, undefined);
  ports.histories.forget(key);
  ports.secrets.forget(key);
  ports.secretWatches.follow(key, undefined);
  ports.autoscalers.forget(key);
  ports.hostFindings.ask(key, []);
  ports.turns.forget(key);
  ports.provenHere.forget(key);
  ports.selectedHosts.follow(key, undefined);
  memory.forget(key);
  ports.sizes.forget(key);
}

/** The node was told to leave, whether or not its door is closed, and the labels of its Pod keep it out of the client
 *  Service. */
function isIsolated({ intent, serving, pod }: NodeRecord): boolean {
  return intent !== 'Active' && !serving && pod?.labels[LABELS.serving] === undefined;
}

/** A cluster that is sized by load is asked in rounds, so that a sudden rise is seen soon, and closely after one.
 *  Volumes fill slowly: the pace of all clusters shows that in time. */
function loadPace(key: string, { cluster, monotonicMs }: ClusterObservation, { sizes }: Ports): Pace {
  if (cluster.spec.autoscale?.targetOpsPerNode === undefined) return 'settled';
  return sizes.measuring(key, monotonicMs) !== undefined ? 'measuring' : 'watched';
}

function restingPace({ nodes, cluster: { password } }: ClusterObservation, cluster: MarekvsCluster): Pace {
  const isMoving = password?.isUsable === true && membersWithOtherPassword(nodes, password.asked).length > 0;
  return isSettled(cluster, nodes) && !isMoving ? 'settled' : 'moving';
}

/** The members need only rare probes: the cluster and every Pod are ready, every list shows exactly these members, and
 *  nothing is to be compared. A comparison waits for the figures of every member. */
function isSettled(cluster: MarekvsCluster, nodes: readonly NodeRecord[]): boolean {
  const conditions = cluster.status?.conditions;
  const isReady = findCondition(conditions, 'Ready')?.status === 'True';
  const isCompared = findCondition(conditions, 'FullyReplicated')?.reason !== 'NotCompared';
  const ids = new Set(nodes.map(({ id }) => id));
  return (
    isReady && isCompared && nodes.every((node) => isPodReady(node) && !hasLostVolume(node) && showsThese(ids, node))
  );
}

/** A member that ended without leaving stays on the lists of the others until they notice; one that somebody else has
 *  drained is there, and leads less than it should. */
function showsThese(ids: ReadonlySet<number>, { answer }: NodeRecord): boolean {
  if (answer.kind !== 'serving') return true;
  const areThese = answer.view.length === ids.size && answer.view.every(({ id }) => ids.has(id));
  return areThese && leadingLess(answer.view).size === 0;
}

function isPodReady({ pod }: NodeRecord): boolean {
  return pod?.isReady === true && !pod.isTerminating;
}
