// Modes `static` and `ring`, joined: the leases of all replicas in one cache, and the ownership that follows from them. The same in a
// process on a real cluster and in the world that judges it.

import { ANNOTATIONS } from '@marekvs/api';
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

/** The lease of the one that leads: alone, or as the coordinator of those that share. */
export const LEASE_NAME = 'marekvs-operator';

export const SHARE_KEYS = {
  share: ANNOTATIONS.share,
  waiting: ANNOTATIONS.shareWaiting,
  mark: ANNOTATIONS.sharedBy,
  register: ANNOTATIONS.shares,
} as const;

export interface SharingOptions {
  /** For leases alone. */
  readonly transport: Transport;
  readonly namespace: string;
  readonly rules: ShareRules;
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
  /** Has to follow before the ownership runs. */
  readonly leaseCache: Reflector<LeaseRecord>;
}

export function createSharing(options: SharingOptions): Sharing {
  const { transport, namespace, clock, random, onProblem, metrics } = options;
  const client = createClient(transport);
  const ownership = createSharedOwnership({
    ...options,
    baseName: LEASE_NAME,
    keys: SHARE_KEYS,
    apiOf: (name) => createLeaseApi(client, { namespace, name }),
    slotOf,
  });
  const leaseCache = createReflector({
    transport,
    kind: leases,
    namespaces: [namespace],
    project: toLeaseRecord,
    keep: ({ name }) => name === LEASE_NAME || isReplicaLease(LEASE_NAME, name),
    onChange({ current, previous }) {
      const name = (current ?? previous)?.name;
      if (name !== undefined) ownership.observe(name, current);
    },
    onProblem,
    metrics,
    clock,
    random,
  });
  return { ownership, leaseCache };
}
