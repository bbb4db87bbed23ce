// Answers, for one who leads alone: may anybody who shares still be working? Pure.
import { isGone, isHeld, isSilent, type LeaseSight } from './lease-table.ts';
import { everybodyElse } from './ring-share.ts';

export interface SoleClaim {
  /** Who leads, as its lease says. */
  readonly holder: string;
  /** The lease may have been left behind by those that share: a lease of theirs that is missing may have
   *  been deleted a moment ago. */
  readonly isAfterSharing: boolean;
}

/** @returns the first of those who may; undefined: nobody */
export function whoMayShare(sight: LeaseSight, { holder, isAfterSharing }: SoleClaim): string | undefined {
  for (const lease of sight.leases.values()) {
    const { record, note } = lease;
    if (isHeld(lease, sight.nowMs) && !isSilent(lease, sight) && note?.yieldsTo !== holder)
      return `${record.holder || record.name} has not let go`;
  }
  if (!isAfterSharing) return undefined;
  const missing = everybodyElse(undefined).find((ordinal) => !sight.leases.has(ordinal) && !isGone(ordinal, sight));
  return missing === undefined ? undefined : `the lease of replica ${missing} has not been missing for long`;
}
