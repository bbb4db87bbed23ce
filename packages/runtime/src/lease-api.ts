// The three requests the election makes, on one named Lease. Updates only ever replace the version they were decided
// on.

import { ifFound } from './errors.ts';
import { leases } from './kinds.ts';
import type { KubeClient } from './kube-client.ts';
import { type LeaseRecord, type LeaseSpec, toLeaseRecord } from './lease-record.ts';

/** All calls throw ApiError or TransportError (errors.ts), or the signal's reason. */
export interface LeaseApi {
  /** Live. Undefined when there is no such lease. */
  read(signal: AbortSignal): Promise<LeaseRecord | undefined>;
  /** @throws ApiError 409 AlreadyExists */
  create(spec: LeaseSpec, signal: AbortSignal, annotations?: LeaseNotes): Promise<LeaseRecord>;
  /** Keeps labels, and all annotations but those given. @throws ApiError 409 Conflict when the lease is not `previous`
   *  any more, 404 when it is gone */
  update(previous: LeaseRecord, spec: LeaseSpec, signal: AbortSignal, annotations?: LeaseNotes): Promise<LeaseRecord>;
}

/** Annotations of a lease. */
export type LeaseNotes = Readonly<Record<string, string>>;

/** Written with update, not patch: the flow schema that spares lease traffic from throttling knows
 *  get, create and update only. */
export function createLeaseApi(
  client: KubeClient,
  lease: { readonly namespace: string; readonly name: string },
): LeaseApi {
  return {
    async read(signal) {
      const found = await ifFound(client.get(leases, lease, { signal }));
      return found === undefined ? undefined : toLeaseRecord(found);
    },
    async create(spec, signal, annotations) {
      const metadata = { ...lease, ...(annotations === undefined ? {} : { annotations }) };
      return toLeaseRecord(await client.create(leases, { metadata, spec }, { signal }));
    },
    async update(previous, spec, signal, notes) {
      const { uid, resourceVersion, labels } = previous;
      const annotations = notes === undefined ? previous.annotations : { ...previous.annotations, ...notes };
      const metadata = {
        ...lease,
        uid,
        resourceVersion,
        ...(labels === undefined ? {} : { labels }),
        ...(annotations === undefined ? {} : { annotations }),
      };
      return toLeaseRecord(await client.update(leases, { metadata, spec }, { signal }));
    },
  };
}
