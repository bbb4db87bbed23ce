// The planner's observation, made from what the API server has. The members themselves cannot be asked from here
// (they are behind the Pod network), so their lists are those that the node controller recorded last, and all their
// figures are unknown. Pure.

import { findCondition, type MarekvsNode, type NodeTemplate, pvcName, reasonRow, reasonSince } from '@marekvs/api';
import {
  clusterRecordOf,
  nodeRecordOf,
  restartHash,
  specInForce,
  templateHash,
  toNodeView,
  toPodView,
  toVolumeView,
} from '@marekvs/operator/projections';
import {
  type Adoption,
  type ClusterObservation,
  type ClusterRecord,
  hold,
  type MemberAnswer,
  type NodeRecord,
  type ResizeSupport,
  type RevisionRecord,
  timeMs,
  type ViewLine,
} from '@marekvs/planner';
import type { ClusterParts } from './cluster-parts.ts';
import type { SeenHosts } from './hosts.ts';

export interface SeenFromHere {
  readonly observation: ClusterObservation;
  /** The members' lists are known, as they were last recorded. */
  readonly hasLists: boolean;
  /** What the operator sees and we do not, one sentence each. */
  readonly unseen: readonly string[];
}

/** @param hosts what the Kubernetes Nodes show; undefined when they may not be read
 *  @param resizeSupport whether the API server resizes running Pods */
export function observationOf(
  parts: ClusterParts,
  hosts: SeenHosts | undefined,
  nowMs: number,
  resizeSupport: ResizeSupport = 'unknown',
): SeenFromHere {
  const { cluster } = parts;
  const recorded = recordedView(parts.nodes);
  const nodes = parts.nodes.map((node) => recordOf(node, parts, recorded, nowMs));
  const ready = findCondition(cluster.status?.conditions, 'Ready');
  const inForce = specInForce(
    cluster,
    nodes.map((record, index) => ({ record, template: parts.nodes[index]?.spec.template })),
  );
  const readyForMs = ready?.status === 'True' ? nowMs - (timeMs(ready.lastTransitionTime) ?? nowMs) : 0;
  return {
    observation: {
      nowMs,
      monotonicMs: nowMs,
      cluster: clusterRecord(parts, inForce),
      nodes,
      revisions: keptRevisions([...parts.nodes.map(({ spec }) => spec.template), inForce.stamp.template]),
      volumes: parts.volumes.map(toVolumeView),
      history:
        recorded === undefined
          ? { agreedForMs: undefined, differForMs: 0 }
          : { agreedForMs: readyForMs, differForMs: undefined },
      facts: [],
      comparison: undefined,
      verifiedAtMs: nowMs,
      isolatedSinceMs: undefined,
      unmeshedSinceMs: undefined,
      autoscale: undefined,
      hosts:
        hosts?.states ??
        new Map(nodes.flatMap(({ pod }) => (pod?.hostName === undefined ? [] : [[pod.hostName, 'unknown' as const]]))),
      drainedHosts: hosts?.drains.hosts ?? new Map(),
      drainsSeen: hosts === undefined ? 'notYet' : 'known',
      selectedHosts: hosts?.selected,
      fewerHostsForMs: undefined,
      hostFindings: hosts?.drains.findings ?? new Map(),
      resizeSupport,
      // Only the operator knows which other clusters are in line; it reports when this one is.
      isInLine: findCondition(parts.cluster.status?.conditions, 'RollingOut')?.reason === 'RolloutInLine',
      isProvenHere: true,
      foreignNodes: { names: [], areElsewhere: false },
    },
    hasLists: recorded !== undefined,
    unseen: [
      recorded === undefined
        ? 'the members’ lists: the node controller has not recorded one that all share'
        : `the members’ present lists: taken as the node controller last recorded them (${recorded.length} members, seen by all)`,
      'the members’ figures and contents: clients, disks, mesh connections, records; only the operator asks for them',
      ...(hosts === undefined ? ['whether hosts are being drained: Nodes may not be read'] : []),
      ...taintsUnseen(hosts),
      ...(hosts === undefined && cluster.spec.hosts?.onePerHost !== undefined
        ? ['which hosts spec.hosts.onePerHost selects: Nodes may not be read, and the size is the one stored last']
        : []),
    ],
  };
}

/** Only the operator knows which taints mean a drain: they are a flag of its process. */
function taintsUnseen(hosts: SeenHosts | undefined): readonly string[] {
  const tainted = hosts?.drains.tainted ?? [];
  if (tainted.length === 0) return [];
  return [
    `whether the taints of ${tainted.join(', ')} mean a drain to the operator (--drain-taints): only a cordon counts here`,
  ];
}

function clusterRecord({ cluster }: ClusterParts, inForce: ReturnType<typeof specInForce>): ClusterRecord {
  const { metadata, status } = cluster;
  return {
    ...clusterRecordOf(cluster, inForce),
    createdAtMs: timeMs(metadata.creationTimestamp) ?? 0,
    adoption: reportedAdoption(status),
  };
}

/** The operator reads live whether a StatefulSet is in the way; here its report counts. */
function reportedAdoption(status: ClusterParts['cluster']['status']): Adoption | undefined {
  const ready = findCondition(status?.conditions, 'Ready');
  if (status?.formed !== undefined || ready === undefined || reasonRow(ready.reason)?.stateOf !== 'adoption')
    return undefined;
  const { reason, message } = ready;
  return { kind: 'unread', hold: hold(reason, message, reason !== 'Adopting') };
}

/** The list of members according to the status of the nodes; undefined unless every listed member is seen by all. */
function recordedView(nodes: readonly MarekvsNode[]): readonly ViewLine[] | undefined {
  const members = nodes.filter(({ status }) => status?.memberGeneration !== undefined && isShown(status.phase));
  const isSeenByAll = members.every(({ status }) => {
    const [seeing, all] = (status?.seenBy ?? '').split('/');
    return seeing !== undefined && seeing !== '' && seeing === all;
  });
  if (members.length === 0 || !isSeenByAll) return undefined;
  return members.map(({ spec, status }) => ({
    id: spec.nodeId,
    generation: status?.memberGeneration ?? 0,
    hasPrimaries: status?.phase === 'Active',
  }));
}

function isShown(phase: string | undefined): boolean {
  return phase === 'Active' || phase === 'Leaving';
}

function recordOf(
  node: MarekvsNode,
  { pods, volumes }: ClusterParts,
  recorded: readonly ViewLine[] | undefined,
  nowMs: number,
): NodeRecord {
  const pod = pods.find(({ metadata }) => metadata.name === node.metadata.name);
  const claimName = pvcName(node.spec.clusterName, node.spec.nodeId);
  const claim = volumes.find(({ metadata }) => metadata.name === claimName);
  return nodeRecordOf(toNodeView(node), {
    pod: pod === undefined ? undefined : toPodView(pod),
    volume: claim === undefined ? undefined : toVolumeView(claim),
    answer: answerOf(node, recorded, nowMs),
  });
}

/** What its member last reported, by the node's status. */
function answerOf(node: MarekvsNode, recorded: readonly ViewLine[] | undefined, nowMs: number): MemberAnswer {
  const { status } = node;
  const ready = findCondition(status?.conditions, 'Ready');
  const sinceMs = timeMs(reasonSince(status, 'Ready')) ?? nowMs;
  if (ready?.reason === 'MemberSilent' || ready?.reason === 'MemberAnswerInvalid')
    return { kind: 'silent', sinceMs, error: ready.message, isInvalid: ready.reason === 'MemberAnswerInvalid' };
  if (status?.phase === 'Joining') return { kind: 'joining', sinceMs };
  if (recorded !== undefined && isShown(status?.phase))
    return { kind: 'serving', atMs: nowMs, viewAtMs: 0, view: recorded, digest: 'as recorded' };
  return { kind: 'notAsked' };
}

/** The operator keeps the templates of all nodes and of the spec, so the stored revisions need not be read here. */
function keptRevisions(templates: readonly NodeTemplate[]): readonly RevisionRecord[] {
  const byHash = new Map(templates.map((template) => [templateHash(template), template]));
  return [...byHash].map(([hash, template], number) => ({
    name: hash,
    uid: hash,
    resourceVersion: '',
    hash,
    number,
    isValid: true,
    restartHash: restartHash(template),
    resources: template.resources,
  }));
}
