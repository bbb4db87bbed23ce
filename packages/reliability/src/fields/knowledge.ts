// Meaningful values by path. A path stands for every field whose own path ends with it, and the longest match counts; a
// field without an entry gets what its schema alone suggests. surroundings.ts is the world in which these values mean
// something.

import type { Reason } from '@marekvs/api';
import type { Json, JsonObject } from './schema.ts';

export interface Knowledge {
  /** The smallest useful value. */
  readonly base?: Json;
  /** A smaller and a larger one, or two different ones. */
  readonly values?: readonly [Json, Json];
  /** A rule refuses its object without it, although the schema does not require it: no change begins without it. */
  readonly isNeeded?: true;
  /** Values that the schema accepts and with which no cluster can run. */
  readonly wrong?: readonly Wrong[];
}

export interface Wrong {
  readonly value: Json;
  /** Other fields of the spec that make the value wrong. */
  readonly beside?: JsonObject;
  /** The reason that a condition of the cluster reports. */
  readonly says: Reason;
}

const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';
const OURS = { matchLabels: { 'marekvs.io/cluster': 'demo' } };
const ON_A_HOST = { matchExpressions: [{ key: HOST, operator: 'Exists' }] };
const TERM = { topologyKey: ZONE, labelSelector: OURS };
const BAD_KEY = { 'not a key': 'x' };
const NOWHERE = { matchExpressions: [{ key: 'disk', operator: 'In', values: ['none'] }] };

export const KNOWLEDGE: Readonly<Record<string, Knowledge>> = {
  image: {
    values: ['marekvs:one', 'marekvs:two'],
    wrong: [
      { value: 'marekvs:missing', says: 'ImagePullFailed' },
      { value: 'Not An Image', says: 'ImagePullFailed' },
    ],
  },
  imagePullPolicy: { wrong: [{ value: 'Never', says: 'ImagePullFailed' }] },
  imagePullSecrets: {
    wrong: [{ value: [{ name: 'none' }], beside: { image: 'private.example/marekvs:one' }, says: 'ImagePullFailed' }],
  },
  'imagePullSecrets[]': { values: [{ name: 'pull' }, { name: 'pull-too' }] },
  'imagePullSecrets[].name': { values: ['pull', 'pull-too'] },
  nodes: { values: [3, 5] },
  replicationFactor: { values: [2, 3] },
  'storage.size': { values: ['10Gi', '20Gi'] },
  'storage.className': { values: ['fast', 'slow'] },
  'storage.volumeAttributesClassName': { values: ['gold', 'silver'] },
  'storage.autoGrow': { base: { max: '50Gi' } },
  'storage.autoGrow.max': { values: ['50Gi', '100Gi'] },
  'storage.autoGrow.atPercent': { values: [70, 80] },
  'resources.cpu': { values: ['500m', '1'], wrong: [{ value: '1000', says: 'PodUnschedulable' }] },
  'resources.memory': { values: ['1Gi', '2Gi'], wrong: [{ value: '10Ti', says: 'PodUnschedulable' }] },
  // Both targets, so that each can be removed, but not both.
  autoscale: { base: { minNodes: 3, maxNodes: 5, targetOpsPerNode: 1000, targetDiskPercent: 70 } },
  'autoscale.minNodes': { values: [3, 4] },
  'autoscale.maxNodes': { values: [5, 8] },
  'autoscale.targetOpsPerNode': { values: [1000, 2000.5] },
  'autoscale.targetDiskPercent': { values: [70, 80] },
  'hosts.lostAfterSeconds': { values: [600, 0] },
  'hosts.onePerHost': { base: { nodeSelector: { [ZONE]: 'zone-0' } } },
  'hosts.onePerHost.minNodes': { values: [3, 4] },
  'hosts.onePerHost.maxNodes': { values: [5, 8] },
  volumeRetention: { base: { whenDeleted: 'Delete' } },
  extraEnv: {
    base: { RUST_LOG: 'info' },
    wrong: [{ value: { MAREKVS_AE_PARTITIONS_PER_ROUND: 'many' }, says: 'CrashLooping' }],
  },
  'extraEnv{}': { values: ['info', 'debug'] },
  nodeSelector: {
    base: { [ZONE]: 'zone-0' },
    wrong: [
      { value: { disk: 'none' }, says: 'PodUnschedulable' },
      { value: BAD_KEY, says: 'RequestInvalid' },
    ],
  },
  'nodeSelector{}': { values: ['zone-0', 'zone-1'] },
  'tolerations[]': {
    values: [
      { key: 'dedicated', operator: 'Equal', value: 'db', effect: 'NoExecute' },
      { key: 'other', operator: 'Exists' },
    ],
    wrong: [{ value: { key: 'dedicated', operator: 'Exists', value: 'db' }, says: 'RequestInvalid' }],
  },
  'tolerations[].key': { values: ['dedicated', 'other'] },
  'tolerations[].tolerationSeconds': { values: [60, 600] },
  'requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[]': {
    values: [ON_A_HOST, { matchExpressions: [{ key: ZONE, operator: 'Exists' }] }],
    wrong: [{ value: NOWHERE, says: 'PodUnschedulable' }],
  },
  'nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[]': {
    values: [
      { weight: 1, preference: ON_A_HOST },
      { weight: 2, preference: ON_A_HOST },
    ],
  },
  preference: { base: ON_A_HOST },
  'matchFields[]': {
    values: [
      { key: 'metadata.name', operator: 'NotIn', values: ['host-7'] },
      { key: 'metadata.name', operator: 'NotIn', values: ['host-6'] },
    ],
  },
  'matchFields[].key': { values: ['metadata.name', 'metadata.namespace'] },
  'matchFields[].values': { base: ['host-7'] },
  'matchFields[].values[]': { values: ['host-7', 'host-6'] },
  'nodeSelectorTerms[].matchExpressions[]': { values: zones('zone-0', 'zone-1') },
  'preference.matchExpressions[]': { values: zones('zone-0', 'zone-1') },
  'matchExpressions[].key': { values: [ZONE, HOST] },
  'matchExpressions[].values[]': { values: ['zone-0', 'zone-1'] },
  'labelSelector.matchExpressions[]': { values: ours('demo', 'other') },
  'labelSelector.matchExpressions[].key': { values: ['marekvs.io/cluster', 'app.kubernetes.io/instance'] },
  'labelSelector.matchExpressions[].values[]': { values: ['demo', 'other'] },
  'namespaceSelector.matchExpressions[]': { values: spaces('default', 'marekvs-system') },
  'namespaceSelector.matchExpressions[].key': { values: ['kubernetes.io/metadata.name', 'team'] },
  'namespaceSelector.matchExpressions[].values[]': { values: ['default', 'marekvs-system'] },
  'labelSelector.matchLabels': { base: { 'marekvs.io/cluster': 'demo' }, wrong: [] },
  'namespaceSelector.matchLabels': { base: { 'kubernetes.io/metadata.name': 'default' } },
  'matchLabels{}': { values: ['demo', 'other'] },
  'requiredDuringSchedulingIgnoredDuringExecution[]': {
    values: [TERM, { ...TERM, topologyKey: HOST }],
    wrong: [{ value: { ...TERM, topologyKey: 'rack' }, says: 'PodUnschedulable' }],
  },
  'podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[]': {
    values: [
      { ...TERM, topologyKey: HOST },
      { ...TERM, topologyKey: 'rack' },
    ],
    wrong: [{ value: TERM, beside: { nodes: 4 }, says: 'PodUnschedulable' }],
  },
  'preferredDuringSchedulingIgnoredDuringExecution[]': {
    values: [
      { weight: 1, podAffinityTerm: TERM },
      { weight: 2, podAffinityTerm: TERM },
    ],
  },
  // With a zone for each node, three zones would have no room for a fourth node.
  'podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[].topologyKey': { values: [HOST, 'rack'] },
  podAffinityTerm: { base: TERM },
  topologyKey: { values: [ZONE, HOST] },
  labelSelector: { base: OURS },
  namespaceSelector: { base: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } } },
  'namespaces[]': { values: ['default', 'marekvs-system'] },
  'matchLabelKeys[]': { values: ['app.kubernetes.io/instance', 'app.kubernetes.io/name'] },
  'mismatchLabelKeys[]': { values: ['app.kubernetes.io/part-of', 'team'] },
  weight: { values: [1, 100] },
  'topologySpreadConstraints[]': {
    values: [
      { maxSkew: 1, topologyKey: ZONE, whenUnsatisfiable: 'DoNotSchedule', labelSelector: OURS },
      { maxSkew: 2, topologyKey: ZONE, whenUnsatisfiable: 'ScheduleAnyway' },
    ],
    wrong: [
      { value: { maxSkew: 1, topologyKey: HOST, whenUnsatisfiable: 'ScheduleAnyway' }, says: 'RequestInvalid' },
      { value: { maxSkew: 1, topologyKey: 'rack', whenUnsatisfiable: 'DoNotSchedule' }, says: 'PodUnschedulable' },
    ],
  },
  'topologySpreadConstraints[].maxSkew': { values: [1, 2] },
  'topologySpreadConstraints[].minDomains': { values: [1, 3] },
  'topologySpreadConstraints[].topologyKey': { values: [ZONE, 'region'] },
  priorityClassName: { values: ['high', 'low'], wrong: [{ value: 'none', says: 'ForbiddenByPolicy' }] },
  'podMetadata.labels': { base: { team: 'a' }, wrong: [{ value: BAD_KEY, says: 'RequestInvalid' }] },
  'podMetadata.annotations': { base: { note: 'a' }, wrong: [{ value: BAD_KEY, says: 'RequestInvalid' }] },
  auth: {
    base: { secretRef: { name: 'one', key: 'password' } },
    wrong: [{ value: { secretRef: { name: 'none', key: 'password' } }, says: 'ContainerConfigInvalid' }],
  },
  'auth.secretRef.name': { values: ['one', 'two'] },
  'auth.secretRef.key': {
    values: ['password', 'second'],
    wrong: [{ value: 'none', says: 'ContainerConfigInvalid' }],
  },
  // A peer is by selectors or by addresses, so that only one of them can be added to an empty one.
  'clients.from': { base: [] },
  'clients.from[]': {
    base: {},
    values: [{ podSelector: OURS }, { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }],
  },
  'clients.from[].podSelector': { base: OURS, isNeeded: true },
  'clients.from[].podSelector.matchExpressions[]': { values: ours('demo', 'other') },
  'clients.from[].podSelector.matchExpressions[].operator': { values: ['In', 'NotIn'] },
  'clients.from[].podSelector.matchExpressions[].values': { base: ['demo'], isNeeded: true },
  'clients.from[].namespaceSelector': { base: { matchLabels: { team: 'a' } }, isNeeded: true },
  'clients.from[].namespaceSelector.matchExpressions[].operator': { values: ['In', 'NotIn'] },
  'clients.from[].namespaceSelector.matchExpressions[].values': { base: ['default'], isNeeded: true },
  'clients.from[].ipBlock': { base: { cidr: '10.0.0.0/8' }, isNeeded: true },
  'clients.from[].ipBlock.cidr': { values: ['10.0.0.0/8', '172.16.0.0/12'] },
  'clients.from[].ipBlock.except[]': { values: ['10.1.0.0/16', '10.2.0.0/16'] },
  gcGraceSeconds: { values: [604_800, 1_209_600] },
  'update.progressDeadlineSeconds': { values: [600, 900] },
  'update.maxUnavailable': { values: [1, 2] },
  'update.minAvailablePercent': { values: [75, 90] },
  'update.canaryNodes': { values: [0, 1] },
  'removal.deadlineSeconds': { values: [3600, 7200] },
  'verification.intervalSeconds': { values: [86_400, 172_800] },
};

/** Fields without effect until something happens, with what that is. */
export const ACTS_LATER: Readonly<Record<string, string>> = {
  'volumeRetention.whenScaled': 'read when a node has been removed',
  'storage.autoGrow': 'read when volumes fill',
  'storage.autoGrow.atPercent': 'read when volumes fill',
  'storage.autoGrow.byPercent': 'read when volumes fill',
  'storage.autoGrow.max': 'read when volumes fill',
  'storage.autoGrow.coolDownSeconds': 'read when volumes fill',
  reclaimPvcs: 'read when a node has been removed',
  removal: 'read while a node is removed',
  'removal.deadlineSeconds': 'read while a node is removed',
  'update.minAvailablePercent': 'has no effect',
  verification: 'read when members have not been compared for long',
  'verification.intervalSeconds': 'read when members have not been compared for long',
  // No client writes here and the disks are empty, so the size is the smallest.
  autoscale: 'read when load or disks ask for another size',
  'autoscale.maxNodes': 'read when load or disks ask for more nodes',
  'autoscale.targetOpsPerNode': 'read when clients send something',
  'autoscale.targetDiskPercent': 'read when disks fill',
  'autoscale.scaleDownStabilizationSeconds': 'read when the size may become smaller',
  'autoscale.scaleUpCooldownSeconds': 'read when the size has changed',
};

/** The entry of a field, by the longest matching path; empty when there is none. */
export function knowledgeOf(path: string): Knowledge {
  const fitting = Object.keys(KNOWLEDGE).filter((known) => path === known || path.endsWith(`.${known}`));
  const longest = fitting.sort((a, b) => b.length - a.length)[0];
  return (longest === undefined ? undefined : KNOWLEDGE[longest]) ?? {};
}

function zones(...names: readonly [string, string]): readonly [Json, Json] {
  return [requirement(ZONE, 'In', names), requirement(ZONE, 'NotIn', [names[1]])];
}

function ours(...names: readonly [string, string]): readonly [Json, Json] {
  return [requirement('marekvs.io/cluster', 'In', names), requirement('marekvs.io/cluster', 'NotIn', [names[1]])];
}

function spaces(...names: readonly [string, string]): readonly [Json, Json] {
  const key = 'kubernetes.io/metadata.name';
  return [requirement(key, 'In', names), requirement(key, 'NotIn', [names[1]])];
}

function requirement(key: string, operator: string, values: readonly string[]): Json {
  return { key, operator, values };
}
