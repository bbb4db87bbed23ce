// One pass over one cluster: observe, plan, execute, report. The same at start, after a change and after a restart.

import type { MarekvsCluster, MarekvsClusterStatus } from '@marekvs/api';
import { type ClusterPlan, type Hold, hasLostVolume, type NodeRecord, planCluster } from '@marekvs/planner';
import type { Outcome, Reconcile } from '@marekvs/runtime';
import { MAREKVS_CLUSTER } from '../kinds.ts';
import type { Ports } from '../ports.ts';
import { createStatusPacer } from '../status-pacer.ts';
import { applyChildren } from './apply-children.ts';
import { clusterChildren } from './children.ts';
import { createDriftCounter } from './drift.ts';
import { emitStepEvents, emitTurnEvents } from './events.ts';
import { executeCluster } from './execute.ts';
import { clusterHealth } from './health.ts';
import { type ClusterScope, observeCluster } from './observe.ts';
import { clusterStatus, statusChange } from './status.ts';
import { nodeStamp } from './template.ts';

/** A figure that moves by itself is written at most this often (design 9). */
const VOLATILE_INTERVAL_MS = 60_000;

export function createClusterReconciler(ports: Ports): Reconcile {
  const pacer = createStatusPacer();
  const drift = createDriftCounter();
  const writtenMs = new Map<string, number>();

  async function reconcile(key: string, signal: AbortSignal): Promise<Outcome> {
    const scope = observeCluster(key, ports);
    if (scope === undefined) return forget(key);
    // A restarted operator has asked nobody yet. Saying so would overwrite a good status with ignorance.
    if (scope.isWaitingForAnswers && scope.cluster.status !== undefined) return { kind: 'done' };
    const outcome = await act(key, scope, signal);
    ports.onLooked(key);
    return outcome;
  }

  async function act(key: string, scope: ClusterScope, signal: AbortSignal): Promise<Outcome> {
    const { cluster, observation } = scope;
    const stamp = nodeStamp(cluster, observation.cluster.spec);
    const plan = planCluster(observation);
    const isActing = !observation.cluster.isDeleting && observation.cluster.problems.length === 0;
    const wanted = isActing
      ? clusterChildren(cluster, { minAvailable: minAvailable(scope, plan), ...ports.settings })
      : [];
    const [applied, executed] = await Promise.allSettled([
      applyChildren(wanted, { cluster, ports, drift, signal }),
      executeCluster(plan.steps, { cluster, stamp, ports, signal }),
    ]);
    // Both have ended: the failure of one neither hides what the other did nor lets it run on beyond this pass.
    if (executed.status === 'rejected') throw executed.reason;
    const refusals = executed.value;
    emitStepEvents(cluster, plan, refusals, ports.recorder);
    if (applied.status === 'rejected') throw applied.reason;
    const children = applied.value;
    if (observation.cluster.isDeleting) return { kind: 'done' };
    const hasActed = plan.steps.length > 0 && refusals.length === 0;
    // Our own writes bring the next pass by themselves; a status from before them would be old the moment it is written.
    if (hasActed && cluster.status !== undefined) return soonest(STEP_INTERVAL_MS);
    // The first status is not put off: somebody has just applied this cluster and looks. It tells of what was just done.
    const shown = (hasActed ? observeCluster(key, ports) : undefined) ?? scope;
    const shownPlan = shown === scope ? plan : planCluster(shown.observation);
    const refused = [...refusals, ...children.holds, ...shown.nodeRefusals];
    const statusMs = await report(key, shown, shownPlan, refused, stamp.hash, signal);
    return soonest(
      statusMs,
      plan.lookAgainAfterMs,
      children.lookAgainAfterMs,
      refusals.length > 0 ? REFUSED_RETRY_MS : undefined,
    );
  }

  function forget(key: string): Outcome {
    ports.sampler.forget(key);
    ports.histories.forget(key);
    pacer.settle(key);
    writtenMs.delete(key);
    ports.onLooked(key);
    return { kind: 'done' };
  }

  /** Writes the status if it is worth it. @returns milliseconds until it may be, undefined when there is nothing to write */
  async function report(
    key: string,
    scope: ClusterScope,
    plan: ClusterPlan,
    refusals: readonly Hold[],
    hash: string,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { observation, cluster, unsupported } = scope;
    const outdated = observation.nodes.filter((node) => node.templateHash !== hash);
    const health = clusterHealth(observation, plan, refusals);
    const next = clusterStatus({ scope, observation, plan, health, unsupported, outdated, templateHash: hash });
    const change = statusChange(cluster.status, next);
    if (change === 'none') {
      pacer.settle(key);
      return undefined;
    }
    const nowMs = ports.clock.steadyMs();
    const delayMs =
      change === 'volatile'
        ? volatileDelay(key, nowMs)
        : pacer.delayMs(key, next.message ?? '', change === 'urgent', nowMs);
    if (delayMs > 0) return delayMs;
    await writeStatus(cluster, next, ports, signal);
    emitTurnEvents(cluster, next, ports.recorder);
    pacer.settle(key);
    writtenMs.set(key, nowMs);
    return undefined;
  }

  function volatileDelay(key: string, nowMs: number): number {
    const last = writtenMs.get(key) ?? nowMs;
    writtenMs.set(key, last);
    return Math.max(0, last + VOLATILE_INTERVAL_MS - nowMs);
  }

  return (key, context) => reconcile(key, context.signal);
}

/** After a step the next pass comes no later than this, should its own write cause no event. */
const STEP_INTERVAL_MS = 1_000;

/** What the API server refused is tried again after this time even if nothing changes: quotas are raised without an event of ours. */
const REFUSED_RETRY_MS = 15_000;

/** How many members must stay up: all but one while they agree, all while they do not. Undefined before there is data to lose.
 *  While a Pod is not ready the budget is used up by that Pod, so nothing needs to be written then. */
function minAvailable({ observation }: ClusterScope, plan: ClusterPlan): number | undefined {
  if (!observation.cluster.isFormed) return undefined;
  const letIn = plan.steps.filter((step) => step.kind === 'setServing' && step.serving).length;
  const members = Math.max(1, observation.nodes.filter((node) => node.serving).length + letIn);
  const isAway = (node: NodeRecord) => node.serving && !hasLostVolume(node) && node.pod?.isReady !== true;
  const isSomePodAway = observation.nodes.some(isAway);
  const isTrusted = plan.membership.kind === 'agreed' || isSomePodAway;
  return isTrusted ? Math.max(1, members - 1) : members;
}

async function writeStatus(
  cluster: MarekvsCluster,
  status: MarekvsClusterStatus,
  ports: Ports,
  signal: AbortSignal,
): Promise<void> {
  ports.caches.clusters.observe(await ports.client.updateStatus(MAREKVS_CLUSTER, { ...cluster, status }, { signal }));
}

function soonest(...delays: readonly (number | undefined)[]): Outcome {
  const known = delays.filter((delay) => delay !== undefined);
  return known.length === 0 ? { kind: 'done' } : { kind: 'requeue', afterMs: Math.max(1, Math.min(...known)) };
}
