// Healthy objects for tests: cluster `demo` of three, as the operator writes it. A test changes one thing.

import {
  type ClusterCondition,
  clusterLabels,
  FINALIZERS,
  type MarekvsCluster,
  type MarekvsClusterStatus,
  type MarekvsNode,
  type MarekvsNodeStatus,
  type NodeCondition,
  nodeLabels,
  nodeName,
  pvcName,
  type Reason,
} from '@marekvs/api';
import type { PersistentVolumeClaim, Pod } from '@marekvs/runtime';
import type { ExplainFacts } from '../../src/explain/facts/finding.ts';

export const NAMESPACE = 'default';
export const NAME = 'demo';
export const CLUSTER_UID = 'c0ffee00-0000-4000-8000-000000000001';
export const CREATED = '2026-01-01T00:00:00Z';
export const NOW_MS = Date.parse(CREATED) + 3_600_000;
/** Five minutes ago: when a test's trouble began. */
export const SINCE = '2026-01-01T00:55:00Z';
export const SINCE_MS = Date.parse(SINCE);

export function clusterCondition(
  type: ClusterCondition['type'],
  status: 'True' | 'False' | 'Unknown',
  reason: Reason,
  message: string,
): ClusterCondition {
  return { type, status, reason, message, observedGeneration: 1, lastTransitionTime: SINCE };
}

export function nodeCondition(
  type: NodeCondition['type'],
  status: 'True' | 'False' | 'Unknown',
  reason: Reason,
  message: string,
): NodeCondition {
  return { type, status, reason, message, observedGeneration: 1, lastTransitionTime: SINCE };
}

export const READY = clusterCondition('Ready', 'True', 'AllMembersReady', '3 of 3 members are ready and agree');

export function notReady(reason: Reason, message: string): ClusterCondition {
  return clusterCondition('Ready', 'False', reason, message);
}

export function stalled(reason: Reason, message: string): readonly ClusterCondition[] {
  return [notReady(reason, message), clusterCondition('Stalled', 'True', reason, message)];
}

/** A field that has not been in force since SINCE. */
export function pendingChange(change: Partial<PendingEntry> & Pick<PendingEntry, 'field'>): PendingEntry {
  return {
    asked: '5',
    effective: '2',
    reason: 'AuthNotInForce',
    why: 'this version does not change it',
    wayOut: 'set it back',
    needsPerson: true,
    since: SINCE,
    ...change,
  };
}
type PendingEntry = NonNullable<MarekvsClusterStatus['pendingChanges']>[number];

export interface ClusterChange {
  readonly spec?: Partial<MarekvsCluster['spec']>;
  readonly metadata?: Partial<MarekvsCluster['metadata']>;
  /** Undefined if no operator has reported anything. */
  readonly status?: Partial<MarekvsClusterStatus> | undefined;
}

export function cluster(change: ClusterChange = {}): MarekvsCluster {
  const status: MarekvsClusterStatus = {
    phase: 'Healthy',
    message: '3 of 3 members are ready and agree',
    observedGeneration: 1,
    desiredNodes: 3,
    readyNodes: 3,
    replicas: 3,
    opsPerSecond: 120,
    formed: { at: CREATED, clusterId: 'default.demo.c0ffee00' },
    highestNodeId: 2,
    instanceNames: [0, 1, 2].map((id) => nodeName(NAME, id)),
    conditions: [READY],
  };
  const { status: changed, ...rest } = change;
  const base: MarekvsCluster = {
    apiVersion: 'marekvs.io/v1alpha1',
    kind: 'MarekvsCluster',
    metadata: {
      name: NAME,
      namespace: NAMESPACE,
      uid: CLUSTER_UID,
      resourceVersion: '100',
      generation: 1,
      creationTimestamp: CREATED,
      labels: { ...clusterLabels(NAME, CLUSTER_UID) },
      ...rest.metadata,
    },
    spec: { image: 'marekvs:test', nodes: 3, replicationFactor: 2, ...rest.spec },
  };
  return 'status' in change && changed === undefined ? base : { ...base, status: { ...status, ...changed } };
}

export interface NodeChange {
  readonly metadata?: Partial<MarekvsNode['metadata']>;
  readonly spec?: Partial<MarekvsNode['spec']>;
  readonly status?: Partial<MarekvsNodeStatus>;
}

export function node(id: number, change: NodeChange = {}): MarekvsNode {
  return {
    apiVersion: 'marekvs.io/v1alpha1',
    kind: 'MarekvsNode',
    metadata: {
      name: nodeName(NAME, id),
      namespace: NAMESPACE,
      uid: `node-uid-${id}`,
      resourceVersion: String(200 + id),
      generation: 1,
      creationTimestamp: CREATED,
      labels: { ...nodeLabels(NAME, CLUSTER_UID, id) },
      finalizers: [FINALIZERS.memberSafeRemoval],
      ownerReferences: [
        { apiVersion: 'marekvs.io/v1alpha1', kind: 'MarekvsCluster', name: NAME, uid: CLUSTER_UID, controller: true },
      ],
      ...change.metadata,
    },
    spec: {
      clusterName: NAME,
      nodeId: id,
      template: {
        image: 'marekvs:test',
        resources: { cpu: '500m', memory: '1Gi' },
        replicationFactor: 2,
        gcGraceSeconds: 604_800,
        clusterIdentity: 'default.demo.c0ffee00',
      },
      storage: { size: '10Gi' },
      serving: true,
      intent: 'Active',
      ...change.spec,
    },
    status: {
      phase: 'Active',
      observedGeneration: 1,
      podName: nodeName(NAME, id),
      podIP: `10.0.0.${id + 1}`,
      podUID: `pod-uid-${id}`,
      pvcName: pvcName(NAME, id),
      pvcUID: `claim-uid-${id}`,
      hostName: `host-${id}`,
      memberGeneration: 1_767_225_600 + id,
      seenBy: '3/3',
      ownedPartitions: 2731,
      conditions: [nodeCondition('Ready', 'True', 'AsExpected', 'the member is Active and serves clients')],
      ...change.status,
    },
  };
}

export function unready(
  id: number,
  reason: Reason,
  message: string,
  phase: MarekvsNodeStatus['phase'] = 'Pending',
): MarekvsNode {
  return node(id, {
    status: { phase, conditions: [nodeCondition('Ready', 'False', reason, message)] } as Partial<MarekvsNodeStatus>,
  });
}

type PodStatus = NonNullable<Pod['status']>;

export function pod(id: number, status: Partial<PodStatus> = {}, metadata: Partial<Pod['metadata']> = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: nodeName(NAME, id),
      namespace: NAMESPACE,
      uid: `pod-uid-${id}`,
      resourceVersion: String(300 + id),
      creationTimestamp: CREATED,
      labels: { ...nodeLabels(NAME, CLUSTER_UID, id, true) },
      ownerReferences: [
        {
          apiVersion: 'marekvs.io/v1alpha1',
          kind: 'MarekvsNode',
          name: nodeName(NAME, id),
          uid: `node-uid-${id}`,
          controller: true,
        },
      ],
      ...metadata,
    },
    spec: { nodeName: `host-${id}`, containers: [] },
    status: {
      phase: 'Running',
      podIP: `10.0.0.${id + 1}`,
      startTime: CREATED,
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [{ name: 'marekvs', ready: true, restartCount: 0, image: '', imageID: '' }],
      ...status,
    },
  };
}

/** A Pod whose container waits for that reason. */
export function waitingPod(id: number, reason: string, message = ''): Pod {
  return pod(id, {
    phase: 'Pending',
    conditions: [{ type: 'Ready', status: 'False' }],
    startTime: SINCE,
    containerStatuses: [
      {
        name: 'marekvs',
        ready: false,
        restartCount: 0,
        image: '',
        imageID: '',
        state: { waiting: { reason, message } },
      },
    ],
  });
}

export function unscheduledPod(id: number, message: string): Pod {
  const { spec: _, ...rest } = pod(id, {
    phase: 'Pending',
    conditions: [
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime: SINCE },
    ],
    containerStatuses: [],
  });
  return { ...rest, spec: { containers: [] } };
}

export function claim(
  id: number,
  status: NonNullable<PersistentVolumeClaim['status']> = { phase: 'Bound', capacity: { storage: '10Gi' } },
  metadata: Partial<PersistentVolumeClaim['metadata']> = {},
  storageClassName?: string,
): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: pvcName(NAME, id),
      namespace: NAMESPACE,
      uid: `claim-uid-${id}`,
      resourceVersion: String(400 + id),
      creationTimestamp: CREATED,
      labels: { ...nodeLabels(NAME, CLUSTER_UID, id) },
      ...metadata,
    },
    spec: {
      resources: { requests: { storage: '10Gi' } },
      ...(storageClassName === undefined ? {} : { storageClassName }),
    },
    status,
  };
}

const IDS = [0, 1, 2];

export interface FactsChange extends Partial<Omit<ExplainFacts, 'parts' | 'operator'>> {
  readonly cluster?: MarekvsCluster;
  /** Replaces the node, Pod or volume of that name, or adds it. */
  readonly nodes?: readonly MarekvsNode[];
  readonly pods?: readonly Pod[];
  readonly volumes?: readonly PersistentVolumeClaim[];
  /** Names of objects that are left out. */
  readonly without?: readonly string[];
  readonly operator?: Partial<ExplainFacts['operator']>;
}

export function facts(change: FactsChange = {}): ExplainFacts {
  const { cluster: ownCluster, nodes = [], pods = [], volumes = [], without = [], operator, ...rest } = change;
  return {
    nowMs: NOW_MS,
    events: [],
    budgets: [],
    quotas: [],
    drainingHosts: [],
    unread: [],
    parts: {
      unread: [],
      foreign: [],
      cluster: ownCluster ?? cluster(),
      nodes: merge(
        IDS.map((id) => node(id)),
        nodes,
      ),
      pods: merge(
        IDS.map((id) => pod(id)),
        pods,
      ).filter(({ metadata }) => !without.includes(`pod/${metadata.name}`)),
      volumes: merge(
        IDS.map((id) => claim(id)),
        volumes,
      ).filter(({ metadata }) => !without.includes(`pvc/${metadata.name}`)),
    },
    operator: {
      namespace: 'marekvs-system',
      lease: {
        kind: 'read',
        name: 'marekvs-operator',
        holder: 'marekvs-operator-abc_uid_boot',
        renewedMs: NOW_MS - 3_000,
        durationMs: 15_000,
      },
      missingPermissions: undefined,
      deployment: 'marekvs-operator',
      ...operator,
    },
    ...rest,
  };
}

function merge<T extends { readonly metadata: { readonly name?: string } }>(
  base: readonly T[],
  changed: readonly T[],
): readonly T[] {
  const names = new Set(changed.map(({ metadata }) => metadata.name));
  return [...base.filter(({ metadata }) => !names.has(metadata.name)), ...changed];
}
