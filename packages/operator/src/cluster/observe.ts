// Gathers everything one cluster pass decides on: caches and the members' last answers, as one plain value with a time.

import { ANNOTATIONS, findCondition, LABELS, type MarekvsCluster, unsupportedFieldsUsed } from '@marekvs/api';
import {
  type ClusterObservation,
  desiredSize,
  type Hold,
  hasLostVolume,
  hostsToAsk,
  isRemovalPending,
  type NodeRecord,
} from '@marekvs/planner';
import type { Pace } from '../members/pace.ts';
import { isUnasked, nodesOf, sampleTargets, toNodeRecord, volumesOf } from '../observation/node-record.ts';
import type { Ports } from '../ports.ts';
import { nodeRefusals } from './node-refusals.ts';
import type { OperationMemory } from './operation-memory.ts';
import { specInForce } from './spec-in-force.ts';
import type { NodeStamp } from './template.ts';

export interface ClusterScope {
  readonly cluster: MarekvsCluster;
  readonly observation: ClusterObservation;
  /** What new nodes are made from. */
  readonly stamp: NodeStamp;
  readonly unsupported: readonly string[];
  /** Commands per second of all members; undefined unless every member's rate is known. */
  readonly opsPerSecond: number | undefined;
  /** The largest count any member gives; a membership count, never evidence (docs/design/server.md#the-gauge). */
  readonly underreplicated: number | undefined;
  /** Members that were never asked since this process started to follow them: too early to say anything new. */
  readonly isWaitingForAnswers: boolean;
  /** What the API server refuses the node controller. */
  readonly nodeRefusals: readonly Hold[];
}

/** The scope of one pass, or undefined when the cluster is gone. Also tells the sampler whom to ask. */
export function observeCluster(key: string, ports: Ports, memory: OperationMemory): ClusterScope | undefined {
  const { caches, sampler, clock } = ports;
  const view = caches.clusters.store.get(key);
  if (view === undefined) return undefined;
  const cluster = view.object;
  const views = nodesOf(caches, view.uid);
  const nodes = views.map((node) => toNodeRecord(node, caches, sampler));
  const { spec, problems, stamp, running } = specInForce(
    cluster,
    nodes.map((record, index) => ({ record, template: views[index]?.object.spec.template })),
  );
  const operation = memory.recall(key, cluster.status?.operation);
  const target = nodes.find(({ uid }) => uid === operation?.target?.uid);
  const monotonicMs = clock.monotonicMs();
  const base: ClusterObservation = {
    nowMs: clock.nowMs(),
    monotonicMs,
    cluster: {
      namespace: view.namespace,
      name: view.name,
      uid: view.uid,
      generation: cluster.metadata.generation,
      isDeleting: cluster.metadata.deletionTimestamp !== undefined,
      createdAtMs: Date.parse(cluster.metadata.creationTimestamp),
      spec,
      problems,
      templateHash: stamp.hash,
      isFormed: cluster.status?.formed !== undefined,
      adoption: undefined,
      highestNodeId: cluster.status?.highestNodeId ?? -1,
      operation,
      lastOperation: cluster.status?.lastOperation,
      detachedVolumes: cluster.status?.detachedVolumes ?? [],
      instanceNames: cluster.status?.instanceNames ?? [],
      verification: cluster.status?.verification,
      verifyAsked: cluster.metadata.annotations?.[ANNOTATIONS.verify],
    },
    nodes,
    volumes: volumesOf(caches, view.namespace, view.name),
    history: ports.histories.note(key, nodes, monotonicMs),
    facts: [],
    comparison: ports.comparisons.report(key),
    verifiedAtMs: memory.verifiedAtMs(key, monotonicMs),
    asideSinceMs: memory.asideSince(key, target !== undefined && isAside(target), monotonicMs),
    hosts: new Map(),
  };
  const desired = desiredSize(base.cluster.spec).nodes;
  const isPending = isRemovalPending(base, desired);
  sampler.follow(key, sampleTargets(nodes), isPending ? 'operation' : restingPace(cluster, nodes));
  const hosts = hostsToAsk(base, desired);
  const facts = sampler.facts(key);
  const observation: ClusterObservation = isPending
    ? { ...base, facts, hosts: ports.hosts.ask(key, hosts) }
    : { ...base, facts };
  return {
    cluster,
    observation,
    stamp,
    unsupported: unsupportedFieldsUsed(cluster.spec, { storageSize: views[0]?.object.spec.storage.size, ...running }),
    opsPerSecond: totalRate(nodes, ports),
    underreplicated: largestUnderreplicated(nodes, ports),
    isWaitingForAnswers: nodes.some(isUnasked),
    nodeRefusals: nodeRefusals(
      views.map(({ object }, index) => ({ node: object, hasPod: nodes[index]?.pod !== undefined })),
    ),
  };
}

/** Told to leave, and out of the client Service as far as its Pod says. */
function isAside({ intent, serving, pod }: NodeRecord): boolean {
  return intent === 'Leaving' && !serving && pod?.labels[LABELS.serving] === undefined;
}

function restingPace(cluster: MarekvsCluster, nodes: readonly NodeRecord[]): Pace {
  return isSettled(cluster, nodes) ? 'settled' : 'moving';
}

/** The members need only a rare look: the cluster is ready, so is every Pod, nobody shows anybody else, and nothing is to be compared,
 *  which begins when the figures of every member are known. */
function isSettled(cluster: MarekvsCluster, nodes: readonly NodeRecord[]): boolean {
  const conditions = cluster.status?.conditions;
  const isReady = findCondition(conditions, 'Ready')?.status === 'True';
  const isCompared = findCondition(conditions, 'FullyReplicated')?.reason !== 'NotCompared';
  const ids = new Set(nodes.map(({ id }) => id));
  return (
    isReady &&
    isCompared &&
    nodes.every((node) => isStandingReady(node) && !hasLostVolume(node) && showsThese(ids, node))
  );
}

/** A member that went without a word is on the lists of the others until they notice, and then they are other lists. */
function showsThese(ids: ReadonlySet<number>, { answer }: NodeRecord): boolean {
  return answer.kind !== 'serving' || (answer.view.length === ids.size && answer.view.every(({ id }) => ids.has(id)));
}

function isStandingReady({ pod }: NodeRecord): boolean {
  return pod?.isReady === true && !pod.isTerminating;
}

function totalRate(nodes: readonly NodeRecord[], ports: Ports): number | undefined {
  let total = 0;
  for (const node of nodes) {
    const rate = node.pod === undefined ? undefined : ports.sampler.sample(node.pod.uid).opsPerSecond;
    if (rate === undefined) return undefined;
    total += rate;
  }
  return nodes.length === 0 ? undefined : total;
}

function largestUnderreplicated(nodes: readonly NodeRecord[], ports: Ports): number | undefined {
  const counts = nodes.flatMap((node) => {
    const metrics = node.pod === undefined ? undefined : ports.sampler.sample(node.pod.uid).metrics;
    const count = metrics?.isFresh === true ? metrics.underreplicatedPartitions : undefined;
    return count === undefined ? [] : [count];
  });
  return counts.length === 0 ? undefined : Math.max(...counts);
}
