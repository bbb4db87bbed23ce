// Healthy objects and scopes of the operator, around the planner's healthy observation. A test changes one thing.

import {
  API_VERSION,
  FINALIZERS,
  type MarekvsCluster,
  type MarekvsClusterSpec,
  type MarekvsClusterStatus,
  type MarekvsNode,
  type MarekvsNodeSpec,
  type MarekvsNodeStatus,
  nodeLabels,
  nodeName,
  type PendingChange,
} from '@marekvs/api';
import { type ClusterObservation, dataRecord, planCluster, planNode } from '@marekvs/planner';
import {
  CLUSTER,
  CLUSTER_UID,
  NOW_MS,
  nodeObservation,
  nodes,
  observation,
} from '../../../planner/test/support/builders.ts';
import type { ClusterScope } from '../../src/cluster/observation/observe.ts';
import { clusterHealth } from '../../src/cluster/status/health.ts';
import { clusterStatus, type StatusInput } from '../../src/cluster/status/status.ts';
import type { NodeScope } from '../../src/node/observation/observe.ts';
import { nodeStamp, nodeTemplate } from '../../src/objects/template.ts';

export const CREATED = '2026-01-01T00:00:00Z';
export const IDENTITY = 'default.demo.c0ffee00';

export function clusterObject(
  change: {
    readonly spec?: Partial<MarekvsClusterSpec>;
    readonly status?: MarekvsClusterStatus;
    readonly metadata?: Partial<MarekvsCluster['metadata']>;
  } = {},
): MarekvsCluster {
  return {
    apiVersion: API_VERSION,
    kind: 'MarekvsCluster',
    metadata: {
      name: CLUSTER,
      namespace: 'default',
      uid: CLUSTER_UID,
      resourceVersion: '100',
      generation: 1,
      creationTimestamp: CREATED,
      ...change.metadata,
    },
    spec: { image: 'marekvs:test', ...change.spec },
    ...(change.status === undefined ? {} : { status: change.status }),
  };
}

/** The status of a cluster that was formed, without anything else. */
export const FORMED: MarekvsClusterStatus = { formed: { at: CREATED, clusterId: IDENTITY }, highestNodeId: 2 };

export function nodeObject(
  id: number,
  change: { readonly spec?: Partial<MarekvsNodeSpec>; readonly status?: MarekvsNodeStatus } = {},
): MarekvsNode {
  return {
    apiVersion: API_VERSION,
    kind: 'MarekvsNode',
    metadata: {
      name: nodeName(CLUSTER, id),
      namespace: 'default',
      uid: `node-uid-${id}`,
      resourceVersion: String(1000 + id),
      generation: 1,
      creationTimestamp: CREATED,
      labels: nodeLabels(CLUSTER, CLUSTER_UID, id),
      finalizers: [FINALIZERS.memberSafeRemoval],
      ownerReferences: [
        { apiVersion: API_VERSION, kind: 'MarekvsCluster', name: CLUSTER, uid: CLUSTER_UID, controller: true },
      ],
    },
    spec: {
      clusterName: CLUSTER,
      nodeId: id,
      template: nodeTemplate(observation().cluster.spec, IDENTITY),
      storage: { size: '10Gi' },
      serving: true,
      intent: 'Active',
      ...change.spec,
    },
    ...(change.status === undefined ? {} : { status: change.status }),
  };
}

/** What a cluster pass knows for an observation of the planner. */
export function scopeOf(o: ClusterObservation, change: Partial<ClusterScope> = {}): ClusterScope {
  const cluster = clusterObject({ status: o.cluster.isFormed ? FORMED : {} });
  const stamp = nodeStamp(cluster, o.cluster.spec);
  return {
    cluster,
    observation: o,
    stamp,
    joiner: stamp,
    inForce: { template: nodeTemplate(o.cluster.spec, IDENTITY), nodes: [], secret: undefined },
    opsPerSecond: undefined,
    underreplicated: undefined,
    isWaitingForAnswers: false,
    autoscalers: undefined,
    nodeRefusals: [],
    ...change,
  };
}

/** The input of a cluster's status. The template of the healthy nodes is the current one. */
export function statusInput(
  o: ClusterObservation,
  change: Partial<ClusterScope> = {},
  pending: readonly PendingChange[] = [],
): StatusInput {
  const plan = planCluster(o);
  return {
    scope: scopeOf(o, change),
    observation: o,
    plan,
    health: clusterHealth(o, plan, []),
    data: dataRecord(o, plan.verification, scopeOf(o, change).cluster.status?.data),
    pending,
  };
}

/** The status the operator would write for that observation. */
export function statusOf(
  o: ClusterObservation,
  change: Partial<ClusterScope> = {},
  pending: readonly PendingChange[] = [],
): MarekvsClusterStatus {
  return clusterStatus(statusInput(o, change, pending));
}

/** What a node pass knows and plans for one healthy node. */
export function nodeScope(
  id: number,
  change: {
    readonly own?: Partial<ReturnType<typeof nodes>[number]>;
    readonly object?: Parameters<typeof nodeObject>[1];
    readonly nowMs?: number;
  } = {},
): { readonly scope: NodeScope; readonly plan: ReturnType<typeof planNode> } {
  const siblings = nodes(3).map((entry) => (entry.id === id ? { ...entry, ...change.own } : entry));
  const record = siblings[id];
  if (record === undefined) throw new Error(`no node ${id} of 3`);
  const o = nodeObservation(record, { siblings, nowMs: change.nowMs ?? NOW_MS });
  const object = nodeObject(id, { ...change.object, spec: { serving: record.serving, ...change.object?.spec } });
  return {
    scope: {
      node: object,
      clusterUid: CLUSTER_UID,
      clusterVersion: '100',
      onePerHost: undefined,
      zone: {},
      record,
      observation: o,
      isWaitingForAnswers: false,
    },
    plan: planNode(o),
  };
}
