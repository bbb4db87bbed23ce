export { createChildAbort, unlessAborted, untilAborted } from './aborted.ts';
export { createBackoff } from './backoff.ts';
export { createClient } from './client.ts';
export { type Clock, systemClock, type Timer } from './clock.ts';
export { type Controller, type ControllerHooks, createController, type PassResult } from './controller.ts';
export { type CredentialSource, createStaticCredentials } from './credentials.ts';
export {
  ApiError,
  ConfigError,
  errorText,
  ifFound,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isNotFound,
  isPassing,
  isUnauthorized,
  TransportError,
  type Verb,
} from './errors.ts';
export { createEventLoopMonitor } from './event-loop-lag.ts';
export type { EventInput } from './event-object.ts';
export { createEventRecorder, type EventHooks, type EventRecorder } from './events.ts';
export { EXIT_CODE, ExitError, exitCodeOf } from './exit-codes.ts';
export type { Grant, Ownership } from './grant.ts';
export { createHealthServer, type HealthServer } from './health-server.ts';
export {
  apiVersionOf,
  type ConfigMap,
  type ControllerRevision,
  configMaps,
  controllerRevisions,
  defineKind,
  type Event,
  events,
  type HorizontalPodAutoscaler,
  horizontalPodAutoscalers,
  type Kind,
  type KubeObject,
  keyOf,
  type Lease,
  leases,
  type Namespace,
  type NetworkPolicy,
  type Node,
  namespaceOf,
  namespaces,
  networkPolicies,
  nodes,
  type ObjectMeta,
  type OwnerReference,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type PodDisruptionBudget,
  persistentVolumeClaims,
  persistentVolumes,
  podDisruptionBudgets,
  pods,
  resourceOf,
  type Service,
  type StatefulSet,
  type Stored,
  secrets,
  services,
  statefulSets,
} from './kinds.ts';
export type {
  ApplyOptions,
  ContainerResources,
  KubeClient,
  ListOptions,
  MergePatch,
  NewObject,
  ObjectRef,
  Precondition,
} from './kube-client.ts';
export { type ClusterAccess, type ClusterAccessOptions, loadClusterAccess } from './kube-config.ts';
export {
  createLeaseApi,
  createLeaseIdentity,
  type LeaseIdentity,
  type LeaseNotes,
  type LeaseRecord,
  toLeaseRecord,
} from './lease-record.ts';
export { createLogger, type LogFields, type Logger, silentLogger } from './logger.ts';
export { createManager, type Manager } from './manager.ts';
export { createMeters } from './meters.ts';
export { createMetrics, type Metrics } from './metrics.ts';
export type { AddOptions } from './queue.ts';
export type { Outcome, Reconcile } from './reconcile.ts';
export { createReflector, type Reflector, type ReflectorOptions } from './reflector.ts';
export type { ReflectorMetrics, ReflectorProblem, RestartReason } from './reflector-problem.ts';
export { compareResourceVersions } from './resource-version.ts';
export type { Runnable } from './runnable.ts';
export { MAX_REPLICAS, ordinalAssignment, slotsOf } from './sharding/assignment.ts';
export type { ShareRules } from './sharding/foreign-claims.ts';
export type { SharePart } from './sharding/held-slots.ts';
export { isReplicaLease, ordinalOfLease } from './sharding/lease-table.ts';
export { parseRegister } from './sharding/register.ts';
export { formatOf, SHARE_FORMAT } from './sharding/share-format.ts';
export { parseShareNote } from './sharding/share-note.ts';
export {
  createSharedOwnership,
  type SharedOwnership,
  type SharedOwnershipHooks,
  type SharedOwnershipOptions,
} from './sharding/shared-ownership.ts';
export { SLOTS, slotOf } from './sharding/slots.ts';
export { createSoleOwnership } from './sharding/sole-ownership.ts';
export { runUntilExit } from './shutdown.ts';
export { type Change, createStore, type Identified, type Store } from './store.ts';
export { GrantLostError } from './term.ts';
export { type ApiRequest, createTransport, type RequestInfo, type StreamRequest, type Transport } from './transport.ts';
