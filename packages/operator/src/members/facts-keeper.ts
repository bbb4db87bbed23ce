// Keeps what one Pod's member has shown (planner: member-facts.ts), one life of its process after the other, and knows
// when our own connections show in its figures. Judges nothing; whose turn it is to be asked is the sampler's business.

import { type MemberFacts, nextFacts, type OwnTraces, type ViewLine } from '@marekvs/planner';
import { isYounger, type MemberMetrics } from '@marekvs/store-client';
import { figuresOf } from './figures.ts';
import type { ProbeWatch } from './probe.ts';

/** One probe under way, and what has to be known of it. */
export interface WatchedProbe extends ProbeWatch {
  /** Monotonic time at which the list of members was asked for; when the probe began, unless the probe knew better. */
  viewAtMs(): number;
  /** When the figures were asked for, and our own traces in them. */
  asked(): { readonly atMs: number; readonly own: OwnTraces };
}

/** What a member shows of its cluster, and since when we know. */
export interface ShownView {
  readonly view: readonly ViewLine[];
  readonly digest: string;
  /** Monotonic. */
  readonly atMs: number;
}

export interface FactsKeeper {
  /** Begins a probe of the member. */
  probe(): WatchedProbe;
  /** We are connected to its mesh port as an observer from now on, until the returned function is called. */
  observe(): () => void;
  /** Somebody else has answered at its address: what came before proves nothing now. */
  restart(): void;
  /** Its list was seen, with or without figures: another generation of itself in it is another life. */
  shown(view: readonly ViewLine[]): void;
  /** Figures have come.
   *  @param view what it shows; undefined while it serves no commands */
  add(probing: WatchedProbe, metrics: MemberMetrics, view: ShownView | undefined, intervalMs: number): void;
  /** A value: what comes later does not change it. Undefined before the first figures, and for a Pod
   *  whose name carries no node id. */
  facts(): MemberFacts | undefined;
}

/** The member counts its mesh connections every 2 s; for so long after a change of ours the count may
 *  be of before or after it. */
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
      // Until the probe says when it asks for figures, nothing is known of what is ours in them.
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
