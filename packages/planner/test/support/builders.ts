// Healthy values to start a test from: a formed cluster `demo` of three members that agree. A test changes one thing.
// Every builder takes what differs; no two calls share a value.

import { type MarekvsClusterSpec, nodeLabels, nodeName, pvcName, withDefaults } from '@marekvs/api';
import type {
  ClusterObservation,
  ClusterRecord,
  ComputeResources,
  MemberAnswer,
  NodeObservation,
  NodeRecord,
  PodRecord,
  PodResources,
  RevisionRecord,
  ViewLine,
  VolumeRecord,
} from '../../src/index.ts';

export const CLUSTER = 'demo';
export const CLUSTER_UID = 'c0ffee00-0000-4000-8000-000000000001';
/** 2026-01-01T00:00:00Z, when the healthy cluster was created. */
export const CREATED_MS = Date.UTC(2026, 0, 1);
/** When the healthy observation was made: ten minutes later. */
export const NOW_MS = CREATED_MS + 600_000;
/** The same moment on the operator's monotonic clock. */
export const MONOTONIC_MS = 1_000_000;
export const HASH = 'aaaaaaaaaaaaaaaa';

/** What every one of `count` members shows when all are Active. */
export function views(count: number): readonly ViewLine[] {
  return Array.from({ length: count }, (_, id) => line(id));
}

export function line(id: number, change: Partial<ViewLine> = {}): ViewLine {
  return { id, generation: 1_767_225_600 + id, hasPrimaries: true, ...change };
}

export function serving(view: readonly ViewLine[]): Extract<MemberAnswer, { readonly kind: 'serving' }> {
  return { kind: 'serving', atMs: NOW_MS, viewAtMs: MONOTONIC_MS, view, digest: `digest of ${view.length}` };
}

export const silent: MemberAnswer = { kind: 'silent', sinceMs: NOW_MS - 12_000, error: 'timed out', isInvalid: false };
export const joining: MemberAnswer = { kind: 'joining', sinceMs: NOW_MS - 1_000 };
export const sealed: MemberAnswer = { kind: 'sealed', sinceMs: NOW_MS - 5_000 };
export const notAsked: MemberAnswer = { kind: 'notAsked' };

/** The ready Pod of the node with this id. */
export function pod(id: number, change: Partial<PodRecord> = {}): PodRecord {
  return {
    name: nodeName(CLUSTER, id),
    uid: `pod-uid-${id}`,
    resourceVersion: String(3000 + id),
    ownerUid: `node-uid-${id}`,
    isTerminating: false,
    terminationDueMs: undefined,
    createdAtMs: CREATED_MS + 1_000,
    phase: 'Running',
    statusReason: undefined,
    ip: `10.0.0.${id + 1}`,
    hostName: `host-${id}`,
    isReady: true,
    unschedulable: undefined,
    waiting: undefined,
    restartCount: 0,
    isOutOfMemory: false,
    labels: { ...nodeLabels(CLUSTER, CLUSTER_UID, id, true) },
    seeds: [],
    templateHash: HASH,
    isLeaving: false,
    isSealed: false,
    isDisrupted: false,
    resources: podResources(SMALL),
    resizedBy: undefined,
    replicationFactor: undefined,
    gcGraceSeconds: undefined,
    ...change,
  };
}

/** What a template asks for by default. */
export const SMALL: ComputeResources = { cpu: '500m', memory: '1Gi' };

/** A container that asks for these, and has them. */
export function podResources({ cpu, memory }: ComputeResources, change: Partial<PodResources> = {}): PodResources {
  const asked = { cpuRequest: cpu, memoryRequest: memory, memoryLimit: memory };
  return { asked, effective: asked, change: undefined, isObserved: true, ...change };
}

/** The Pod in which the member runs with its door closed. */
export function sealedPod(id: number, change: Partial<PodRecord> = {}): PodRecord {
  const { 'marekvs.io/serving': _serving, ...labels } = pod(id).labels;
  return pod(id, { uid: `sealed-pod-uid-${id}`, labels, isLeaving: true, isSealed: true, ...change });
}

/** A Pod that was just created: no host, no address, not ready. */
export function freshPod(id: number, change: Partial<PodRecord> = {}): PodRecord {
  return pod(id, {
    createdAtMs: NOW_MS,
    phase: 'Pending',
    ip: undefined,
    hostName: undefined,
    isReady: false,
    ...change,
  });
}

/** The bound volume of the node with this id. */
export function volume(id: number, change: Partial<VolumeRecord> = {}): VolumeRecord {
  return {
    name: pvcName(CLUSTER, id),
    uid: `volume-uid-${id}`,
    resourceVersion: String(2000 + id),
    nodeId: id,
    clusterName: CLUSTER,
    isTerminating: false,
    isBound: true,
    provisioning: undefined,
    createdAtMs: CREATED_MS,
    requestedSize: '10Gi',
    capacity: '10Gi',
    growth: undefined,
    attributes: { asked: undefined, current: undefined, problem: undefined },
    clusterUid: CLUSTER_UID,
    ownerUids: [],
    detachedAtMs: undefined,
    lastActiveAtMs: undefined,
    highestNodeId: undefined,
    isProtected: false,
    dataDir: undefined,
    hostLost: undefined,
    hostDrained: undefined,
    ...change,
  };
}

/** An Active node behind the client Service, one of three. */
export function node(id: number, change: Partial<NodeRecord> = {}): NodeRecord {
  return {
    name: nodeName(CLUSTER, id),
    uid: `node-uid-${id}`,
    resourceVersion: String(1000 + id),
    id,
    isDeleting: false,
    deletedAtMs: undefined,
    serving: true,
    intent: 'Active',
    ran: undefined,
    stopped: undefined,
    replicationFactor: 2,
    gcGraceSeconds: 604_800,
    isProtected: false,
    removeFirst: undefined,
    forceRemove: undefined,
    removalMark: undefined,
    suspendAsked: undefined,
    removalProof: undefined,
    wasActive: false,
    lastActiveAtMs: undefined,
    seeds: [],
    createdAtMs: CREATED_MS,
    templateHash: HASH,
    resources: SMALL,
    storage: { size: '10Gi', attributesClass: undefined },
    volumeGrownAtMs: undefined,
    volumeRefused: undefined,
    volumeCondition: undefined,
    resize: undefined,
    resizeRefused: undefined,
    recordedVolumeUid: `volume-uid-${id}`,
    reportedReason: undefined,
    hostLost: undefined,
    hostDrained: undefined,
    adopts: undefined,
    pod: pod(id),
    volume: volume(id),
    answer: serving(views(3)),
    ...change,
  };
}

/** A node whose member runs with its door closed: its list is not asked for, and the others show its new process. */
export function sealedNode(id: number, change: Partial<NodeRecord> = {}): NodeRecord {
  return node(id, {
    serving: false,
    intent: 'Sealed',
    ran: { podUid: `pod-uid-${id}`, generation: line(id).generation },
    pod: sealedPod(id),
    answer: sealed,
    ...change,
  });
}

/** `count` Active nodes that all show each other. */
export function nodes(count: number): readonly NodeRecord[] {
  return Array.from({ length: count }, (_, id) => node(id, { answer: serving(views(count)) }));
}

/** The same list with one node changed. */
export function withNode(list: readonly NodeRecord[], id: number, change: Partial<NodeRecord>): readonly NodeRecord[] {
  return list.map((entry) => (entry.id === id ? { ...entry, ...change } : entry));
}

/** A node whose Pod is gone. */
export function withoutPod(id: number, change: Partial<NodeRecord> = {}): NodeRecord {
  return node(id, { pod: undefined, answer: notAsked, reportedReason: 'PodMissing', ...change });
}

/** A node that was just created: nothing of it exists yet. */
export function freshNode(id: number, change: Partial<NodeRecord> = {}): NodeRecord {
  return node(id, {
    serving: false,
    recordedVolumeUid: undefined,
    pod: undefined,
    volume: undefined,
    answer: notAsked,
    ...change,
  });
}

export function cluster(
  change: Partial<Omit<ClusterRecord, 'spec'>> & { readonly spec?: Partial<MarekvsClusterSpec> } = {},
): ClusterRecord {
  const { spec, ...rest } = change;
  return {
    namespace: 'default',
    name: CLUSTER,
    uid: CLUSTER_UID,
    generation: 1,
    isDeleting: false,
    createdAtMs: CREATED_MS,
    spec: withDefaults({ image: 'marekvs:test', ...spec }),
    problems: [],
    templateHash: HASH,
    isFormed: true,
    adoption: undefined,
    release: undefined,
    highestNodeId: 2,
    operation: undefined,
    lastOperation: undefined,
    detachedVolumes: [],
    instanceNames: [],
    autoscale: undefined,
    sizeBefore: undefined,
    adoptedNodes: undefined,
    acceptedNodes: undefined,
    update: undefined,
    mayStartAfterOutage: false,
    rollout: { approved: undefined, isPaused: false, retry: undefined },
    verification: undefined,
    verifyAsked: undefined,
    ...rest,
  };
}

/** A formed cluster of three healthy members; volumes are those of the nodes unless given. */
export function observation(
  change: Partial<Omit<ClusterObservation, 'cluster'>> & { readonly cluster?: Parameters<typeof cluster>[0] } = {},
): ClusterObservation {
  const { cluster: clusterChange, ...rest } = change;
  const list = change.nodes ?? nodes(3);
  const of = cluster(clusterChange);
  return {
    nowMs: NOW_MS,
    monotonicMs: MONOTONIC_MS,
    cluster: of,
    nodes: list,
    foreignNodes: { names: [], areElsewhere: false },
    revisions: keptRevisions([of.templateHash, ...list.map(({ templateHash }) => templateHash)]),
    volumes: list.flatMap((entry) => (entry.volume === undefined ? [] : [entry.volume])),
    history: { agreedForMs: 60_000, differForMs: undefined },
    facts: [],
    comparison: undefined,
    verifiedAtMs: MONOTONIC_MS,
    isolatedSinceMs: 0,
    unmeshedSinceMs: undefined,
    autoscale: undefined,
    hosts: new Map(),
    drainedHosts: new Map(),
    drainsSeen: 'known',
    selectedHosts: undefined,
    fewerHostsForMs: undefined,
    hostFindings: new Map(),
    resizeSupport: 'offered',
    isInLine: false,
    isProvenHere: true,
    ...rest,
  };
}

/** Stored templates with these hashes, in this order. */
export function keptRevisions(hashes: readonly string[]): readonly RevisionRecord[] {
  return [...new Set(hashes)].map((hash, index) => ({
    name: `${CLUSTER}-${hash}`,
    uid: `revision-uid-${hash}`,
    resourceVersion: '1',
    hash,
    number: index + 1,
    isValid: true,
    restartHash: `all else of ${hash}`,
    resources: SMALL,
  }));
}

/** Labels the operator wants on the Pod of a node. */
export function wantedLabels(id: number, isServing = true): Readonly<Record<string, string | undefined>> {
  return { 'marekvs.io/serving': undefined, ...nodeLabels(CLUSTER, CLUSTER_UID, id, isServing) };
}

/** What the node controller sees of one healthy node of three. */
export function nodeObservation(own: NodeRecord, change: Partial<NodeObservation> = {}): NodeObservation {
  return {
    nowMs: NOW_MS,
    clusterName: CLUSTER,
    node: own,
    parent: 'present',
    isClusterFormed: true,
    replicationFactor: 2,
    gcGraceSeconds: 604_800,
    releasePhase: undefined,
    mayStartAfterOutage: false,
    lastActiveMs: new Map(),
    wantedNodes: change.siblings?.length ?? 3,
    siblings: change.siblings ?? nodes(3).map((entry) => (entry.id === own.id ? own : entry)),
    wantedPodLabels: wantedLabels(own.id, own.serving),
    operation: undefined,
    keepVolumes: true,
    isProtected: false,
    hasFinalizer: true,
    lastActiveAtMs: undefined,
    hostFinding: undefined,
    volumeRefusal: undefined,
    isProvenHere: true,
    podGoneSinceMs: own.pod === undefined ? MONOTONIC_MS - 2_001 : undefined,
    ...change,
  };
}

/** Freezes the value and everything in it: a plan that tries to change it throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
