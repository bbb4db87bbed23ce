// The right to act, in the configured mode: one replica leads, or all share.

import { OPERATOR_LEASE } from '@marekvs/api';
import {
  createClient,
  createLeaseApi,
  createLeaseIdentity,
  createSoleOwnership,
  type LeaseNotes,
  type LeaseRecord,
  type Metrics,
  type Ownership,
  type Reflector,
  type Runnable,
  type ShareRules,
  unlessAborted,
} from '@marekvs/runtime';
import { type OperatorOptions, ordinalOf } from '../process/options.ts';
import { createLeaseCache, createSharing, SHARE_KEYS, type SharingOptions } from './shared-ownership.ts';

export interface ModeOptions
  extends Pick<SharingOptions, 'transport' | 'part' | 'onProblem' | 'clock' | 'random' | 'logger'> {
  readonly options: OperatorOptions;
  /** Written to this replica's lease with every renewal. */
  readonly notes: () => LeaseNotes;
  readonly metrics: Pick<Metrics, 'leaderElection' | 'ownership' | 'reflector'>;
}

export interface Mode {
  readonly ownership: Ownership & { readonly name: string; leftMs(): number };
  /** Must be synced before this replica takes part. */
  readonly leaseCache: Runnable;
}

export function createMode(mode: ModeOptions): Mode {
  const rules = rulesOf(mode.options);
  return rules === undefined ? createSingle(mode) : createShared(mode, rules);
}

function rulesOf({ mode, replicas }: OperatorOptions): ShareRules | undefined {
  if (mode === 'ring') return { kind: 'ring' };
  return mode === 'static' && replicas !== undefined ? { kind: 'static', count: replicas } : undefined;
}

function createSingle({ options, transport, metrics, onProblem, clock, random, logger, notes }: ModeOptions): Mode {
  const lease = { namespace: options.namespace, name: OPERATOR_LEASE };
  const ownership = createSoleOwnership({
    baseName: OPERATOR_LEASE,
    keys: SHARE_KEYS,
    api: createLeaseApi(createClient(transport), lease),
    identity: createLeaseIdentity(options.podName, options.podUid),
    leaseMs: options.leaseDuration,
    renewMs: options.renewInterval,
    clock,
    random,
    logger,
    hooks: metrics.leaderElection,
    notes,
  });
  const cache = createLeaseCache({
    transport,
    namespace: lease.namespace,
    onProblem,
    metrics: metrics.reflector,
    clock,
    random,
    observe: ownership.observe,
    listed: ownership.listed,
  });
  return { ownership, leaseCache: withEnd(cache, () => ownership.observe(OPERATOR_LEASE, undefined)) };
}

/** Reports also that the leader has no lease. */
function withEnd(cache: Reflector<LeaseRecord>, onNone: () => void): Mode['leaseCache'] {
  return {
    ...cache,
    async ready(signal) {
      await unlessAborted(cache.synced, signal);
      if (![...cache.store.values()].some(({ name }) => name === OPERATOR_LEASE)) onNone();
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
  return { ownership, leaseCache };
}
