// Visits every state of a model of hand-overs (hand-over-model.ts), breadth first: in none do two replicas work on one
// slot, and from each every slot has an owner in the end if no more faults come. Two states are the same if nothing
// that happens later can tell them apart: times count from now, and no further than anything waits; versions count by
// their order.
import type { LeaseRecord } from '../../src/lease/lease-record.ts';
import { parseRegister } from '../../src/sharing/ring/register.ts';
import {
  type Bounds,
  firstWorld,
  isAllOwned,
  type Living,
  movesOf,
  nowOf,
  ordinaryMoves,
  overlapIn,
  stop,
  tick,
  type World,
} from './hand-over-model.ts';
import { FENCE_MS, isValid, nextMove, type Seat } from './hand-over-process.ts';
import { KEYS } from './share-keys.ts';

export interface SearchOptions {
  readonly bounds: Bounds;
  /** Everything has an owner at the start. Default: nothing runs yet. */
  readonly isFormed?: boolean;
  /** Ends unfinished after so many states. */
  readonly statesAtMost: number;
  /** Of how many states one is asked whether everything has an owner in the end. */
  readonly oneOf?: number;
}

export interface Found {
  readonly states: number;
  readonly moves: number;
  /** Every state that the bounds allow was seen. */
  readonly isWhole: boolean;
  /** States from which the end without faults was played. */
  readonly played: number;
  readonly generations: number;
  /** What happened until two worked on one slot, or nobody on one. */
  readonly violation: string | undefined;
}

const JOIN_MS = 2_000;
/** Ticks until everything has an owner. */
const END_TICKS = 60;

export function search({ bounds, isFormed = false, statesAtMost, oneOf = 1 }: SearchOptions): Found {
  const from = new Map<number, { readonly parent: number; readonly what: string }>();
  const good = new Set<number>();
  const first = isFormed ? formed(firstWorld(bounds)) : firstWorld(bounds);
  const firstKey = hashOf(keyOf(first));
  from.set(firstKey, { parent: firstKey, what: 'the start' });
  let frontier: { key: number; world: World }[] = [{ key: firstKey, world: first }];
  let moves = 0;
  let played = 0;
  let generations = 0;
  const found = (violation: string | undefined, isWhole: boolean): Found => ({
    states: from.size,
    moves,
    isWhole,
    played,
    generations,
    violation,
  });
  while (frontier.length > 0) {
    const reached: typeof frontier = [];
    for (const { key, world } of frontier) {
      for (const { what, next } of movesOf(world)) {
        moves += 1;
        const generation = generationOf(next);
        if (generation > bounds.generationsAtMost) continue;
        const nextKey = hashOf(keyOf(next));
        if (from.has(nextKey)) continue;
        from.set(nextKey, { parent: key, what });
        generations = Math.max(generations, generation);
        const overlap = overlapIn(next);
        if (overlap !== undefined) return found(`${overlap}\n${storyOf(nextKey, from)}`, false);
        if (from.size % oneOf === 0) {
          played += 1;
          const end = endOf(next, good);
          if (end !== undefined) return found(`${end}\n${storyOf(nextKey, from)}`, false);
        }
        if (from.size >= statesAtMost) return found(undefined, false);
        reached.push({ key: nextKey, world: next });
      }
    }
    frontier = reached;
  }
  return found(undefined, true);
}

function storyOf(key: number, from: ReadonlyMap<number, { readonly parent: number; readonly what: string }>): string {
  const lines: string[] = [];
  for (let at = key; ; ) {
    const { parent, what } = from.get(at) ?? { parent: at, what: '?' };
    lines.push(what);
    if (parent === at) return lines.reverse().join('\n');
    at = parent;
  }
}

function generationOf({ stored }: World): number {
  let highest = 0;
  for (const { annotations } of stored.values()) {
    const text = annotations?.[KEYS.register];
    if (text !== undefined) highest = Math.max(highest, generationIn(text));
  }
  return highest;
}

const generationsOfTexts = new Map<string, number>();

function generationIn(text: string): number {
  const known = generationsOfTexts.get(text) ?? parseRegister(text)?.generation ?? 0;
  generationsOfTexts.set(text, known);
  return known;
}

/** Plays on without faults, everybody as soon as it can. @returns what is wrong in the end */
function endOf(world: World, good: Set<number>): string | undefined {
  const path: number[] = [];
  let now: World = rolledOut({ ...world, faultsLeft: 0, oldRegister: undefined });
  for (let ticks = 0; ticks < END_TICKS; ticks += 1) {
    now = settled(now);
    const overlap = overlapIn(now);
    if (overlap !== undefined) return `${overlap}, when faults have ended`;
    const key = hashOf(keyOf(now));
    if (good.has(key) || isAllOwned(now)) {
      for (const one of [...path, key]) good.add(one);
      return undefined;
    }
    path.push(key);
    now = tick(now);
  }
  return `a slot has no owner ${END_TICKS} ticks after the last fault`;
}

/** While replicas count differently, a slot that both sorts want may have no owner: a rollout comes to its end. */
function rolledOut(world: World): World {
  return world.living.reduce((now, one, index) => {
    const last = world.bounds.rules(world.bounds.ordinals[index] ?? 0).at(-1);
    const isOld = one !== undefined && JSON.stringify(one.process.rules) !== JSON.stringify(last);
    return isOld ? stop(now, index) : now;
  }, world);
}

/** All run, and have had everything for some time. */
function formed(world: World): World {
  let now = settled(world);
  for (let ticks = 0; ticks < END_TICKS; ticks += 1) now = settled(tick(now));
  if (!isAllOwned(now)) throw new Error('nothing is owned at the start');
  return { ...now, oldRegister: undefined };
}

function settled(world: World): World {
  let now = world;
  for (let steps = 0; steps < 1_000; steps += 1) {
    const [move] = ordinaryMoves(now).slice(-1);
    if (move === undefined) return now;
    now = move.next;
  }
  throw new Error('what happens without faults and time does not come to an end');
}

// States as texts.

interface Text {
  readonly parts: readonly (string | number)[];
  /** Versions of leases, which are told apart by their order. */
  readonly versions: readonly LeaseVersion[];
}

interface LeaseVersion {
  readonly name: string;
  readonly version: number;
}

export function keyOf(world: World): string {
  const texts = world.living.map((one, index) => (one === undefined ? undefined : textOf(one, nowOf(world, index))));
  const records = [...world.stored.values()];
  const byName = new Map<string, Set<number>>();
  const note = ({ name, version }: LeaseVersion): void => {
    const known = byName.get(name);
    if (known === undefined) byName.set(name, new Set([version]));
    else known.add(version);
  };
  for (const record of records) note(versionOf(record));
  for (const text of texts) for (const one of text?.versions ?? []) note(one);
  const ranks = new Map<string, readonly number[]>();
  for (const [name, versions] of byName)
    ranks.set(
      name,
      [...versions].sort((a, b) => a - b),
    );
  const rank = ({ name, version }: LeaseVersion): number => (ranks.get(name) ?? []).indexOf(version);
  const parts = [
    world.faultsLeft,
    world.boots.join(),
    world.bounds.faults.includes('put an old register back') ? (world.oldRegister ?? '') : '',
    ...records.map((record) => `${contentOf(record)}v${rank(versionOf(record))}`),
    ...texts.map((text) => (text === undefined ? '-' : `${text.parts.join(' ')}|${text.versions.map(rank).join()}`)),
  ];
  return parts.join('\n');
}

const textsOf = new WeakMap<Living, { readonly nowMs: number; readonly text: Text }>();

function textOf(one: Living, nowMs: number): Text {
  const known = textsOf.get(one);
  if (known?.nowMs === nowMs) return known.text;
  const text = newTextOf(one, nowMs);
  textsOf.set(one, { nowMs, text });
  return text;
}

function newTextOf(one: Living, nowMs: number): Text {
  const { process } = one;
  const parts: (string | number)[] = [];
  const versions: LeaseVersion[] = [];
  const mention = (record: LeaseRecord | undefined): void => {
    parts.push(record === undefined ? '-' : contentOf(record));
    if (record !== undefined) versions.push(versionOf(record));
  };
  const age = (sinceMs: number | undefined, most: number): string | number =>
    sinceMs === undefined ? '-' : Math.min(nowMs - sinceMs, most);
  parts.push([one.isFrozen, one.isDeaf, one.isMute, one.isIdleLeader, one.isSlow].map(Number).join(''));
  parts.push(process.rules.kind === 'static' ? process.rules.count : 'r');
  const { leases, absent, leader, listedAtMs } = process.known;
  mention(leader);
  for (const [ordinal, lease] of [...leases].sort(([a], [b]) => a - b)) {
    parts.push(ordinal, age(lease.sinceMs, FENCE_MS), age(lease.holderSinceMs, JOIN_MS));
    parts.push(lease.freeFromMs === Number.POSITIVE_INFINITY ? 'h' : Math.max(0, lease.freeFromMs - nowMs));
    mention(lease.record);
  }
  for (const [ordinal, sinceMs] of [...absent].sort(([a], [b]) => a - b))
    parts.push('absent', ordinal, age(Math.max(sinceMs, listedAtMs), FENCE_MS));
  parts.push('listed', age(listedAtMs, FENCE_MS));
  const { register, yieldsTo } = process.memory;
  const { last, lostSinceMs, acknowledged } = register;
  parts.push(last === undefined ? '-' : `${last.generation}:${last.now.join()}:${last.before?.join()}`);
  parts.push(age(lostSinceMs, FENCE_MS), acknowledged);
  parts.push(yieldsTo ?? '-', process.sentNote ?? '-');
  for (const which of ['own', 'leader'] as const) {
    const seat = process[which];
    const move = nextMove(process, which);
    const record = seat.seen?.record;
    parts.push(move.kind, move.kind === 'read' ? '' : Math.max(0, move.notBeforeMs - nowMs), Number(seat.mustRead));
    parts.push(Number(seat.hasNews), Number(seat.seen !== undefined));
    mention(record);
    termOf(seat, which === 'own' ? leases.get(process.ordinal)?.record : undefined, nowMs, parts, versions);
    if (seat.flight !== undefined) {
      const { previous, notes, spec, sentAtMs } = seat.flight;
      parts.push('sent', age(sentAtMs, FENCE_MS), JSON.stringify(notes), spec.holderIdentity ?? '');
      mention(previous);
    }
  }
  parts.push(
    [...process.held].sort().join(),
    [...process.ending].sort().join(),
    [...process.aborted].sort().join(),
    process.fences.join(),
  );
  const { taking } = process;
  if (taking !== undefined) parts.push(taking.slots.join(), Number(taking.termVersion === process.own.termVersion));
  for (const { name, record } of one.queue) {
    parts.push(name);
    mention(record);
  }
  return { parts, versions };
}

function termOf(
  seat: Seat,
  seen: LeaseRecord | undefined,
  nowMs: number,
  parts: (string | number)[],
  versions: LeaseVersion[],
): void {
  if (!isValid(seat, nowMs)) {
    parts.push('over');
    return;
  }
  parts.push(seat.untilMs - nowMs);
  const begun = Number(seat.termVersion);
  if (seen !== undefined && Number(seen.resourceVersion) >= begun) parts.push('seen');
  else if (seat.seen?.record !== undefined) versions.push({ name: seat.seen.record.name, version: begun });
}

function versionOf({ name, resourceVersion }: LeaseRecord): LeaseVersion {
  return { name, version: Number(resourceVersion) };
}

const contents = new Map<string, string>();
const contentsOf = new WeakMap<LeaseRecord, string>();

function contentOf(record: LeaseRecord): string {
  const known = contentsOf.get(record);
  if (known !== undefined) return known;
  const { name, uid, holder, acquireTime, transitions, annotations } = record;
  const text = JSON.stringify([name, uid, holder, acquireTime, transitions > 0, annotations]);
  const id = contents.get(text) ?? `c${contents.size}`;
  contents.set(text, id);
  contentsOf.set(record, id);
  return id;
}

/** 53 bits: of a million states two have the same by a chance of one in 18,000. */
function hashOf(text: string): number {
  let one = 0xdeadbeef;
  let two = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 2_654_435_761);
    two = Math.imul(two ^ code, 1_597_334_677);
  }
  one = Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(two ^ (two >>> 13), 3_266_489_909);
  two = Math.imul(two ^ (two >>> 16), 2_246_822_507) ^ Math.imul(one ^ (one >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & two) + (one >>> 0);
}
