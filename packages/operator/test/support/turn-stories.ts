// Many clusters that change at once, and the places for their turns. Each cluster asks as its passes do: every second
// while it has a place or a turn, and when it is notified; a cluster in line is not reconciled. What must never happen
// is thrown.

import { createManualClock } from '../../../runtime/test/support/manual-clock.ts';
import {
  createTurnPlaces,
  LONG_TURN_MS,
  MAX_TURNS,
  SLICE_MS,
  type TurnPlaces,
} from '../../src/operations/turn-places.ts';

interface Change {
  /** How many members it restarts. */
  readonly members: number;
  readonly turnMs: number;
  /** Something prevents its first turn, although it has a place. */
  readonly isHeld?: boolean;
}

interface Cluster extends Change {
  left: number;
  turns: number;
  turn: { readonly id: string; readonly sinceMs: number; readonly endsMs: number } | undefined;
  /** Its position in the order of arrival in the line of this process. */
  cameAs: number | undefined;
  begunMs: number | undefined;
  doneMs: number | undefined;
  isPaused: boolean;
}

const SECOND_MS = 1_000;

function createFleet() {
  const clock = createManualClock();
  const clusters = new Map<string, Cluster>();
  const told = new Set<string>();
  let processSinceMs = 0;
  let nextInLine = 1;
  let places = begin();

  function begin(): TurnPlaces {
    processSinceMs = clock.steadyMs();
    return createTurnPlaces({
      clock,
      onPlace: (key) => void told.add(key),
      *begun() {
        for (const [key, { turn }] of clusters) if (turn !== undefined) yield [key, turn.id];
      },
    });
  }

  /** For this process, a turn that was under way when it began is as old as the process. */
  function freshTurns(): number {
    const sinceMs = clock.steadyMs() - LONG_TURN_MS;
    return [...clusters.values()].filter(({ turn }) => turn && Math.max(turn.sinceMs, processSinceMs) > sinceMs).length;
  }

  function beginTurn(key: string, one: Cluster): void {
    const nowMs = clock.steadyMs();
    if (freshTurns() >= MAX_TURNS) throw new Error(`${key} begins beside ${freshTurns()} others`);
    const earlier = [...clusters].find(
      ([other, { cameAs }]) => tenantOf(other) === tenantOf(key) && cameAs !== undefined && cameAs < (one.cameAs ?? 0),
    );
    if (earlier !== undefined) throw new Error(`${key} begins before ${earlier[0]}, which came first`);
    one.turns += 1;
    one.turn = { id: `${key} ${one.turns}`, sinceMs: nowMs, endsMs: nowMs + one.turnMs };
    one.cameAs = undefined;
    one.begunMs ??= nowMs;
  }

  function pass(key: string): void {
    const one = clusters.get(key);
    if (one === undefined) return;
    const nowMs = clock.steadyMs();
    if (one.turn !== undefined) {
      const isInLine = places.isInLine(key, { turn: one.turn.id });
      if (nowMs < one.turn.endsMs) return;
      one.turn = undefined;
      one.left -= 1;
      if (one.left === 0) one.doneMs = nowMs;
      else if (!isInLine && !one.isPaused) beginTurn(key, one);
      return;
    }
    if (one.left === 0 || one.isPaused) {
      one.cameAs = undefined;
      places.isInLine(key, undefined);
    } else if (places.isInLine(key, 'pending')) one.cameAs ??= nextInLine++;
    else if (one.isHeld !== true) beginTurn(key, one);
    else one.cameAs = undefined;
  }

  function checkReported(): void {
    while (told.size > 0) {
      const [key = ''] = told;
      told.delete(key);
      pass(key);
    }
  }

  return {
    nowMs: () => clock.steadyMs(),
    clusters,
    change(keys: readonly string[], change: Change): void {
      for (const key of keys) {
        const [left, isPaused] = [change.members, false];
        const none = { turn: undefined, cameAs: undefined, begunMs: undefined, doneMs: undefined };
        clusters.set(key, { ...change, left, turns: 0, isPaused, ...none });
        pass(key);
        checkReported();
      }
    },
    run(ms: number): void {
      for (const untilMs = clock.steadyMs() + ms; clock.steadyMs() < untilMs; ) {
        clock.advance(SECOND_MS);
        checkReported();
        for (const [key, { cameAs }] of clusters) if (cameAs === undefined) pass(key);
        checkReported();
      }
    },
    pause(key: string): void {
      const one = clusters.get(key);
      if (one !== undefined) one.isPaused = true;
      pass(key);
      checkReported();
    },
    remove(key: string): void {
      clusters.delete(key);
      places.forget(key);
      checkReported();
    },
    /** Another process takes over: nothing is remembered, and all clusters are reconciled. */
    restart(): void {
      places = begin();
      told.clear();
      for (const one of clusters.values()) one.cameAs = undefined;
      const [first = '', ...others] = clusters.keys();
      for (const key of [first, ...others.reverse()]) pass(key);
      checkReported();
    },
    figures: () => places.figures(),
  };
}

type Fleet = ReturnType<typeof createFleet>;

const tenantOf = (key: string): string => key.slice(0, key.indexOf('/'));
const numbered = (count: number, tenant = 'a'): readonly string[] =>
  Array.from({ length: count }, (_, i) => `${tenant}/c${i}`);

/** @throws Error unless each has begun by then */
function begun({ clusters }: Fleet, keys: readonly string[], byMs: number): void {
  const late = keys.filter((key) => !((clusters.get(key)?.begunMs ?? Number.POSITIVE_INFINITY) <= byMs));
  if (late.length > 0) throw new Error(`${late.join(', ')} did not begin within ${byMs / SECOND_MS} s`);
}

function done({ clusters }: Fleet, byMs: number): void {
  const late = [...clusters].filter(([, { doneMs }]) => !((doneMs ?? Number.POSITIVE_INFINITY) <= byMs));
  if (late.length > 0) throw new Error(`${late.map(([key]) => key).join(', ')} not done within ${byMs / SECOND_MS} s`);
}

const USUAL = { members: 3, turnMs: 25_000 };
/** While nothing is asked: a check of the places, and a pass. */
const NOTICED_MS = 6_000;

export const TURN_STORIES = {
  async 'five times as many as places change at once'() {
    const fleet = createFleet();
    fleet.change(numbered(5 * MAX_TURNS), USUAL);
    fleet.run(700_000);
    done(fleet, 5 * (3 * 25_000 + 5_000));
  },
  async 'the turns of all with a place hang'() {
    const fleet = createFleet();
    fleet.change(numbered(MAX_TURNS, 'b'), { members: 3, turnMs: 3_600_000 });
    fleet.change(numbered(4), USUAL);
    fleet.run(200_000);
    begun(fleet, numbered(4), LONG_TURN_MS + NOTICED_MS);
  },
  async 'all with a place cannot begin'() {
    const fleet = createFleet();
    fleet.change(numbered(MAX_TURNS, 'b'), { ...USUAL, isHeld: true });
    fleet.change(numbered(4), USUAL);
    fleet.run(200_000);
    begun(fleet, numbered(4), 30_000 + NOTICED_MS);
  },
  async 'everybody hangs'() {
    const fleet = createFleet();
    fleet.change(numbered(8 * MAX_TURNS), { members: 1, turnMs: 3_600_000 });
    fleet.run(1_000_000);
    begun(fleet, numbered(8 * MAX_TURNS), 7 * (SLICE_MS + LONG_TURN_MS + NOTICED_MS));
  },
  async 'small ones come after large ones'() {
    const fleet = createFleet();
    fleet.change(numbered(MAX_TURNS), { members: 12, turnMs: 20_000 });
    fleet.change(numbered(MAX_TURNS + 4).slice(MAX_TURNS), { members: 1, turnMs: 20_000 });
    fleet.run(600_000);
    begun(fleet, numbered(MAX_TURNS + 4), SLICE_MS + 20_000 + NOTICED_MS);
    done(fleet, 500_000);
  },
  async 'a tenant with one cluster comes last'() {
    const fleet = createFleet();
    fleet.change(numbered(3 * MAX_TURNS), USUAL);
    fleet.change(['b/only'], USUAL);
    fleet.run(120_000);
    const firstOfLine = fleet.clusters.get(`a/c${MAX_TURNS}`)?.begunMs ?? Number.POSITIVE_INFINITY;
    begun(fleet, ['b/only'], firstOfLine);
  },
  async 'those with a place are paused or deleted'() {
    const fleet = createFleet();
    fleet.change(numbered(MAX_TURNS), { members: 3, turnMs: 20_000 });
    fleet.change(numbered(MAX_TURNS, 'b'), USUAL);
    for (const key of numbered(MAX_TURNS - 4)) fleet.pause(key);
    for (const key of numbered(MAX_TURNS).slice(-4)) fleet.remove(key);
    begun(fleet, numbered(4, 'b'), fleet.nowMs());
    fleet.run(120_000);
    begun(fleet, numbered(MAX_TURNS, 'b'), 20_000 + 2 * SECOND_MS);
  },
  async 'those in line are paused or deleted'() {
    const fleet = createFleet();
    fleet.change(numbered(MAX_TURNS), { members: 1, turnMs: 20_000 });
    fleet.change(numbered(MAX_TURNS + 10, 'b'), USUAL);
    for (const key of numbered(4, 'b')) fleet.pause(key);
    for (const key of numbered(8, 'b').slice(4)) fleet.remove(key);
    fleet.run(120_000);
    begun(fleet, numbered(MAX_TURNS + 8, 'b').slice(8), 20_000 + 2 * SECOND_MS);
  },
  async 'another process takes over'() {
    const fleet = createFleet();
    fleet.change(numbered(2 * MAX_TURNS), USUAL);
    fleet.run(10_000);
    fleet.restart();
    fleet.run(600_000);
    done(fleet, 4 * (3 * 25_000 + 5_000));
  },
};

export type TurnStory = keyof typeof TURN_STORIES;
