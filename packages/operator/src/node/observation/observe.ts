// Observes one node: its Pod and volume, its siblings, and whether its cluster still exists. Makes no request. What is
// remembered of the node is updated before (reconciler.ts).

import {
  ANNOTATIONS,
  type EffectiveOnePerHost,
  FINALIZERS,
  isOlder,
  type MarekvsCluster,
  type MarekvsNode,
  type MarekvsNodeStatus,
  type NodeOwner,
  releasedSelector,
  withDefaults,
} from '@marekvs/api';
import { desiredSize, type NodeObservation, type NodeRecord, type ParentState, type PodRecord } from '@marekvs/planner';
import { keyOf } from '@marekvs/runtime';
import { BY_UID, clusterOf } from '../../caches/indexes.ts';
import type { NodeView } from '../../caches/views.ts';
import { type HostZones, ZONE_LABEL } from '../../hosts/host-zones.ts';
import { wantedPodLabels } from '../../objects/pod.ts';
import { isUnasked, lastActiveAtMs, nodesOf, readySinceMs, toNodeRecord } from '../../pass/node-record.ts';
import type { Ports } from '../../pass/ports.ts';
import { wantedPassword } from '../../secrets/member-passwords.ts';
import { sizeRecordOf } from '../../sizing/size-record.ts';
import type { ClaimRefusals } from './claim-refusals.ts';
import type { GoneParents } from './gone-parents.ts';
import type { PodGoneTimes } from './pod-gone.ts';
import type { PodsSeen } from './pods-seen.ts';

export interface NodeScope {
  readonly node: MarekvsNode;
  readonly clusterUid: string;
  /** Version of the cluster that was observed; undefined when the cache does not have the cluster. */
  readonly clusterVersion: string | undefined;
  /** The hosts its Pod may be on, by the present spec of its cluster; undefined: any. */
  readonly onePerHost: EffectiveOnePerHost | undefined;
  /** The zone of its Pod, as far as it is known. */
  readonly zone: NodeZone;
  readonly record: NodeRecord;
  readonly observation: NodeObservation;
  /** This node's Pod is ready, but some member of the cluster was never asked by this process: too early to report. */
  readonly isWaitingForAnswers: boolean;
}

/** What earlier passes have found out. */
export interface NodeMemory {
  /** Clusters that a live read found gone or being deleted. */
  readonly goneParents: GoneParents;
  readonly podsGone: PodGoneTimes;
  readonly podsSeen: PodsSeen;
  readonly claims: ClaimRefusals;
}

/** A node among those of its cluster, as the caches show them. */
export interface NodeAround {
  readonly view: NodeView;
  /** Its cluster; undefined when the cache does not have it. */
  readonly cluster: MarekvsCluster | undefined;
  /** Why it is not a node of the cluster that it names; undefined when it is, or may be. */
  readonly foreignWhy: string | undefined;
  /** All nodes of the cluster; `siblings` are the same as records. */
  readonly views: readonly NodeView[];
  readonly siblings: readonly NodeRecord[];
  readonly record: NodeRecord;
}

/** Undefined when the node is gone. */
export function nodeAround(key: string, { caches, sampler }: Ports): NodeAround | undefined {
  const view = caches.nodes.store.get(key);
  if (view === undefined) return undefined;
  const { owner } = view;
  const cluster = clusterOf(view, caches.clusters.store.get);
  const views = owner.kind === 'cluster' ? nodesOf(caches, owner.cluster) : [];
  const siblings = views.map((sibling) => toNodeRecord(sibling, caches, sampler));
  const record = siblings.find(({ uid }) => uid === view.uid) ?? toNodeRecord(view, caches, sampler);
  return { view, cluster, foreignWhy: whyForeign(view, caches), views, siblings, record };
}

/** By its own fields, or by what the clusters show that there are. */
function whyForeign({ owner, object }: NodeView, { clusters }: Ports['caches']): string | undefined {
  if (owner.kind !== 'cluster') return owner.kind === 'foreign' ? owner.why : undefined;
  const present = clusters.store.get(keyOf(owner.cluster));
  if (present?.uid === owner.cluster.uid) return undefined;
  const [named] = clusters.store.byIndex(BY_UID, owner.cluster.uid);
  if (named !== undefined) return 'the cluster with that UID is in another namespace, or has another name';
  const isLeftOver = present === undefined || isOlder(object, present.object);
  return isLeftOver ? undefined : `its owner has another UID than ${present.name}, which is older than this node`;
}

/** Updates the memory that later passes use. */
export function remember({ siblings, record }: NodeAround, { podsSeen, podsGone }: NodeMemory): void {
  for (const sibling of siblings) podsSeen.note(sibling);
  podsGone.note(record);
}

/** What one pass decides on. */
export function observeNode(
  around: NodeAround,
  {
    clock,
    hostFindings,
    hostZones,
    secrets,
    provenHere,
  }: Pick<Ports, 'clock' | 'hostFindings' | 'hostZones' | 'secrets' | 'provenHere'>,
  memory: NodeMemory,
): NodeScope {
  const { view, cluster, foreignWhy, siblings, record } = around;
  const { spec, metadata } = view.object;
  const ownerUid = view.owner.kind === 'cluster' ? view.owner.cluster.uid : '';
  const nowMs = clock.nowMs();
  const ownPod = record.pod?.ownerUid === view.uid ? record.pod : undefined;
  return {
    node: view.object,
    clusterUid: ownerUid,
    clusterVersion: cluster?.metadata.resourceVersion,
    onePerHost: cluster === undefined ? undefined : withDefaults(cluster.spec).hosts.onePerHost,
    // Nothing is asked about the host of a node that is of no cluster.
    zone:
      cluster === undefined
        ? storedZone(view.object.status ?? {})
        : zoneOf(keyOf(view), ownPod, view.object.status ?? {}, hostZones),
    record,
    observation: {
      nowMs,
      clusterName: spec.clusterName,
      node: record,
      parent: foreignWhy === undefined ? parentOf(view.owner, memory.goneParents, cluster) : 'foreign',
      foreignWhy,
      isClusterFormed: cluster?.status?.formed !== undefined,
      releasePhase: cluster?.status?.formed === undefined ? undefined : cluster.status.release?.phase,
      replicationFactor: spec.template.replicationFactor,
      gcGraceSeconds: spec.template.gcGraceSeconds,
      siblings,
      wantedPodLabels: {
        ...wantedPodLabels(view.object, ownerUid),
        // While a StatefulSet may take the Pod, the selectors of both operators have to find it.
        ...(cluster?.status?.release === undefined ? {} : releasedSelector(spec.clusterName)),
      },
      ...clusterPart(cluster),
      password: cluster === undefined ? undefined : wantedPassword(cluster, secrets),
      hasFinalizer: metadata.finalizers?.includes(FINALIZERS.memberSafeRemoval) === true,
      lastActiveAtMs: lastActiveAtMs(view.object.status, nowMs),
      lastActiveMs: lastActiveTimes(around.views, memory.podsSeen, nowMs),
      hostFinding: hostFindings.known(record.uid),
      podGoneSinceMs: memory.podsGone.sinceMs(record),
      volumeRefusal: memory.claims.current(keyOf(view), record),
      isProvenHere: provenHere.has(`${view.namespace}/${spec.clusterName}`, cluster?.status?.operation?.id),
    },
    isWaitingForAnswers: cluster !== undefined && record.pod?.isReady === true && siblings.some(isUnasked),
  };
}

type ClusterPart = Pick<
  NodeObservation,
  'wantedNodes' | 'mayStartAfterOutage' | 'operation' | 'keepVolumes' | 'isProtected'
>;

/** An unknown cluster must not cause anything to end: no operation, and volumes are kept. */
const UNKNOWN_CLUSTER: ClusterPart = {
  wantedNodes: undefined,
  mayStartAfterOutage: false,
  operation: undefined,
  keepVolumes: true,
  isProtected: false,
};

function clusterPart(cluster: MarekvsCluster | undefined): ClusterPart {
  if (cluster === undefined) return UNKNOWN_CLUSTER;
  const spec = withDefaults(cluster.spec);
  const { volumeRetention, deletionProtection } = spec;
  return {
    wantedNodes: desiredSize(sizeRecordOf(cluster, spec)).nodes,
    mayStartAfterOutage: (cluster.metadata.annotations?.[ANNOTATIONS.startAfterOutage] ?? '').trim() !== '',
    operation: cluster.status?.operation,
    keepVolumes: volumeRetention.whenDeleted === 'Retain',
    isProtected: deletionProtection,
  };
}

/** The earliest time at which each node may have been last active, by UID. */
function lastActiveTimes(views: readonly NodeView[], podsSeen: PodsSeen, nowMs: number): ReadonlyMap<string, number> {
  return new Map(
    views.flatMap((view) => {
      const { status, metadata } = view.object;
      const isUnseen = status?.phase === 'Active' && !podsSeen.has(view.uid);
      const ms = isUnseen
        ? (readySinceMs(view) ?? Date.parse(metadata.creationTimestamp))
        : lastActiveAtMs(status, nowMs);
      return ms === undefined ? [] : [[view.uid, ms] as const];
    }),
  );
}

function parentOf(owner: NodeOwner, goneParents: GoneParents, cluster: MarekvsCluster | undefined): ParentState {
  if (owner.kind !== 'cluster') return 'none';
  if (cluster !== undefined && cluster.metadata.deletionTimestamp === undefined) {
    // Whatever was found before: etcd may have been restored to before its deletion (F59).
    goneParents.forget(owner.cluster);
    return cluster.spec.paused === true ? 'paused' : 'present';
  }
  // A deletion is confirmed by a live read before anything of the cluster is deleted.
  return goneParents.has(owner.cluster) ? 'gone' : 'unconfirmed';
}

// Answers: in which zone is the member of this node, and how is that known? The label of its Pod is free. The label of
// its host is read once in the life of a Pod, and then remembered in the status of the node.
type NodeZone = Pick<MarekvsNodeStatus, 'zone' | 'zoneSource'>;

/** Empty while the node has no Pod of its own on a host, or nothing is known.
 *  @param previous the stored status */
export function zoneOf(
  nodeKey: string,
  pod: PodRecord | undefined,
  previous: MarekvsNodeStatus,
  hostZones: Pick<HostZones, 'ask'>,
): NodeZone {
  if (pod?.hostName === undefined) return {};
  const zone = pod.labels[ZONE_LABEL] ?? '';
  if (zone !== '') return { zone: zone, zoneSource: 'Pod' };
  const stored = previous.podUID === pod.uid ? storedZone(previous) : {};
  // The zone of a host holds for the life of the Pod, as the label of a Pod does. A host that could not be read is read
  // again.
  if (stored.zoneSource === 'Host' || stored.zoneSource === 'HostUnlabelled') return stored;
  return hostZones.ask(nodeKey, pod.hostName) ?? stored;
}

function storedZone({ zone, zoneSource }: MarekvsNodeStatus): NodeZone {
  if (zoneSource === undefined) return {};
  return zone === undefined ? { zoneSource } : { zone, zoneSource };
}
