// What keeps something from its desired state, as a value: a reason, one sentence, and whether only a person can clear
// it.

import type { Reason } from '@marekvs/api';

/** Something that keeps the cluster or a node from its desired state, as a person reads it. */
export interface Hold {
  readonly reason: Reason;
  /** One sentence with names and numbers that do not change while nothing changes. */
  readonly message: string;
  /** True when only a person can clear it. */
  readonly needsPerson: boolean;
}

/** @param message one sentence that stays the same while nothing changes */
export function hold(reason: Hold['reason'], message: string, needsPerson = false): Hold {
  return { reason, message, needsPerson };
}
