// What the acts of a plan work on: the world, and faults that wait for their moment, such as writes that will fail and
// watches that are late. Nothing here is random: the same plan is the same life.

import type { Fate, Fault } from '../fate/fate.ts';
import type { MemberWorld, WriteCall, WriteFate } from '../world/member-world.ts';
import { holdPauses } from './pause-judge.ts';
import type { WriteEnd } from './plan.ts';
import type { Wish } from './wish.ts';

export interface Scene {
  readonly world: MemberWorld;
  readonly fate: Fate;
  /** The user's current wish. */
  wish(): Wish;
  /** The nth write from now on ends like this. */
  spoilWrite(nth: number, end: WriteEnd): void;
  /** Delays watches of a resource, or of `all`, by `ms` for `forMs`. */
  delayWatches(resource: string, ms: number, forMs: number): void;
  /** Volumes that were kept, by policy, when the cluster was last deleted. */
  keptVolumes: readonly string[];
}

const FAULT_OF: Readonly<Record<WriteEnd, Fault>> = {
  crashBefore: 'crashBeforeWrite',
  crashAfter: 'crashAfterWrite',
  lose: 'lostReply',
  late: 'lateWrite',
  conflict: 'conflict',
  unavailable: 'unavailable',
};

const QUICK_MS = 2;

export function createScene(world: MemberWorld, fate: Fate, wish: () => Wish): Scene {
  const spoilt: { left: number; readonly end: WriteEnd }[] = [];
  const lags = new Set<{ readonly resource: string; readonly ms: number }>();
  const pauses = holdPauses(world);

  function fateOf(write: WriteCall): WriteFate {
    pauses.judge(write);
    if (fate.isOver) return 'pass';
    for (const one of spoilt) one.left -= 1;
    const due = spoilt.find(({ left }) => left === 0);
    if (due === undefined) return 'pass';
    fate.count(FAULT_OF[due.end]);
    return due.end;
  }

  world.fateOf = fateOf;
  world.lagMs = (resource) =>
    Math.max(
      QUICK_MS,
      ...[...lags].flatMap((lag) => (lag.resource === 'all' || lag.resource === resource ? lag.ms : [])),
    );
  return {
    world,
    fate,
    wish,
    keptVolumes: [],
    spoilWrite(nth, end) {
      spoilt.push({ left: nth, end });
    },
    delayWatches(resource, ms, forMs) {
      const lag = { resource, ms };
      lags.add(lag);
      world.kube.transcript.add('world', `watches of ${resource} are ${ms} ms late`);
      fate.undoAfter(forMs, () => {
        lags.delete(lag);
        world.kube.transcript.add('world', `watches of ${resource} are in time again`);
      });
    },
  };
}
