// Observes one cluster: what the caches show and what its members last answered, as one plain value with a time. Makes
// no request. follow.ts adds what earlier passes know, and decides who is asked next.

import { findCondition, type MarekvsCluster, type MarekvsNode, reasonRow } from '@marekvs/api';
import { type ClusterObservation, type ClusterRecord, type Hold, hold, type NodeRecord } from '@marekvs/planner';
import { BY_OWNER, ownedBy } from '../../caches/indexes.ts';
import type { RevisionView } from '../../caches/views.ts';
import type { NodeStamp } from '../../objects/template.ts';
import { foreignNodesOf, isUnasked, nodesOf, toNodeRecord, volumesOf } from '../../pass/node-record.ts';
import type { Ports } from '../../pass/ports.ts';
import type { SecretState } from '../../secrets/secrets-asked.ts';
import { clusterRecordOf } from './cluster-record.ts';
import { nodesInForce, type SeenInForce } from './parts-in-force.ts';
import { type SpecInForce, specInForce, updateInForce } from './spec-in-force.ts';

export interface ClusterScope {
  readonly cluster: MarekvsCluster;
  readonly observation: ClusterObservation;
  /** What new nodes are made from. */
  readonly stamp: NodeStamp;
  readonly joiner: NodeStamp;
  /** Which parts of the spec are in force, as far as the caches show it. */
  readonly inForce: SeenInForce;
  /** HorizontalPodAutoscalers that aim at this cluster although spec.autoscale decides its size; undefined when
   *  unknown. */
  readonly autoscalers: readonly string[] | undefined;
  /** Commands per second of all members; undefined unless every member's rate is known. */
  readonly opsPerSecond: number | undefined;
  /** The largest count any member gives; a membership count, never evidence (docs/design/server.md#the-gauge). */
  readonly underreplicated: number | undefined;
  /** True while a member was never asked by this process: too early to report anything new. */
  readonly isWaitingForAnswers: boolean;
  /** What blocks the node controller. */
  readonly nodeRefusals: readonly Hold[];
}

/** Placeholders for what follow.ts adds. */
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
  const views = nodesOf(caches, view);
  const foreign = foreignNodesOf(caches, view);
  const nodes = views.map((node) => toNodeRecord(node, caches, sampler));
  const inForce = specInForce(
    cluster,
    nodes.map((record, index) => ({ record, template: views[index]?.object.spec.template })),
  );
  const secret = secretState(key, cluster, ports);
  const revisions = [...caches.revisions.store.byIndex(BY_OWNER, ownedBy(view))];
  const observation: ClusterObservation = {
    ...NOTHING_FOLLOWED,
    nowMs: clock.nowMs(),
    monotonicMs: clock.monotonicMs(),
    cluster: { ...clusterRecord(cluster, inForce, secret, revisions), adoptedNodes: adoptedNodes(nodes) },
    nodes,
    foreignNodes: {
      names: foreign
        .filter(({ namespace }) => namespace === view.namespace)
        .map(({ name: other }) => other)
        .sort(),
      areElsewhere: foreign.some(({ namespace }) => namespace !== view.namespace),
    },
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

/** The number of nodes of an adopted cluster; undefined when no member came from a StatefulSet. */
function adoptedNodes(nodes: readonly NodeRecord[]): number | undefined {
  return nodes.some(({ adopts }) => adopts !== undefined) ? nodes.length : undefined;
}

/** State of the Secret that the spec names; undefined when it names none, or the cluster is being deleted. */
function secretState(key: string, { spec, metadata }: MarekvsCluster, ports: Ports): SecretState | undefined {
  if (spec.auth === undefined || metadata.deletionTimestamp !== undefined) return undefined;
  return ports.secrets.ask(key, { namespace: metadata.namespace, ...spec.auth.secretRef });
}

function totalRate(nodes: readonly NodeRecord[], ports: Ports): number | undefined {
  let total = 0;
  for (const node of nodes) {
    const rate = ports.sampler.sample(node.pod).rate?.perSecond;
    if (rate === undefined) return undefined;
    total += rate;
  }
  return nodes.length === 0 ? undefined : total;
}

function largestUnderreplicated(nodes: readonly NodeRecord[], ports: Ports): number | undefined {
  const counts = nodes.flatMap((node) => {
    const { metrics } = ports.sampler.sample(node.pod);
    const count = metrics?.isFresh === true ? metrics.underreplicatedPartitions : undefined;
    return count === undefined ? [] : [count];
  });
  return counts.length === 0 ? undefined : Math.max(...counts);
}

/** What blocks the node controller, read from the nodes' own statuses so that a person need not open every node. One
 *  hold per node with an obstacle, and per node without a Pod whose creation, or that of its volume, was
 *  refused. A node with a Pod has got over a refusal, whatever its status still says. */
function nodeRefusals(
  nodes: readonly { readonly hasPod: boolean; readonly node: Pick<MarekvsNode, 'status'> }[],
): readonly Hold[] {
  return nodes.flatMap(({ hasPod, node }) => {
    const ready = findCondition(node.status?.conditions, 'Ready');
    if (ready?.status !== 'False') return [];
    const { obstacle, refusal } = reasonRow(ready.reason) ?? {};
    if (obstacle === undefined && (hasPod || refusal === undefined)) return [];
    return [hold(ready.reason, ready.message, refusal !== 'passing')];
  });
}
