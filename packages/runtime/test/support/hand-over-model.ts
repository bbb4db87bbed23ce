// Replicas that share few slots, as a graph: every state, and everything that can happen next. Time is counted in
// ticks, in which each clock moves by its own measure. A healthy replica renews its leases in each tick, and does
// whatever it can before the next, in every order. Faults are few, and may happen at any point.
import { type LeaseRecord, type LeaseSpec, releasedSpec } from '../../src/lease/lease-record.ts';
import { replicaLease } from '../../src/sharing/leases/lease-table.ts';
import type { ShareRules } from '../../src/sharing/ring/ring-plan.ts';
import { SLOTS } from '../../src/sharing/slots/slots.ts';
import {
  answerRead,
  answerWrite,
  evaluate,
  type Flight,
  finishEnding,
  finishTaking,
  isValid,
  listed,
  nextMove,
  observe,
  type Process,
  refused,
  type SeatName,
  startProcess,
  workingOn,
  write,
} from './hand-over-process.ts';
import { BASE, KEYS } from './share-keys.ts';

export type Fault =
  | 'crash'
  | 'stop'
  /** Its process stands still, and its clock does not. */
  | 'freeze'
  /** It hears of no change. */
  | 'deafen'
  /** Nothing of what it sends arrives. */
  | 'mute'
  /** It does not renew the lease of the leader. */
  | 'lose the coordinator'
  /** What it gave up goes on, and what it reads takes long. */
  | 'be slow'
  /** What it sends is stored, and the answer is lost. */
  | 'lose an answer'
  /** What it sends arrives when it likes. */
  | 'delay a write'
  | 'delete a lease'
  | 'free a lease by hand'
  | 'delete the register'
  | 'damage the register'
  | 'put an old register back';

export interface Bounds {
  /** The number of each process; two of one number are two Pods of one name. */
  readonly ordinals: readonly number[];
  /** Milliseconds of each clock in a tick. */
  readonly rates: readonly number[];
  /** By what each process may share, whenever it starts. */
  readonly rules: (ordinal: number) => readonly ShareRules[];
  readonly faults: readonly Fault[];
  /** So many of them in one life. */
  readonly faultsAtMost: number;
  /** So many changes a watch may be behind without a fault. */
  readonly lag: number;
  readonly generationsAtMost: number;
  /** Whoever starts again is another Pod. */
  readonly isAnotherPod: boolean;
}

export interface Change {
  readonly name: string;
  readonly record: LeaseRecord | undefined;
}

export interface Living {
  readonly process: Process;
  readonly queue: readonly Change[];
  readonly isFrozen: boolean;
  readonly isDeaf: boolean;
  readonly isMute: boolean;
  readonly isIdleLeader: boolean;
  readonly isSlow: boolean;
}

export interface World {
  readonly bounds: Bounds;
  readonly tick: number;
  readonly stored: ReadonlyMap<string, LeaseRecord>;
  readonly version: number;
  readonly uids: number;
  readonly boots: readonly number[];
  readonly living: readonly (Living | undefined)[];
  readonly faultsLeft: number;
  /** The register of before, as a backup has it. */
  readonly oldRegister: string | undefined;
}

export interface Move {
  readonly what: string;
  readonly next: World;
  /** It is done before time passes. */
  readonly isUrgent: boolean;
}

export function firstWorld(bounds: Bounds): World {
  const names = [BASE, ...new Set(bounds.ordinals.map((ordinal) => replicaLease(BASE, ordinal)))];
  const empty: World = {
    bounds,
    tick: 100,
    stored: new Map(),
    version: 0,
    uids: 0,
    boots: bounds.ordinals.map(() => 0),
    living: bounds.ordinals.map(() => undefined),
    faultsLeft: bounds.faultsAtMost,
    oldRegister: undefined,
  };
  return names.reduce((world, name) => create(world, name, {}, {}), empty);
}

export function nowOf({ bounds, tick }: World, index: number): number {
  return tick * (bounds.rates[index] ?? Number.NaN);
}

/** Two that work on one slot; undefined: nobody does. */
export function overlapIn(world: World): string | undefined {
  const owners = new Map<number, string>();
  for (const one of world.living) {
    if (one === undefined) continue;
    for (const slot of workingOn(one.process, nowOf(world, one.process.index))) {
      const other = owners.get(slot);
      if (other !== undefined) return `slot ${slot} has two owners: ${other} and ${one.process.identity.text}`;
      owners.set(slot, one.process.identity.text);
    }
  }
  return undefined;
}

export function isAllOwned(world: World): boolean {
  const owned = new Set<number>();
  for (const one of world.living)
    if (one !== undefined && isValid(one.process.own, nowOf(world, one.process.index)))
      for (const slot of one.process.held) owned.add(slot);
  return owned.size === SLOTS;
}

function set(world: World, index: number, one: Living | undefined): World {
  return { ...world, living: world.living.map((other, at) => (at === index ? one : other)) };
}

function change(world: World, index: number, process: Process): World {
  const one = world.living[index];
  return one === undefined ? world : set(world, index, { ...one, process });
}

// The API server.

function create(world: World, name: string, spec: LeaseSpec, notes: Readonly<Record<string, string>>): World {
  const uids = world.uids + 1;
  return store({ ...world, uids }, name, spec, `lease-${uids}`, notes).world;
}

function store(
  world: World,
  name: string,
  spec: LeaseSpec,
  uid: string,
  annotations: Readonly<Record<string, string>>,
): { world: World; record: LeaseRecord } {
  const version = world.version + 1;
  const record: LeaseRecord = {
    name,
    uid,
    resourceVersion: String(version),
    holder: spec.holderIdentity ?? '',
    acquireTime: spec.acquireTime === undefined ? undefined : 'then',
    transitions: spec.leaseTransitions ?? 0,
    labels: undefined,
    annotations,
  };
  const was = world.stored.get(name)?.annotations?.[KEYS.register];
  const isNewRegister = was !== undefined && was !== annotations[KEYS.register];
  const stored = new Map(world.stored).set(name, record);
  const oldRegister = isNewRegister ? was : world.oldRegister;
  return { world: tell({ ...world, stored, version, oldRegister }, { name, record }), record };
}

/** @returns undefined when it is refused */
function update(world: World, previous: LeaseRecord, flight: Pick<Flight, 'spec' | 'notes'>) {
  const current = world.stored.get(previous.name);
  if (current?.uid !== previous.uid || current.resourceVersion !== previous.resourceVersion) return undefined;
  return store(world, previous.name, flight.spec, current.uid, { ...previous.annotations, ...flight.notes });
}

/** By hand, on whatever is there. */
function edit(world: World, name: string, spec: LeaseSpec | undefined, notes: Readonly<Record<string, string>>): World {
  const current = world.stored.get(name);
  if (current === undefined) return world;
  const same = {
    holderIdentity: current.holder,
    ...(current.acquireTime === undefined ? {} : { acquireTime: 'then' }),
  };
  const after = { ...(spec ?? same), leaseTransitions: current.transitions };
  return store(world, name, after, current.uid, { ...current.annotations, ...notes }).world;
}

function remove(world: World, name: string): World {
  const stored = new Map(world.stored);
  if (!stored.delete(name)) return world;
  return tell({ ...world, stored, version: world.version + 1 }, { name, record: undefined });
}

function tell(world: World, news: Change): World {
  return world.living.reduce((next, one, index) => {
    if (one === undefined || one.isDeaf || one.isFrozen) return next;
    const told = set(next, index, { ...one, queue: [...one.queue, news] });
    return one.queue.length < world.bounds.lag ? told : hear(told, index);
  }, world);
}

function hear(world: World, index: number): World {
  const one = world.living[index];
  const [first, ...queue] = one?.queue ?? [];
  if (one === undefined || first === undefined) return world;
  const process = observe(one.process, first.name, first.record, nowOf(world, index));
  return set(world, index, { ...one, queue, process });
}

/** Its watch was cut, and everything is read anew. */
function relist(world: World, index: number): World {
  const names = [BASE, ...new Set(world.bounds.ordinals.map((ordinal) => replicaLease(BASE, ordinal)))];
  const told = names.reduce((next, name) => {
    const one = next.living[index];
    if (one === undefined) return next;
    return change(next, index, observe(one.process, name, world.stored.get(name), nowOf(next, index)));
  }, world);
  const one = told.living[index];
  return one === undefined ? told : change(told, index, listed(one.process, nowOf(told, index)));
}

// What a process does.

type Fate = 'answered' | 'answer lost' | 'late';

/** Undefined: there is nothing to do about this lease now. @param isRoutine also a renewal that says nothing new */
function act(world: World, index: number, which: SeatName, fate: Fate, isRoutine: boolean): World | undefined {
  const one = world.living[index];
  if (one === undefined || one.isMute || one.isFrozen) return undefined;
  if (which === 'leader' && one.isIdleLeader) return undefined;
  const { process } = one;
  const seat = process[which];
  if (seat.flight !== undefined) return undefined;
  const nowMs = nowOf(world, index);
  const move = nextMove(process, which);
  if (move.kind === 'read') {
    if (fate !== 'answered') return undefined;
    return change(world, index, answerRead(process, which, world.stored.get(nameOf(process, which)), nowMs));
  }
  if (!isRoutine && move.kind === 'take' && move.isOurs && !seat.hasNews) return undefined;
  const sent = write(process, which, nowMs);
  if (sent === undefined) return undefined;
  const { flight } = sent;
  if (fate === 'late') return change(world, index, withFlight(sent.one, which, flight));
  return arrive(change(world, index, sent.one), index, which, flight, fate === 'answered');
}

function withFlight(process: Process, which: SeatName, flight: Flight | undefined): Process {
  return { ...process, [which]: { ...process[which], flight } };
}

function nameOf(process: Process, which: SeatName): string {
  return which === 'own' ? replicaLease(BASE, process.ordinal) : BASE;
}

function arrive(world: World, index: number, which: SeatName, flight: Flight, isAnswered: boolean): World {
  const sender = world.living[index]?.process;
  if (sender === undefined) return world;
  const name = nameOf(sender, which);
  const landed = flight.previous === undefined ? made(world, name, flight) : update(world, flight.previous, flight);
  const after = landed?.world ?? world;
  const now = after.living[index];
  if (now === undefined || now.isFrozen || !isAnswered) return after;
  if (landed === undefined) return change(after, index, refused(now.process, which));
  return change(after, index, answerWrite(now.process, which, landed.record, flight, nowOf(after, index)));
}

function made(world: World, name: string, { spec, notes }: Flight): { world: World; record: LeaseRecord } | undefined {
  if (world.stored.has(name)) return undefined;
  const uids = world.uids + 1;
  return store({ ...world, uids }, name, spec, `lease-${uids}`, notes);
}

function free(world: World, index: number, ordinal: number): World | undefined {
  const one = world.living[index];
  const record = one?.process.known.leases.get(ordinal)?.record;
  if (one === undefined || record === undefined || one.isMute || one.isFrozen) return undefined;
  return update(world, record, { spec: releasedSpec(record, 0), notes: {} })?.world;
}

function start(world: World, index: number, rules: ShareRules): World {
  const { ordinals, isAnotherPod } = world.bounds;
  const boot = (world.boots[index] ?? 0) + 1;
  const boots = world.boots.map((before, at) => (at === index ? boot : before));
  const podUid = `pod-${index}${isAnotherPod ? `-${boot}` : ''}`;
  const begun = { index, ordinal: ordinals[index] ?? Number.NaN, rules, podUid, boot };
  const process = startProcess(begun, [...world.stored.values()], nowOf(world, index));
  const fresh = {
    process,
    queue: [],
    isFrozen: false,
    isDeaf: false,
    isMute: false,
    isIdleLeader: false,
    isSlow: false,
  };
  return set({ ...world, boots }, index, fresh);
}

/** SIGTERM: it stops granting, and gives its leases back if they are still its own. */
export function stop(world: World, index: number): World {
  const one = world.living[index];
  if (one === undefined) return world;
  const { process } = one;
  const gone = set(world, index, undefined);
  return (['own', 'leader'] as const).reduce((next, which) => {
    const record = next.stored.get(nameOf(process, which));
    if (record?.holder !== process.identity.text) return next;
    return update(next, record, { spec: releasedSpec(record, 0), notes: {} })?.world ?? next;
  }, gone);
}

/** Time passes: what is over is noticed, and whoever is well renews. */
export function tick(world: World): World {
  let next: World = { ...world, tick: world.tick + 1 };
  for (const [index, one] of world.living.entries())
    if (one !== undefined && !one.isFrozen) next = change(next, index, evaluate(one.process, nowOf(next, index)));
  for (const index of world.living.keys())
    for (const which of ['own', 'leader'] as const) next = renewed(next, index, which);
  return next;
}

function renewed(world: World, index: number, which: SeatName): World {
  const process = world.living[index]?.process;
  const move = process === undefined ? undefined : nextMove(process, which);
  return move?.kind === 'take' && move.isOurs ? (act(world, index, which, 'answered', true) ?? world) : world;
}

/** What can happen next without a fault, time aside. */
export function ordinaryMoves(world: World): readonly Move[] {
  const moves: Move[] = [];
  const add = (what: string, next: World | undefined, isUrgent = false): void => {
    if (next !== undefined) moves.push({ what, next, isUrgent });
  };
  for (const [index, one] of world.living.entries()) {
    if (one === undefined) {
      for (const rules of world.bounds.rules(world.bounds.ordinals[index] ?? 0))
        add(`${index} starts${rules.kind === 'static' ? ` among ${rules.count}` : ''}`, start(world, index, rules));
      continue;
    }
    if (one.isFrozen) {
      add(`${index} wakes up`, awake(world, index, one));
      continue;
    }
    const { process, queue, isDeaf, isMute, isIdleLeader } = one;
    const nowMs = nowOf(world, index);
    if (queue.length > 0) add(`${index} hears of ${queue[0]?.name}`, hear(world, index), true);
    for (const which of ['own', 'leader'] as const) {
      const { flight } = process[which];
      add(`${index} asks or writes, ${which}`, act(world, index, which, 'answered', false), true);
      if (flight !== undefined)
        add(
          `a write of ${index} arrives, ${which}`,
          arrive(change(world, index, withFlight(process, which, undefined)), index, which, flight, true),
        );
    }
    for (const ordinal of process.fences)
      add(`${index} frees the lease of ${ordinal}`, free(world, index, ordinal), true);
    if (process.ending.size + process.aborted.size > 0)
      add(`${index} has ended what it gave up`, change(world, index, finishEnding(process, nowMs)), !one.isSlow);
    if (process.taking !== undefined)
      add(`${index} takes what it has read`, change(world, index, finishTaking(process, nowMs)), !one.isSlow);
    if (isDeaf) add(`${index} hears again`, relist(set(world, index, { ...one, isDeaf: false }), index));
    if (isMute) add(`${index} is heard again`, set(world, index, { ...one, isMute: false }));
    if (one.isSlow) add(`${index} is quick again`, set(world, index, { ...one, isSlow: false }));
    if (isIdleLeader) add(`${index} may coordinate again`, set(world, index, { ...one, isIdleLeader: false }));
  }
  return moves;
}

function awake(world: World, index: number, one: Living): World {
  const woken = set(world, index, { ...one, isFrozen: false, process: evaluate(one.process, nowOf(world, index)) });
  return one.isDeaf ? woken : relist(woken, index);
}

type FaultMoves = (world: World, index: number, one: Living) => World | undefined;

const FAULTS: Readonly<Record<Fault, FaultMoves>> = {
  crash: (world, index) => set(world, index, undefined),
  stop: (world, index) => stop(world, index),
  freeze: (world, index, one) => set(world, index, { ...one, queue: [], isFrozen: true }),
  deafen: (world, index, one) => (one.isDeaf ? undefined : set(world, index, { ...one, queue: [], isDeaf: true })),
  mute: (world, index, one) => (one.isMute ? undefined : set(world, index, { ...one, isMute: true })),
  'lose the coordinator': (world, index, one) =>
    isValid(one.process.leader, nowOf(world, index)) && !one.isIdleLeader
      ? set(world, index, { ...one, isIdleLeader: true })
      : undefined,
  'be slow': (world, index, one) => (one.isSlow ? undefined : set(world, index, { ...one, isSlow: true })),
  'lose an answer': () => undefined,
  'delay a write': () => undefined,
  'delete a lease': (world, _index, one) => remove(world, replicaLease(BASE, one.process.ordinal)),
  'free a lease by hand': (world, _index, one) => {
    const name = replicaLease(BASE, one.process.ordinal);
    const { acquireTime, holder } = world.stored.get(name) ?? {};
    return (holder ?? '') === '' ? undefined : edit(world, name, acquireTime === undefined ? {} : { acquireTime }, {});
  },
  'delete the register': (world, index) => (isFirst(world, index) ? remove(world, BASE) : undefined),
  'damage the register': (world, index) =>
    isFirst(world, index) ? edit(world, BASE, undefined, { [KEYS.register]: 'damaged' }) : undefined,
  'put an old register back': (world, index) =>
    isFirst(world, index) && world.oldRegister !== undefined
      ? edit(world, BASE, undefined, { [KEYS.register]: world.oldRegister })
      : undefined,
};

/** Of what concerns no process it is enough once. */
function isFirst({ living }: World, index: number): boolean {
  return living.findIndex((one) => one !== undefined) === index;
}

function faultMoves(world: World): readonly Move[] {
  if (world.faultsLeft === 0) return [];
  const spent = { ...world, faultsLeft: world.faultsLeft - 1 };
  return world.living.flatMap((one, index) => {
    if (one === undefined || one.isFrozen) return [];
    return world.bounds.faults.flatMap((fault): Move[] => {
      const fates = { 'lose an answer': 'answer lost', 'delay a write': 'late' } as const;
      if (fault === 'lose an answer' || fault === 'delay a write')
        return (['own', 'leader'] as const).flatMap((which) => {
          const next = act(spent, index, which, fates[fault], true);
          return next === undefined ? [] : [{ what: `${fault}: ${index}, ${which}`, next, isUrgent: false }];
        });
      const next = FAULTS[fault](spent, index, one);
      return next === undefined || next === spent ? [] : [{ what: `${fault}: ${index}`, next, isUrgent: false }];
    });
  });
}

export function movesOf(world: World): readonly Move[] {
  const moves = [...ordinaryMoves(world), ...faultMoves(world)];
  return moves.some(({ isUrgent }) => isUrgent)
    ? moves
    : [{ what: 'a tick', next: tick(world), isUrgent: false }, ...moves];
}
