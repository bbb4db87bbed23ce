// Answers: what does the status of a node say now, and how soon should it be written? Pure.

import {
  findCondition,
  type MarekvsNode,
  type MarekvsNodeStatus,
  type NodeCondition,
  type NodeConditionType,
  pvcName,
  type RemovalProof,
  recordedVolume,
} from '@marekvs/api';
import {
  claimTrouble,
  type Hold,
  hasLostVolume,
  isHalfResized,
  type NodePlan,
  type NodeRecord,
  nodePhase,
  sameValue,
  timeText,
  volumeHold,
} from '@marekvs/planner';
import { judged, no, unknown, type Verdict, yes } from '../pass/condition-verdicts.ts';
import { reasonTimes } from '../pass/reason-times.ts';
import { membershipFigures } from './membership-figures.ts';
import type { NodeScope } from './observation/observe.ts';
import { carriedProof, safeToRemove } from './safe-to-remove.ts';

export interface NodeStatusInput {
  readonly scope: NodeScope;
  readonly plan: NodePlan;
  /** What the API server refused in this pass. */
  readonly refusal: Hold | undefined;
}

export function nodeStatus(input: NodeStatusInput): MarekvsNodeStatus {
  const { scope, plan } = input;
  if (scope.observation.parent === 'foreign') return foreignStatus(scope, plan);
  const refusal = isOfResize(input.refusal) ? undefined : input.refusal;
  const { node, record, observation } = scope;
  const previous = node.status ?? {};
  const hold = refusal ?? plan.hold;
  const { pod } = record;
  const isOwnPod = pod !== undefined && pod.ownerUid === node.metadata.uid;
  const phase = nodePhase(record, hold?.needsPerson === true);
  const self = record.answer.kind === 'serving' ? record.answer.view.find((line) => line.id === record.id) : undefined;
  const figures = membershipFigures(observation, previous);
  const proof = carriedProof(observation, previous);
  const shownConditions = conditions(input, { phase, hold, seen: figures.seenBy, proof });
  return {
    observedGeneration: node.metadata.generation,
    phase,
    pvcName: pvcName(node.spec.clusterName, node.spec.nodeId),
    ...volumeFields(record, node),
    ...volumeSize(record),
    ...(isOwnPod ? podFields(record) : {}),
    ...scope.zone,
    ...(self === undefined ? {} : { memberGeneration: self.generation }),
    seenBy: figures.seenBy,
    ...(figures.ownedPartitions === undefined ? {} : { ownedPartitions: figures.ownedPartitions }),
    ...lastActive(previous, phase, observation.lastActiveMs.get(record.uid) ?? observation.nowMs),
    ...(proof === undefined ? {} : { removalProof: proof }),
    ...reasonTimes(node.status, shownConditions, observation.nowMs),
    conditions: shownConditions,
  };
}

/** Of a node that is of no cluster nothing is known: what it said before stays. */
function foreignStatus({ node, observation: { nowMs } }: NodeScope, { hold }: NodePlan): MarekvsNodeStatus {
  const { generation: observedGeneration } = node.metadata;
  const verdict = no('NodeForeign', hold?.message ?? 'it names a MarekvsCluster that it is not a node of');
  const shown = judged(node.status?.conditions ?? [], [['Ready', verdict]], { observedGeneration, nowMs });
  return { ...node.status, observedGeneration, ...reasonTimes(node.status, shown, nowMs), conditions: shown };
}

/** The member serves as before: a refused resize concerns UpToDate, not Ready. */
function isOfResize(refusal: Hold | undefined): boolean {
  return refusal?.reason === 'ResizeImpossible';
}

export type NodeStatusChange = 'none' | 'lazy' | 'soft' | 'urgent';

/** `urgent`: the node became ready or stopped being ready, a person has to act, or there is a new proof, which does not
 *  keep. `soft`: steps on the way, a planned removal among them. `lazy`: all members see it as before, and only their
 *  number or the zone of its host has changed. */
export function nodeStatusChange(
  previous: MarekvsNodeStatus | undefined,
  next: MarekvsNodeStatus,
  isLeaving: boolean,
): NodeStatusChange {
  if (previous !== undefined && sameValue(previous, next)) return 'none';
  if (next.removalProof !== undefined && !sameValue(previous?.removalProof, next.removalProof)) return 'urgent';
  if (previous !== undefined && sameValue(withoutNews(previous), withoutNews(next))) return 'lazy';
  return turn(previous, isLeaving) === turn(next, isLeaving) ? 'soft' : 'urgent';
}

/** Without what changes for every member when one joins or leaves, and without the zone, which does not move. */
function withoutNews(status: MarekvsNodeStatus): unknown {
  const { seenBy, ownedPartitions: _partitions, zone: _zone, zoneSource: _source, conditions, ...rest } = status;
  const [seeing, all] = (seenBy ?? '').split('/');
  const others = conditions?.map((condition) =>
    condition.type === 'Joined' ? { ...condition, message: '' } : condition,
  );
  return { ...rest, seenBy: seeing === all ? 'all' : seenBy, conditions: others };
}

/** For a node that leaves as planned it is no news that it is not ready, and later has no Pod. */
function turn(status: MarekvsNodeStatus | undefined, isLeaving: boolean): string {
  const ready = findCondition(status?.conditions, 'Ready');
  const isFailed = status?.phase === 'Failed' || status?.phase === 'Unknown';
  const isReady = isLeaving || ready?.status === 'True';
  return `${isReady} ${isFailed ? status?.phase : ''}`;
}

function podFields({ pod }: NodeRecord): Partial<MarekvsNodeStatus> {
  if (pod === undefined) return {};
  return {
    podName: pod.name,
    podUID: pod.uid,
    ...(pod.ip === undefined ? {} : { podIP: pod.ip }),
    ...(pod.hostName === undefined ? {} : { hostName: pod.hostName }),
    ...(pod.templateHash === undefined ? {} : { templateHash: pod.templateHash }),
  };
}

/** The volume's UID is recorded once and kept: it is how a lost or exchanged volume is noticed
 *  (docs/design/server.md#h2). */
function volumeFields(
  record: NodeRecord,
  node: Pick<MarekvsNode, 'metadata' | 'spec' | 'status'>,
): Pick<MarekvsNodeStatus, 'pvcUID'> {
  const isOurs = record.volume?.nodeId === record.id && record.volume.clusterName === node.spec.clusterName;
  const uid = recordedVolume(node) ?? (isOurs ? record.volume?.uid : undefined);
  return uid === undefined ? {} : { pvcUID: uid };
}

/** The capacity in the status of the claim. */
function volumeSize(record: NodeRecord): Pick<MarekvsNodeStatus, 'volumeSize'> {
  const { volume } = record;
  return volume?.capacity === undefined || hasLostVolume(record) ? {} : { volumeSize: volume.capacity };
}

/** When the node was last Active. Written as that ends, so that the status of an Active node does not change. */
function lastActive(
  previous: MarekvsNodeStatus,
  phase: string,
  lastActiveMs: number,
): Pick<MarekvsNodeStatus, 'lastActiveAt'> {
  if (previous.phase === 'Active' && phase !== 'Active') {
    return { lastActiveAt: timeText(lastActiveMs) };
  }
  return previous.lastActiveAt === undefined ? {} : { lastActiveAt: previous.lastActiveAt };
}

interface Findings {
  readonly phase: NonNullable<MarekvsNodeStatus['phase']>;
  readonly hold: Hold | undefined;
  readonly seen: string;
  readonly proof: RemovalProof | undefined;
}

function conditions(input: NodeStatusInput, { phase, hold, seen, proof }: Findings): readonly NodeCondition[] {
  const { node, observation } = input.scope;
  const verdicts: readonly (readonly [NodeConditionType, Verdict | undefined])[] = [
    ['Ready', ready(input.scope, phase, hold)],
    ['Joined', joined(phase, seen)],
    ['UpToDate', upToDate(input)],
    ['VolumeReady', volumeReady(input.scope, hold)],
    ['SafeToRemove', safeToRemove(observation, proof)],
    ['VolumeUpToDate', volumeUpToDate(input.scope)],
  ];
  const { nowMs } = observation;
  return judged(node.status?.conditions ?? [], verdicts, { observedGeneration: node.metadata.generation, nowMs });
}

function ready({ record, node }: NodeScope, phase: string, hold: Hold | undefined): Verdict {
  if (hold !== undefined) return no(hold.reason, hold.message);
  const { pod } = record;
  if (pod === undefined) return no('PodMissing', 'the Pod is being created');
  if (pod.isTerminating) return no('PodMissing', `Pod ${pod.name} is terminating`);
  if (pod.isSealed)
    return no('MemberSealing', 'no client reaches the member any more; its records are compared before it goes');
  if (phase === 'Leaving') return no('MemberLeaving', 'the member hands its clients over before it goes');
  if (pod.ip === undefined) return no('PodPending', `Pod ${pod.name} has no address yet`);
  if (phase === 'Joining') return no('MemberJoining', 'the member runs and does not serve yet');
  if (phase !== 'Active') return no('MemberStarting', `Pod ${pod.name} is starting`);
  if (node.spec.serving !== true) return no('MemberNotActive', 'the member is Active and not let in yet');
  if (!pod.isReady) return no('MemberStarting', `Pod ${pod.name} is not ready`);
  return yes('AsExpected', 'the member is Active and serves clients');
}

function joined(phase: string, seen: string): Verdict {
  const [seeing, all] = seen.split('/');
  if ((phase === 'Active' || phase === 'Leaving') && seeing === all) return yes('Joined', `seen by ${seen} members`);
  if (phase === 'Unknown') return unknown('MemberSilent', `seen by ${seen} members, and it does not answer`);
  return no(phase === 'Joining' ? 'MemberJoining' : 'MemberMissing', `seen by ${seen} members`);
}

function upToDate({ scope: { record }, refusal }: NodeStatusInput): Verdict {
  const { pod, resizeRefused } = record;
  if (pod === undefined) return unknown(record.stopped ?? 'PodMissing', 'there is no Pod');
  if (isHalfResized(record)) {
    const refused = isOfResize(refusal) ? refusal?.message : resizeRefused;
    return refused === undefined
      ? no('ResizePending', 'the Pod is being resized where it runs')
      : no('ResizeImpossible', refused);
  }
  if (pod.templateHash === record.templateHash) return yes('TemplateCurrent', 'the Pod has the current template');
  return no('TemplateOutdated', 'the Pod has an older template');
}

function volumeReady({ record, observation }: NodeScope, hold: Hold | undefined): Verdict {
  if (hasLostVolume(record)) return no('VolumeLost', 'the volume recorded for this node is gone');
  if (hold?.reason === 'VolumeForeign') return no(hold.reason, hold.message);
  const { volume } = record;
  if (volume === undefined) return no('VolumePending', 'the volume is being created');
  if (volume.isTerminating) return no('VolumeLost', `PersistentVolumeClaim ${volume.name} is being deleted`);
  const trouble = claimTrouble(volume, record.pod, observation.nowMs);
  if (trouble !== undefined) return no(trouble.reason, trouble.message);
  if (!volume.isBound) return no('VolumePending', `PersistentVolumeClaim ${volume.name} is not bound`);
  return yes('VolumeBound', `PersistentVolumeClaim ${volume.name} is bound`);
}

/** Undefined while the volume is as wanted. */
function volumeUpToDate({ record, observation: { volumeRefusal, nowMs } }: NodeScope): Verdict | undefined {
  const volumeRefused = volumeRefusal?.message ?? record.volumeRefused;
  const hold = volumeHold({ ...record, volumeRefused }, nowMs);
  return hold === undefined ? undefined : no(hold.reason, hold.message);
}
