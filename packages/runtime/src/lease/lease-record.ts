// The lease as the election sees it, and the spec it writes. Pure. Times in a lease are for people: nothing here reads
// what they say.
import { randomUUID } from 'node:crypto';
import type { KubeClient } from '../client/kube-client.ts';
import { ifFound } from '../errors/errors.ts';
import { type Lease, leases } from '../objects/kinds.ts';
import { formatMicroTime } from '../objects/micro-time.ts';

export type LeaseSpec = NonNullable<Lease['spec']>;

/** The fields that are kept of a Lease. renewTime and leaseDurationSeconds are left out so that no code relies on them
 *  (F24, F26). Of acquireTime only the presence counts. */
export interface LeaseRecord {
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Empty when nobody holds it. */
  readonly holder: string;
  readonly acquireTime: string | undefined;
  readonly transitions: number;
  readonly labels: { [key: string]: string } | undefined;
  readonly annotations: { [key: string]: string } | undefined;
}

/** The projection for a reflector of leases. */
export function toLeaseRecord(lease: Lease): LeaseRecord {
  const { metadata, spec } = lease;
  return {
    namespace: metadata.namespace,
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    holder: spec?.holderIdentity ?? '',
    acquireTime: spec?.acquireTime,
    transitions: spec?.leaseTransitions ?? 0,
    labels: metadata.labels,
    annotations: metadata.annotations,
  };
}

/** Who holds a lease: the pod, and which start of its container. */
export interface LeaseIdentity {
  /** `<pod name>_<pod uid>_<boot id>` */
  readonly text: string;
  /** The part that all boots of this very pod share; undefined when the pod's uid is unknown. */
  readonly podPrefix: string | undefined;
}

/** @param podUid empty outside a pod: then a restarted process is not recognised as the same holder
 *  @param bootId unique per process, default a random UUID */
export function createLeaseIdentity(podName: string, podUid: string, bootId: string = randomUUID()): LeaseIdentity {
  return { text: `${podName}_${podUid}_${bootId}`, podPrefix: podUid === '' ? undefined : `${podName}_${podUid}_` };
}

/** The spec with which `identity` takes a lease, or renews one that it holds already. */
export function renewedSpec(
  previous: LeaseRecord,
  identity: LeaseIdentity,
  leaseMs: number,
  wallMs: number,
): LeaseSpec {
  const now = formatMicroTime(wallMs);
  const isRenewal = previous.holder === identity.text;
  return {
    holderIdentity: identity.text,
    leaseDurationSeconds: Math.ceil(leaseMs / 1000),
    acquireTime: (isRenewal ? previous.acquireTime : undefined) ?? now,
    renewTime: now,
    leaseTransitions: isRenewal ? previous.transitions : previous.transitions + 1,
  };
}

const PLACEHOLDER = 'fencing:';

/** The spec for creating a missing lease. A missing lease is not a released one, and a create has no precondition that
 *  could prove how long the lease was missing. So its holder is no replica: every candidate, the creator included,
 *  waits the fence time before taking it. */
export function placeholderSpec(identity: LeaseIdentity, leaseMs: number, wallMs: number): LeaseSpec {
  const now = formatMicroTime(wallMs);
  return {
    holderIdentity: `${PLACEHOLDER}${identity.text}`,
    leaseDurationSeconds: Math.ceil(leaseMs / 1000),
    acquireTime: now,
    renewTime: now,
    leaseTransitions: 0,
  };
}

export function isPlaceholder(record: LeaseRecord): boolean {
  return record.holder.startsWith(PLACEHOLDER);
}

/** The spec of a lease nobody holds: without the time at which it was acquired. */
export function releasedSpec(previous: LeaseRecord, wallMs: number): LeaseSpec {
  return { leaseDurationSeconds: 1, renewTime: formatMicroTime(wallMs), leaseTransitions: previous.transitions };
}

/** Released by its holder, or by a replica that waited for it. Somebody who only removes the holder leaves the acquire
 *  time in place, and that says nothing about the replica that still relies on the lease (F26). */
export function isReleased({ holder, acquireTime }: LeaseRecord): boolean {
  return holder === '' && acquireTime === undefined;
}

/** The three requests of the election, on one named Lease. An update only replaces the version it was decided on.
 *  All calls throw ApiError or TransportError (errors.ts), or the signal's reason. */
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

/** Uses update, not patch: the flow schema that exempts lease traffic from throttling covers only get, create and
 *  update. */
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
