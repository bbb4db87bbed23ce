// The contract between a controller and the function it calls: what goes in and what may come out.
import type { Grant } from '../lease/grant.ts';
import type { Logger } from '../log/logger.ts';

/** How a pass ended. Waiting is a value, never an error. */
export type Outcome =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'requeue';
      /** Milliseconds until the requeue, unless an event comes first. */
      readonly afterMs: number;
      /** From the reason catalogue; for the log. */
      readonly reason?: string;
    };

/** What a pass may use besides its key. */
export interface ReconcileContext {
  readonly key: string;
  /** Unique within the process; the same in every log line of this pass. */
  readonly reconcileId: string;
  /** Aborted at the step timeout, when the grant ends, and when a stop has waited long enough. Pass it to
   *  every await to the outside. */
  readonly signal: AbortSignal;
  /** The permission this pass runs under. Ask `left()` again before anything irreversible. */
  readonly grant: Grant;
  /** Carries `controller` and `reconcileId`. */
  readonly logger: Logger;
  /** Failed passes of this key in a row before this one. */
  readonly failures: number;
}

export type Reconcile = (key: string, context: ReconcileContext) => Promise<Outcome>;
