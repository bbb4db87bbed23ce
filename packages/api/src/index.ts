export type { Acknowledgement } from './acknowledgement.ts';
export { acknowledgementOf, acknowledgementText } from './acknowledgement.ts';
export type { AdoptionRequest } from './adoption.ts';
export {
  adoptionOf,
  adoptionText,
  DATA_MOUNT,
  DEFAULT_CLUSTER_IDENTITY,
  isDataDir,
  parseAdoption,
} from './adoption.ts';
export { canonicalJson } from './canonical-json.ts';
export type {
  ClusterPhase,
  LastOperation,
  MarekvsCluster,
  MarekvsClusterSpec,
  MarekvsClusterStatus,
  Operation,
  OperationPhase,
  ReleasePhase,
} from './cluster.ts';
export type {
  ClusterCondition,
  ClusterConditionType,
  Condition,
  NodeCondition,
  NodeConditionType,
} from './conditions.ts';
export { CLUSTER_CONDITION_TYPES, findCondition, reasonSince } from './conditions.ts';
export type { PartitionDigest, PartitionStream, RecordMark, RecordMarks, StoredRecord } from './contents.ts';
export { BUCKETS, bucketDigests, EMPTY_BUCKET, EMPTY_DIGEST, STREAM_PAGE } from './contents.ts';
export { cutText, shortened } from './cut-text.ts';
export type { EffectiveAutoGrow, EffectiveClusterSpec, EffectiveOnePerHost } from './defaults.ts';
export { minimumNodes, withDefaults } from './defaults.ts';
export type { AuthInForce, InForce, NodeInForce, PendingChange } from './in-force.ts';
export { OPERATOR_ACCOUNT, OPERATOR_LEASE, OPERATOR_NAMESPACE } from './installation.ts';
export { isRecord } from './is-record.ts';
export type { Labels } from './labels.ts';
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
} from './labels.ts';
export { DEFAULTS, INTEGER_RANGES, MAX, MIN_GC_GRACE_SECONDS, OWNED_ENV } from './limits.ts';
export { MEMBER_PORTS } from './member-ports.ts';
export type { ObjectMeta } from './metadata.ts';
export { controllerOf } from './metadata.ts';
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
} from './names.ts';
export { formatNamespacesNote, MANY_STREAMS, type NamespacesNote, parseNamespacesNote } from './namespaces-note.ts';
export type {
  MarekvsNode,
  MarekvsNodeSpec,
  MarekvsNodeStatus,
  NodeScheduling,
  NodeStorage,
  NodeTemplate,
  RemovalProof,
} from './node.ts';
export { oncePer, oncePerLast, oncePerText } from './once-per.ts';
export type { ClusterRef, NodeOwner } from './ownership.ts';
export { controllingCluster, isNodeOf, isOlder, ownerOfNode } from './ownership.ts';
export { pendingChanges, pendingText } from './pending-changes.ts';
export { listed } from './pending-values.ts';
export {
  homesAt,
  MAX_NODE_ID,
  ownedCounts,
  PARTITIONS,
  type Placement,
  partitionOfKey,
  placementOf,
  SLOTS,
} from './placement.ts';
export type { Quantity } from './quantity.ts';
export { compareQuantities, parseQuantity, QuantityError, tryParseQuantity } from './quantity.ts';
export type { Reason } from './reasons.ts';
export { isReason, REASONS } from './reasons.ts';
export { recordedVolume } from './recorded-volume.ts';
export {
  DEFAULT_SERVER_GC_GRACE_SECONDS,
  isReleaseAsked,
  releasedLabels,
  releasedSelector,
  releaseText,
} from './release.ts';
export { formatReplicaLoad, PRESSURE_KINDS, parseReplicaLoad, type ReplicaLoad } from './replica-load.ts';
export type { FieldProblem } from './static-rules.ts';
export { validateClusterName, validateClusterSpec, validateNewClusterSpec } from './validate.ts';
export { validateNode } from './validate-node.ts';
