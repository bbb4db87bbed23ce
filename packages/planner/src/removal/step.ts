// What one pass over an operation brings: the record as it should stand, what to do, what it waits for.

import type { LastOperation, Operation } from '@marekvs/api';
import type { ClusterStep } from '../cluster-step.ts';
import type { ComparisonRequest } from '../contents/request.ts';
import type { Hold } from '../hold.ts';
import type { StoppedUpdate } from '../rolling/stopped-update.ts';

export interface OperationPlan {
  /** The operation under way from now on; undefined when there is none, or it has just ended. */
  readonly operation: Operation | undefined;
  /** Set in the pass that ends an operation. */
  readonly ended: LastOperation | undefined;
  /** The record must be stored before anything further is done, at once. Otherwise it is a matter of display. */
  readonly isUrgent: boolean;
  readonly steps: readonly ClusterStep[];
  /** Why it does not go on right now. */
  readonly waits: Hold | undefined;
  /** Contents to be compared now. */
  readonly contents: ComparisonRequest | undefined;
  /** The update of the members has stopped at this one. */
  readonly stopped?: StoppedUpdate | undefined;
}

const NOTHING = { ended: undefined, isUrgent: false, steps: [], waits: undefined, contents: undefined } as const;

/** Nothing to store: do these steps, or wait. */
export function proceed(
  operation: Operation,
  more: Partial<Omit<OperationPlan, 'operation' | 'ended' | 'isUrgent'>>,
): OperationPlan {
  return { ...NOTHING, operation, ...more };
}

/** Store this record; what follows from it is the next pass's to do. */
export function store(operation: Operation, contents?: ComparisonRequest): OperationPlan {
  return { ...NOTHING, operation, isUrgent: true, contents };
}

/** The operation is over. */
export function end(ended: LastOperation): OperationPlan {
  return { ...NOTHING, operation: undefined, ended, isUrgent: true };
}

export function none(waits?: Hold): OperationPlan {
  return { ...NOTHING, operation: undefined, waits };
}

/** Whatever is stored stays as it is: nothing is decided in this pass. */
export function unchanged(operation: Operation | undefined): OperationPlan {
  return { ...NOTHING, operation };
}
