// Asks members of clusters that are sized by load for their figures alone, in the rounds of load-rounds.ts, and keeps
// their rates from the answers.

import type { Clock } from '@marekvs/runtime';
import { clientCommands, isYounger, type MemberAddress, type MemberMetrics, StoreError } from '@marekvs/store-client';
import type { FollowedClusters } from './followed-clusters.ts';
import type { Followed } from './followed-member.ts';
import { nextRate, type OpRate } from './op-rate.ts';
import { isSame } from './probe.ts';
import { WATCHED_INTERVAL_MS } from './probing-pace.ts';

/** Reads the figures of one member.
 *  @throws StoreError when there is no usable answer */
export type ReadFigures = (address: MemberAddress, signal: AbortSignal) => Promise<MemberMetrics>;

export interface WatchedLoad {
  /** Asks a member that serves and whose figures are known. Undefined for any other, which is asked by its normal
   *  probes. Rejects only for an abort. */
  ask(member: Followed, signal: AbortSignal): Promise<void> | undefined;
  /** True when the rounds measure this member. A rate over the few seconds since the last round would hide the time
   *  before, and a step with it. */
  isRated(member: Followed, now: MemberMetrics): boolean;
}

export interface WatchedLoadOptions {
  readonly clock: Clock;
  readonly members: Pick<FollowedClusters, 'has' | 'isIdle'>;
  /** Undefined: nothing is asked. */
  readonly figures: ReadFigures | undefined;
  /** The figures do not suffice: the member needs a whole probe now. */
  readonly askWholly: (member: Followed) => void;
  /** The member has a rate, which is not zero as before.
   *  @param hasWoken its cluster was idle until now */
  readonly onRate: (member: Followed, before: OpRate | undefined, hasWoken: boolean) => void;
}

export function createWatchedLoad({ clock, members, figures, askWholly, onRate }: WatchedLoadOptions): WatchedLoad {
  function isWatched(member: Followed): boolean {
    return member.pace === 'watched' && members.has(member);
  }

  function take(member: Followed, known: MemberMetrics, now: MemberMetrics): void {
    // Another probe has brought figures meanwhile.
    if (!isWatched(member) || member.metrics !== known) return;
    if (now.nodeId !== member.target.nodeId || !isSame(now, known)) {
      askWholly(member);
      return;
    }
    const before = member.rate;
    const wasIdle = members.isIdle(member.clusterKey);
    member.metrics = now;
    member.rate = nextRate(before, now, clock.monotonicMs());
    // As idle as before: there is nothing to report or compute.
    if (before?.perSecond === 0 && member.rate?.perSecond === 0) return;
    onRate(member, before, wasIdle && !members.isIdle(member.clusterKey));
  }

  return {
    ask(member, signal) {
      const { metrics, answer, failures, target } = member;
      if (figures === undefined || metrics === undefined || !isWatched(member)) return undefined;
      if (answer.kind !== 'serving' || failures > 0) return undefined;
      return figures({ host: target.ip }, signal).then(
        (now) => take(member, metrics, now),
        (error: unknown) => {
          signal.throwIfAborted();
          if (!(error instanceof StoreError)) throw error;
          // A whole probe finds out what the silence means.
          if (isWatched(member)) askWholly(member);
        },
      );
    },
    isRated(member, now) {
      const { rate, metrics } = member;
      if (!isWatched(member) || rate?.perSecond === undefined || metrics === undefined) return false;
      const isSameLife = !isYounger(now, metrics) && clientCommands(now) >= clientCommands(metrics);
      return isSameLife && clock.monotonicMs() - rate.toMs <= WATCHED_INTERVAL_MS;
    },
  };
}
