export type { Acknowledgement } from './annotations/acknowledgement.ts';
export { acknowledgementOf, acknowledgementText } from './annotations/acknowledgement.ts';
export type { AdoptionRequest } from './annotations/adoption.ts';
export {
  adoptionOf,
  adoptionText,
  DATA_MOUNT,
  DEFAULT_CLUSTER_IDENTITY,
  isDataDir,
  parseAdoption,
} from './annotations/adoption.ts';
export {
  formatNamespacesNote,
  MANY_STREAMS,
  type NamespacesNote,
  parseNamespacesNote,
} from './annotations/namespaces-note.ts';
export {
  DEFAULT_SERVER_GC_GRACE_SECONDS,
  isReleaseAsked,
  releasedLabels,
  releasedSelector,
  releaseText,
} from './annotations/release.ts';
export { formatReplicaLoad, PRESSURE_KINDS, parseReplicaLoad, type ReplicaLoad } from './annotations/replica-load.ts';
export type { PartitionDigest, PartitionStream, RecordMark, RecordMarks, StoredRecord } from './members/contents.ts';
export { BUCKETS, bucketDigests, EMPTY_BUCKET, EMPTY_DIGEST, STREAM_PAGE } from './members/contents.ts';
export { MEMBER_PORTS } from './members/member-ports.ts';
export {
  homesAt,
  MAX_NODE_ID,
  ownedCounts,
  PARTITIONS,
  type Placement,
  partitionOfKey,
  placementOf,
  SLOTS,
} from './members/placement.ts';
export { OPERATOR_ACCOUNT, OPERATOR_LEASE, OPERATOR_NAMESPACE } from './names/installation.ts';
export type { Labels } from './names/labels.ts';
export {
  ANNOTATIONS,
  API_VERSION,
  acceptedSize,
  clusterLabels,
  clusterSelector,
  FINALIZERS,
  GROUP,
  LABELS,
  MANAGED_BY,
  nodeLabels,
  selectorString,
  servingSelector,
  VERSION,
} from './names/labels.ts';
export {
  clientServiceName,
  clientsPolicyName,
  clusterIdentity,
  compareNodeIds,
  headlessServiceName,
  MAX_CLUSTER_NAME_LENGTH,
  networkPolicyName,
  nodeName,
  parseNodeId,
  parseNodeIdText,
  pdbName,
  pvcName,
} from './names/names.ts';
export type {
  ClusterPhase,
  LastOperation,
  MarekvsCluster,
  MarekvsClusterSpec,
  MarekvsClusterStatus,
  Operation,
  OperationPhase,
  ReleasePhase,
} from './objects/cluster.ts';
export type { EffectiveAutoGrow, EffectiveClusterSpec, EffectiveOnePerHost } from './objects/defaults.ts';
export { minimumNodes, withDefaults } from './objects/defaults.ts';
export type { ObjectMeta } from './objects/metadata.ts';
export { controllerOf } from './objects/metadata.ts';
export type {
  MarekvsNode,
  MarekvsNodeSpec,
  MarekvsNodeStatus,
  NodeScheduling,
  NodeStorage,
  NodeTemplate,
  RemovalProof,
} from './objects/node.ts';
export type { ClusterRef, NodeOwner } from './objects/ownership.ts';
export { controllingCluster, isNodeOf, isOlder, ownerOfNode } from './objects/ownership.ts';
export { recordedVolume } from './objects/recorded-volume.ts';
export type { AuthInForce, InForce, NodeInForce, PendingChange } from './pending/in-force.ts';
export { pendingChanges, pendingText } from './pending/pending-changes.ts';
export { listed } from './pending/pending-values.ts';
export type {
  ClusterCondition,
  ClusterConditionType,
  Condition,
  NodeCondition,
  NodeConditionType,
} from './reasons/conditions.ts';
export { CLUSTER_CONDITION_TYPES, findCondition, reasonSince } from './reasons/conditions.ts';
export { CAUSES, type ReasonRow } from './reasons/reason-row.ts';
export type { Reason } from './reasons/reasons.ts';
export { isReason, REASONS, reasonRow, reasonsWith } from './reasons/reasons.ts';
export { DEFAULTS, INTEGER_RANGES, MAX, MIN_GC_GRACE_SECONDS, OWNED_ENV } from './rules/limits.ts';
export {
  kindOf,
  OPERATION_PHASES,
  OPERATION_TYPES,
  phaseText,
  rowOf,
  stageOf,
} from './rules/operations.ts';
export type { FieldProblem } from './validation/static-rules.ts';
export { validateClusterName, validateClusterSpec, validateNewClusterSpec } from './validation/validate-cluster.ts';
export { validateNode } from './validation/validate-node.ts';
export { canonicalJson } from './values/canonical-json.ts';
export { cutText, shortened } from './values/cut-text.ts';
export { isRecord } from './values/is-record.ts';
export { oncePer, oncePerLast, oncePerText } from './values/once-per.ts';
export type { Quantity } from './values/quantity.ts';
export { compareQuantities, parseQuantity, QuantityError, tryParseQuantity } from './values/quantity.ts';
