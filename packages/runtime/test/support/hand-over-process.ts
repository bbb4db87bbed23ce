// One replica of the model of hand-overs (hand-over-model.ts): what it knows and does is decided by the product's own
// functions; the shell around them, which in the product waits on timers and answers, is here a value, so that a state
// can be left in every direction.
import {
  createLeaseIdentity,
  isPlaceholder,
  type LeaseIdentity,
  type LeaseNotes,
  type LeaseRecord,
  type LeaseSpec,
  placeholderSpec,
  renewedSpec,
} from '../../src/lease/lease-record.ts';
import {
  createLeaseView,
  fenceMs,
  isTakenFrom,
  type LeaseMove,
  type LeaseTiming,
  ownValidityMs,
} from '../../src/lease/lease-view.ts';
import { isOlder } from '../../src/objects/resource-version.ts';
import {
  type KnownLeases,
  type LeaseTableOptions,
  NOTHING_KNOWN,
  noteLease,
  noteListed,
  replicaLease,
  sightOf,
} from '../../src/sharing/leases/lease-table.ts';
import { SHARE_FORMAT } from '../../src/sharing/leases/share-format.ts';
import { formatRegister } from '../../src/sharing/ring/register.ts';
import type { ShareRules } from '../../src/sharing/ring/ring-plan.ts';
import {
  planShare,
  registerToStore,
  type ShareMemory,
  type ShareSituation,
  START_OF_SHARING,
  shareNoteOf,
  stillFree,
} from '../../src/sharing/share-plan.ts';
import { BASE, KEYS } from './share-keys.ts';

/** Clocks that run at two thirds and four thirds of real time are at the edge of what is allowed. */
export const TIMING: LeaseTiming = { leaseMs: 6_000, marginMs: 1_000, clockRateError: 1 / 3 };
export const FENCE_MS = fenceMs(TIMING);

/** The lease a replica takes part by, and that of the coordinator. */
export type SeatName = 'own' | 'leader';

/** What a replica knows of one of the two leases, and how long it relies on holding it. */
export interface Seat {
  /** The last record, and what was known before: the view is a function of both. Null: there is no lease. */
  readonly seen:
    | { readonly before: Known; readonly record: LeaseRecord | undefined; readonly atMs: number }
    | undefined;
  readonly untilMs: number;
  readonly termVersion: string | undefined;
  readonly mustRead: boolean;
  /** What is written on it has changed. */
  readonly hasNews: boolean;
  /** A write that has been sent and has not arrived. */
  readonly flight: Flight | undefined;
}

type Known = { readonly record: LeaseRecord | undefined } | undefined;

export interface Flight {
  readonly previous: LeaseRecord | undefined;
  readonly spec: LeaseSpec;
  readonly notes: LeaseNotes;
  readonly sentAtMs: number;
}

export interface Process {
  readonly index: number;
  readonly ordinal: number;
  readonly rules: ShareRules;
  readonly identity: LeaseIdentity;
  readonly known: KnownLeases;
  readonly memory: ShareMemory;
  readonly sentNote: string | undefined;
  readonly own: Seat;
  readonly leader: Seat;
  readonly held: ReadonlySet<number>;
  /** Given up, and something is still under way there. */
  readonly ending: ReadonlySet<number>;
  /** What is under way there has been told to end, and does nothing more. */
  readonly aborted: ReadonlySet<number>;
  /** Being read, and by which term. */
  readonly taking: { readonly slots: readonly number[]; readonly termVersion: string } | undefined;
  /** Whose leases it would free. */
  readonly fences: readonly number[];
}

const NONE: ReadonlySet<number> = new Set();

const NO_SEAT: Seat = {
  seen: undefined,
  untilMs: Number.NEGATIVE_INFINITY,
  termVersion: undefined,
  mustRead: true,
  hasNews: false,
  flight: undefined,
};

export interface Start {
  readonly index: number;
  readonly ordinal: number;
  readonly rules: ShareRules;
  readonly podUid: string;
  readonly boot: number;
}

export function startProcess(start: Start, stored: readonly LeaseRecord[], nowMs: number): Process {
  const { index, ordinal, rules, podUid, boot } = start;
  const fresh: Process = {
    index,
    ordinal,
    rules,
    identity: createLeaseIdentity(`replica-${ordinal}`, podUid, String(boot)),
    known: NOTHING_KNOWN,
    memory: START_OF_SHARING,
    sentNote: undefined,
    own: NO_SEAT,
    leader: NO_SEAT,
    held: NONE,
    ending: NONE,
    aborted: NONE,
    taking: undefined,
    fences: [],
  };
  return listed(
    stored.reduce((one, record) => heard(one, record.name, record, nowMs), fresh),
    nowMs,
  );
}

/** A change of a lease, as the watch tells it. */
export function observe(one: Process, name: string, record: LeaseRecord | undefined, nowMs: number): Process {
  return evaluate(heard(one, name, record, nowMs), nowMs);
}

function heard(one: Process, name: string, record: LeaseRecord | undefined, nowMs: number): Process {
  const noted = { ...one, known: noteLease(one.known, optionsOf(one), name, record, nowMs) };
  const which = name === BASE ? 'leader' : name === replicaLease(BASE, one.ordinal) ? 'own' : undefined;
  if (which === undefined) return noted;
  const seat = noted[which];
  // A late event may tell of the lease before ours.
  return record === undefined && seat.untilMs > nowMs
    ? { ...noted, [which]: { ...seat, mustRead: true } }
    : { ...noted, [which]: noteSeat(noted, seat, record, nowMs, false) };
}

/** Everything that is stored has been read. */
export function listed(one: Process, nowMs: number): Process {
  return evaluate({ ...one, known: noteListed(one.known, nowMs) }, nowMs);
}

export function isValid(seat: Seat, nowMs: number): boolean {
  return seat.untilMs > nowMs;
}

/** Slots it works on. Without a valid lease nothing that is under way counts. */
export function workingOn(one: Process, nowMs: number): readonly number[] {
  return isValid(one.own, nowMs) ? [...one.held, ...one.ending] : [];
}

/** Takes in what is there now, and does what follows. */
export function evaluate(one: Process, nowMs: number): Process {
  const plan = planShare(situation(one, nowMs));
  const gone = new Set(plan.letGo.slots);
  const { isForced } = plan.letGo;
  const takes = one.taking === undefined && plan.take.length > 0;
  return {
    ...one,
    memory: plan.memory,
    held: new Set([...one.held].filter((slot) => !gone.has(slot))),
    ending: isForced ? NONE : new Set([...one.ending, ...gone]),
    aborted: isForced ? new Set([...one.aborted, ...one.ending, ...gone]) : one.aborted,
    taking: isForced ? undefined : takes ? { slots: plan.take, termVersion: one.own.termVersion ?? '' } : one.taking,
    own: plan.hasNews ? { ...one.own, hasNews: true } : one.own,
    leader: plan.register === undefined ? one.leader : { ...one.leader, hasNews: true },
    fences: plan.fences,
  };
}

/** What was under way in slots that it gave up has ended. */
export function finishEnding(one: Process, nowMs: number): Process {
  return evaluate({ ...one, ending: NONE, aborted: NONE }, nowMs);
}

/** Everything of the slots that are being taken has been read. */
export function finishTaking(one: Process, nowMs: number): Process {
  const { taking } = one;
  const now = situation(one, nowMs);
  const free = taking !== undefined && taking.termVersion === now.termVersion ? stillFree(taking.slots, now) : [];
  return evaluate({ ...one, taking: undefined, held: new Set([...one.held, ...free]) }, nowMs);
}

function situation(one: Process, nowMs: number): ShareSituation {
  const { rules, memory, own, leader, sentNote, held, ending, aborted, taking } = one;
  return {
    rules,
    keys: KEYS,
    sight: sightOf(one.known, optionsOf(one), nowMs),
    memory,
    termVersion: isValid(own, nowMs) ? own.termVersion : undefined,
    isCoordinating: isValid(leader, nowMs),
    sentNote,
    held: {
      slots: held,
      isAnyEnding: ending.size + aborted.size > 0,
      isIdle: held.size + ending.size + aborted.size === 0 && taking === undefined,
      isEnding: (slot) => ending.has(slot) || aborted.has(slot),
    },
  };
}

const optionsOfOrdinal = new Map<number, LeaseTableOptions>();

function optionsOf({ ordinal }: Process): LeaseTableOptions {
  const known = optionsOfOrdinal.get(ordinal);
  if (known !== undefined) return known;
  const options: LeaseTableOptions = {
    baseName: BASE,
    self: ordinal,
    fenceMs: FENCE_MS,
    shareKey: KEYS.share,
    formatKey: KEYS.format,
    format: SHARE_FORMAT,
  };
  optionsOfOrdinal.set(ordinal, options);
  return options;
}

/** What it does next about one of its leases, and from when on. */
export function nextMove(one: Process, which: SeatName): LeaseMove {
  const { seen, mustRead } = one[which];
  if (mustRead || seen === undefined) return { kind: 'read' };
  return viewOf(one.identity, one[which]).next();
}

function viewOf(identity: LeaseIdentity, { seen }: Seat) {
  const view = createLeaseView(identity, TIMING);
  if (seen === undefined) return view;
  if (seen.before !== undefined) view.note(seen.before.record, seen.atMs, true);
  view.note(seen.record, seen.atMs, true);
  return view;
}

/** As `note` of leader-election.ts. */
function noteSeat(one: Process, seat: Seat, record: LeaseRecord | undefined, nowMs: number, isLive: boolean): Seat {
  const { seen } = seat;
  const isSame =
    seen !== undefined && seen.record?.uid === record?.uid && seen.record?.resourceVersion === record?.resourceVersion;
  const isNews = isSame || viewOf(one.identity, seat).note(record, nowMs, isLive);
  const isOver = isNews && isTakenFrom(one.identity, record);
  const noted =
    isSame || !isNews ? seat : { ...seat, seen: { before: seen && { record: seen.record }, record, atMs: nowMs } };
  return isOver ? { ...noted, untilMs: Number.NEGATIVE_INFINITY } : noted;
}

/** The answer to a live read. */
export function answerRead(one: Process, which: SeatName, record: LeaseRecord | undefined, nowMs: number): Process {
  const seat = noteSeat(one, one[which], record, nowMs, true);
  return evaluate({ ...one, [which]: { ...seat, mustRead: false } }, nowMs);
}

/** The write that is next, as it is sent now. */
export function write(one: Process, which: SeatName, nowMs: number): { one: Process; flight: Flight } | undefined {
  const move = nextMove(one, which);
  if (move.kind === 'read' || move.notBeforeMs > nowMs) return undefined;
  const previous = move.kind === 'create' ? undefined : move.record;
  const sentNote = shareNoteOf(one.rules, one.memory);
  const flight: Flight = {
    previous,
    spec:
      previous === undefined
        ? placeholderSpec(one.identity, TIMING.leaseMs, 0)
        : renewedSpec(previous, one.identity, TIMING.leaseMs, 0),
    notes:
      which === 'own' ? { [KEYS.share]: sentNote, [KEYS.format]: SHARE_FORMAT } : leaderNotes(one, previous, nowMs),
    sentAtMs: nowMs,
  };
  const sent = { ...one, [which]: { ...one[which], hasNews: false } };
  return { one: which === 'own' ? { ...sent, sentNote } : sent, flight };
}

function leaderNotes(one: Process, previous: LeaseRecord | undefined, nowMs: number): LeaseNotes {
  const mark = { [KEYS.mark]: one.identity.text };
  const sight = sightOf(one.known, optionsOf(one), nowMs);
  const next = registerToStore(previous, { rules: one.rules, sight, memory: one.memory, keys: KEYS });
  return next === undefined ? mark : { ...mark, [KEYS.register]: formatRegister(next), [KEYS.format]: SHARE_FORMAT };
}

/** It was refused: the lease is not what it was thought to be. */
export function refused(one: Process, which: SeatName): Process {
  return { ...one, [which]: { ...one[which], mustRead: true } };
}

/** It was stored: as `lead` of leader-election.ts. */
export function answerWrite(
  one: Process,
  which: SeatName,
  record: LeaseRecord,
  { sentAtMs }: Flight,
  nowMs: number,
): Process {
  const before = one[which];
  const untilMs = sentAtMs + ownValidityMs(TIMING);
  const isStale =
    before.seen?.record !== undefined && isOlder(record.resourceVersion, before.seen.record.resourceVersion);
  const seat = noteSeat(one, before, record, nowMs, false);
  const noted = { ...one, [which]: seat };
  if (isStale || isPlaceholder(record) || record.holder !== one.identity.text || untilMs <= nowMs)
    return evaluate(noted, nowMs);
  if (isValid(seat, nowMs))
    return evaluate({ ...noted, [which]: { ...seat, untilMs: Math.max(seat.untilMs, untilMs) } }, nowMs);
  // A term that ran out ends before the next begins.
  const ended = evaluate(noted, nowMs);
  return evaluate({ ...ended, [which]: { ...ended[which], untilMs, termVersion: record.resourceVersion } }, nowMs);
}
