// Observes one cluster: what the caches show and what its members last answered, as one plain value with a time. It
// only reads. Who is to be asked next, and what is known of earlier passes, is follow.ts.

import { findCondition, type MarekvsCluster, type MarekvsNode, type Reason } from '@marekvs/api';
import { type ClusterObservation, type ClusterRecord, type Hold, hold, type NodeRecord } from '@marekvs/planner';
import type { SecretState } from '../members/secrets-asked.ts';
import { BY_OWNER } from '../observation/caches.ts';
import { isUnasked, nodesOf, toNodeRecord, volumesOf } from '../observation/node-record.ts';
import type { RevisionView } from '../observation/views.ts';
import type { Ports } from '../ports.ts';
import { clusterRecordOf } from './cluster-record.ts';
import { nodesInForce, type SeenInForce } from './in-force.ts';
import { type SpecInForce, specInForce, updateInForce } from './spec-in-force.ts';
import type { NodeStamp } from './template.ts';

export interface ClusterScope {
  readonly cluster: MarekvsCluster;
  readonly observation: ClusterObservation;
  /** What new nodes are made from. */
  readonly stamp: NodeStamp;
  readonly joiner: NodeStamp;
  /** What is in force of what the spec asks for, as far as the caches show it. */
  readonly inForce: SeenInForce;
  /** HorizontalPodAutoscalers that aim at it although its size is decided by spec.autoscale; undefined when that is not
   *  known. */
  readonly autoscalers: readonly string[] | undefined;
  /** Commands per second of all members; undefined unless every member's rate is known. */
  readonly opsPerSecond: number | undefined;
  /** The largest count any member gives; a membership count, never evidence (docs/design/server.md#the-gauge). */
  readonly underreplicated: number | undefined;
  /** Members that were never asked since this process started to follow them: too early to say anything new. */
  readonly isWaitingForAnswers: boolean;
  /** What the API server refuses the node controller. */
  readonly nodeRefusals: readonly Hold[];
}

/** What is known only once members, hosts and earlier passes have been followed: nobody has been yet. */
const NOTHING_FOLLOWED = {
  history: { agreedForMs: undefined, differForMs: undefined },
  facts: [],
  comparison: undefined,
  verifiedAtMs: Number.NEGATIVE_INFINITY,
  isolatedSinceMs: undefined,
  unmeshedSinceMs: undefined,
  autoscale: undefined,
  hosts: new Map(),
  selectedHosts: undefined,
  fewerHostsForMs: undefined,
  hostFindings: new Map(),
  resizeSupport: 'unknown',
  isInLine: false,
  isProvenHere: false,
} satisfies Partial<ClusterObservation>;

/** What a pass starts from, or undefined when the cluster is gone. */
export function observeCluster(key: string, ports: Ports): ClusterScope | undefined {
  const { caches, sampler, clock } = ports;
  const view = caches.clusters.store.get(key);
  if (view === undefined) return undefined;
  const cluster = view.object;
  const views = nodesOf(caches, view.uid);
  const nodes = views.map((node) => toNodeRecord(node, caches, sampler));
  const inForce = specInForce(
    cluster,
    nodes.map((record, index) => ({ record, template: views[index]?.object.spec.template })),
  );
  const secret = secretState(key, cluster, ports);
  const revisions = [...caches.revisions.store.byIndex(BY_OWNER, view.uid)];
  const observation: ClusterObservation = {
    ...NOTHING_FOLLOWED,
    nowMs: clock.nowMs(),
    monotonicMs: clock.monotonicMs(),
    cluster: { ...clusterRecord(cluster, inForce, secret, revisions), adoptedNodes: adoptedNodes(nodes) },
    nodes,
    volumes: volumesOf(caches, view.namespace, view.name),
    drainedHosts: ports.drainedHosts.current(),
    drainsSeen: ports.drainedHosts.seen(),
    revisions,
  };
  return {
    cluster,
    observation,
    stamp: inForce.stamp,
    joiner: inForce.joiner,
    inForce: {
      template: inForce.asked.template,
      nodes: nodesInForce(
        observation,
        nodes.map((record, index) => ({ record, view: views[index] })),
      ),
      secret,
    },
    autoscalers: ports.autoscalers.ask(key, cluster),
    opsPerSecond: totalRate(nodes, ports),
    underreplicated: largestUnderreplicated(nodes, ports),
    isWaitingForAnswers: nodes.some(isUnasked),
    nodeRefusals: nodeRefusals(
      views.map(({ object }, index) => ({ node: object, hasPod: nodes[index]?.pod !== undefined })),
    ),
  };
}

function clusterRecord(
  cluster: MarekvsCluster,
  inForce: SpecInForce,
  secret: SecretState | undefined,
  revisions: readonly RevisionView[],
): ClusterRecord {
  const record = clusterRecordOf(cluster, inForce);
  const isUsable = cluster.spec.auth === undefined || secret === 'present';
  return {
    ...record,
    ...updateInForce(record, inForce.stamp, revisions),
    password: record.password === undefined ? undefined : { ...record.password, isUsable },
  };
}

/** Undefined for a cluster none of whose members was a StatefulSet's. */
function adoptedNodes(nodes: readonly NodeRecord[]): number | undefined {
  return nodes.some(({ adopts }) => adopts !== undefined) ? nodes.length : undefined;
}

/** Of the Secret the spec names. While a cluster is deleted nobody wants to know. */
function secretState(key: string, { spec, metadata }: MarekvsCluster, ports: Ports): SecretState | undefined {
  if (spec.auth === undefined || metadata.deletionTimestamp !== undefined) return undefined;
  return ports.secrets.ask(key, { namespace: metadata.namespace, ...spec.auth.secretRef });
}

function totalRate(nodes: readonly NodeRecord[], ports: Ports): number | undefined {
  let total = 0;
  for (const node of nodes) {
    const rate = node.pod === undefined ? undefined : ports.sampler.sample(node.pod.uid).rate?.perSecond;
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

// Answers: what is in the node controller's way that only it can see: what the API server refuses it, and what has a
// name it needs? Read from the nodes' own statuses, where the two controllers meet, so that a person who looks at the
// cluster need not open every node. Pure.
/** The reasons of write-refusal.ts; true when only a person can clear it. */
const REFUSALS: ReadonlyMap<Reason, boolean> = new Map([
  ['QuotaExceeded', true],
  ['ForbiddenByPolicy', true],
  ['Unauthorized', true],
  ['RequestInvalid', true],
  ['StorageBackendFull', true],
  ['ApiUnavailable', false],
  ['NamespaceTerminating', false],
]);

/** What stands in the way of a node's volume or Pod, with or without a Pod in the caches. */
const IN_THE_WAY: ReadonlySet<Reason> = new Set<Reason>(['NameTaken', 'VolumeForeign', 'PodStuckTerminating']);

/** One hold per node that has something in its way, and per node that has no Pod because its creation, or that of
 *  its volume, was refused. A node with a Pod got over it, whatever its status still says. */
function nodeRefusals(
  nodes: readonly { readonly hasPod: boolean; readonly node: Pick<MarekvsNode, 'status'> }[],
): readonly Hold[] {
  return nodes.flatMap(({ hasPod, node }) => {
    const ready = findCondition(node.status?.conditions, 'Ready');
    if (ready?.status !== 'False') return [];
    if (IN_THE_WAY.has(ready.reason)) return [hold(ready.reason, ready.message, true)];
    const needsPerson = REFUSALS.get(ready.reason);
    if (hasPod || needsPerson === undefined) return [];
    return [hold(ready.reason, ready.message, needsPerson)];
  });
}
