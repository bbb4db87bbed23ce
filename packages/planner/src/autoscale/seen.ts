// What sizing by load needs beyond one observation: for how long something has lasted. The follower of a cluster
// remembers that from pass to pass (operator: autoscale-memory.ts). It may be lost: every wait then begins anew and
// only grows longer.

import type { Reason } from '@marekvs/api';
import type { Load } from './load.ts';
import type { DiskFill } from './rules.ts';

export interface AutoscaleSeen {
  readonly load: Load;
  readonly disk: DiskFill;
  /** Milliseconds since the size in force was decided, as far as this process can tell: a clock that is set ahead or
   *  back changes nothing. */
  readonly decidedForMs: number;
  /** How long one node less would have done without a break; undefined while it would not. */
  readonly lowForMs: number | undefined;
  /** The reason that was found in the last passes, and for how long without a break. */
  readonly found: { readonly reason: Reason; readonly forMs: number } | undefined;
}
