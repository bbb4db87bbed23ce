// metav1.Condition: the same five fields everywhere, and no write when nothing changed in meaning.

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** metav1.Condition as the API server stores it. */
export interface Condition {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
  /** The generation of the spec this was computed from. */
  readonly observedGeneration?: number;
  /** When `status` last changed: RFC 3339, whole seconds. */
  readonly lastTransitionTime: string;
}

export type ConditionInput = Omit<Condition, 'lastTransitionTime'>;

/** metav1.Condition allows 32768; nobody reads that much. */
const MAX_MESSAGE_LENGTH = 1024;

/** The conditions with `next` in place of the one of the same type, or at the end. The *same array* when status,
 *  reason, message and observedGeneration all stay, so that `===` tells whether there is anything to write.
 *  lastTransitionTime changes only with the status. Order never changes. */
export function setCondition(conditions: readonly Condition[], next: ConditionInput, now: Date): readonly Condition[] {
  const message = clip(next.message);
  const index = conditions.findIndex((condition) => condition.type === next.type);
  const previous = conditions[index];
  if (previous === undefined) return [...conditions, build(next, message, formatTime(now))];
  if (isSame(previous, next, message)) return conditions;
  const time = previous.status === next.status ? previous.lastTransitionTime : formatTime(now);
  return conditions.with(index, build(next, message, time));
}

/** The conditions without those of the given type; the same array when there is none. */
export function removeCondition(conditions: readonly Condition[], type: string): readonly Condition[] {
  return conditions.some((condition) => condition.type === type)
    ? conditions.filter((condition) => condition.type !== type)
    : conditions;
}

function build(input: ConditionInput, message: string, lastTransitionTime: string): Condition {
  const { type, status, reason, observedGeneration } = input;
  return {
    type,
    status,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    lastTransitionTime,
    reason,
    message,
  };
}

function isSame(previous: Condition, next: ConditionInput, message: string): boolean {
  return (
    previous.status === next.status &&
    previous.reason === next.reason &&
    previous.message === message &&
    previous.observedGeneration === next.observedGeneration
  );
}

function clip(message: string): string {
  return message.length <= MAX_MESSAGE_LENGTH ? message : `${message.slice(0, MAX_MESSAGE_LENGTH - 1)}…`;
}

function formatTime(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
