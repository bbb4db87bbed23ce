// Limits how many clusters restart members at a time: many that change together then cost this process no more than a
// few do, and it still serves those that do not change. First come, first served, tenants by turns, for a minute at a
// time. Not needed for safety: what a restart forgets only changes the order.

import type { ClusterObservation, ClusterPlan } from '@marekvs/planner';
import { type Clock, namespaceOf, type Timer } from '@marekvs/runtime';

/** Measured with a hundred clusters that change at once. With one more place, those that do not change wait for more
 *  than half as long again as alone (docs/decisions/many-updates.md). */
export const MAX_TURNS = 7;
/** A cluster that has had its place for this long gives it up at the end of a turn if others wait. */
export const SLICE_MS = 60_000;
/** A turn that takes longer waits for something: its place no longer counts, and nobody waits for it. */
export const LONG_TURN_MS = 60_000;
/** A cluster may take this long to begin its turn. */
export const BEGIN_MS = 30_000;
/** These times end without an event: while clusters wait, places are checked at this interval. */
const CHECK_MS = 5_000;

/** A turn under way by the id of its operation; `pending`: one is to begin; undefined: neither. */
export type TurnWish = { readonly turn: string } | 'pending' | undefined;

export interface TurnPlaces {
  /** Asked in every pass over the cluster. True: the cluster begins no further turn before those that asked earlier had
   *  theirs. A turn under way goes on in any case. Cheap. */
  isInLine(clusterKey: string, wish: TurnWish): boolean;
  /** The cluster wants no turn any more. */
  forget(clusterKey: string): void;
  /** Computed on every call. */
  figures(): TurnFigures;
}

export interface TurnFigures {
  /** Places that nobody else may have now. */
  readonly held: number;
  readonly inLine: number;
  /** How long the first cluster in line has waited; 0 when none waits. */
  readonly longestWaitMs: number;
}

export interface TurnPlacesOptions {
  readonly clock: Clock;
  /** A cluster that was in line has a place now: reconcile it. */
  readonly onPlace: (clusterKey: string) => void;
  /** Turns under way, as the caches show them. Read when the first cluster is to begin: turns that an earlier process
   *  has begun get their places first. */
  readonly begun?: () => Iterable<readonly [clusterKey: string, turn: string]>;
  readonly tenantOf?: (clusterKey: string) => string;
}

interface Place {
  /** `sinceMs`: since when it has its place. `stateSinceMs`: since when it has had this turn, or none. */
  sinceMs: number;
  stateSinceMs: number;
  turn: string | undefined;
}

export function createTurnPlaces({
  clock,
  onPlace,
  begun = () => [],
  tenantOf = namespaceOf,
}: TurnPlacesOptions): TurnPlaces {
  const places = new Map<string, Place>();
  /** Since when each cluster has waited, in order of arrival. */
  const waiting = new Map<string, number>();
  let timer: Timer | undefined;
  let isBegunKnown = false;

  function isCounted({ turn, stateSinceMs }: Place): boolean {
    return clock.steadyMs() - stateSinceMs < (turn === undefined ? BEGIN_MS : LONG_TURN_MS);
  }

  function usedPlaces(): number {
    return [...places.values()].filter(isCounted).length;
  }

  function isSliceOver({ sinceMs }: Place): boolean {
    return waiting.size > 0 && clock.steadyMs() - sinceMs >= SLICE_MS;
  }

  function give(key: string, turn: string | undefined): Place {
    const nowMs = clock.steadyMs();
    const place = { sinceMs: nowMs, stateSinceMs: nowMs, turn };
    places.set(key, place);
    waiting.delete(key);
    return place;
  }

  /** @param asking the cluster that is asking now, which needs no notice */
  function letIn(asking?: string): void {
    for (let free = MAX_TURNS - usedPlaces(); free > 0; free -= 1) {
      const next = nextInLine();
      if (next === undefined) break;
      give(next, undefined);
      if (next !== asking) onPlace(next);
    }
    if (waiting.size === 0) {
      timer?.cancel();
      timer = undefined;
    } else {
      timer ??= clock.after(CHECK_MS, () => {
        timer = undefined;
        letIn();
      });
    }
  }

  /** Among the clusters whose tenant has the fewest places, the one that came first. */
  function nextInLine(): string | undefined {
    const held = new Map<string, number>();
    for (const [key, place] of places)
      if (isCounted(place)) held.set(tenantOf(key), (held.get(tenantOf(key)) ?? 0) + 1);
    let next: string | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const key of waiting.keys()) {
      const count = held.get(tenantOf(key)) ?? 0;
      if (count >= fewest) continue;
      next = key;
      fewest = count;
    }
    return next;
  }

  function goesOn(key: string, turn: string): boolean {
    const place = places.get(key) ?? give(key, turn);
    if (place.turn !== turn) {
      place.turn = turn;
      place.stateSinceMs = clock.steadyMs();
    }
    return isSliceOver(place);
  }

  function giveToBegun(): void {
    if (isBegunKnown) return;
    isBegunKnown = true;
    for (const [key, turn] of begun()) if (!places.has(key)) give(key, turn);
  }

  function isToWait(key: string): boolean {
    giveToBegun();
    const place = places.get(key);
    if (place?.turn !== undefined) {
      place.turn = undefined;
      place.stateSinceMs = clock.steadyMs();
    }
    const isKept = place !== undefined && !isSliceOver(place) && (isCounted(place) || waiting.size === 0);
    if (isKept) return false;
    places.delete(key);
    if (!waiting.has(key)) waiting.set(key, clock.steadyMs());
    letIn(key);
    return waiting.has(key);
  }

  function forget(key: string): void {
    const wasThere = places.delete(key);
    if (waiting.delete(key) || wasThere) letIn();
    if (places.size + waiting.size === 0) isBegunKnown = false;
  }

  return {
    isInLine(clusterKey, wish) {
      if (wish === 'pending') return isToWait(clusterKey);
      if (wish !== undefined) return goesOn(clusterKey, wish.turn);
      forget(clusterKey);
      return false;
    },
    forget,
    figures() {
      const [firstMs = clock.steadyMs()] = waiting.values();
      return { held: usedPlaces(), inLine: waiting.size, longestWaitMs: clock.steadyMs() - firstMs };
    },
  };
}

/** True also while something else keeps the cluster from its next turn: without a place it would get none. */
export function waitsInLine({ isInLine }: ClusterObservation, { removal, resting }: ClusterPlan): boolean {
  return isInLine && removal.operation === undefined && resting === undefined;
}
