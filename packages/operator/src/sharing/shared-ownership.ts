// Assembles modes `static` and `ring`: the leases of all replicas in one cache, and the ownership that follows from
// them. The same in a process on a real cluster and in the world that judges it.

import { ANNOTATIONS, OPERATOR_LEASE } from '@marekvs/api';
import {
  type Clock,
  createClient,
  createLeaseApi,
  createReflector,
  createSharedOwnership,
  isReplicaLease,
  type LeaseIdentity,
  type LeaseNotes,
  type LeaseRecord,
  type Logger,
  leases,
  type Reflector,
  type ReflectorMetrics,
  type ReflectorProblem,
  type SharedOwnership,
  type SharedOwnershipHooks,
  type SharedOwnershipOptions,
  type SharePart,
  type ShareRules,
  slotOf,
  type Transport,
  toLeaseRecord,
} from '@marekvs/runtime';

export const SHARE_KEYS = {
  share: ANNOTATIONS.share,
  format: ANNOTATIONS.shareFormat,
  waiting: ANNOTATIONS.shareWaiting,
  mark: ANNOTATIONS.sharedBy,
  register: ANNOTATIONS.shares,
} as const;

export interface SharingOptions {
  /** For leases alone: a full queue of requests must never delay a renewal until a lease is lost. */
  readonly transport: Transport;
  readonly namespace: string;
  readonly rules: ShareRules;
  /** @default that of this version */
  readonly format?: string;
  readonly ordinal: number;
  readonly identity: LeaseIdentity;
  readonly part: SharePart;
  readonly timing?: NonNullable<SharedOwnershipOptions['timing']>;
  readonly notes?: () => LeaseNotes;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  readonly hooks?: SharedOwnershipHooks;
  readonly onProblem: (problem: ReflectorProblem) => void;
  readonly metrics?: ReflectorMetrics;
}

export interface Sharing {
  readonly ownership: SharedOwnership;
  /** Must be running before the ownership runs. */
  readonly leaseCache: Reflector<LeaseRecord>;
}

export function createSharing(options: SharingOptions): Sharing {
  const { transport, namespace } = options;
  const client = createClient(transport);
  const ownership = createSharedOwnership({
    ...options,
    baseName: OPERATOR_LEASE,
    keys: SHARE_KEYS,
    apiOf: (name) => createLeaseApi(client, { namespace, name }),
    slotOf,
  });
  const leaseCache = createLeaseCache({ ...options, observe: ownership.observe, listed: ownership.listed });
  return { ownership, leaseCache };
}

/** One watch over the leader's lease and those of all sharing replicas, which delivers changes in order. */
export function createLeaseCache({
  namespace,
  observe,
  listed,
  ...options
}: Pick<SharingOptions, 'transport' | 'namespace' | 'clock' | 'random' | 'onProblem' | 'metrics'> & {
  readonly observe: (name: string, record: LeaseRecord | undefined) => void;
  /** Called when all leases have been read. */
  readonly listed: () => void;
}): Reflector<LeaseRecord> {
  return createReflector({
    transport: options.transport,
    kind: leases,
    namespaces: [namespace],
    project: toLeaseRecord,
    keep: ({ name }) => name === OPERATOR_LEASE || isReplicaLease(OPERATOR_LEASE, name),
    onChange({ current, previous }) {
      const name = (current ?? previous)?.name;
      if (name !== undefined) observe(name, current);
    },
    onListed: listed,
    onProblem: options.onProblem,
    metrics: options.metrics,
    clock: options.clock,
    random: options.random,
  });
}
