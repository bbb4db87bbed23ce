// Ownership mode `single` beside replicas that share, during a change of modes: the holder of the leader's lease may
// act once no sharing replica can be working any more (docs/design/runtime.md#sharing). Where none has ever shared,
// that is at once.

import type { Grant, Ownership, OwnershipChange } from '../lease/grant.ts';
import { createLeaderElection, type LeaderElectionOptions } from '../lease/leader-election.ts';
import { createLeaseFeed } from '../lease/lease-feed.ts';
import { isPlaceholder, type LeaseNotes, type LeaseRecord } from '../lease/lease-record.ts';
import { createListeners } from '../lease/listeners.ts';
import { silentLogger } from '../log/logger.ts';
import { hasReached } from '../objects/resource-version.ts';
import { systemClock, type Timer } from '../time/clock.ts';
import { isGone, isHeld, isSilent, type LeaseSight } from './leases/lease-table.ts';
import { SHARE_FORMAT } from './leases/share-format.ts';
import { everybodyElse } from './ring/ring-share.ts';
import { createSeenLeases } from './seen-leases.ts';
import type { ShareKeys } from './share-plan.ts';

export interface SoleOwnershipOptions extends Omit<LeaderElectionOptions, 'feed'> {
  /** The name of the leader's lease; that of a sharing replica has the ordinal appended. */
  readonly baseName: string;
  readonly keys: Pick<ShareKeys, 'share' | 'format' | 'mark'>;
}

export interface SoleOwnership extends Ownership {
  readonly name: string;
  /** Takes in a change of any lease, from one watch over all of them, in its order. Undefined: the lease is gone. */
  observe(leaseName: string, record: LeaseRecord | undefined): void;
  /** Takes in that all leases have just been read, and that changes before that may have been missed. */
  listed(): void;
  /** What the lease holder waits for before it acts; undefined when it does not wait. */
  readonly waiting: string | undefined;
  leftMs(): number;
}

/** How often to check while waiting for something that may cause no event. */
const RECHECK_MS = 500;

export function createSoleOwnership(options: SoleOwnershipOptions): SoleOwnership {
  const { baseName, keys, identity, clock = systemClock, logger = silentLogger } = options;
  const self = Number.NaN;
  const seen = createSeenLeases({ baseName, self, keys, format: SHARE_FORMAT, timing: options, clock });
  const feed = createLeaseFeed();
  const listeners = createListeners<OwnershipChange>('ownership changes', logger);
  /** The version of the term in which no replica shares any more. */
  let soleTerm: string | undefined;
  /** The lease that was taken may have been left behind by replicas that share. */
  let isAfterSharing = false;
  let waiting: string | undefined;
  let timer: Timer | undefined;

  const election = createLeaderElection({ ...options, feed, notes });

  /** Clears the mark of sharing as soon as no replica shares any more. */
  function notes(previous: LeaseRecord | undefined): LeaseNotes {
    const mark = previous?.annotations?.[keys.mark] ?? '';
    if (election.termVersion === undefined)
      isAfterSharing = previous === undefined || mark !== '' || isPlaceholder(previous);
    const isCleared = mark !== '' && isSole();
    return { ...options.notes?.(previous), ...(isCleared ? { [keys.mark]: '' } : {}) };
  }

  function isSole(): boolean {
    return soleTerm !== undefined && soleTerm === election.termVersion;
  }

  function evaluate(): void {
    timer?.cancel();
    const { termVersion } = election;
    if (termVersion === undefined) end();
    else if (!isSole()) begin(termVersion);
  }

  function begin(termVersion: string): void {
    const why = whyWait(termVersion);
    if (why !== undefined) {
      if (why !== waiting) logger.info('Waits for those that share', { why });
      waiting = why;
      timer = clock.after(RECHECK_MS, evaluate);
      return;
    }
    waiting = undefined;
    soleTerm = termVersion;
    listeners.emit({ gained: [0], lost: [] });
  }

  function whyWait(termVersion: string): string | undefined {
    const sight = seen.sight();
    const reached = sight.leader?.resourceVersion;
    if (reached === undefined || !hasReached(reached, termVersion)) return 'the watch of leases is behind';
    return whoMayShare(sight, { holder: identity.text, isAfterSharing });
  }

  function end(): void {
    waiting = undefined;
    if (soleTerm === undefined) return;
    soleTerm = undefined;
    listeners.emit({ gained: [], lost: [0] });
  }

  election.onChange(evaluate);

  return {
    name: election.name,
    async run(signal) {
      await election.run(signal);
      timer?.cancel();
    },
    observe(leaseName, record) {
      seen.note(leaseName, record);
      if (leaseName === baseName) feed.push(record);
      if (!isSole()) evaluate();
    },
    listed: seen.listed,
    grant: (key): Grant | undefined => (isSole() ? election.grant(key) : undefined),
    onChange: listeners.add,
    leave: election.leave,
    get waiting() {
      return waiting;
    },
    leftMs: election.leftMs,
  };
}

interface SoleClaim {
  /** The leader's identity, as on the lease. */
  readonly holder: string;
  /** The lease may have been left behind by replicas that share: a missing lease of such a replica may have been
   *  deleted a moment ago. */
  readonly isAfterSharing: boolean;
}

/** @returns a sentence about the first replica that may share; undefined: none */
function whoMayShare(sight: LeaseSight, { holder, isAfterSharing }: SoleClaim): string | undefined {
  for (const lease of sight.leases.values()) {
    const { record, note } = lease;
    if (isHeld(lease, sight.nowMs) && !isSilent(lease, sight) && note?.yieldsTo !== holder)
      return `${record.holder || record.name} has not let go`;
  }
  if (!isAfterSharing) return undefined;
  const missing = everybodyElse(undefined).find((ordinal) => !sight.leases.has(ordinal) && !isGone(ordinal, sight));
  return missing === undefined ? undefined : `the lease of replica ${missing} has not been missing for long`;
}
