// One pass over one node: gather, decide, execute, report, and again for each step that was carried out. The same at
// start, after a change and after a restart.

import { findCondition, type MarekvsNodeStatus } from '@marekvs/api';
import {
  type Hold,
  isVolumeToRecord,
  type NodePlan,
  type NodeRecord,
  type NodeStep,
  PASSWORD_INTERVAL_MS,
  planNode,
} from '@marekvs/planner';
import type { Outcome, Reconcile } from '@marekvs/runtime';
import { MAREKVS_NODE } from '../objects/kinds.ts';
import { createDrainPacer } from '../pacing/drain-pacer.ts';
import { STALE_MS, type StatusPace } from '../pacing/paces.ts';
import { createRefusalBackoff } from '../pacing/refusal-backoff.ts';
import { createStatusPacer } from '../pacing/status-pacer.ts';
import { createDriftCounter } from '../pass/drift.ts';
import type { StepOutcome } from '../pass/fence.ts';
import type { Ports } from '../pass/ports.ts';
import { fightOver, type Written, writtenTo } from '../pass/step-drift.ts';
import { emitHoldEvent, emitRepairEvent, emitVolumeEvent } from './events.ts';
import { createClaimRefusals } from './observation/claim-refusals.ts';
import { createGoneParents } from './observation/gone-parents.ts';
import { type NodeMemory, type NodeScope, nodeAround, observeNode, remember } from './observation/observe.ts';
import { createPodGoneTimes } from './observation/pod-gone.ts';
import { createPodsSeen } from './observation/pods-seen.ts';
import { nodeStatus, nodeStatusChange } from './status.ts';
import { executeNode } from './steps/execute.ts';

/** A volume, a Pod and its labels may follow each other in one pass: the caches show each step before the next is
 *  planned. */
const MAX_STEPS = 4;

/** What the API server refused, and how long it is not asked again. */
interface Refused {
  readonly hold: Hold;
  readonly leftMs: number;
}

export interface NodeReconciler {
  readonly reconcile: Reconcile;
  /** The node is not managed here any more: what others do with it makes everything remembered of it wrong. */
  forget(key: string, uid: string): void;
}

export function createNodeReconciler(ports: Ports): NodeReconciler {
  const pacer = createStatusPacer();
  const drains = createDrainPacer();
  const passwords = createDrainPacer();
  const goneParents = createGoneParents();
  const memory: NodeMemory = {
    goneParents,
    podsGone: createPodGoneTimes(ports.clock),
    podsSeen: createPodsSeen(),
    claims: createClaimRefusals(ports.clock),
  };
  const backoff = createRefusalBackoff('write');
  const drift = createDriftCounter();

  async function reconcile(key: string, signal: AbortSignal): Promise<Outcome> {
    for (let steps = 0; ; steps += 1) {
      const scope = gather(key);
      if (scope === undefined) return forget(key);
      const plan = decide(scope);
      const { step } = plan;
      if (step === undefined || steps === MAX_STEPS) return report(key, scope, plan, undefined, signal);
      const refusal = backoff.current(key, ports.clock.steadyMs());
      if (refusal !== undefined || !isDue(step)) return report(key, scope, plan, refusal, signal);
      const written = writtenBy(step, scope.record);
      const fight = fightOver(written, drift, ports.clock.monotonicMs());
      if (fight !== undefined) return report(key, scope, plan, fight, signal);
      const outcome = await execute(step, scope, signal);
      // The live read has updated the caches, which trigger the next pass. If they do not, this requeue does.
      if (outcome.kind === 'stale') return requeue(STALE_MS);
      if (outcome.kind === 'blocked' && step.kind === 'changeClaim') {
        // Reported about the volume: other steps of the node do not wait for it.
        memory.claims.refused(key, scope.record, outcome.hold);
        continue;
      }
      if (outcome.kind === 'blocked') return report(key, scope, plan, refused(key, outcome.hold), signal);
      backoff.clear(key);
      if (written !== undefined) drift.note(written.id, written.value, ports.clock.monotonicMs());
      // The effect shows in the member's next answers, not now.
      if (step.kind === 'setPassword') emitRepairEvent(scope.node, step, ports.recorder);
      if (step.kind === 'drain' || step.kind === 'setPassword') return report(key, scope, plan, undefined, signal);
      if (step.kind === 'releaseNode') return { kind: 'done' };
      emitRepairEvent(scope.node, step, ports.recorder);
    }
  }

  /** What the caches show, after the memory was updated from them. Undefined when the node is gone. */
  function gather(key: string): NodeScope | undefined {
    const around = nodeAround(key, ports);
    if (around === undefined) return undefined;
    remember(around, memory);
    return observeNode(around, ports, memory);
  }

  function decide({ observation }: NodeScope): NodePlan {
    return planNode(observation);
  }

  function execute(step: NodeStep, scope: NodeScope, signal: AbortSignal): Promise<StepOutcome> {
    return executeNode(step, { namespace: scope.node.metadata.namespace, scope, ports, goneParents, signal });
  }

  /** Every step is due at once, but a member that was just sent a request is not sent it again. */
  function isDue(step: NodeStep): boolean {
    // A different password is a different request.
    if (step.kind === 'setPassword')
      return passwords.mayAsk(`${step.pod.uid} ${step.source}`, PASSWORD_INTERVAL_MS, ports.clock.steadyMs());
    return step.kind !== 'drain' || drains.mayAsk(step.pod.uid, step.intervalMs, ports.clock.steadyMs());
  }

  function refused(key: string, hold: Hold): Refused {
    // An impossible resize is reported once for this template and not tried again, so that nothing else of the node
    // waits.
    if (hold.reason === 'ResizeImpossible') return { hold, leftMs: STALE_MS };
    return { hold, leftMs: backoff.refused(key, hold, ports.clock.steadyMs()) };
  }

  function forget(key: string): Outcome {
    pacer.settle(key);
    backoff.clear(key);
    memory.claims.forget(key);
    return { kind: 'done' };
  }

  async function report(
    key: string,
    scope: NodeScope,
    plan: NodePlan,
    refused: Refused | undefined,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const refusal = refused?.hold;
    const retryMs = refused === undefined ? plan.requeueAfterMs : refused.leftMs;
    // A restarted operator has asked no member yet. Reporting that would overwrite a good status with ignorance.
    if (scope.isWaitingForAnswers && scope.node.status !== undefined) return requeue(retryMs);
    const hold = refusal ?? plan.hold;
    // A node that is being deleted as planned has nothing more to report.
    if (scope.record.isDeleting && hold === undefined) return requeue(retryMs);
    const next = nodeStatus({ scope, plan, refusal });
    const delayMs = delayOf(key, scope, next, refusal !== undefined);
    if (delayMs === undefined) {
      pacer.settle(key);
      return requeue(retryMs);
    }
    if (delayMs > 0) return requeue(Math.min(delayMs, retryMs ?? delayMs));
    ports.caches.nodes.observe(
      await ports.client.updateStatus(MAREKVS_NODE, { ...scope.node, status: next }, { signal }),
    );
    emitHoldEvent(scope.node, next, hold, ports.recorder);
    emitVolumeEvent(scope.node, next, ports.recorder);
    pacer.settle(key);
    return requeue(retryMs);
  }

  /** Milliseconds until this status is worth a write; undefined when it says nothing new. */
  function delayOf(key: string, scope: NodeScope, next: MarekvsNodeStatus, isRefused: boolean): number | undefined {
    const isOnItsWayOut = isDeparting(scope);
    const change = nodeStatusChange(scope.node.status, next, isOnItsWayOut);
    if (change === 'none') return undefined;
    const isNews = change === 'urgent' && !isComingBack(scope);
    const isUrgent = isNews || isRefused || isVolumeToRecord(scope.observation);
    const pace = isOnItsWayOut ? 'departing' : paceOf(scope, change);
    return pacer.delayMs(key, { pace, fingerprint: fingerprint(next), isUrgent }, ports.clock.steadyMs());
  }

  /** While one member is being restarted, the others' view of it changes only until it is back. */
  function paceOf({ observation }: NodeScope, change: ReturnType<typeof nodeStatusChange>): StatusPace {
    if (observation.operation?.roll !== undefined) return 'turn';
    return change === 'lazy' ? 'lazy' : 'node';
  }

  return {
    reconcile: (key, context) => reconcile(key, context.signal),
    forget(key, uid) {
      forget(key);
      memory.podsGone.forget(uid);
      memory.podsSeen.forget(uid);
    },
  };
}

/** Undefined for a step that depends on more than its own object. The times on a detached volume are new each
 *  time. */
function writtenBy(step: NodeStep, node: NodeRecord): Written | undefined {
  switch (step.kind) {
    case 'addFinalizer':
      return writtenTo('MarekvsNode', step, node, true);
    case 'attachVolume':
    case 'detachVolume':
      return writtenTo('PersistentVolumeClaim', step, step.volume, true);
    case 'labelPod':
      return writtenTo('Pod', step, step.pod, [step.labels, step.annotations]);
    default:
      return undefined;
  }
}

function isDeparting({ record: { intent, isDeleting, pod } }: NodeScope): boolean {
  return intent !== 'Active' || (isDeleting && (pod === undefined || pod.isTerminating));
}

/** The member is being restarted, and that is reported: its progress is not, until it serves again. */
function isComingBack({ node, record, observation }: NodeScope): boolean {
  const wasReady = findCondition(node.status?.conditions, 'Ready')?.status === 'True';
  return observation.operation?.roll?.uid === record.uid && !record.serving && !wasReady;
}

function fingerprint(status: MarekvsNodeStatus): string {
  return `${status.phase} ${status.seenBy} ${status.conditions?.map((condition) => condition.message).join()}`;
}

function requeue(afterMs: number | undefined): Outcome {
  return afterMs === undefined ? { kind: 'done' } : { kind: 'requeue', afterMs: Math.max(1, afterMs) };
}
