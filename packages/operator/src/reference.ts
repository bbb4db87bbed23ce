// Data that documents are generated from: everything the operator takes and gives. Not for the operator itself.

export { STARTERS } from '@marekvs/planner';
export { REFUSAL_REASONS } from './api-server/write-refusal.ts';
export { OPTIONS } from './process/options.ts';
export {
  ANSWER_KINDS,
  DISK_SHOWN_FROM,
  MAX_SERIES,
  SHOWN_PHASES,
} from './telemetry/fleet.ts';
export { createOperatorMetrics } from './telemetry/operator-metrics.ts';
export { FAILURE_REASONS, PROBLEM_KINDS } from './telemetry/problems.ts';
