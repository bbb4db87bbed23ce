// One pass over one cluster: observe, plan, execute, report. The same at start, after a change and after a restart.

import { type Adoption, type ClusterPlan, isGoing, isRemovalPending, planCluster } from '@marekvs/planner';
import type { Outcome, Reconcile } from '@marekvs/runtime';
import type { Ports } from '../ports.ts';
import { applyChildren } from './apply-children.ts';
import { clusterChildren } from './children.ts';
import { minAvailable } from './disruption-budget.ts';
import { createDriftCounter } from './drift.ts';
import { emitAdvice, emitStepEvents } from './events.ts';
import { executeCluster } from './execute.ts';
import { type ClusterScope, observeCluster } from './observe.ts';
import { blockedHold, createOperationMemory } from './operation-memory.ts';
import { readAdoption } from './read-adoption.ts';
import { createReporter } from './report.ts';

export function createClusterReconciler(ports: Ports): Reconcile {
  const drift = createDriftCounter();
  const memory = createOperationMemory();
  const reporter = createReporter(ports);
  const pendingSinceMs = new Map<string, number>();
  const said = new Map<string, Set<string>>();

  async function reconcile(key: string, signal: AbortSignal): Promise<Outcome> {
    const seen = observeCluster(key, ports, memory);
    if (seen === undefined) return forget(key);
    // A restarted operator has asked nobody yet. Saying so would overwrite a good status with ignorance.
    if (seen.isWaitingForAnswers && seen.cluster.status !== undefined) return { kind: 'done' };
    const scope = withAdoption(seen, await readAdoption(seen.cluster, seen.observation, ports, signal));
    const outcome = await act(key, scope, signal);
    ports.onLooked(key);
    return outcome;
  }

  async function act(key: string, scope: ClusterScope, signal: AbortSignal): Promise<Outcome> {
    const { cluster, observation, stamp } = scope;
    const plan = look(key, observation);
    const { removal } = plan;
    ports.comparisons.want(key, plan.contents);
    if (removal.isUrgent) {
      const isStored = await reporter.store(
        { key, scope, plan, refusals: scope.nodeRefusals, templateHash: stamp.hash },
        signal,
      );
      return { kind: 'requeue', afterMs: isStored ? 1 : CLAIM_INTERVAL_MS };
    }
    if (isAboutToClaim(key, observation, plan)) return { kind: 'requeue', afterMs: CLAIM_INTERVAL_MS };
    // What the existing operator's clients use is switched last, when its members are ours.
    const isTakingOver = observation.cluster.adoption !== undefined;
    const isActing = !observation.cluster.isDeleting && observation.cluster.problems.length === 0 && !isTakingOver;
    const wanted = isActing
      ? clusterChildren(cluster, { minAvailable: minAvailable(observation, plan, cluster.status), ...ports.settings })
      : [];
    const [applied, executed] = await Promise.allSettled([
      applyChildren(wanted, { cluster, ports, drift, signal }),
      executeCluster(plan.steps, {
        cluster,
        nodes: observation.nodes,
        volumes: observation.volumes,
        stamp,
        ports,
        signal,
      }),
    ]);
    // Both have ended: the failure of one neither hides what the other did nor lets it run on beyond this pass.
    if (executed.status === 'rejected') throw executed.reason;
    const { refusals, steps } = executed.value;
    emitStepEvents(cluster, { ...plan, steps }, refusals, ports);
    if (applied.status === 'rejected') throw applied.reason;
    const children = applied.value;
    if (observation.cluster.isDeleting) return { kind: 'done' };
    emitAdvice(cluster, plan.holds, saidOf(key), ports.recorder);
    const hasActed = plan.steps.length > 0 && refusals.length === 0;
    // Our own writes bring the next pass by themselves; a status from before them would be old the moment it is written.
    if (hasActed && cluster.status !== undefined) return soonest(STEP_INTERVAL_MS);
    // The first status is not put off: somebody has just applied this cluster and looks. It tells of what was just done.
    const again = hasActed ? observeCluster(key, ports, memory) : undefined;
    const shown = again === undefined ? scope : withAdoption(again, observation.cluster.adoption);
    const shownPlan = shown === scope ? plan : look(key, shown.observation);
    // The step has read live that this cluster is in the middle of something: what comes of that is not shown before it is looked up.
    if (shownPlan.removal.isUrgent) return { kind: 'requeue', afterMs: STEP_INTERVAL_MS };
    const statusMs = await reporter.report(
      {
        key,
        scope: shown,
        plan: shownPlan,
        refusals: [...refusals, ...children.holds, ...shown.nodeRefusals],
        templateHash: stamp.hash,
      },
      signal,
    );
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
    noteVerified(key, observation);
    const { removal } = plan;
    const operation = memory.note(key, removal.operation, removal.waits, observation, removal.isUrgent);
    const blocked = blockedHold(operation, removal.waits);
    return {
      ...plan,
      holds: blocked === undefined ? plan.holds : [...plan.holds, blocked],
      removal: { ...removal, operation },
    };
  }

  /** What all members were compared for counts as the look at rest, whatever it was done for. */
  function noteVerified(key: string, { comparison }: ClusterScope['observation']): void {
    if (comparison?.state !== 'complete' || comparison.request.purpose === 'removal') return;
    if (comparison.coveredAtMs !== undefined) memory.verified(key, comparison.coveredAtMs);
  }

  /** A removal that begins within a moment needs no status that says what it waits for: hosts and members are just being asked. */
  function isAboutToClaim(key: string, observation: ClusterScope['observation'], plan: ClusterPlan): boolean {
    const { cluster, monotonicMs } = observation;
    const isIdle = cluster.operation === undefined && plan.steps.length === 0;
    // Who has to go whatever the size is, is news of its own: a lost volume, a node deleted by hand.
    const isOnlySurplus = !observation.nodes.some(isGoing);
    const mayClaim = isIdle && isOnlySurplus && !cluster.spec.paused && cluster.problems.length === 0;
    if (!mayClaim || !isRemovalPending(observation, plan.desiredNodes)) {
      pendingSinceMs.delete(key);
      return false;
    }
    const sinceMs = pendingSinceMs.get(key) ?? monotonicMs;
    pendingSinceMs.set(key, sinceMs);
    return monotonicMs - sinceMs < CLAIM_PATIENCE_MS;
  }

  function saidOf(key: string): Set<string> {
    const known = said.get(key) ?? new Set<string>();
    said.set(key, known);
    return known;
  }

  function forget(key: string): Outcome {
    ports.sampler.forget(key);
    ports.comparisons.want(key, undefined);
    ports.histories.forget(key);
    memory.forget(key);
    reporter.forget(key);
    pendingSinceMs.delete(key);
    said.delete(key);
    ports.onLooked(key);
    return { kind: 'done' };
  }

  return (key, context) => reconcile(key, context.signal);
}

/** The same, with what a live look has found beside what the caches know. */
function withAdoption(scope: ClusterScope, adoption: Adoption | undefined): ClusterScope {
  if (adoption === undefined) return scope;
  const { observation } = scope;
  return { ...scope, observation: { ...observation, cluster: { ...observation.cluster, adoption } } };
}

/** After a step the next pass comes no later than this, should its own write cause no event. */
const STEP_INTERVAL_MS = 1_000;

/** What the API server refused is tried again after this time even if nothing changes: quotas are raised without an event of ours. */
const REFUSED_RETRY_MS = 15_000;

/** Between two looks at a removal that could not be claimed yet. */
const CLAIM_INTERVAL_MS = 250;
/** What keeps a removal from beginning is said once it has stood for this long. */
const CLAIM_PATIENCE_MS = 3_000;

function soonest(...delays: readonly (number | undefined)[]): Outcome {
  const known = delays.filter((delay) => delay !== undefined);
  return known.length === 0 ? { kind: 'done' } : { kind: 'requeue', afterMs: Math.max(1, Math.min(...known)) };
}
