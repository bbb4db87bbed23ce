// Keeps what the member of one Pod has shown (planner: member-facts.ts), one life of its process after the other, and
// knows when its count of mesh connections includes ours. Decides nothing; the sampler chooses when it is asked.

import { type MemberFacts, nextFacts, type ObserverTrace, type ViewLine } from '@marekvs/planner';
import { isYounger, type MemberMetrics } from '@marekvs/store-client';
import { figuresOf } from './figures.ts';
import type { ProbeWatch } from './probe.ts';

/** One probe under way, with its times. Monotonic. */
export interface WatchedProbe extends ProbeWatch {
  /** When the list of members was asked for; when the probe began, unless the probe knew better. */
  viewAtMs(): number;
  /** When the figures were asked for, and whether they count us. */
  asked(): { readonly atMs: number; readonly observer: ObserverTrace };
}

/** The list that a member shows, and since when we know it. */
export interface ShownView {
  readonly view: readonly ViewLine[];
  readonly digest: string;
  /** Monotonic. */
  readonly atMs: number;
}

export interface FactsKeeper {
  /** Begins a probe of the member. */
  probe(): WatchedProbe;
  /** We are connected to the member's mesh port as an observer from now on, until the returned function is called. */
  observe(): () => void;
  /** Another member has answered at the address: earlier facts prove nothing now. */
  restart(): void;
  /** Its list was seen, with or without figures. If the member's own generation in it has changed, that is another
   *  life. */
  shown(view: readonly ViewLine[]): void;
  /** Adds a reading of its figures.
   *  @param view the list it shows; undefined while it serves no commands */
  add(probing: WatchedProbe, metrics: MemberMetrics, view: ShownView | undefined, intervalMs: number): void;
  /** An immutable snapshot. Undefined before the first figures, and for a Pod whose name has no node id. */
  facts(): MemberFacts | undefined;
}

/** The member counts its mesh connections every 2 s. For this long after a connection of ours opens or closes, the
 *  count may be from before or after that. */
const OBSERVER_SETTLES_MS = 5_000;

/** @param nowMs monotonic */
export function createFactsKeeper(nodeId: number | undefined, podUid: string, nowMs: () => number): FactsKeeper {
  let facts: MemberFacts | undefined;
  let generation: number | undefined;
  let observers = 0;
  let observersChangedMs = Number.NEGATIVE_INFINITY;

  function restart(): void {
    facts = undefined;
    generation = undefined;
  }

  function shown(view: readonly ViewLine[]): void {
    const own = view.find((line) => line.id === nodeId)?.generation;
    if (own === undefined) return;
    if (generation !== undefined && generation !== own) restart();
    generation = own;
  }

  function observerNow(): ObserverTrace {
    if (nowMs() - observersChangedMs < OBSERVER_SETTLES_MS) return 'changing';
    return observers > 0 ? 'counted' : 'none';
  }

  return {
    restart,
    shown,
    probe() {
      let viewAtMs = nowMs();
      let atMs = viewAtMs;
      let observer = observerNow();
      return {
        viewAtMs: () => viewAtMs,
        asked: () => ({ atMs, observer }),
        figuresAsked() {
          atMs = nowMs();
          observer = observerNow();
        },
        listAsked() {
          viewAtMs = nowMs();
        },
      };
    },
    observe() {
      observers += 1;
      observersChangedMs = nowMs();
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        observers -= 1;
        observersChangedMs = nowMs();
      };
    },
    add(probing, metrics, view, intervalMs) {
      if (isYounger(metrics, facts?.last.figures)) restart();
      if (view !== undefined) shown(view.view);
      if (nodeId === undefined) return;
      const reading = { ...probing.asked(), figures: figuresOf(metrics), shown: view };
      facts = nextFacts(facts, reading, { nodeId, podUid, generation, intervalMs });
    },
    facts: () => facts,
  };
}
