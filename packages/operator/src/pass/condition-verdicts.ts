// The verdicts of our conditions, and how they update the conditions of a status: metav1.Condition, and no write when
// nothing changed in meaning. Pure.

import { type Condition, type Reason, shortened } from '@marekvs/api';
import { timeText } from '@marekvs/planner';

export type Verdict = Pick<Condition, 'status' | 'reason' | 'message'>;

export function yes(reason: Reason, message: string): Verdict {
  return { status: 'True', reason, message };
}

export function no(reason: Reason, message: string): Verdict {
  return { status: 'False', reason, message };
}

export function unknown(reason: Reason, message: string): Verdict {
  return { status: 'Unknown', reason, message };
}

interface JudgedAt {
  /** The generation of the spec that was judged. */
  readonly observedGeneration: number;
  readonly nowMs: number;
}

/** metav1.Condition allows 32768; nobody reads that much. */
export const MAX_MESSAGE_LENGTH = 1024;

/** The conditions updated with these verdicts: each replaces the one of its type or is appended, and a type without a
 *  verdict is removed. Returns the *same array* when status, reason, message and observedGeneration all stay, so that
 *  `===` tells whether there is anything to write. lastTransitionTime changes only with the status. Order never
 *  changes. */
export function judged<T extends string>(
  previous: readonly Condition<T>[],
  verdicts: readonly (readonly [T, Verdict | undefined])[],
  at: JudgedAt,
): readonly Condition<T>[] {
  let conditions = previous;
  for (const [type, verdict] of verdicts) {
    const index = conditions.findIndex((condition) => condition.type === type);
    const before = conditions[index];
    if (verdict === undefined) conditions = before === undefined ? conditions : conditions.toSpliced(index, 1);
    else {
      const next = conditionOf(type, verdict, before, at);
      if (before === undefined) conditions = [...conditions, next];
      else if (!isSame(before, next)) conditions = conditions.with(index, next);
    }
  }
  return conditions;
}

function conditionOf<T extends string>(
  type: T,
  { status, reason, message }: Verdict,
  before: Condition<T> | undefined,
  { observedGeneration, nowMs }: JudgedAt,
): Condition<T> {
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime : timeText(nowMs);
  const shown = shortened(message, MAX_MESSAGE_LENGTH);
  return { type, status, observedGeneration, lastTransitionTime, reason, message: shown };
}

function isSame(before: Condition, next: Condition): boolean {
  return (
    before.status === next.status &&
    before.reason === next.reason &&
    before.message === next.message &&
    before.observedGeneration === next.observedGeneration
  );
}
