// Writes the status of a cluster and reports its changes in events. Most changes wait until they have been stable for a
// moment. The record of an operation does not, because everything that follows rests on it.

import { acknowledgementOf, type MarekvsCluster, type MarekvsClusterStatus } from '@marekvs/api';
import { type ClusterPlan, dataRecord, type Hold } from '@marekvs/planner';
import { MAREKVS_CLUSTER } from '../objects/kinds.ts';
import { STALE_MS } from '../pacing/paces.ts';
import { createStatusPacer } from '../pacing/status-pacer.ts';
import type { Ports } from '../pass/ports.ts';
import { autoscalerHolds } from '../sizing/aimed-autoscalers.ts';
import { emitOperationEvents, emitTurnEvents, emitVanished, vanishedNodes } from './events.ts';
import type { ClusterScope } from './observation/observe.ts';
import { authHolds, pendingOf } from './observation/parts-in-force.ts';
import { dataHold } from './status/data-conditions.ts';
import { clusterHealth } from './status/health.ts';
import { clusterStatus } from './status/status.ts';
import { type StatusChange, statusChange } from './status/status-change.ts';
import type { RecordChange } from './steps/fence-subjects.ts';
import { confirmRecordChange } from './steps/fences.ts';
import { liveContextOf, readNodes } from './steps/live-context.ts';

/** A figure that moves by itself is written at most this often (docs/design/contract.md#figures). */
const VOLATILE_INTERVAL_MS = 60_000;

/** The result of one pass. */
export interface PassResult {
  readonly key: string;
  readonly scope: ClusterScope;
  readonly plan: ClusterPlan;
  /** What the API server refused in this pass. */
  readonly refusals: readonly Hold[];
}

export interface Reporter {
  /** Writes the status once it is worth a write.
   *  @returns milliseconds until then; undefined when nothing is left to write */
  report(result: PassResult, signal: AbortSignal): Promise<number | undefined>;
  /** Stores the operation's record with the status around it, at once.
   *  @returns false when a live read shows another state than the one decided on: nothing was written, reconcile
   *  again */
  store(result: PassResult, signal: AbortSignal): Promise<boolean>;
  forget(key: string): void;
}

export function createReporter(ports: Ports): Reporter {
  const pacer = createStatusPacer();
  const writtenMs = new Map<string, number>();

  async function write(
    { key, scope }: PassResult,
    cluster: MarekvsCluster,
    status: MarekvsClusterStatus,
    signal: AbortSignal,
  ): Promise<void> {
    const { caches, client, clock, recorder } = ports;
    // Read before the write, which forgets that these nodes counted: a failed read is repeated by the next pass.
    const gone = await goneNodes(scope, status, signal);
    caches.clusters.observe(await client.updateStatus(MAREKVS_CLUSTER, { ...cluster, status }, { signal }));
    emitTurnEvents(scope.cluster, status, recorder);
    emitOperationEvents(scope.cluster, status, ports);
    pacer.settle(key);
    writtenMs.set(key, clock.steadyMs());
    emitVanished(scope.cluster, gone, ports);
  }

  /** Nodes that counted so far and, by a live read, are gone without an operation on them. */
  async function goneNodes({ cluster, observation }: ClusterScope, next: MarekvsClusterStatus, signal: AbortSignal) {
    // Nodes that went to a StatefulSet are gone as planned.
    if (cluster.status?.release !== undefined) return [];
    const present = new Set(observation.nodes.map(({ name }) => name));
    const unseen = vanishedNodes(cluster, next, present);
    if (unseen.length === 0) return [];
    const live = await readNodes({ cluster, ports, signal });
    const there = new Set(live.map(({ metadata }) => metadata.name));
    return unseen.filter((name) => !there.has(name));
  }

  function delayOf(key: string, next: MarekvsClusterStatus, change: StatusChange): number {
    const nowMs = ports.clock.steadyMs();
    if (change === 'volatile') return volatileDelay(key, nowMs);
    const { operation } = next;
    const pace = operation === undefined ? 'cluster' : operation.roll === undefined ? 'operation' : 'turn';
    return pacer.delayMs(key, { pace, fingerprint: next.message ?? '', isUrgent: change === 'urgent' }, nowMs);
  }

  function volatileDelay(key: string, nowMs: number): number {
    const last = writtenMs.get(key) ?? nowMs;
    writtenMs.set(key, last);
    return Math.max(0, last + VOLATILE_INTERVAL_MS - nowMs);
  }

  return {
    async report(result, signal) {
      const { key, scope } = result;
      const next = statusOf(result);
      const change = statusChange(scope.cluster.status, next);
      if (change === 'none') {
        pacer.settle(key);
        return undefined;
      }
      const delayMs = delayOf(key, next, change);
      if (delayMs > 0) return delayMs;
      const shown = shownChange(next, scope.cluster);
      const verdict = await confirmRecordChange(shown.kind, shown, liveContextOf(result.scope, ports, signal));
      if (verdict.kind !== 'confirmed') return STALE_MS;
      await write(result, scope.cluster, next, signal);
      return undefined;
    },
    async store(result, signal) {
      const { cluster } = result.scope;
      let decidedOn = cluster;
      for (const stored of storedChanges(result.plan, cluster)) {
        const verdict = await confirmRecordChange(stored.kind, stored, liveContextOf(result.scope, ports, signal));
        if (verdict.kind !== 'confirmed') return false;
        decidedOn = verdict.live.cluster ?? decidedOn;
      }
      await write(result, decidedOn, statusOf(result), signal);
      return true;
    },
    forget(key) {
      pacer.settle(key);
      writtenMs.delete(key);
    },
  };
}

/** The change of the record that a status makes when it is written for other reasons than its operation. */
function shownChange({ operation }: MarekvsClusterStatus, { status }: MarekvsCluster): RecordChange {
  const isSame = operation === undefined || operation.phase === status?.operation?.phase;
  return isSame ? { kind: 'news' } : { kind: 'phase', operation };
}

/** The changes that storing the record makes, in the order in which they are confirmed. */
function storedChanges(
  { removal: { operation, ended, stopped }, release }: Pick<ClusterPlan, 'removal' | 'release'>,
  { status }: MarekvsCluster,
): readonly RecordChange[] {
  const isClaim = status?.operation === undefined && operation !== undefined;
  return [
    ...(ended === undefined ? [] : [{ kind: 'end', ended } as const]),
    ...(operation === undefined ? [] : [{ kind: 'phase', operation } as const]),
    ...(isClaim ? [{ kind: 'claim' } as const] : []),
    ...(release.isTurn ? [{ kind: 'release', next: release } as const] : []),
    ...(stopped === undefined ? [] : [{ kind: 'stop', nodeUid: stopped.nodeUID } as const]),
  ];
}

function statusOf({ scope, plan, refusals }: PassResult): MarekvsClusterStatus {
  const { observation, cluster, inForce, autoscalers } = scope;
  const data = dataRecord(observation, plan.verification, cluster.status?.data, acknowledgementOf(cluster));
  const lost = dataHold(data, observation);
  const alarms = [
    ...(lost === undefined ? [] : [lost]),
    ...authHolds(cluster, observation, inForce),
    ...autoscalerHolds(autoscalers),
  ];
  const health = clusterHealth(observation, plan, [...refusals, ...alarms]);
  const pending = pendingOf(cluster, observation, plan, inForce);
  return clusterStatus({ scope, observation, plan, health, data, pending });
}
