export { createChildAbort, unlessAborted, untilAborted } from './aborted.ts';
export { type BackoffOptions, createBackoff } from './backoff.ts';
export { type ClientOptions, createClient } from './client.ts';
export { type Clock, systemClock, type Timer } from './clock.ts';
export {
  type Controller,
  type ControllerHooks,
  type ControllerInspection,
  type ControllerOptions,
  createController,
  DrainTimeoutError,
  type PassResult,
} from './controller.ts';
export type { ControllerMetrics } from './controller-metrics.ts';
export { type CredentialSource, type Credentials, createStaticCredentials } from './credentials.ts';
export {
  ApiError,
  ConfigError,
  errorText,
  ifFound,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isNotFound,
  isResourceVersionTooLarge,
  isUnauthorized,
  type Status,
  type StatusCause,
  TransportError,
  type TransportPhase,
  type Verb,
} from './errors.ts';
export { createEventLoopMonitor } from './event-loop-lag.ts';
export type { EventInput, EventObject, EventSubject } from './event-object.ts';
export {
  createEventRecorder,
  type EventHooks,
  type EventRecorder,
  type EventRecorderOptions,
  type WriteEvent,
} from './events.ts';
export { EXIT_CODE, type ExitCode, ExitError, exitCodeOf } from './exit-codes.ts';
export type { Grant, Ownership, OwnershipChange } from './grant.ts';
export { createHealthServer, type HealthServer, type HealthServerOptions, ListenError } from './health-server.ts';
export { createHeap, type Heap } from './heap.ts';
export {
  apiVersionOf,
  type ConfigMap,
  type ControllerRevision,
  type CustomResourceDefinition,
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
  type Secret,
  type Service,
  type StatefulSet,
  type Stored,
  secrets,
  services,
  statefulSets,
} from './kinds.ts';
export {
  type ApplyOptions,
  type CallOptions,
  type ContainerResources,
  type DeleteOptions,
  type DeletePrecondition,
  isStatus,
  type KubeClient,
  type ListOptions,
  type MergePatch,
  type NewObject,
  type ObjectRef,
  type Precondition,
  type Versioned,
} from './kube-client.ts';
export { type ClusterAccess, type ClusterAccessOptions, loadClusterAccess } from './kube-config.ts';
export { createLeaseApi, type LeaseApi, type LeaseNotes } from './lease-api.ts';
export { createLeaseIdentity, type LeaseIdentity, type LeaseRecord, toLeaseRecord } from './lease-record.ts';
export {
  createLogger,
  type LogFields,
  type LogFormat,
  type Logger,
  type LoggerOptions,
  type LogLevel,
  type RootLogger,
  silentLogger,
} from './logger.ts';
export { createManager, type Manager, type ManagerOptions, type ManagerResult, type Stage } from './manager.ts';
export { createMeters } from './meters.ts';
export { createMetrics, type Metrics, type MetricsOptions } from './metrics.ts';
export { formatMicroTime } from './micro-time.ts';
export {
  type AddOptions,
  createQueue,
  type Priority,
  type QueueHooks,
  type QueueOptions,
  type QueueStats,
  type Taken,
  type WorkQueue,
} from './queue.ts';
export type { Outcome, Reconcile, ReconcileContext } from './reconcile.ts';
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
  type ShareKeys,
} from './sharding/shared-ownership.ts';
export { SLOTS, slotOf } from './sharding/slots.ts';
export { createSoleOwnership, type SoleOwnership } from './sharding/sole-ownership.ts';
export { type ProcessPort, runUntilExit, type ShutdownOptions } from './shutdown.ts';
export { EarlyEndError } from './stage.ts';
export { StepTimeoutError } from './step.ts';
export {
  type Change,
  createStore,
  type Identified,
  type ReadonlyStore,
  type Scope,
  type Store,
  type StoreOptions,
  type Verdict,
} from './store.ts';
export { GrantLostError } from './term.ts';
export { TimeLimitError, withTimeLimit } from './time-limit.ts';
export {
  type ApiRequest,
  createTransport,
  type RequestInfo,
  type StreamRequest,
  type Transport,
  type TransportOptions,
} from './transport.ts';
