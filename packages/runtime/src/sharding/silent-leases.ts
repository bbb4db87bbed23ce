// Frees the leases of replicas that renew them no more, so that others may have their slots.
import type { Clock } from '../clock.ts';
import { type LeaseApi, releasedSpec } from '../lease-record.ts';
import type { Logger } from '../logger.ts';
import { withTimeLimit } from '../time-limit.ts';
import type { Ordinal } from './assignment.ts';
import type { LeaseSight } from './lease-table.ts';

export interface SilentLeasesOptions {
  readonly apiOf: (leaseName: string) => LeaseApi;
  /** How long a write may take, and how soon one that was refused is tried again. */
  readonly renewMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly onFreed: () => void;
}

/** Frees a lease in the version that was not renewed for so long: when it has been meanwhile, the write is refused.
 *  While that is under way for a lease, it is not begun again. Never rejects. */
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
