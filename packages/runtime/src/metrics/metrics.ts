// The registry and every metric of the runtime, under our own names and also under those of controller-runtime
// (docs/design/runtime.md#metrics-and-exit-codes). No label names an object: cardinality is bounded by kinds, verbs,
// codes and reasons.
import { Registry } from 'prom-client';
import type { Verb } from '../errors/errors.ts';
import type { EventHooks } from '../events/events.ts';
import { METHODS } from '../http/methods.ts';
import type { RequestInfo } from '../http/transport.ts';
import type { LeaderElectionHooks } from '../lease/leader-election.ts';
import type { SharedOwnershipHooks } from '../sharing/shared-ownership.ts';
import { SLOTS } from '../sharing/slots/slots.ts';
import type { ReflectorMetrics } from '../watch/reflector-problem.ts';
import { type ControllerMetrics, createControllerMetrics } from './controller-metrics.ts';
import { createMeters } from './meters.ts';
import { registerProcessMetrics } from './process-metrics.ts';

export interface MetricsOptions {
  /** @default 'marekvs_operator_' */
  readonly prefix?: string;
  /** Labels of `build_info`. */
  readonly version: string;
  readonly commit?: string;
}

export interface Metrics {
  /** For the health server, and for metrics of the caller's own. */
  readonly registry: Registry;
  readonly prefix: string;
  readonly controllers: ControllerMetrics;
  /** For `createReflector`. */
  readonly reflector: Required<ReflectorMetrics>;
  /** For `createTransport`. */
  readonly onRequest: (info: RequestInfo) => void;
  /** For `createLeaderElection`. */
  readonly leaderElection: Required<LeaderElectionHooks>;
  /** For `createSharedOwnership`. */
  readonly ownership: Required<SharedOwnershipHooks>;
  /** For `createEventRecorder`. */
  readonly events: Required<EventHooks>;
  /** `informer_lag_seconds`: how long ago the API server was last heard, read at every scrape. */
  observeCache(resource: string, lastSeenAgeMs: () => number): void;
  /** `ownership_lease_left_seconds`, read at every scrape. */
  observeLease(leftMs: () => number): void;
  /** A write was refused. @param guard which precondition refused: `resourceVersion`, `uid`, `exists` */
  writeConflicted(kind: string, verb: Verb, guard: string): void;
}

export function createMetrics(options: MetricsOptions): Metrics {
  const { prefix = 'marekvs_operator_', version, commit = 'unknown' } = options;
  const registry = new Registry();
  const { counter, gauge, histogram } = createMeters(registry);
  const requests = counter(`${prefix}api_requests_total`, 'Requests to the API server', ['verb', 'resource', 'code']);
  const restRequests = counter('rest_client_requests_total', 'HTTP requests by code and method', ['code', 'method']);
  const watchRestarts = counter(`${prefix}watch_restarts_total`, 'Watches that ended', ['kind', 'reason']);
  const relists = counter(`${prefix}relist_total`, 'Full lists after the first', ['kind']);
  const watchEvents = counter(`${prefix}watch_events_total`, 'Watch events received', ['kind', 'type']);
  const conflicts = counter(`${prefix}write_conflicts_total`, 'Writes refused because of a precondition', [
    'kind',
    'verb',
    'guard',
  ]);
  const events = counter(`${prefix}events_total`, 'Kubernetes events, by what happened to them', ['result']);
  const renewals = counter(`${prefix}ownership_renewals_total`, 'Lease writes by result', ['result']);
  const leading = gauge('leader_election_master_status', '1 while this process leads', ['name']);
  const slots = gauge(`${prefix}ownership_slots`, 'Slots this process owns');
  const allSlots = gauge(`${prefix}ownership_slots_all`, 'Number of slots: 1 if one replica leads, 256 if all share');
  allSlots.set(1);
  const takeovers = histogram(
    `${prefix}ownership_handover_seconds`,
    'Time from when slots were given to this process until it worked on them',
    [0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 60],
  );
  const fenced = counter(`${prefix}ownership_fenced_total`, 'Leases of silent replicas that this process has freed');
  const refused = gauge(
    `${prefix}ownership_refused`,
    '1 while this process takes no part because others share in another format',
  );
  const caches = new Map<string, () => number>();
  gauge(
    `${prefix}informer_lag_seconds`,
    'Time since the API server last sent something on this watch',
    ['kind'],
    (it) => {
      for (const [kind, ageMs] of caches) it.set({ kind }, ageMs() / 1000);
    },
  );
  let leaseLeftMs = (): number => 0;
  gauge(`${prefix}ownership_lease_left_seconds`, 'Remaining validity of the own lease; 0 when not leading', [], (it) =>
    it.set(leaseLeftMs() / 1000),
  );
  const build = { version, commit, node_version: process.versions.node };
  gauge(`${prefix}build_info`, 'Always 1; the labels say what runs', Object.keys(build)).set(build, 1);
  registerProcessMetrics(registry);
  leading.set({ name: 'leader-election' }, 0);

  return {
    registry,
    prefix,
    controllers: createControllerMetrics(registry, prefix),
    reflector: {
      watchRestarted: (kind, reason) => watchRestarts.inc({ kind, reason }),
      relisted: (kind) => relists.inc({ kind }),
      eventReceived: (kind, type) => watchEvents.inc({ kind, type }),
    },
    onRequest({ verb, resource, code }) {
      requests.inc({ verb, resource, code });
      restRequests.inc({ code: code === 'error' ? '<error>' : code, method: METHODS[verb] });
    },
    leaderElection: {
      leading(isLeading) {
        leading.set({ name: 'leader-election' }, isLeading ? 1 : 0);
        slots.set(isLeading ? 1 : 0);
      },
      renewed: () => renewals.inc({ result: 'success' }),
      failed: () => renewals.inc({ result: 'failure' }),
    },
    ownership: {
      refused: (isRefused) => refused.set(isRefused ? 1 : 0),
      lease: (isHeld) => leading.set({ name: 'share' }, isHeld ? 1 : 0),
      renewed: () => renewals.inc({ result: 'success' }),
      failed: () => renewals.inc({ result: 'failure' }),
      slots(count) {
        slots.set(count);
        allSlots.set(SLOTS);
      },
      takenOver: (durationMs) => takeovers.observe(durationMs / 1000),
      fenced: () => fenced.inc(),
    },
    events: { recorded: (result) => events.inc({ result }) },
    observeCache: (resource, lastSeenAgeMs) => caches.set(resource, lastSeenAgeMs),
    observeLease(leftMs) {
      leaseLeftMs = leftMs;
    },
    writeConflicted: (kind, verb, guard) => conflicts.inc({ kind, verb, guard }),
  };
}
