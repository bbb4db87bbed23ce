// Writes the status of a cluster and says its turns in events. Most news waits until it has stood still for a moment; the record of an
// operation does not, because everything that follows from it comes after.

import type { MarekvsCluster, MarekvsClusterStatus } from '@marekvs/api';
import type { ClusterPlan, Hold } from '@marekvs/planner';
import { MAREKVS_CLUSTER } from '../kinds.ts';
import type { Ports } from '../ports.ts';
import { createStatusPacer } from '../status-pacer.ts';
import { confirmAway, confirmClaim, confirmEnd, goneNodes, type LiveContext } from './claim.ts';
import { emitOperationEvents, emitTurnEvents, sayVanished, vanishedNodes } from './events.ts';
import { clusterHealth } from './health.ts';
import type { ClusterScope } from './observe.ts';
import { clusterStatus, statusChange } from './status.ts';

/** A figure that moves by itself is written at most this often (docs/design/contract.md#figures). */
const VOLATILE_INTERVAL_MS = 60_000;
/** While an operation is under way its record is what is waited for; the rest is written with its next turn, or after so long. */
const CALM_MS = 8_000;
const LONGEST_CALM_MS = 15_000;
/** After a live read has shown that the caches are of the past; it has told them. */
const STALE_MS = 1_000;

/** What one pass saw and planned. */
export interface Looked {
  readonly key: string;
  readonly scope: ClusterScope;
  readonly plan: ClusterPlan;
  /** What the API server refused in this pass. */
  readonly refusals: readonly Hold[];
  /** Of the template that nodes get now. */
  readonly templateHash: string;
}

export interface Reporter {
  /** Writes the status if it is worth it. @returns milliseconds until it may be, undefined when there is nothing to write */
  report(looked: Looked, signal: AbortSignal): Promise<number | undefined>;
  /** Stores the operation's record with the status around it, at once.
   *  @returns false when the live world is not the one the decision was made on: nothing was written, look again */
  store(looked: Looked, signal: AbortSignal): Promise<boolean>;
  forget(key: string): void;
}

export function createReporter(ports: Ports): Reporter {
  const pacer = createStatusPacer();
  const calmPacer = createStatusPacer(CALM_MS, LONGEST_CALM_MS);
  const writtenMs = new Map<string, number>();

  async function write(
    { key, scope }: Looked,
    cluster: MarekvsCluster,
    status: MarekvsClusterStatus,
    signal: AbortSignal,
  ): Promise<void> {
    const { caches, client, clock, recorder } = ports;
    caches.clusters.observe(await client.updateStatus(MAREKVS_CLUSTER, { ...cluster, status }, { signal }));
    emitTurnEvents(scope.cluster, status, recorder);
    emitOperationEvents(scope.cluster, status, ports);
    settle(key);
    writtenMs.set(key, clock.steadyMs());
    const present = new Set(scope.observation.nodes.map((node) => node.name));
    const unseen = vanishedNodes(scope.cluster, status, present);
    if (unseen.length > 0) sayVanished(scope.cluster, await goneNodes(unseen, scope.cluster, ports, signal), ports);
  }

  function settle(key: string): void {
    pacer.settle(key);
    calmPacer.settle(key);
  }

  function volatileDelay(key: string, nowMs: number): number {
    const last = writtenMs.get(key) ?? nowMs;
    writtenMs.set(key, last);
    return Math.max(0, last + VOLATILE_INTERVAL_MS - nowMs);
  }

  function contextOf({ scope: { cluster, observation } }: Looked, signal: AbortSignal): LiveContext {
    const { nodes, volumes } = observation;
    return { cluster, nodes, volumes, ports, signal };
  }

  return {
    async report(looked, signal) {
      const { key, scope } = looked;
      const next = statusOf(looked);
      const change = statusChange(scope.cluster.status, next);
      if (change === 'none') {
        settle(key);
        return undefined;
      }
      const nowMs = ports.clock.steadyMs();
      const delayMs =
        change === 'volatile'
          ? volatileDelay(key, nowMs)
          : (next.operation === undefined ? pacer : calmPacer).delayMs(
              key,
              next.message ?? '',
              change === 'urgent',
              nowMs,
            );
      if (delayMs > 0) return delayMs;
      const { operation } = next;
      const isSameTurn = operation === undefined || operation.phase === scope.cluster.status?.operation?.phase;
      if (!isSameTurn && !(await confirmAway(operation, contextOf(looked, signal)))) return STALE_MS;
      await write(looked, scope.cluster, next, signal);
      return undefined;
    },
    async store(looked, signal) {
      const { cluster } = looked.scope;
      const { operation, ended } = looked.plan.removal;
      const context = contextOf(looked, signal);
      if (ended !== undefined && !(await confirmEnd(ended, context))) return false;
      if (operation !== undefined && !(await confirmAway(operation, context))) return false;
      const isClaim = cluster.status?.operation === undefined && operation !== undefined;
      const live = isClaim ? await confirmClaim(context) : cluster;
      if (live === undefined) return false;
      await write(looked, live, statusOf(looked), signal);
      return true;
    },
    forget(key) {
      settle(key);
      writtenMs.delete(key);
    },
  };
}

function statusOf({ scope, plan, refusals, templateHash }: Looked): MarekvsClusterStatus {
  const { observation, unsupported } = scope;
  const outdated = observation.nodes.filter((node) => node.templateHash !== templateHash);
  const health = clusterHealth(observation, plan, refusals);
  return clusterStatus({ scope, observation, plan, health, unsupported, outdated, templateHash });
}
