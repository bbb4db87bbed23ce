// The right to act, by the mode that was asked for: one leads, or all share.

import {
  type Clock,
  createClient,
  createLeaderElection,
  createLeaseApi,
  createLeaseFeed,
  createLeaseIdentity,
  createReflector,
  type Identified,
  type LeaseNotes,
  type Logger,
  leases,
  type Metrics,
  type Ownership,
  type Reflector,
  type ReflectorProblem,
  type SharePart,
  type ShareRules,
  type Transport,
  toLeaseRecord,
} from '@marekvs/runtime';
import { type OperatorOptions, ordinalOf } from '../options.ts';
import { cacheRunnable, waitFor } from '../parts.ts';
import { createSharing, LEASE_NAME } from './sharing.ts';

export interface ModeOptions {
  readonly options: OperatorOptions;
  /** For leases alone: a busy queue of requests must never cost us one. */
  readonly transport: Transport;
  readonly part: SharePart;
  /** What is noted on the own lease with every renewal. */
  readonly notes: () => LeaseNotes;
  readonly metrics: Pick<Metrics, 'leaderElection' | 'ownership' | 'reflector'>;
  readonly onProblem: (problem: ReflectorProblem) => void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
}

export interface Mode {
  readonly ownership: Ownership & { readonly name: string; leftMs(): number };
  /** What has to be complete before anybody takes part. */
  readonly leaseCache: ReturnType<typeof cacheRunnable>;
}

export function createMode(mode: ModeOptions): Mode {
  const rules = rulesOf(mode.options);
  return rules === undefined ? createSingle(mode) : createShared(mode, rules);
}

function rulesOf({ mode, replicas }: OperatorOptions): ShareRules | undefined {
  if (mode === 'ring') return { kind: 'ring' };
  return mode === 'static' && replicas !== undefined ? { kind: 'static', count: replicas } : undefined;
}

function createSingle({ options, transport, metrics, onProblem, logger, notes }: ModeOptions): Mode {
  const lease = { namespace: options.namespace, name: LEASE_NAME };
  const feed = createLeaseFeed();
  const cache = createReflector({
    transport,
    kind: leases,
    namespaces: [lease.namespace],
    fieldSelector: `metadata.name=${lease.name}`,
    project: toLeaseRecord,
    onChange: (change) => feed.push(change.current),
    onProblem,
    metrics: metrics.reflector,
  });
  const ownership = createLeaderElection({
    api: createLeaseApi(createClient(transport), lease),
    feed,
    identity: createLeaseIdentity(options.podName, options.podUid),
    leaseMs: options.leaseDuration,
    renewMs: options.renewInterval,
    logger,
    hooks: metrics.leaderElection,
    notes,
  });
  return { ownership, leaseCache: withEnd(cache, () => feed.push(undefined)) };
}

/** That there is no lease is news too. */
function withEnd(cache: Reflector<Identified>, onNone: () => void): Mode['leaseCache'] {
  return {
    ...cacheRunnable(cache),
    async ready(signal) {
      await waitFor(cache.synced, signal);
      if (cache.store.size === 0) onNone();
    },
  };
}

function createShared(mode: ModeOptions, rules: ShareRules): Mode {
  const { options, metrics } = mode;
  metrics.ownership.slots(0);
  const { ownership, leaseCache } = createSharing({
    ...mode,
    namespace: options.namespace,
    rules,
    ordinal: ordinalOf(options) ?? 0,
    identity: createLeaseIdentity(options.podName, options.podUid),
    timing: { leaseMs: options.leaseDuration, renewMs: options.renewInterval },
    hooks: metrics.ownership,
    metrics: metrics.reflector,
  });
  return { ownership, leaseCache: cacheRunnable(leaseCache) };
}
