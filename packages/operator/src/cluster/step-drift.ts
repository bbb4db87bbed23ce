// Answers: which steps of a plan write again what somebody else has just removed, and are held for a while? Otherwise
// the operator would fight a webhook or controller as fast as the API server answers, and report nothing meanwhile,
// since a pass that has written something does not.

import { type ClusterStep, type Hold, soonest } from '@marekvs/planner';
import { type DriftCounter, driftHold } from './drift.ts';

/** The value that a step writes whenever it is missing. */
interface Written {
  readonly kind: 'MarekvsNode' | 'PersistentVolumeClaim';
  readonly name: string;
  /** Unique per object and kind of step. */
  readonly id: string;
  readonly value: string;
}

export interface UnfoughtSteps {
  readonly steps: readonly ClusterStep[];
  readonly holds: readonly Hold[];
  /** Milliseconds until the first held step may be carried out. */
  readonly requeueAfterMs: number | undefined;
}

/** The steps to carry out now, and a hold for each of the others. */
export function unfought(steps: readonly ClusterStep[], drift: DriftCounter, nowMs: number): UnfoughtSteps {
  const judged = steps.map((step) => {
    const written = writtenBy(step);
    return { step, written, waitMs: written === undefined ? 0 : drift.holdMs(written.id, written.value, nowMs) };
  });
  const held = judged.filter(({ waitMs }) => waitMs > 0);
  return {
    steps: judged.filter(({ waitMs }) => waitMs === 0).map(({ step }) => step),
    holds: held.flatMap(({ written }) => (written === undefined ? [] : [driftHold(written.kind, written.name)])),
    requeueAfterMs: soonest(...held.map(({ waitMs }) => waitMs)),
  };
}

/** Notes steps that were carried out. */
export function noteWritten(steps: readonly ClusterStep[], drift: DriftCounter, nowMs: number): void {
  for (const step of steps) {
    const written = writtenBy(step);
    if (written !== undefined) drift.note(written.id, written.value, nowMs);
  }
}

/** Undefined for a step that depends on more than its own object. */
function writtenBy(step: ClusterStep): Written | undefined {
  switch (step.kind) {
    case 'protectNode': {
      const { name, uid } = step.node;
      return { kind: 'MarekvsNode', name, id: `${step.kind} ${uid}`, value: String(step.isProtected) };
    }
    case 'protectVolume':
      return ofVolume(step, String(step.isProtected));
    case 'ownVolume':
      return ofVolume(step, String(step.isOwned));
    case 'rememberId':
      return ofVolume(step, String(step.id));
    default:
      return undefined;
  }
}

function ofVolume(
  { kind, volume: { name, uid } }: Extract<ClusterStep, { readonly volume: unknown }>,
  value: string,
): Written {
  return { kind: 'PersistentVolumeClaim', name, id: `${kind} ${uid}`, value };
}
