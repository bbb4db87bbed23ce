// The two leases that a sharing replica holds: its own, and the leader's while it coordinates.

import type { LeaderElection, LeaderElectionHooks, LeaderElectionOptions } from '../../lease/leader-election.ts';
import { createLeaderElection } from '../../lease/leader-election.ts';
import { createLeaseFeed } from '../../lease/lease-feed.ts';
import type { LeaseApi, LeaseIdentity, LeaseRecord } from '../../lease/lease-record.ts';
import type { Logger } from '../../log/logger.ts';
import type { Clock } from '../../time/clock.ts';

type Notes = NonNullable<LeaderElectionOptions['notes']>;

export interface ShareLeasesOptions {
  readonly names: { readonly own: string; readonly leader: string };
  readonly notes: { readonly own: Notes; readonly leader: Notes };
  readonly apiOf: (leaseName: string) => LeaseApi;
  readonly identity: LeaseIdentity;
  readonly timing: Pick<LeaderElectionOptions, 'leaseMs' | 'renewMs' | 'clockRateError' | 'marginMs'>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  /** About the own lease. */
  readonly hooks: LeaderElectionHooks;
  readonly mayTake: () => boolean;
}

export interface ShareLeases {
  readonly own: LeaderElection;
  readonly coordinator: LeaderElection;
  /** Tells the one whose lease it is of a change. */
  push(leaseName: string, record: LeaseRecord | undefined): void;
  run(signal: AbortSignal): Promise<void>;
  leave(): Promise<void>;
}

export function createShareLeases(options: ShareLeasesOptions): ShareLeases {
  const { names, notes, apiOf, identity, timing, clock, random, logger, hooks, mayTake } = options;
  const common = { ...timing, identity, clock, random, mayTake };
  const feeds = { own: createLeaseFeed(), leader: createLeaseFeed() };
  const of = (which: keyof typeof names) => ({
    ...common,
    api: apiOf(names[which]),
    feed: feeds[which],
    logger: logger.child({ lease: names[which] }),
    notes: notes[which],
  });
  const own = createLeaderElection({
    ...of('own'),
    lines: { begun: 'Takes part', ended: 'Does not take part any more' },
    hooks,
  });
  const coordinator = createLeaderElection({
    ...of('leader'),
    lines: { begun: 'Coordinates', ended: 'Does not coordinate any more' },
  });
  const both = [own, coordinator];
  return {
    own,
    coordinator,
    push(leaseName, record) {
      if (leaseName === names.own) feeds.own.push(record);
      if (leaseName === names.leader) feeds.leader.push(record);
    },
    async run(signal) {
      await Promise.all(both.map((one) => one.run(signal)));
    },
    async leave() {
      await Promise.all(both.map((one) => one.leave()));
    },
  };
}
