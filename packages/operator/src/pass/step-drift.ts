// Answers: which steps write again what somebody else has just removed, and are held for a while? Otherwise the
// operator would fight a webhook or controller as fast as the API server answers, and report nothing meanwhile, since a
// pass that has written something does not.

import { type ClusterStep, type Hold, soonest } from '@marekvs/planner';
import { type DriftCounter, driftHold } from './drift.ts';

/** The value that a step writes whenever it is missing. */
export interface Written {
  readonly kind: 'MarekvsNode' | 'PersistentVolumeClaim' | 'Pod';
  readonly name: string;
  /** Unique per object and kind of step. */
  readonly id: string;
  readonly value: string;
}

/** What is not written for now. */
export interface Fight {
  readonly hold: Hold;
  readonly leftMs: number;
}

export interface UnfoughtSteps {
  readonly steps: readonly ClusterStep[];
  readonly holds: readonly Hold[];
  /** Milliseconds until the first held step may be carried out. */
  readonly requeueAfterMs: number | undefined;
}

/** Undefined when it may be written now. */
export function fightOver(written: Written | undefined, drift: DriftCounter, nowMs: number): Fight | undefined {
  const leftMs = written === undefined ? 0 : drift.holdMs(written.id, written.value, nowMs);
  return written === undefined || leftMs === 0 ? undefined : { hold: driftHold(written.kind, written.name), leftMs };
}

/** The steps to carry out now, and a hold for each of the others. */
export function unfought(steps: readonly ClusterStep[], drift: DriftCounter, nowMs: number): UnfoughtSteps {
  const judged = steps.map((step) => ({ step, fight: fightOver(writtenBy(step), drift, nowMs) }));
  const fights = judged.flatMap(({ fight }) => fight ?? []);
  return {
    steps: judged.filter(({ fight }) => fight === undefined).map(({ step }) => step),
    holds: fights.map(({ hold }) => hold),
    requeueAfterMs: soonest(...fights.map(({ leftMs }) => leftMs)),
  };
}

/** Notes steps that were carried out. */
export function noteWritten(steps: readonly ClusterStep[], drift: DriftCounter, nowMs: number): void {
  for (const step of steps) {
    const written = writtenBy(step);
    if (written !== undefined) drift.note(written.id, written.value, nowMs);
  }
}

/** What a step of this kind writes to this object. */
export function writtenTo(
  kind: Written['kind'],
  step: { readonly kind: string },
  { name, uid }: { readonly name: string; readonly uid: string },
  value: unknown,
): Written {
  return { kind, name, id: `${step.kind} ${uid}`, value: JSON.stringify(value) };
}

/** Undefined for a step that depends on more than its own object. */
function writtenBy(step: ClusterStep): Written | undefined {
  switch (step.kind) {
    case 'protectNode':
      return writtenTo('MarekvsNode', step, step.node, step.isProtected);
    case 'setServing':
      return writtenTo('MarekvsNode', step, step.node, step.serving);
    case 'setStorage':
      return writtenTo('MarekvsNode', step, step.node, [step.size, step.attributesClass]);
    case 'protectVolume':
      return writtenTo('PersistentVolumeClaim', step, step.volume, step.isProtected);
    case 'ownVolume':
      return writtenTo('PersistentVolumeClaim', step, step.volume, step.isOwned);
    case 'rememberId':
      return writtenTo('PersistentVolumeClaim', step, step.volume, step.id);
    default:
      return undefined;
  }
}
