// One pass over one cluster: gather, decide, record, execute, report. The same at start, after a change and after a
// restart. What is remembered between passes, and why it may be lost: docs/concepts.md.

import type { Operation } from '@marekvs/api';
import { type ClusterObservation, type ClusterPlan, type Hold, planCluster, soonest } from '@marekvs/planner';
import type { Outcome, Reconcile } from '@marekvs/runtime';
import { applyChildren, type ChildrenResult } from '../children/apply-children.ts';
import { clusterChildren } from '../children/wanted-children.ts';
import { createClaimPace } from '../operations/claim-pace.ts';
import { blockedHold, createOperationMemory } from '../operations/operation-memory.ts';
import { BACKOFFS, MEASURING_INTERVAL_MS, REFUSED_RETRY_MS, STEP_INTERVAL_MS } from '../pacing/paces.ts';
import { createDriftCounter } from '../pass/drift.ts';
import type { Ports } from '../pass/ports.ts';
import { noteWritten, type UnfoughtSteps, unfought } from '../pass/step-drift.ts';
import { minAvailable } from './disruption-budget.ts';
import { emitAdvice, emitStepEvents } from './events.ts';
import { followCluster, unfollowCluster } from './observation/follow.ts';
import { type ClusterScope, observeCluster } from './observation/observe.ts';
import { readAdoption, withAdoption } from './observation/read-adoption.ts';
import { readRelease, withRelease } from './observation/read-release.ts';
import { createReporter } from './report.ts';
import { createSecretSentinels } from './secret-sentinel.ts';
import { executeCluster } from './steps/execute.ts';
import { liveContextOf } from './steps/live-context.ts';

/** What a pass has done. */
interface Executed {
  readonly refusals: readonly Hold[];
  readonly children: ChildrenResult;
  /** The steps that were carried out, and those held because somebody else undoes them. */
  readonly fought: UnfoughtSteps;
}

export interface ClusterReconciler {
  readonly reconcile: Reconcile;
  /** The cluster is not managed here any more: what others do with it makes everything remembered of it wrong. */
  forget(key: string): void;
}

export function createClusterReconciler(ports: Ports): ClusterReconciler {
  const drift = createDriftCounter();
  const stepDrift = createDriftCounter();
  const memory = createOperationMemory();
  const reporter = createReporter(ports);
  const sentinels = createSecretSentinels(ports);
  const claims = createClaimPace();
  const advised = new Map<string, Set<string>>();

  async function reconcile(key: string, signal: AbortSignal): Promise<Outcome> {
    const seen = gather(key);
    if (seen === undefined) return end(key, signal);
    // A restarted operator has asked no member yet. Reporting that would overwrite a good status with ignorance.
    if (seen.isWaitingForAnswers && seen.cluster.status !== undefined) return DONE;
    const scope = await withLiveReads(seen, signal);
    const outcome = await act(key, scope, signal);
    ports.onReconciled(key);
    return outcome;
  }

  /** Adds what only a live read shows: the StatefulSet that members are adopted from, or handed to. */
  async function withLiveReads(seen: ClusterScope, signal: AbortSignal): Promise<ClusterScope> {
    const adopted = withAdoption(seen, await readAdoption(seen.cluster, seen.observation, ports, signal));
    return withRelease(adopted, await readRelease(adopted, ports, signal));
  }

  async function act(key: string, scope: ClusterScope, signal: AbortSignal): Promise<Outcome> {
    const plan = decide(key, scope.observation);
    ports.comparisons.want(key, plan.contents);
    if (plan.removal.isUrgent || plan.autoscale.isDecided || plan.release.isTurn)
      return record(key, scope, plan, signal);
    claims.settle(key);
    if (claims.isAboutToBegin(key, scope.observation, plan)) return requeue(BACKOFFS.record.firstMs);
    const executed = await execute(scope, plan, signal);
    if (scope.observation.cluster.isDeleting) return after(executed.fought.requeueAfterMs);
    return report(key, scope, plan, executed, signal);
  }

  /** What the caches show, and what is known from following the cluster. Undefined when it is gone. */
  function gather(key: string): ClusterScope | undefined {
    const seen = observeCluster(key, ports);
    return seen === undefined ? undefined : followCluster(key, seen, ports, memory);
  }

  /** The plan for one observation. Its operation is as it is to be shown, with what has blocked it for a while. */
  function decide(key: string, observation: ClusterObservation): ClusterPlan {
    const plan = planCluster(observation);
    noteVerified(key, observation);
    noteSizing(key, plan, observation);
    const { removal } = plan;
    const operation = memory.note(key, removal.operation, removal.waits, observation, removal.isUrgent);
    // A turn removes no node: what it waits for is reported with the update (conditions.ts).
    const blocked = operation?.target !== undefined ? blockedHold(operation, removal.waits) : undefined;
    const holds = blocked === undefined ? plan.holds : [...plan.holds, blocked];
    return { ...plan, holds, removal: { ...removal, operation } };
  }

  /** Stores the record of the operation. Everything that follows from it is left to another pass. */
  async function record(key: string, scope: ClusterScope, plan: ClusterPlan, signal: AbortSignal): Promise<Outcome> {
    const result = { key, scope, plan, refusals: scope.nodeRefusals };
    const { operation } = plan.removal;
    const isProof = provenAt(operation) !== provenAt(scope.observation.cluster.operation);
    let isStored = false;
    // Noted before the write: the node controller acts on the proof as soon as the cache has it.
    if (isProof && operation !== undefined) ports.provenHere.note(key, operation.id);
    try {
      isStored = await reporter.store(result, signal);
    } finally {
      if (isProof && !isStored) ports.provenHere.forget(key);
    }
    if (!isStored) return requeue(claims.refused(key));
    claims.settle(key);
    return requeue(1);
  }

  /** Carries out the steps, and beside them brings the children and the sentinel of the Secret to the wanted state. */
  async function execute(scope: ClusterScope, plan: ClusterPlan, signal: AbortSignal): Promise<Executed> {
    const { cluster, stamp, joiner, observation } = scope;
    const fought = unfought(plan.steps, stepDrift, observation.monotonicMs);
    const isGuarded = !observation.cluster.isDeleting && observation.cluster.problems.length === 0;
    const [applied, executed, guarded] = await Promise.allSettled([
      applyChildren(wantedChildren(scope, plan), { cluster, ports, drift, signal }),
      executeCluster(fought.steps, { ...liveContextOf(scope, ports, signal), stamp, joiner }),
      sentinels.keep(cluster, isGuarded ? scope.inForce.secret : undefined, signal),
    ]);
    // All three have ended: the failure of one neither hides what the others did nor lets them run on beyond this pass.
    if (executed.status === 'rejected') throw executed.reason;
    const { refusals, steps } = executed.value;
    noteWritten(steps, stepDrift, observation.monotonicMs);
    emitStepEvents(cluster, { ...plan, steps }, refusals, ports);
    if (applied.status === 'rejected') throw applied.reason;
    if (guarded.status === 'rejected') throw guarded.reason;
    return { refusals, children: applied.value, fought };
  }

  function wantedChildren({ cluster, observation }: ClusterScope, plan: ClusterPlan) {
    const { isDeleting, problems, adoption, release } = observation.cluster;
    // The Services that clients use are switched last in an adoption, when the members are ours, and first in a
    // release.
    if (isDeleting || problems.length > 0 || adoption !== undefined || release?.stored !== undefined) return [];
    const budget = minAvailable(observation, plan, cluster.status);
    return clusterChildren(cluster, { minAvailable: budget, ...ports.settings });
  }

  /** Reports in events and in the status. */
  async function report(
    key: string,
    scope: ClusterScope,
    plan: ClusterPlan,
    { refusals, children, fought }: Executed,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { cluster, observation } = scope;
    emitAdvice(cluster, plan.holds, advisedOf(key), ports.recorder);
    const hasActed = fought.steps.length > 0 && refusals.length === 0;
    // Our own writes cause the next pass. A status from before them would be old the moment it is written.
    if (hasActed && cluster.status !== undefined) return requeue(STEP_INTERVAL_MS);
    // The first status is written at once, because somebody has just applied this cluster and waits. It includes what
    // was just done.
    const again = hasActed ? gather(key) : undefined;
    const { adoption, release } = observation.cluster;
    const shown = again === undefined ? scope : withRelease(withAdoption(again, adoption), release);
    const shownPlan = shown === scope ? plan : decide(key, shown.observation);
    // The live reads of a step may have brought a record that is to be stored. The next pass does that before anything
    // is reported.
    if (shownPlan.removal.isUrgent) return { kind: 'requeue', afterMs: STEP_INTERVAL_MS };
    const statusMs = await reporter.report(
      {
        key,
        scope: shown,
        plan: shownPlan,
        refusals: [...refusals, ...fought.holds, ...children.holds, ...shown.nodeRefusals],
      },
      signal,
    );
    const refusedMs = refusals.length > 0 ? REFUSED_RETRY_MS : undefined;
    const loadMs = measuringMs(key, plan, observation);
    const foughtMs = fought.requeueAfterMs;
    return after(soonest(statusMs, plan.requeueAfterMs, children.requeueAfterMs, foughtMs, refusedMs, loadMs));
  }

  /** Every comparison of all members counts as the one at rest, except that of a removal. */
  function noteVerified(key: string, { comparison }: ClusterObservation): void {
    if (comparison?.state !== 'complete' || comparison.request.purpose === 'removal') return;
    if (comparison.coveredAtMs !== undefined) memory.verified(key, comparison.coveredAtMs);
  }

  function noteSizing(key: string, { autoscale }: ClusterPlan, { monotonicMs }: ClusterObservation): void {
    ports.sizes.found(key, autoscale.verdict?.reason, monotonicMs);
    if (autoscale.needsSharpLoad) ports.sizes.measure(key, false, monotonicMs);
  }

  /** When the load calls for another pass: at the end of the measuring at the latest; undefined while it is not
   *  measured. */
  function measuringMs(
    key: string,
    { autoscale }: ClusterPlan,
    { monotonicMs }: ClusterObservation,
  ): number | undefined {
    if (autoscale.needsSharpLoad) return MEASURING_INTERVAL_MS;
    const measuring = ports.sizes.measuring(key, monotonicMs);
    return measuring === undefined ? undefined : measuring.untilMs - monotonicMs;
  }

  function advisedOf(key: string): Set<string> {
    const known = advised.get(key) ?? new Set<string>();
    advised.set(key, known);
    return known;
  }

  async function end(key: string, signal: AbortSignal): Promise<Outcome> {
    await sentinels.drop(key, signal);
    forget(key);
    ports.onReconciled(key);
    return DONE;
  }

  function forget(key: string): void {
    unfollowCluster(key, ports, memory);
    reporter.forget(key);
    claims.forget(key);
    advised.delete(key);
  }

  return { reconcile: (key, context) => reconcile(key, context.signal), forget };
}

const DONE: Outcome = { kind: 'done' };

function provenAt(operation: Operation | undefined): string {
  const { pre, post } = operation?.proof ?? {};
  return [pre?.at, post?.at].join(' ');
}

function requeue(afterMs: number): Outcome {
  return { kind: 'requeue', afterMs };
}

function after(delayMs: number | undefined): Outcome {
  return delayMs === undefined ? DONE : requeue(Math.max(1, delayMs));
}
