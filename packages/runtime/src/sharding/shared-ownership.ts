// Ownership modes `static` and `ring`: each replica holds a lease of its own and a part of the slots
// (docs/design/runtime.md#sharing). What belongs to whom is decided by pure functions of all leases; here is what
// follows: letting go, taking over, and saying so.
import { type Clock, systemClock, type Timer } from '../clock.ts';
import type { Grant, Ownership, OwnershipChange } from '../grant.ts';
import { createLeaderElection, type LeaderElectionOptions } from '../leader-election.ts';
import type { LeaseApi, LeaseNotes } from '../lease-api.ts';
import { createLeaseFeed, type PushedLeaseFeed } from '../lease-feed.ts';
import { type LeaseIdentity, type LeaseRecord, releasedSpec } from '../lease-record.ts';
import { fenceMs } from '../lease-view.ts';
import { createListeners } from '../listeners.ts';
import { type Logger, silentLogger } from '../logger.ts';
import { hasReached } from '../resource-version.ts';
import { withTimeLimit } from '../time-limit.ts';
import { type Ordinal, ordinalAssignment, slotsOf } from './assignment.ts';
import { foreignClaims, type ShareRules, soleLeader, whyIncompatible } from './foreign-claims.ts';
import { createLeaseTable, type LeaseSight, ordinalOfLease, replicaLease } from './lease-table.ts';
import { formatRegister, type Register } from './register.ts';
import { planRing, silentReplicas } from './ring-plan.ts';
import { goodRegister, isFreeToTake } from './ring-share.ts';
import { SHARE_FORMAT } from './share-format.ts';
import { formatShareNote } from './share-note.ts';
import { createSlotGrants, type SlotEnding } from './slot-grants.ts';

/** What the process does when its part changes. */
export interface SharePart {
  /** Resolves when everything the caches hold of these slots, and no others, is as the API server has it now. */
  hold(slots: ReadonlySet<number>, signal: AbortSignal): Promise<void>;
  /** Resolves when nothing is under way in these slots. */
  settled(slots: ReadonlySet<number>): Promise<void>;
  /** Forgets everything of these slots. */
  letGo(slots: ReadonlySet<number>): void;
}

/** Names of the annotations on the leases. */
export interface ShareKeys {
  /** On a replica's: by which rules it shares. */
  readonly share: string;
  /** On a replica's, and on the leader's beside the register: in which format that is written. */
  readonly format: string;
  /** On a replica's: what it waits for, if it does. */
  readonly waiting: string;
  /** On the leader's: who of those that share holds it. */
  readonly mark: string;
  /** On the leader's: who has which slots. */
  readonly register: string;
}

export interface SharedOwnershipOptions {
  readonly rules: ShareRules;
  readonly ordinal: Ordinal;
  /** The name of the leader's lease. */
  readonly baseName: string;
  readonly keys: ShareKeys;
  readonly apiOf: (leaseName: string) => LeaseApi;
  readonly identity: LeaseIdentity;
  /** The slot of what a controller asks about. */
  readonly slotOf: (key: string) => number;
  readonly part: SharePart;
  /** @default that of this version */
  readonly format?: string;
  /** Further annotations of the own lease, written with each renewal. */
  readonly notes?: () => LeaseNotes;
  readonly timing?: Pick<LeaderElectionOptions, 'leaseMs' | 'renewMs' | 'clockRateError' | 'marginMs'>;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly logger?: Logger;
  readonly hooks?: SharedOwnershipHooks;
}

/** Called synchronously, must not throw. */
export interface SharedOwnershipHooks {
  lease?(isHeld: boolean): void;
  renewed?(durationMs: number): void;
  failed?(): void;
  slots?(count: number): void;
  /** From the moment slots were given to us until they were ours. */
  takenOver?(durationMs: number): void;
  fenced?(): void;
  /** Whether this replica takes no part, since others do who share in another format. */
  refused?(isRefused: boolean): void;
}

export interface SharedOwnership extends Ownership {
  readonly name: string;
  /** A change of a lease, of any replica: of one watch over all of them, in its order. */
  observe(leaseName: string, record: LeaseRecord | undefined): void;
  readonly slots: ReadonlySet<number>;
  /** Why slots that are ours by the rules are not held; undefined when they are. */
  readonly waiting: string | undefined;
  leftMs(): number;
}

/** While something is awaited that no event may tell of. */
const RECHECK_MS = 500;
const MAX_WAITING_LENGTH = 200;
const REPORT_AFTER_MS = 3_000;

/** A new replica gets slots when it has been there for so long. */
const JOIN_MS = 2_000;
/** What is under way gets so long to end by itself when its slot is given up. */
const END_MS = 1_000;

export function createSharedOwnership(options: SharedOwnershipOptions): SharedOwnership {
  const { rules, ordinal, baseName, keys, apiOf, identity, part } = options;
  const { clock = systemClock, logger = silentLogger, hooks = {} } = options;
  const { random = Math.random, timing = {}, format = SHARE_FORMAT } = options;
  const { leaseMs = 15_000, clockRateError = 0.03, marginMs = 1_500, renewMs = 4_000 } = timing;
  const table = createLeaseTable({
    baseName,
    self: ordinal,
    fenceMs: fenceMs({ leaseMs, clockRateError, marginMs }),
    shareKey: keys.share,
    formatKey: keys.format,
    format,
  });
  const feeds = new Map<string, PushedLeaseFeed>();
  const listeners = createListeners<OwnershipChange>('ownership changes', logger);
  const stop = new AbortController();
  const fencing = new Set<Ordinal>();
  const ending = new Set<SlotEnding>();
  let taking: { readonly slots: ReadonlySet<number>; readonly abort: AbortController } | undefined;
  let latched: Register | undefined;
  let lostSinceMs: number | undefined;
  let acknowledged = 0;
  /** Who leads alone, once nothing of ours is under way any more. */
  let yieldsTo: string | undefined;
  /** The note that was sent last. */
  let sentNote: string | undefined;
  let waiting: string | undefined;
  let waitingSinceMs = 0;
  let isReported = false;
  let timer: Timer | undefined;
  let isScheduled = false;
  /** Slots that the rules have given to us, since when. */
  let givenSinceMs: number | undefined;

  const ownName = replicaLease(baseName, ordinal);
  const mayTake = (): boolean => whyIncompatible(table.sight(clock.monotonicMs())) === undefined;
  const common = { ...timing, identity, clock, random, mayTake };
  const own = createLeaderElection({
    ...common,
    api: apiOf(ownName),
    feed: feedOf(ownName),
    logger: logger.child({ lease: ownName }),
    lines: { begun: 'Takes part', ended: 'Does not take part any more' },
    notes: ownNotes,
    hooks: {
      ...(hooks.lease === undefined ? {} : { leading: hooks.lease }),
      ...(hooks.renewed === undefined ? {} : { renewed: hooks.renewed }),
      ...(hooks.failed === undefined ? {} : { failed: hooks.failed }),
    },
  });
  const coordinator = createLeaderElection({
    ...common,
    api: apiOf(baseName),
    feed: feedOf(baseName),
    logger: logger.child({ lease: baseName }),
    lines: { begun: 'Coordinates', ended: 'Does not coordinate any more' },
    notes: leaderNotes,
  });
  const grants = createSlotGrants(() => own.grant(''));

  function feedOf(name: string): PushedLeaseFeed {
    const feed = feeds.get(name) ?? createLeaseFeed();
    feeds.set(name, feed);
    return feed;
  }

  function ownNotes(): LeaseNotes {
    const note =
      rules.kind === 'ring'
        ? formatShareNote({ kind: 'ring', acknowledged, yieldsTo })
        : formatShareNote({ kind: 'static', ordinal, count: rules.count, yieldsTo });
    sentNote = note;
    return { ...options.notes?.(), [keys.share]: note, [keys.format]: format, [keys.waiting]: waiting ?? '' };
  }

  function leaderNotes(previous: LeaseRecord | undefined): LeaseNotes {
    const mark = { [keys.mark]: identity.text };
    if (rules.kind !== 'ring') return mark;
    const sight = table.sight(clock.monotonicMs());
    // Decided on the very version that is replaced, and on all leases as they were then.
    const isSame = sight.leader?.annotations?.[keys.register] === previous?.annotations?.[keys.register];
    const next = isSame ? plan(sight).register : undefined;
    return next === undefined ? mark : { ...mark, [keys.register]: formatRegister(next), [keys.format]: format };
  }

  const plan = (sight: LeaseSight) =>
    planRing(sight, { last: latched, lostSinceMs }, { registerKey: keys.register, joinMs: JOIN_MS });

  /** Takes in what is there now, and does what follows. Runs after every change and by its own timer. */
  function evaluate(): void {
    isScheduled = false;
    if (stop.signal.aborted) return;
    const sight = table.sight(clock.monotonicMs());
    const isValid = own.grant('') !== undefined;
    if (rules.kind === 'ring') followRegister(sight);
    const mine = rules.kind === 'ring' ? ringSlots() : slotsOf(ordinalAssignment(rules.count), ordinal);
    const alone = soleLeader(sight, keys.mark);
    if (!isValid || alone !== undefined) letGo([...grants.slots], alone ?? 'the lease is over', true);
    else
      letGo(
        [...grants.slots].filter((slot) => !mine.has(slot)),
        'they belong to somebody else',
        false,
      );
    yieldTo(alone === undefined ? undefined : sight.leader?.holder);
    acknowledge();
    const foreign = isValid ? undefined : whyIncompatible(sight);
    hooks.refused?.(foreign !== undefined);
    if (isValid) take(mine, sight);
    else say(foreign);
    if (rules.kind === 'ring' && coordinator.grant('') !== undefined) coordinate(sight);
    if (rules.kind === 'static' && waiting !== undefined)
      for (const one of silentReplicas(sight)) void fence(one, sight);
    scheduleNext(sight, mine);
  }

  function scheduleNow(): void {
    if (isScheduled) return;
    isScheduled = true;
    queueMicrotask(evaluate);
  }

  function scheduleNext({ nowMs, fenceMs: silentMs, leases }: LeaseSight, mine: ReadonlySet<number>): void {
    timer?.cancel();
    const isWaiting = [...mine].some((slot) => !grants.has(slot)) || ending.size > 0 || mine.size === 0;
    const due = [...leases.values()].map(({ sinceMs }) => sinceMs + silentMs - nowMs).filter((ms) => ms > 0);
    const isCoordinating = rules.kind === 'ring' && coordinator.grant('') !== undefined;
    timer = clock.after(isWaiting || isCoordinating ? RECHECK_MS : Math.min(silentMs, ...due), scheduleNow);
  }

  /** Another generation counts when it is later than the one we follow; of one generation there is one register. */
  function followRegister(sight: LeaseSight): void {
    const good = goodRegister(sight, keys.register);
    const isKnown = good !== undefined && latched !== undefined && good.generation <= latched.generation;
    if (good !== undefined && !isKnown) {
      logger.info('Follows the register', { generation: good.generation });
      latched = good;
      givenSinceMs = sight.nowMs;
    }
    lostSinceMs = isCurrent(good) ? undefined : (lostSinceMs ?? sight.nowMs);
  }

  function isCurrent(good: Register | undefined): boolean {
    return good !== undefined && latched !== undefined && formatRegister(good) === formatRegister(latched);
  }

  function ringSlots(): ReadonlySet<number> {
    return latched === undefined ? new Set() : slotsOf(latched.now, ordinal);
  }

  /** Nothing new begins in them at once; what is under way ends, by itself or by force, and only then
   *  other replicas learn of it. */
  function letGo(slots: readonly number[], why: string, isForced: boolean): void {
    if (isForced || (taking !== undefined && slots.some((slot) => taking?.slots.has(slot)))) taking?.abort.abort();
    if (slots.length === 0) return;
    const ended = grants.remove(slots);
    ending.add(ended);
    hooks.slots?.(grants.slots.size);
    logger.info('Gives up slots', { slots: slots.length, why });
    if (isForced) ended.abort(why);
    void finish(ended, why);
  }

  async function finish(ended: SlotEnding, why: string): Promise<void> {
    const limit = clock.after(END_MS, () => ended.abort(why));
    await part.settled(ended.slots);
    limit.cancel();
    ended.abort(why);
    ending.delete(ended);
    part.letGo(ended.slots);
    listeners.emit({ gained: [], lost: [...ended.slots] });
    scheduleNow();
  }

  /** Says that we follow the latest register: nothing of what it took from us is under way any more. */
  function acknowledge(): void {
    if (latched === undefined || acknowledged === latched.generation || ending.size > 0) return;
    acknowledged = latched.generation;
    own.renewNow();
  }

  /** One who leads alone begins when everybody who shares has reported that it has nothing any more. */
  function yieldTo(leader: string | undefined): void {
    const isIdle = grants.slots.size === 0 && ending.size === 0 && taking === undefined;
    const next = isIdle ? leader : undefined;
    if (next === yieldsTo) return;
    yieldsTo = next;
    own.renewNow();
  }

  function take(mine: ReadonlySet<number>, sight: LeaseSight): void {
    const wanted = [...mine].filter((slot) => !grants.has(slot));
    const { free, why } = freeOf(wanted, sight);
    say(wanted.length === 0 ? whyNothing(sight) : why);
    if (taking !== undefined || free.length === 0) return;
    taking = { slots: new Set(free), abort: new AbortController() };
    void prepare(taking);
  }

  /** A ring gives nothing to anybody before its register is there, and to those that are too many. */
  function whyNothing(sight: LeaseSight): string | undefined {
    if (rules.kind !== 'ring' || grants.slots.size > 0) return undefined;
    return foreignClaims(sight, rules, keys.mark)(0) ?? 'nothing has been given to this replica yet';
  }

  /** Of the slots that are ours those that nobody else can be working on. */
  function freeOf(wanted: readonly number[], sight: LeaseSight): { free: readonly number[]; why: string | undefined } {
    const notYet = whyNone(sight);
    if (notYet !== undefined) return { free: [], why: notYet };
    const claims = foreignClaims(sight, rules, keys.mark);
    let why: string | undefined;
    const free = wanted.filter((slot) => {
      const claimed = claims(slot) ?? claimedByRing(slot, sight);
      why ??= claimed;
      return claimed === undefined && ![...ending].some(({ slots }) => slots.has(slot));
    });
    return { free, why };
  }

  /** What has to be seen before anything may be taken. */
  function whyNone(sight: LeaseSight): string | undefined {
    const seen = sight.leases.get(ordinal)?.record.resourceVersion;
    const begun = own.termVersion;
    if (seen === undefined || begun === undefined || !hasReached(seen, begun)) return 'the watch of leases is behind';
    const alone = soleLeader(sight, keys.mark);
    if (alone !== undefined) return alone;
    // Whoever has read there that we yield goes by it until it says otherwise.
    if (sight.leases.get(ordinal)?.record.annotations?.[keys.share] !== sentNote || yieldsTo !== undefined)
      return 'it is not said yet by which rules slots are taken';
    if (rules.kind !== 'ring') return undefined;
    if (!isCurrent(goodRegister(sight, keys.register))) return 'the register is missing or damaged';
    const note = sight.leases.get(ordinal)?.note;
    const isAcknowledged = note?.kind === 'ring' && note.acknowledged === latched?.generation;
    return isAcknowledged ? undefined : 'it is not said yet that the register is followed';
  }

  function claimedByRing(slot: number, sight: LeaseSight): string | undefined {
    if (rules.kind !== 'ring' || latched === undefined || isFreeToTake(slot, latched, sight)) return undefined;
    return `replica ${latched.before?.[slot] ?? 'unknown'} has not let go`;
  }

  /** The caches first: a slot is ours when everything of it is known. */
  async function prepare(one: NonNullable<typeof taking>): Promise<void> {
    const { slots, abort } = one;
    const termVersion = own.termVersion;
    try {
      await part.hold(new Set([...grants.slots, ...inEnding(), ...slots]), abort.signal);
    } catch (err) {
      if (!abort.signal.aborted) logger.warn('Reading what belongs to the slots failed', { err });
      abort.abort();
    }
    taking = undefined;
    if (!abort.signal.aborted && own.termVersion === termVersion && termVersion !== undefined) keep(slots);
    scheduleNow();
  }

  function inEnding(): readonly number[] {
    return [...ending].flatMap(({ slots }) => [...slots]);
  }

  /** Asked once more: a while has passed. */
  function keep(slots: ReadonlySet<number>): void {
    const sight = table.sight(clock.monotonicMs());
    const mine = rules.kind === 'ring' ? ringSlots() : slots;
    const { free } = freeOf(
      [...slots].filter((slot) => mine.has(slot)),
      sight,
    );
    if (free.length === 0 || soleLeader(sight, keys.mark) !== undefined) return;
    grants.add(free);
    hooks.slots?.(grants.slots.size);
    if (givenSinceMs !== undefined) hooks.takenOver?.(sight.nowMs - givenSinceMs);
    logger.info('Takes slots', { slots: free.length, held: grants.slots.size, generation: latched?.generation });
    listeners.emit({ gained: free, lost: [] });
  }

  function coordinate(sight: LeaseSight): void {
    const { register, fences } = plan(sight);
    if (register !== undefined) coordinator.renewNow();
    for (const one of fences) void fence(one, sight);
  }

  /** Frees the lease in the version that was not renewed for so long: when it has been meanwhile, the write is
   *  refused. */
  async function fence(one: Ordinal, sight: LeaseSight): Promise<void> {
    const record = sight.leases.get(one)?.record;
    if (record === undefined || fencing.has(one)) return;
    fencing.add(one);
    try {
      const api = apiOf(record.name);
      await withTimeLimit(clock, renewMs, (signal) => api.update(record, releasedSpec(record, clock.nowMs()), signal));
      logger.warn('Freed the lease of a replica that did not renew it', { lease: record.name, holder: record.holder });
      hooks.fenced?.();
    } catch (err) {
      logger.debug('Freeing a lease failed', { lease: record.name, err });
      await clock.delay(renewMs, stop.signal).catch(() => {});
    } finally {
      fencing.delete(one);
    }
  }

  /** A hand-over takes a moment: only what lasts is worth a line. */
  function say(why: string | undefined): void {
    const next = why?.slice(0, MAX_WAITING_LENGTH);
    const nowMs = clock.monotonicMs();
    if (next === waiting) {
      if (next === undefined || isReported || nowMs - waitingSinceMs < REPORT_AFTER_MS) return;
      isReported = true;
      logger.info('Waits for slots', { why: next });
      return;
    }
    waiting = next;
    waitingSinceMs = nowMs;
    isReported = false;
  }

  for (const election of [own, coordinator]) election.onChange(() => evaluate());

  async function leave(): Promise<void> {
    taking?.abort.abort();
    letGo([...grants.slots], 'leaving', false);
    await Promise.all([own.leave(), coordinator.leave()]);
  }

  return {
    name: 'ownership',
    async run(signal) {
      signal.addEventListener('abort', () => stop.abort(signal.reason), { once: true });
      table.begin(clock.monotonicMs());
      scheduleNow();
      await Promise.all([own.run(signal), coordinator.run(signal)]);
      timer?.cancel();
      await leave();
    },
    observe(name, record) {
      table.note(name, record, clock.monotonicMs());
      if (name === baseName || ordinalOfLease(baseName, name) !== undefined) feedOf(name).push(record);
      scheduleNow();
    },
    grant: (key): Grant | undefined => (stop.signal.aborted ? undefined : grants.grant(options.slotOf(key))),
    onChange: listeners.add,
    leave,
    get slots() {
      return grants.slots;
    },
    get waiting() {
      return waiting;
    },
    leftMs: own.leftMs,
  };
}
