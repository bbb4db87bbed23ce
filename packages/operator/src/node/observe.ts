// Gathers everything one node pass decides on: the node, its Pod and volume, its siblings, and whether its cluster still exists.

import { FINALIZERS, type MarekvsCluster, type MarekvsNode, withDefaults } from '@marekvs/api';
import { desiredSize, type NodeObservation, type NodeRecord, type ParentState } from '@marekvs/planner';
import { isUnasked, nodesOf, toNodeRecord } from '../observation/node-record.ts';
import type { Ports } from '../ports.ts';
import { wantedPodLabels } from './pod.ts';
import type { PodGoneTimes } from './pod-gone.ts';

export interface NodeScope {
  readonly node: MarekvsNode;
  readonly clusterUid: string;
  /** Of the cluster as it was looked at; undefined when its cache does not have it. */
  readonly clusterVersion: string | undefined;
  readonly record: NodeRecord;
  readonly observation: NodeObservation;
  /** The operator has just started and this node's member was not asked yet. */
  readonly isWaitingForAnswers: boolean;
}

/** What earlier passes have found out. */
export interface NodeMemory {
  /** UIDs of clusters that a live read found gone or being deleted: that never turns back. */
  readonly goneParents: ReadonlySet<string>;
  readonly podsGone: PodGoneTimes;
}

export function observeNode(key: string, ports: Ports, { goneParents, podsGone }: NodeMemory): NodeScope | undefined {
  const { caches, sampler, clock } = ports;
  const view = caches.nodes.store.get(key);
  if (view === undefined) return undefined;
  const { spec } = view.object;
  const parent = caches.clusters.store.get(`${view.namespace}/${spec.clusterName}`);
  const cluster = parent?.uid === view.ownerUid ? parent.object : undefined;
  const siblings = nodesOf(caches, view.ownerUid).map((sibling) => toNodeRecord(sibling, caches, sampler));
  const record = siblings.find((sibling) => sibling.uid === view.uid) ?? toNodeRecord(view, caches, sampler);
  return {
    node: view.object,
    clusterUid: view.ownerUid,
    clusterVersion: cluster?.metadata.resourceVersion,
    record,
    observation: {
      nowMs: clock.nowMs(),
      clusterName: spec.clusterName,
      node: record,
      parent: parentOf(view.ownerUid, goneParents, cluster),
      isClusterFormed: cluster?.status?.formed !== undefined,
      replicationFactor: spec.template.replicationFactor,
      siblings,
      wantedPodLabels: wantedPodLabels(view.object, view.ownerUid),
      ...clusterPart(cluster),
      hasFinalizer: view.object.metadata.finalizers?.includes(FINALIZERS.memberSafeRemoval) === true,
      lastActiveAtMs: lastActiveAtMs(view.object, clock.nowMs()),
      podGoneSinceMs: podsGone.sinceMs(record),
    },
    isWaitingForAnswers: record.pod?.isReady === true && siblings.some(isUnasked),
  };
}

type ClusterPart = Pick<NodeObservation, 'wantedNodes' | 'operation' | 'keepVolumes' | 'isProtected'>;

/** Of a cluster that is not known nothing follows that could end something: no operation, and volumes are kept. */
const UNKNOWN_CLUSTER: ClusterPart = {
  wantedNodes: undefined,
  operation: undefined,
  keepVolumes: true,
  isProtected: false,
};

function clusterPart(cluster: MarekvsCluster | undefined): ClusterPart {
  if (cluster === undefined) return UNKNOWN_CLUSTER;
  const spec = withDefaults(cluster.spec);
  const { volumeRetention, deletionProtection } = spec;
  return {
    wantedNodes: desiredSize(spec).nodes,
    operation: cluster.status?.operation,
    keepVolumes: volumeRetention.whenDeleted === 'Retain',
    isProtected: deletionProtection,
  };
}

/** While its status calls it Active that time has not ended yet. */
function lastActiveAtMs({ status }: MarekvsNode, nowMs: number): number | undefined {
  if (status?.phase === 'Active') return nowMs;
  const ms = Date.parse(status?.lastActiveAt ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

function parentOf(
  ownerUid: string,
  goneParents: ReadonlySet<string>,
  cluster: MarekvsCluster | undefined,
): ParentState {
  if (ownerUid === '') return 'none';
  if (goneParents.has(ownerUid)) return 'gone';
  return cluster === undefined ? 'unconfirmed' : parentState(cluster);
}

/** A cluster that is being deleted is confirmed by a live read before anything of it goes. */
function parentState(cluster: MarekvsCluster): ParentState {
  if (cluster.metadata.deletionTimestamp !== undefined) return 'unconfirmed';
  return cluster.spec.paused === true ? 'paused' : 'present';
}
