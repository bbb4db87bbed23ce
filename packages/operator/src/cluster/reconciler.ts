// One pass over one cluster: observe, plan, execute, report. The same at start, after a change and after a restart.

import type { MarekvsCluster, MarekvsClusterStatus } from '@marekvs/api';
import {
  type ClusterPlan,
  type Hold,
  hasLostVolume,
  isRemovalPending,
  type NodeRecord,
  planCluster,
} from '@marekvs/planner';
import type { Outcome, Reconcile } from '@marekvs/runtime';
import { MAREKVS_CLUSTER } from '../kinds.ts';
import type { Ports } from '../ports.ts';
import { createStatusPacer } from '../status-pacer.ts';
import { applyChildren } from './apply-children.ts';
import { clusterChildren } from './children.ts';
import { confirmClaim } from './claim.ts';
import { createDriftCounter } from './drift.ts';
import {
  emitAnnotationEvents,
  emitOperationEvents,
  emitStepEvents,
  emitTurnEvents,
  emitVanishedEvents,
} from './events.ts';
import { executeCluster } from './execute.ts';
import { type ClusterHealth, clusterHealth } from './health.ts';
import { type ClusterScope, observeCluster } from './observe.ts';
import { blockedHold, createOperationMemory } from './operation-memory.ts';
import { clusterStatus, statusChange } from './status.ts';
import { nodeStamp } from './template.ts';

/** A figure that moves by itself is written at most this often (design 9). */
const VOLATILE_INTERVAL_MS = 60_000;

export function createClusterReconciler(ports: Ports): Reconcile {
  const pacer = createStatusPacer();
  const drift = createDriftCounter();
  const writtenMs = new Map<string, number>();
  const memory = createOperationMemory();
  const pendingSinceMs = new Map<string, number>();
  const said = new Map<string, Set<string>>();

  async function reconcile(key: string, signal: AbortSignal): Promise<Outcome> {
    const scope = observeCluster(key, ports, memory);
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
    const plan = look(key, observation);
    // A record that is stored first says nothing about the test keys: what was found out about them stands.
    if (!plan.removal.isUrgent || plan.removal.operation === undefined) ports.audits.want(key, plan.removal.audit);
    if (plan.removal.isUrgent) return storeOperation(key, scope, plan, stamp.hash, signal);
    if (isAboutToClaim(key, observation, plan)) return { kind: 'requeue', afterMs: CLAIM_INTERVAL_MS };
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
    emitAnnotationEvents(cluster, plan.holds, saidOf(key), ports.recorder);
    const hasActed = plan.steps.length > 0 && refusals.length === 0;
    // Our own writes bring the next pass by themselves; a status from before them would be old the moment it is written.
    if (hasActed && cluster.status !== undefined) return soonest(STEP_INTERVAL_MS);
    // The first status is not put off: somebody has just applied this cluster and looks. It tells of what was just done.
    const shown = (hasActed ? observeCluster(key, ports, memory) : undefined) ?? scope;
    const shownPlan = shown === scope ? plan : look(key, shown.observation);
    const refused = [...refusals, ...children.holds, ...shown.nodeRefusals];
    const statusMs = await report(key, shown, shownPlan, refused, stamp.hash, signal);
    return soonest(
      statusMs,
      plan.lookAgainAfterMs,
      children.lookAgainAfterMs,
      refusals.length > 0 ? REFUSED_RETRY_MS : undefined,
    );
  }

  /** The plan for one observation, with the operation as it is to be shown: what is in its way for a while is said in it. */
  function look(key: string, observation: ClusterScope['observation']): ClusterPlan {
    const plan = planCluster(observation);
    const { removal } = plan;
    const operation = memory.note(key, removal.operation, removal.waits, observation);
    const blocked = blockedHold(operation, removal.waits);
    return {
      ...plan,
      holds: blocked === undefined ? plan.holds : [...plan.holds, blocked],
      removal: { ...removal, operation },
    };
  }

  /** The record first, everything that follows from it afterwards: whoever goes on from here finds what was decided. */
  async function storeOperation(
    key: string,
    scope: ClusterScope,
    plan: ClusterPlan,
    hash: string,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { cluster } = scope;
    const isClaim = cluster.status?.operation === undefined && plan.removal.operation !== undefined;
    const live = isClaim ? await confirmClaim({ cluster, ports, signal }) : cluster;
    if (live === undefined) return { kind: 'requeue', afterMs: CLAIM_INTERVAL_MS };
    const health = clusterHealth(scope.observation, plan, scope.nodeRefusals);
    const next = statusOf(scope, plan, health, hash);
    await writeStatus(live, next, ports, signal);
    emitTurnEvents(cluster, next, ports.recorder);
    emitOperationEvents(cluster, next, ports);
    emitVanishedEvents(cluster, next, namesOf(scope), ports);
    pacer.settle(key);
    pendingSinceMs.delete(key);
    writtenMs.set(key, ports.clock.steadyMs());
    return { kind: 'requeue', afterMs: 1 };
  }

  /** A removal that begins within a moment needs no status that says what it waits for: hosts and members are just being asked. */
  function isAboutToClaim(key: string, observation: ClusterScope['observation'], plan: ClusterPlan): boolean {
    const isPending =
      observation.cluster.operation === undefined &&
      isRemovalPending(observation, plan.desiredNodes) &&
      !observation.cluster.spec.paused &&
      observation.cluster.problems.length === 0 &&
      plan.steps.length === 0;
    if (!isPending) {
      pendingSinceMs.delete(key);
      return false;
    }
    const sinceMs = pendingSinceMs.get(key) ?? observation.monotonicMs;
    pendingSinceMs.set(key, sinceMs);
    return observation.monotonicMs - sinceMs < CLAIM_PATIENCE_MS;
  }

  function saidOf(key: string): Set<string> {
    const known = said.get(key);
    if (known !== undefined) return known;
    const fresh = new Set<string>();
    said.set(key, fresh);
    return fresh;
  }

  function statusOf(scope: ClusterScope, plan: ClusterPlan, health: ClusterHealth, hash: string): MarekvsClusterStatus {
    const { observation, unsupported } = scope;
    const outdated = observation.nodes.filter((node) => node.templateHash !== hash);
    return clusterStatus({ scope, observation, plan, health, unsupported, outdated, templateHash: hash });
  }

  function forget(key: string): Outcome {
    ports.sampler.forget(key);
    ports.audits.want(key, undefined);
    memory.forget(key);
    pendingSinceMs.delete(key);
    said.delete(key);
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
    const { cluster } = scope;
    const next = statusOf(scope, plan, clusterHealth(scope.observation, plan, refusals), hash);
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
    emitVanishedEvents(cluster, next, namesOf(scope), ports);
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

function namesOf({ observation }: ClusterScope): ReadonlySet<string> {
  return new Set(observation.nodes.map((node) => node.name));
}

/** Between two looks at a removal that could not be claimed yet. */
const CLAIM_INTERVAL_MS = 250;
/** What keeps a removal from beginning is said once it has stood for this long. */
const CLAIM_PATIENCE_MS = 3_000;

/** How many members must stay up: all but one while they agree, all while they do not, and every survivor from the moment a
 *  removal is claimed until its copies are proven. Undefined before there is data to lose.
 *  While a Pod is not ready the budget is used up by that Pod, so nothing needs to be written then. */
function minAvailable({ observation }: ClusterScope, plan: ClusterPlan): number | undefined {
  if (!observation.cluster.isFormed) return undefined;
  const { operation } = plan.removal;
  if (operation !== undefined) {
    const survivors = observation.nodes.filter((node) => node.serving && node.id !== operation.target?.nodeId);
    return Math.max(1, survivors.length);
  }
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
