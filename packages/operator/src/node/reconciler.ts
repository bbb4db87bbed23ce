// One pass over one node: gather, decide, execute, report, and again for each step that was carried out. The same at
// start, after a change and after a restart.

import { findCondition, type MarekvsNodeStatus } from '@marekvs/api';
import { type Hold, type NodePlan, type NodeStep, planNode } from '@marekvs/planner';
import type { Outcome, Reconcile } from '@marekvs/runtime';
import type { StepOutcome } from '../fence.ts';
import { MAREKVS_NODE } from '../kinds.ts';
import type { Ports } from '../ports.ts';
import { createRefusalBackoff } from '../refusal-backoff.ts';
import { createStatusPacer, type StatusPacer } from '../status-pacer.ts';
import { createClaimRefusals } from './claim-refusals.ts';
import { createDrainPacer } from './drain-pacer.ts';
import { emitHoldEvent, emitRepairEvent, emitVolumeEvent } from './events.ts';
import { executeNode } from './execute.ts';
import { type NodeMemory, type NodeScope, nodeAround, observeNode, remember } from './observe.ts';
import { createPodGoneTimes } from './pod-gone.ts';
import { createPodsSeen } from './pods-seen.ts';
import { nodeStatus, nodeStatusChange } from './status.ts';

/** A volume, a Pod and its labels may follow each other in one pass: each step is seen in the caches before the
 *  next is planned. */
const MAX_STEPS = 4;
/** Steps of a starting node follow within this time; one status for all of them is enough. Readiness comes within 2
 *  s of a join. */
const STILL_MS = 2_500;
const LONGEST_DELAY_MS = 8_000;
/** Its proof, the end of a Pod and the others noticing take a few seconds each; only what lasts longer is worth
 *  saying of a node on its way out. */
const DEPARTING_MS = 10_000;
/** A member’s turn of a rolling update is usually over by then. */
const TURN_MS = 20_000;
/** How many members there are is in the status of each, and a change of size is often followed by another. */
const LAZY_MS = 20_000;
const LONGEST_LAZY_MS = 60_000;

const STALE_MS = 1_000;

/** What the API server refused, and how long it is not asked again. */
interface Refused {
  readonly hold: Hold;
  readonly leftMs: number;
}

export interface NodeReconciler {
  readonly reconcile: Reconcile;
  /** The node is not ours any more: what others do with it from now on makes all that is remembered of it wrong. */
  forget(key: string, uid: string): void;
}

export function createNodeReconciler(ports: Ports): NodeReconciler {
  const pacer = createStatusPacer(STILL_MS, LONGEST_DELAY_MS);
  const departingPacer = createStatusPacer(DEPARTING_MS, DEPARTING_MS);
  const turnPacer = createStatusPacer(TURN_MS, TURN_MS);
  const lazyPacer = createStatusPacer(LAZY_MS, LONGEST_LAZY_MS);
  const drains = createDrainPacer();
  const passwords = createDrainPacer();
  const goneParents = new Set<string>();
  const memory: NodeMemory = {
    goneParents,
    podsGone: createPodGoneTimes(ports.clock),
    podsSeen: createPodsSeen(),
    claims: createClaimRefusals(ports.clock),
  };
  const backoff = createRefusalBackoff();

  async function reconcile(key: string, signal: AbortSignal): Promise<Outcome> {
    for (let steps = 0; ; steps += 1) {
      const scope = gather(key);
      if (scope === undefined) return forget(key);
      const plan = decide(scope);
      const { step } = plan;
      if (step === undefined || steps === MAX_STEPS) return report(key, scope, plan, undefined, signal);
      const refusal = backoff.current(key, ports.clock.steadyMs());
      if (refusal !== undefined || !isDue(step)) return report(key, scope, plan, refusal, signal);
      const outcome = await execute(step, scope, signal);
      // The live read has updated the caches, which wake us. Otherwise another pass comes all the same.
      if (outcome.kind === 'stale') return requeue(STALE_MS);
      if (outcome.kind === 'blocked' && step.kind === 'changeClaim') {
        // Said of the volume: whatever else the node needs does not wait for it.
        memory.claims.refused(key, scope.record, outcome.hold);
        continue;
      }
      if (outcome.kind === 'blocked') return report(key, scope, plan, refused(key, outcome.hold), signal);
      backoff.clear(key);
      // Whether it was heard shows in the next answers, not now.
      if (step.kind === 'setPassword') emitRepairEvent(scope.node, step, ports.recorder);
      if (step.kind === 'drain' || step.kind === 'setPassword') return report(key, scope, plan, undefined, signal);
      if (step.kind === 'releaseNode') return { kind: 'done' };
      emitRepairEvent(scope.node, step, ports.recorder);
    }
  }

  /** What the caches show, once what they show is remembered. Undefined when the node is gone. */
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
    return executeNode(step, { scope, ports, goneParents, signal });
  }

  /** Everything may be done at once, but a member that was just asked to leave is not asked again. */
  function isDue(step: NodeStep): boolean {
    // Another password is another request.
    if (step.kind === 'setPassword') return passwords.mayAsk(`${step.pod.uid} ${step.source}`, ports.clock.steadyMs());
    return step.kind !== 'drain' || drains.mayAsk(step.pod.uid, ports.clock.steadyMs());
  }

  function refused(key: string, hold: Hold): Refused {
    // It is reported of this stamp once, and not tried again: nothing else of the node has to wait for it.
    if (hold.reason === 'ResizeImpossible') return { hold, leftMs: STALE_MS };
    return { hold, leftMs: backoff.refused(key, hold, ports.clock.steadyMs()) };
  }

  function forget(key: string): Outcome {
    settle(key);
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
    // A restarted operator has asked nobody yet. Saying so would overwrite a good status with ignorance.
    if (scope.isWaitingForAnswers && scope.node.status !== undefined) return requeue(retryMs);
    const hold = refusal ?? plan.hold;
    // What is on its way out as planned says nothing more of itself.
    if (scope.record.isDeleting && hold === undefined) return requeue(retryMs);
    const next = nodeStatus({ scope, plan, refusal });
    const delayMs = delayOf(key, scope, next, refusal !== undefined);
    if (delayMs === undefined) {
      settle(key);
      return requeue(retryMs);
    }
    if (delayMs > 0) return requeue(Math.min(delayMs, retryMs ?? delayMs));
    ports.caches.nodes.observe(
      await ports.client.updateStatus(MAREKVS_NODE, { ...scope.node, status: next }, { signal }),
    );
    emitHoldEvent(scope.node, next, hold, ports.recorder);
    emitVolumeEvent(scope.node, next, ports.recorder);
    settle(key);
    return requeue(retryMs);
  }

  /** Until this status is worth a write; undefined when it says nothing new. */
  function delayOf(key: string, scope: NodeScope, next: MarekvsNodeStatus, isRefused: boolean): number | undefined {
    const isOnItsWayOut = isDeparting(scope);
    const change = nodeStatusChange(scope.node.status, next, isOnItsWayOut);
    if (change === 'none') return undefined;
    const isUrgent = (change === 'urgent' && !isComingBack(scope)) || isRefused;
    const calm = isOnItsWayOut ? departingPacer : calmerOf(scope, change);
    return calm.delayMs(key, fingerprint(next), isUrgent, ports.clock.steadyMs());
  }

  /** While one of them is being restarted, what all see of it is as before when it is back. */
  function calmerOf({ observation }: NodeScope, change: ReturnType<typeof nodeStatusChange>): StatusPacer {
    if (observation.operation?.roll !== undefined) return turnPacer;
    return change === 'lazy' ? lazyPacer : pacer;
  }

  function settle(key: string): void {
    for (const one of [pacer, departingPacer, turnPacer, lazyPacer]) one.settle(key);
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

function isDeparting({ record: { intent, isDeleting, pod } }: NodeScope): boolean {
  return intent === 'Leaving' || (isDeleting && (pod === undefined || pod.isTerminating));
}

/** It is being restarted, and that is reported: what it shows on its way back is not reported before it serves
 *  again. */
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
