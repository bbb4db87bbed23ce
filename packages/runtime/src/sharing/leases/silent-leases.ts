// Frees the leases of replicas that no longer renew them, so that others can take their slots.

import { type LeaseApi, releasedSpec } from '../../lease/lease-record.ts';
import type { Logger } from '../../log/logger.ts';
import type { Clock } from '../../time/clock.ts';
import { withTimeLimit } from '../../time/time-limit.ts';
import type { Ordinal } from '../slots/assignment.ts';
import type { LeaseSight } from './lease-table.ts';

export interface SilentLeasesOptions {
  readonly apiOf: (leaseName: string) => LeaseApi;
  /** How long a write may take, and how soon a failed one is tried again. */
  readonly renewMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly onFreed: () => void;
}

/** Frees a lease in the very version that was not renewed: if it has been renewed meanwhile, the write is refused. One
 *  attempt at a time for a lease. Never rejects. */
export function createSilentLeases(options: SilentLeasesOptions): (one: Ordinal, sight: LeaseSight) => Promise<void> {
  const { apiOf, renewMs, clock, logger } = options;
  const underWay = new Set<Ordinal>();
  return async (one, sight) => {
    const record = sight.leases.get(one)?.record;
    if (record === undefined || underWay.has(one)) return;
    underWay.add(one);
    try {
      const api = apiOf(record.name);
      await withTimeLimit(clock, renewMs, (signal) => api.update(record, releasedSpec(record, clock.nowMs()), signal));
      logger.warn('Freed the lease of a replica that did not renew it', { lease: record.name, holder: record.holder });
      options.onFreed();
    } catch (err) {
      logger.debug('Freeing a lease failed', { lease: record.name, err });
      await clock.delay(renewMs, options.signal).catch(() => {});
    } finally {
      underWay.delete(one);
    }
  };
}
