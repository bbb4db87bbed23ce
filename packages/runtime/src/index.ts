export { type CredentialSource, createStaticCredentials } from './access/credentials.ts';
export { type ClusterAccess, type ClusterAccessOptions, loadClusterAccess } from './access/kube-config.ts';
export { createClient } from './client/client.ts';
export type {
  ApplyOptions,
  ContainerResources,
  KubeClient,
  ListOptions,
  MergePatch,
  NewObject,
  ObjectRef,
  Precondition,
} from './client/kube-client.ts';
export { type Controller, type ControllerHooks, createController, type PassResult } from './controller/controller.ts';
export type { Outcome, Reconcile } from './controller/reconcile.ts';
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
} from './errors/errors.ts';
export { EXIT_CODE, ExitError, exitCodeOf } from './errors/exit-codes.ts';
export type { EventInput } from './events/event-object.ts';
export { createEventRecorder, type EventHooks, type EventRecorder } from './events/events.ts';
export {
  type ApiRequest,
  createTransport,
  type RequestInfo,
  type StreamRequest,
  type Transport,
} from './http/transport.ts';
export type { Grant, Ownership } from './lease/grant.ts';
export {
  createLeaseApi,
  createLeaseIdentity,
  type LeaseIdentity,
  type LeaseNotes,
  type LeaseRecord,
  toLeaseRecord,
} from './lease/lease-record.ts';
export { GrantLostError } from './lease/term.ts';
export { createLogger, type LogFields, type Logger, silentLogger } from './log/logger.ts';
export { createEventLoopMonitor } from './metrics/event-loop-lag.ts';
export { createMeters } from './metrics/meters.ts';
export { createMetrics, type Metrics } from './metrics/metrics.ts';
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
} from './objects/kinds.ts';
export { compareResourceVersions } from './objects/resource-version.ts';
export { createHealthServer, type HealthServer } from './process/health-server.ts';
export { createManager, type Manager } from './process/manager.ts';
export type { Runnable } from './process/runnable.ts';
export { runUntilExit } from './process/shutdown.ts';
export type { AddOptions } from './queue/queue.ts';
export { isReplicaLease, ordinalOfLease } from './sharing/leases/lease-table.ts';
export { formatOf, SHARE_FORMAT } from './sharing/leases/share-format.ts';
export { parseShareNote } from './sharing/leases/share-note.ts';
export { formatRegister, parseRegister } from './sharing/ring/register.ts';
export type { ShareRules } from './sharing/ring/ring-plan.ts';
export {
  createSharedOwnership,
  type SharedOwnership,
  type SharedOwnershipHooks,
  type SharedOwnershipOptions,
} from './sharing/shared-ownership.ts';
export { MAX_REPLICAS, ordinalAssignment, slotsOf } from './sharing/slots/assignment.ts';
export type { SharePart } from './sharing/slots/held-slots.ts';
export { SLOTS, slotOf } from './sharing/slots/slots.ts';
export { createSoleOwnership } from './sharing/sole-ownership.ts';
export { createChildAbort, unlessAborted, untilAborted } from './time/aborted.ts';
export { createBackoff } from './time/backoff.ts';
export { type Clock, systemClock, type Timer } from './time/clock.ts';
export { createReflector, type Reflector, type ReflectorOptions } from './watch/reflector.ts';
export type { ReflectorMetrics, ReflectorProblem, RestartReason } from './watch/reflector-problem.ts';
export { type Change, createStore, type Identified, type Store } from './watch/store.ts';
