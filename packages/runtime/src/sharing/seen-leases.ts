// What this replica has seen of all leases so far, by its own clock. What follows from an event is in lease-table.ts.

import type { LeaseRecord } from '../lease/lease-record.ts';
import { fenceMs, type LeaseTiming, leaseTiming } from '../lease/lease-view.ts';
import type { Clock } from '../time/clock.ts';
import {
  type LeaseSight,
  type LeaseTableOptions,
  NOTHING_KNOWN,
  noteLease,
  noteListed,
  sightOf,
} from './leases/lease-table.ts';
import type { ShareKeys } from './share-plan.ts';

export interface SeenLeasesOptions extends Pick<LeaseTableOptions, 'baseName' | 'self' | 'format'> {
  readonly keys: Pick<ShareKeys, 'share' | 'format'>;
  readonly timing: Partial<LeaseTiming>;
  readonly clock: Clock;
}

export interface SeenLeases {
  /** All existing leases were noted: the others are known to be missing from now on. Again whenever changes may have
   *  been missed before that. */
  listed(): void;
  /** Records a lease, or (undefined) that it is gone. */
  note(leaseName: string, record: LeaseRecord | undefined): void;
  sight(): LeaseSight;
}

export function createSeenLeases({ keys, timing, clock, ...names }: SeenLeasesOptions): SeenLeases {
  const waitMs = fenceMs(leaseTiming(timing));
  const table: LeaseTableOptions = {
    ...names,
    fenceMs: waitMs,
    shareKey: keys.share,
    formatKey: keys.format,
  };
  let known = NOTHING_KNOWN;
  return {
    listed() {
      known = noteListed(known, clock.monotonicMs());
    },
    note(leaseName, record) {
      known = noteLease(known, table, leaseName, record, clock.monotonicMs());
    },
    sight: () => sightOf(known, table, clock.monotonicMs()),
  };
}
