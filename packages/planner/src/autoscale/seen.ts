// What sizing by load needs to know beyond one observation: for how long something has been so. Whoever follows a
// cluster remembers that from pass to pass (operator: autoscale-memory.ts); it may be lost, since every wait begins
// anew then and only grows longer.

import type { Reason } from '@marekvs/api';
import type { Load } from './load.ts';
import type { DiskFill } from './rules.ts';

export interface AutoscaleSeen {
  readonly load: Load;
  readonly disk: DiskFill;
  /** Since the size that is in force was decided, as far as this process can tell: a clock that is set
   *  ahead or back changes nothing. */
  readonly decidedForMs: number;
  /** For so long without a break one node less would have done; undefined while it would not. */
  readonly lowForMs: number | undefined;
  /** The reason that was found in the last passes, and for how long without a break. */
  readonly found: { readonly reason: Reason; readonly forMs: number } | undefined;
}
