// The message for a refused object, by rule: the field and what would be right. The CEL rules of the schema and
// validation give the same message, so that a person finds one text wherever the rule applies.

import { MAX_NODE_ID } from '../members/placement.ts';
import { OWNED_LABELS } from '../names/labels.ts';
import { MAX_CLUSTER_NAME_LENGTH } from '../names/names.ts';
import { MAX, MIN_GC_GRACE_SECONDS, OWNED_ENV, REFUSED_ENV } from './limits.ts';

const LABEL_VALUES =
  "values must be empty or letters, digits, '-', '_' or '.' that begin and end with a letter or digit";

export const MESSAGES = {
  clusterName:
    `metadata.name must be at most ${MAX_CLUSTER_NAME_LENGTH} lower-case letters, digits or '-', ` +
    `start with a letter, end with a letter or digit, and not end with '-headless'`,
  image: 'spec.image must name an image, such as ghcr.io/yannick/marekvs:latest, without blanks around it',
  nodeSelector: `spec.nodeSelector ${LABEL_VALUES}`,
  storageSize: 'spec.storage.size must be a quantity greater than 0, such as 10Gi',
  storageShrink: 'spec.storage.size must not shrink: volumes can only grow; set it to the present size or more',
  storageClass:
    'spec.storage.className is immutable: set it back to its present value, or leave it unset if it was unset',
  volumeAttributesClass:
    'spec.storage.volumeAttributesClassName must not be removed once it is set: name another class instead',
  autoGrowLimit: 'spec.storage.autoGrow.max must be a quantity greater than 0, such as 100Gi',
  autoGrowMax: 'spec.storage.autoGrow.max must not be smaller than spec.storage.size',
  cpu: 'spec.resources.cpu must be a quantity greater than 0, such as 500m or 2',
  memory: 'spec.resources.memory must be a quantity greater than 0, such as 1Gi',
  reclaim:
    'spec.reclaimPvcs must not be true while spec.volumeRetention.whenScaled is Retain: ' +
    'remove reclaimPvcs to keep the volumes, or whenScaled to have them deleted',
  graceFits: 'spec.removal.deadlineSeconds must be at least spec.removal.clientGraceSeconds (default 5) + 300',
  minMax: 'spec.autoscale.minNodes must not be greater than spec.autoscale.maxNodes',
  targetOps: 'spec.autoscale.targetOpsPerNode must be greater than 0',
  sizedByLoad:
    'spec.nodes is only the initial size while spec.autoscale is set: change autoscale.minNodes or maxNodes, or remove autoscale in the same edit',
  target: 'spec.autoscale needs targetOpsPerNode or targetDiskPercent to size by',
  sizedByHosts:
    'spec.nodes is only the initial size while spec.hosts.onePerHost is set: label hosts, change onePerHost.minNodes or maxNodes, or remove onePerHost in the same edit',
  onePerHostOrLoad:
    'spec.hosts.onePerHost must not be set together with spec.autoscale: the size follows either the hosts or the load',
  onePerHostSelector:
    'spec.hosts.onePerHost.nodeSelector must name at least one label; kubernetes.io/os: linux is on every Linux host',
  onePerHostLabels: `spec.hosts.onePerHost.nodeSelector ${LABEL_VALUES}`,
  replaceNeedsMove:
    'spec.hosts.replaceOnDrain must not be true while spec.hosts.moveOnDrain is false, which means that nothing is done about a drained host',
  onePerHostMinMax: 'spec.hosts.onePerHost.minNodes must not be greater than spec.hosts.onePerHost.maxNodes',
  gcGraceFloor: `spec.gcGraceSeconds must be at least ${MIN_GC_GRACE_SECONDS}: a member that is away for longer drops the records that only it has; a smaller value that was stored before this rule may stay`,
  upstream: `spec.extraEnv must not set ${REFUSED_ENV.join(', ')}: every member would replay the upstream by itself, so lists and counters would come out several times; copy the data with a client instead. What was stored before this rule may stay until extraEnv is changed`,
  rememberedAsleep:
    'spec.gcGraceSeconds must not be lowered while spec.hibernated is true, nor by the edit that ends it: members that have been stopped for longer would not be started; lower it once they run',
  peer: 'spec.clients.from must have in each entry ipBlock alone, or podSelector, namespaceSelector or both',
  peerLabels: `spec.clients.from must select by label keys such as app or example.com/team, and ${LABEL_VALUES}`,
  peerRequirement:
    'spec.clients.from must select by label keys such as app or example.com/team, with at least one label value for In and NotIn, and no values for Exists and DoesNotExist',
  peerNetwork: 'spec.clients.from.ipBlock.cidr must be an IPv4 network without host bits, such as 10.1.0.0/16',
  peerExcept:
    'spec.clients.from.ipBlock.except must be IPv4 networks inside ipBlock.cidr and smaller than it, such as 10.1.2.0/24 in 10.1.0.0/16',
  nodeName: "metadata.name must be spec.clusterName + '-' + spec.nodeId",
  nodeClusterName: 'spec.clusterName is immutable: a node belongs to one cluster for life',
  nodeIdImmutable: 'spec.nodeId is immutable: an id is bound to its volume; add another node instead',
  nodeIdRange: `spec.nodeId must be between 0 and ${MAX_NODE_ID}`,
} as const;

export function rangeMessage(path: string, min: number, max: number): string {
  return `spec.${path} must be a whole number between ${min} and ${max}`;
}

export function enumMessage(path: string, values: readonly string[]): string {
  return `spec.${path} must be ${values.join(' or ')}`;
}

/** Messages for a refused map of environment variables at `path`. */
export function envMessages(path: string): { readonly owned: string; readonly name: string } {
  return {
    owned: `${path} must not set names the operator owns: ${OWNED_ENV.join(', ')}`,
    name: `${path} names must be at most ${MAX.envName} letters, digits, '_', '-' or '.' and not start with a digit or '..' or be '.'`,
  };
}

/** Messages for refused Pod labels and annotations at `path`. */
export function podMetadataMessages(path: string): {
  readonly owned: string;
  readonly value: string;
  readonly annotations: string;
} {
  return {
    owned: `${path}.labels must not set keys the operator owns: marekvs.io/*, ${OWNED_LABELS.join(', ')}`,
    value: `${path}.labels ${LABEL_VALUES}, such as team-a`,
    annotations: `${path}.annotations must not set keys the operator owns: marekvs.io/*`,
  };
}
