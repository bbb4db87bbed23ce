export { type Clock, systemClock, type Timer } from './clock.ts';
export {
  type Condition,
  type ConditionInput,
  type ConditionStatus,
  findCondition,
  isConditionTrue,
  removeCondition,
  setCondition,
} from './conditions.ts';
export { EXIT_CODE, type ExitCode, ExitError, exitCodeOf } from './exit-codes.ts';
export { createAlwaysGranted, type Grant, type Ownership, type OwnershipChange } from './grant.ts';
export { createHeap, type Heap } from './heap.ts';
export {
  createLogger,
  type LogFields,
  type LogFormat,
  type Logger,
  type LoggerOptions,
  type LogLevel,
  type RootLogger,
  silentLogger,
} from './logger.ts';
export { createManualClock, type ManualClock } from './manual-clock.ts';
export { type Outcome, type Reconcile, type ReconcileContext, TerminalError } from './reconcile.ts';
export type { Runnable } from './runnable.ts';
