// Every metric of the operator, created in one place: app.ts feeds, docs/reference/metrics.md describes and a scrape
// shows the same families. Labels are closed lists; metrics that name objects are in fleet-metrics.ts.

import { type LastOperation, type NamespacesNote, PRESSURE_KINDS } from '@marekvs/api';
import {
  type ApiError,
  createEventLoopMonitor,
  createMeters,
  createMetrics,
  isAlreadyExists,
  isConflict,
  type Metrics,
  type RequestInfo,
  type Runnable,
} from '@marekvs/runtime';
import type { MissingFields } from '../api-server/installed-kinds.ts';
import { refusalOf } from '../api-server/write-refusal.ts';
import type { Pressure } from '../process/pressure.ts';
import { createFleetMetrics, type FleetMetrics } from './fleet-metrics.ts';

export interface OperatorMetrics extends Metrics {
  readonly fleet: FleetMetrics;
  readonly removals: RemovalMetrics;
  /** Counts what the API server refused, wherever that happens. For `createTransport`. */
  readonly onRefused: CountRefusal;
  /** Must run for the lag to be measured. */
  readonly eventLoop: Runnable;
  /** From now on, reads this state at every scrape. */
  observe(state: ProcessState): void;
}

export interface RemovalMetrics {
  /** An operation has ended. */
  ended(operation: LastOperation): void;
  /** A MarekvsNode vanished without an operation: somebody removed its finalizer (F57). */
  vanished(): void;
}

/** The state of this process. */
export interface ProcessState {
  /** How near it is to the limits of one process; undefined while unknown. */
  pressure(): Pressure | undefined;
  /** Undefined in an installation with fixed namespaces. */
  namespaces(): NamespacesNote | undefined;
  /** Undefined while it is not known. */
  missingFields(): MissingFields | undefined;
}

type CountRefusal = (info: Pick<RequestInfo, 'verb' | 'resource'>, error: ApiError) => void;
type Meters = ReturnType<typeof createMeters>;

const NAMESPACE_STATES = ['held', 'quiet', 'starting', 'refused', 'leaving'] as const;

export function createOperatorMetrics(version: string): OperatorMetrics {
  const metrics = createMetrics({ version });
  const { registry, prefix } = metrics;
  const meters = createMeters(registry);
  const fleet = createFleetMetrics(registry, prefix);
  const removals = removalMetrics(meters, prefix);
  const observe = processMetrics(meters, prefix);
  const onRefused = refusalMetrics(meters, metrics);
  return { ...metrics, fleet, removals, onRefused, eventLoop: createEventLoopMonitor(registry, { prefix }), observe };
}

function removalMetrics({ counter }: Meters, prefix: string): RemovalMetrics {
  const operations = counter(
    `${prefix}removals_total`,
    'Removals of a node that have ended, by what they were based on, how they ended and why',
    ['basis', 'outcome', 'reason'],
  );
  const vanished = counter(
    `${prefix}nodes_vanished_total`,
    'MarekvsNodes that vanished without a finished removal: their finalizer was removed by hand',
  );
  return {
    ended: ({ basis = 'Proof', outcome, reason }) => operations.inc({ basis, outcome, reason }),
    vanished: () => vanished.inc(),
  };
}

function processMetrics({ gauge }: Meters, prefix: string): (state: ProcessState) => void {
  let state: ProcessState | undefined;
  gauge(`${prefix}shard_pressure`, 'How close this process is to its limit, which is 1', ['of'], (it) => {
    const pressure = state?.pressure();
    if (pressure !== undefined) for (const of of PRESSURE_KINDS) it.set({ of }, pressure[of]);
  });
  const helpOfStates = 'Namespaces listed in the ConfigMap of --namespaces-from, by state';
  gauge(`${prefix}namespaces`, helpOfStates, ['state'], (it) => {
    const note = state?.namespaces();
    if (note !== undefined) for (const one of NAMESPACE_STATES) it.set({ state: one }, note[one]);
  });
  gauge(`${prefix}namespaces_problems`, 'Parts of the setting of --namespaces-from that are not in force', [], (it) => {
    it.reset();
    const note = state?.namespaces();
    if (note !== undefined) it.set(note.problems.length);
  });
  const helpOfFields = 'Fields of this version that the installed kind lacks';
  gauge(`${prefix}missing_fields`, helpOfFields, ['kind'], (it) => {
    for (const [kind, fields] of Object.entries(state?.missingFields() ?? {})) it.set({ kind }, fields.length);
  });
  return (given) => {
    state = given;
  };
}

/** Counts refusals by the reasons of the catalogue, and separately writes that only lost a race. */
function refusalMetrics({ counter }: Meters, { prefix, writeConflicted }: Metrics): CountRefusal {
  const refused = counter(
    `${prefix}api_refusals_total`,
    'Requests that the API server refused for a reason that does not go away by itself',
    ['resource', 'reason'],
  );
  return ({ verb, resource }, error) => {
    if (isAlreadyExists(error)) writeConflicted(resource, verb, 'exists');
    else if (isConflict(error)) writeConflicted(resource, verb, guardOf(error));
    else {
      const refusal = refusalOf(error);
      if (refusal !== undefined) refused.inc({ resource, reason: refusal.reason });
    }
  };
}

function guardOf(error: ApiError): 'uid' | 'resourceVersion' {
  const isUid = error.status === 422 || error.message.includes('UID in precondition');
  return isUid ? 'uid' : 'resourceVersion';
}
