// Keeps what the member of one Pod has shown (planner: member-facts.ts), one life of its process after the other, and
// knows when our own connections show in its figures. Decides nothing; the sampler chooses when it is asked.

import { type MemberFacts, nextFacts, type OwnTraces, type ViewLine } from '@marekvs/planner';
import { isYounger, type MemberMetrics } from '@marekvs/store-client';
import { figuresOf } from './figures.ts';
import type { ProbeWatch } from './probe.ts';

/** One probe under way, with its times and our own traces. */
export interface WatchedProbe extends ProbeWatch {
  /** Monotonic time at which the list of members was asked for; when the probe began, unless the probe knew better. */
  viewAtMs(): number;
  /** When the figures were asked for, and what in them comes from us. */
  asked(): { readonly atMs: number; readonly own: OwnTraces };
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
  let opened = 0;
  let failed = 0;
  let underWay = 0;
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

  function speak(): (hasFailed: boolean) => void {
    opened += 1;
    underWay += 1;
    let isOver = false;
    return (hasFailed) => {
      if (isOver) return;
      isOver = true;
      underWay -= 1;
      if (hasFailed) failed += 1;
    };
  }

  function observerNow(): OwnTraces['observer'] {
    if (nowMs() - observersChangedMs < OBSERVER_SETTLES_MS) return 'changing';
    return observers > 0 ? 'counted' : 'none';
  }

  return {
    restart,
    shown,
    probe() {
      let viewAtMs = nowMs();
      let atMs = viewAtMs;
      // Until the probe asks for figures, nothing is known of our own part in them.
      let own: OwnTraces = { opened, failed, isUnderWay: true, observer: observerNow() };
      return {
        viewAtMs: () => viewAtMs,
        asked: () => ({ atMs, own }),
        figuresAsked() {
          atMs = nowMs();
          own = { opened, failed, isUnderWay: underWay > 0, observer: observerNow() };
        },
        figuresRead() {
          if (opened !== own.opened) own = { ...own, isUnderWay: true };
        },
        respAsked() {
          viewAtMs = nowMs();
          return speak();
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
      const { atMs, own } = probing.asked();
      const reading = { atMs, own, figures: figuresOf(metrics), shown: view };
      facts = nextFacts(facts, reading, { nodeId, podUid, generation, intervalMs });
    },
    facts: () => facts,
  };
}
