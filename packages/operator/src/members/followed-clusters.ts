// Which members are followed in which cluster, and what is true of all members of a cluster together: whether it is
// idle, its total rate, and whose turn it is to be asked.

import type { Clock } from '@marekvs/runtime';
import type { Followed } from './followed-member.ts';
import { intervalOf, type ProbeTurn, type Resting, rateLastsMs } from './probing-pace.ts';

export interface FollowedClusters {
  get(podUid: string): Followed | undefined;
  has(member: Followed): boolean;
  /** The members of a cluster, in the order they are followed; empty when it is not followed. */
  of(clusterKey: string): readonly Followed[];
  all(): Iterable<Followed>;
  put(member: Followed): void;
  /** Sets the members of a cluster. @returns those that are dropped */
  want(clusterKey: string, podUids: readonly string[]): readonly Followed[];
  /** @returns the members it had */
  forget(clusterKey: string): readonly Followed[];
  /** Forgets all members. @returns those that are dropped */
  clear(): readonly Followed[];
  /** No member serves anything. An unknown rate does not count as zero. */
  isIdle(clusterKey: string): boolean;
  restingOf(clusterKey: string): Resting;
  /** Commands per second of all members; undefined unless every rate is known and recent. */
  totalRate(clusterKey: string): number | undefined;
  /** Some member has not been asked yet. */
  isAnyUnasked(clusterKey: string): boolean;
  /** Milliseconds until a member is asked again. */
  intervalOf(member: Followed): number;
}

export function createFollowedClusters(clock: Clock, random: () => number): FollowedClusters {
  const members = new Map<string, Followed>();
  const clusters = new Map<string, ReadonlySet<string>>();
  const offsets = new Map<string, number>();

  const podUidsOf = (clusterKey: string): Iterable<string> => clusters.get(clusterKey) ?? [];

  function isIdle(clusterKey: string): boolean {
    for (const podUid of podUidsOf(clusterKey)) if (members.get(podUid)?.rate?.perSecond !== 0) return false;
    return true;
  }

  function restingOf(clusterKey: string): Resting {
    return { members: clusters.get(clusterKey)?.size ?? 0, isIdle: isIdle(clusterKey) };
  }

  function offsetOf(clusterKey: string): number {
    const offset = offsets.get(clusterKey) ?? random();
    offsets.set(clusterKey, offset);
    return offset;
  }

  /** Clusters that are sized by load are all asked in the same moments: a single question costs four times what it
   *  costs among a hundred, since code and data have left the processor's caches by then
   *  (docs/decisions/asking-members.md). */
  function turnOf({ clusterKey, target, pace }: Followed): ProbeTurn {
    const index = [...podUidsOf(clusterKey)].indexOf(target.podUid);
    return { nowMs: clock.monotonicMs(), index, offset: pace === 'watched' ? 0 : offsetOf(clusterKey) };
  }

  function drop(podUid: string): readonly Followed[] {
    const member = members.get(podUid);
    members.delete(podUid);
    return member === undefined ? [] : [member];
  }

  return {
    get: (podUid) => members.get(podUid),
    has: (member) => members.get(member.target.podUid) === member,
    of: (clusterKey) => [...podUidsOf(clusterKey)].flatMap((podUid) => members.get(podUid) ?? []),
    all: () => members.values(),
    put: (member) => void members.set(member.target.podUid, member),
    want(clusterKey, podUids) {
      const wanted = new Set(podUids);
      const dropped = [...podUidsOf(clusterKey)].filter((podUid) => !wanted.has(podUid)).flatMap(drop);
      clusters.set(clusterKey, wanted);
      return dropped;
    },
    forget(clusterKey) {
      const dropped = [...podUidsOf(clusterKey)].flatMap(drop);
      clusters.delete(clusterKey);
      offsets.delete(clusterKey);
      return dropped;
    },
    clear: () => [...members.keys()].flatMap(drop),
    isIdle,
    restingOf,
    totalRate(clusterKey) {
      let total = 0;
      for (const podUid of podUidsOf(clusterKey)) {
        const { rate, pace = 'settled' } = members.get(podUid) ?? {};
        if (rate?.perSecond === undefined || clock.monotonicMs() - rate.toMs > rateLastsMs(pace)) return undefined;
        total += rate.perSecond;
      }
      return total;
    },
    isAnyUnasked(clusterKey) {
      for (const podUid of podUidsOf(clusterKey)) if (members.get(podUid)?.answer.kind === 'notAsked') return true;
      return false;
    },
    intervalOf(member) {
      return intervalOf(member, { ...restingOf(member.clusterKey), turn: () => turnOf(member) });
    },
  };
}
