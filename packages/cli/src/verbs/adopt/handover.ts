// Answers: may the members of this StatefulSet be handed over, and what exactly is handed over? All checks run before
// anything is written; the first that fails is returned, with what to do about it. Pure.

import {
  type AdoptionRequest,
  controllerOf,
  type MarekvsCluster,
  MIN_GC_GRACE_SECONDS,
  nodeName,
  parseNodeId,
  pvcName,
  validateClusterSpec,
  withDefaults,
} from '@marekvs/api';
import type { KubeObject, PersistentVolumeClaim, Pod, StatefulSet, Stored } from '@marekvs/runtime';
import { type Refused, refused } from '../../changing/change.ts';
import type { MemberFigures } from '../../members/member-figures.ts';
import { type RunningSettings, runningSettings } from './running-settings.ts';

export interface HandoverParts {
  readonly cluster: MarekvsCluster;
  readonly set: Stored<StatefulSet>;
  /** The Pods that the StatefulSet controls. */
  readonly pods: readonly Stored<Pod>[];
  readonly claims: readonly Stored<PersistentVolumeClaim>[];
  /** Existing Services, disruption budget and network policy with names that the operator gives its own. */
  readonly children: readonly Stored<KubeObject>[];
  /** By name of the Pod. */
  readonly figures: ReadonlyMap<string, MemberFigures>;
}

export type Handover =
  | Refused
  | { readonly kind: 'ready'; readonly request: AdoptionRequest; readonly settings: RunningSettings };

export function handover(parts: HandoverParts): Handover {
  const refusal = clusterProblem(parts) ?? setProblem(parts) ?? childProblem(parts);
  if (refusal !== undefined) return refusal;
  const members = parts.pods
    .map((pod) => ({ pod, nodeId: parseNodeId(parts.cluster.metadata.name, pod.metadata.name) ?? -1 }))
    .sort((a, b) => a.nodeId - b.nodeId);
  let common: RunningSettings | undefined;
  const volumes: { nodeId: number; uid: string }[] = [];
  for (const { pod, nodeId } of members) {
    const problem = podProblem(parts, pod) ?? figuresProblem(parts, pod, nodeId);
    if (problem !== undefined) return problem;
    const read = runningSettings(pod, parts.cluster.metadata.name, nodeId);
    if (read.kind === 'unknown')
      return refused(
        `Pod ${pod.metadata.name} ${read.why}`,
        'such a cluster cannot be handed over as it is: copy its data',
      );
    if (common !== undefined && JSON.stringify(common) !== JSON.stringify(read.settings))
      return refused(`Pod ${pod.metadata.name} runs with other settings than the one before it`, ROLL_FIRST);
    common = read.settings;
    const claim = parts.claims.find(({ metadata }) => metadata.name === pvcName(parts.cluster.metadata.name, nodeId));
    if (claim === undefined || claim.metadata.deletionTimestamp !== undefined || claim.status?.phase !== 'Bound')
      return refused(
        `the volume of ${pod.metadata.name} is ${claim === undefined ? 'not to be found' : 'not bound, or is being deleted'}`,
        `kubectl describe pvc data-${pod.metadata.name} -n ${parts.cluster.metadata.namespace}`,
      );
    volumes.push({ nodeId, uid: claim.metadata.uid });
  }
  if (common === undefined) return refused('the StatefulSet has no Pod', 'delete it: there is nothing to hand over');
  const difference = settingsProblem(parts, common);
  if (difference !== undefined) return difference;
  const { clusterIdentity, dataDir } = common;
  return {
    kind: 'ready',
    settings: common,
    request: {
      clusterUid: parts.cluster.metadata.uid,
      statefulSetUid: parts.set.metadata.uid,
      clusterIdentity,
      dataDir,
      volumes,
    },
  };
}

const ROLL_FIRST = 'let the existing operator finish its rollout first';

function clusterProblem({ cluster }: HandoverParts): Refused | undefined {
  const { name, namespace, deletionTimestamp } = cluster.metadata;
  if (deletionTimestamp !== undefined) return refused(`${name} is being deleted`, 'nothing changes it any more');
  if (cluster.status?.formed !== undefined)
    return refused(
      `${name} was formed by this operator, and the StatefulSet of its name is another one`,
      'rename or remove one of the two',
    );
  const [problem] = validateClusterSpec(cluster.spec);
  if (problem !== undefined)
    return refused(
      `the spec of ${name} breaks a rule: ${problem.path}: ${problem.message}`,
      `kubectl edit mkv ${name} -n ${namespace}`,
    );
  if (cluster.spec.paused === true)
    return refused(`${name} is paused, so nothing would be taken over`, `kubectl mkv resume ${name} -n ${namespace}`);
  return undefined;
}

function setProblem({ cluster, set, pods }: HandoverParts): Refused | undefined {
  const { name, namespace, uid } = cluster.metadata;
  const { spec, status, metadata } = set;
  const context = `kubectl describe statefulset ${name} -n ${namespace}`;
  if (controllerOf(metadata)?.uid !== uid)
    return refused(`StatefulSet ${name} belongs to somebody else`, 'rename or remove one of the two');
  if (metadata.deletionTimestamp !== undefined)
    return refused(`StatefulSet ${name} is being deleted`, 'run the command again in a moment');
  const templates = (spec?.volumeClaimTemplates ?? []).map((template) => template.metadata?.name ?? '');
  if (templates.join() !== 'data')
    return refused(
      `its volume claim templates are called ${templates.join(', ') || 'nothing'}, and must be one called data`,
      'such a cluster cannot be handed over as it is: copy its data',
    );
  const retention = spec?.persistentVolumeClaimRetentionPolicy;
  if ((retention?.whenDeleted ?? 'Retain') !== 'Retain' || (retention?.whenScaled ?? 'Retain') !== 'Retain')
    return refused(
      `StatefulSet ${name} deletes volumes`,
      `set spec.persistentVolumeClaimRetentionPolicy to Retain: kubectl edit statefulset ${name} -n ${namespace}`,
    );
  const wanted = spec?.replicas ?? 1;
  if (pods.length !== wanted || (status?.readyReplicas ?? 0) !== wanted)
    return refused(`${status?.readyReplicas ?? 0} of ${wanted} Pods of StatefulSet ${name} are ready`, context);
  const isRolling = status?.updateRevision !== undefined && status.updateRevision !== (status.currentRevision ?? '');
  return isRolling || status?.observedGeneration !== metadata.generation
    ? refused(`StatefulSet ${name} is being changed`, ROLL_FIRST)
    : undefined;
}

function childProblem({ cluster, children }: HandoverParts): Refused | undefined {
  const stranger = children.find(({ metadata }) => controllerOf(metadata)?.uid !== cluster.metadata.uid);
  if (stranger === undefined) return undefined;
  return refused(
    `${stranger.kind} ${stranger.metadata.name} belongs to somebody else, and the operator needs its name`,
    'rename or remove it',
  );
}

function podProblem({ cluster, set }: HandoverParts, { metadata, status }: Stored<Pod>): Refused | undefined {
  const { name, namespace } = cluster.metadata;
  const isOfSet = controllerOf(metadata)?.uid === set.metadata.uid;
  if (!isOfSet || parseNodeId(name, metadata.name) === undefined)
    return refused(`Pod ${metadata.name} is no member of StatefulSet ${name}`, 'rename or remove it');
  const isReady = status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True');
  if (isReady === true && metadata.deletionTimestamp === undefined) return undefined;
  return refused(
    `Pod ${metadata.name} is ${metadata.deletionTimestamp === undefined ? 'not ready' : 'ending'}`,
    `kubectl describe pod ${metadata.name} -n ${namespace}`,
  );
}

/** Unread figures are no refusal: the operator asks every member itself, and switches nothing before all agree. */
function figuresProblem({ cluster, figures, pods }: HandoverParts, pod: Pod, nodeId: number): Refused | undefined {
  const read = figures.get(pod.metadata.name ?? '');
  if (read?.kind !== 'read' || !read.metrics.isFresh) return undefined;
  const { clusterMembers, meshPeers, nodeId: ownId } = read.metrics;
  const context = `kubectl logs ${pod.metadata.name} -n ${cluster.metadata.namespace} --tail 50`;
  if (ownId !== undefined && ownId !== nodeId)
    return refused(`the member in ${pod.metadata.name} calls itself ${ownId}`, 'it is no member of this StatefulSet');
  if (clusterMembers !== undefined && clusterMembers !== pods.length)
    return refused(`${pod.metadata.name} sees ${clusterMembers} members, and there are ${pods.length} Pods`, context);
  if (meshPeers !== undefined && meshPeers < pods.length - 1)
    return refused(`${pod.metadata.name} is connected to ${meshPeers} of ${pods.length - 1} other members`, context);
  return undefined;
}

/** The spec has to match what runs, because a Pod that ends is created again from the spec. */
function settingsProblem({ cluster, pods }: HandoverParts, running: RunningSettings): Refused | undefined {
  const { name, namespace } = cluster.metadata;
  const spec = withDefaults(cluster.spec);
  const set = (field: string, value: string | number, is: string | number) =>
    refused(
      `spec.${field} is ${is}, and the members run with ${value}`,
      `kubectl patch mkv ${name} -n ${namespace} --type=merge -p '${JSON.stringify({ spec: { [field]: value } })}'`,
    );
  if (running.image !== spec.image) return set('image', running.image, spec.image);
  if (running.replicationFactor !== spec.replicationFactor)
    return set('replicationFactor', running.replicationFactor, spec.replicationFactor);
  if (running.gcGraceSeconds < MIN_GC_GRACE_SECONDS)
    return refused(
      `the members remember deletions for ${running.gcGraceSeconds} s, and a cluster needs ${MIN_GC_GRACE_SECONDS}`,
      `kubectl set env statefulset/${name} -n ${namespace} MAREKVS_GC_GRACE_SECS=${MIN_GC_GRACE_SECONDS}, then ${ROLL_FIRST}`,
    );
  if (running.gcGraceSeconds !== spec.gcGraceSeconds)
    return set('gcGraceSeconds', running.gcGraceSeconds, spec.gcGraceSeconds);
  // With autoscaling, the size starts from the members that exist.
  if (spec.autoscale === undefined && pods.length !== spec.nodes) return set('nodes', pods.length, spec.nodes);
  return passwordProblem(spec.auth?.secretRef, running.password);
}

function passwordProblem(
  wanted: { readonly name: string; readonly key: string } | undefined,
  running: RunningSettings['password'],
): Refused | undefined {
  if (running === undefined)
    return wanted === undefined
      ? undefined
      : refused('spec.auth names a password, and the members have none', 'remove spec.auth, and add it later');
  if (running === 'plain')
    return wanted === undefined
      ? refused(
          'the members have a password that the spec does not name',
          'put it into a Secret and name it in spec.auth.secretRef',
        )
      : undefined;
  const isSame = wanted?.name === running.name && wanted.key === running.key;
  return isSame
    ? undefined
    : refused(
        `the members' password comes from Secret ${running.name}, key ${running.key}`,
        'name the same in spec.auth.secretRef',
      );
}

/** The names of the members to hand over, for messages. */
export function memberNames(cluster: MarekvsCluster, { volumes }: AdoptionRequest): string {
  return volumes.map(({ nodeId }) => nodeName(cluster.metadata.name, nodeId)).join(', ');
}
