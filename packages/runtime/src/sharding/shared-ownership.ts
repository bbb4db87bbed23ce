// Ownership modes `static` and `ring`: each replica holds a lease of its own and a part of the slots
// (docs/design/runtime.md#sharing). Pure functions of all leases decide which slots are whose. followed-register.ts has
// what the ring adds, held-slots.ts how slots come and go; this file puts them in order after each change.
import { type Clock, systemClock, type Timer } from '../clock.ts';
import type { Grant, Ownership, OwnershipChange } from '../grant.ts';
import { createLeaderElection, type LeaderElectionOptions } from '../leader-election.ts';
import { createLeaseFeed, type PushedLeaseFeed } from '../lease-feed.ts';
import type { LeaseApi, LeaseIdentity, LeaseNotes, LeaseRecord } from '../lease-record.ts';
import { fenceMs } from '../lease-view.ts';
import { createListeners } from '../listeners.ts';
import { type Logger, silentLogger } from '../logger.ts';
import { hasReached } from '../resource-version.ts';
import { type Ordinal, ordinalAssignment, slotsOf } from './assignment.ts';
import { createFollowedRegister } from './followed-register.ts';
import { foreignClaims, type ShareRules, soleLeader, whyIncompatible } from './foreign-claims.ts';
import { createHeldSlots, type SharePart } from './held-slots.ts';
import { createLeaseTable, type LeaseSight, ordinalOfLease, replicaLease } from './lease-table.ts';
import { formatRegister } from './register.ts';
import { silentReplicas } from './ring-plan.ts';
import { SHARE_FORMAT } from './share-format.ts';
import { formatShareNote } from './share-note.ts';
import { createSilentLeases } from './silent-leases.ts';
import { createWaitingNote } from './waiting-note.ts';

/** Names of the annotations on the leases. */
export interface ShareKeys {
  /** On a replica's lease: by which rules it shares. */
  readonly share: string;
  /** On a replica's lease, and on the leader's beside the register: in which format that is written. */
  readonly format: string;
  /** On a replica's lease: what it waits for, if it does. */
  readonly waiting: string;
  /** On the leader's lease: which of the sharing replicas holds it. */
  readonly mark: string;
  /** On the leader's lease: which replica has which slots. */
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
  /** The slot of a key that a controller asks about. */
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
  /** Time from the assignment of slots to this replica until it took them. */
  takenOver?(durationMs: number): void;
  fenced?(): void;
  /** Whether this replica takes no part because others share in another format. */
  refused?(isRefused: boolean): void;
}

export interface SharedOwnership extends Ownership {
  readonly name: string;
  /** Takes in a change of any lease, from one watch over all of them, in its order. Undefined: the lease is gone. */
  observe(leaseName: string, record: LeaseRecord | undefined): void;
  readonly slots: ReadonlySet<number>;
  /** Why slots that are ours by the rules are not held; undefined when they are. */
  readonly waiting: string | undefined;
  leftMs(): number;
}

/** How often to check while waiting for something that may cause no event. */
const RECHECK_MS = 500;

export function createSharedOwnership(options: SharedOwnershipOptions): SharedOwnership {
  const { rules, ordinal, baseName, keys, apiOf, identity } = options;
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
  const register = rules.kind === 'ring' ? createFollowedRegister(keys.register, ordinal, logger) : undefined;
  const waiting = createWaitingNote(clock, logger);
  /** The replica that leads alone, once nothing of ours is under way any more. */
  let yieldsTo: string | undefined;
  /** The note that was sent last. */
  let sentNote: string | undefined;
  let timer: Timer | undefined;
  let isScheduled = false;

  const ownName = replicaLease(baseName, ordinal);
  const mayTake = (): boolean => whyIncompatible(sightNow()) === undefined;
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
  const held = createHeldSlots({
    part: options.part,
    leaseGrant: () => own.grant(''),
    clock,
    logger,
    onCount: (count) => hooks.slots?.(count),
    onChange: tell,
    onSettled: scheduleNow,
  });
  const free = createSilentLeases({
    apiOf,
    renewMs,
    clock,
    logger,
    signal: stop.signal,
    onFreed: () => hooks.fenced?.(),
  });

  function feedOf(name: string): PushedLeaseFeed {
    const feed = feeds.get(name) ?? createLeaseFeed();
    feeds.set(name, feed);
    return feed;
  }

  function sightNow(): LeaseSight {
    return table.sight(clock.monotonicMs());
  }

  function ownNotes(): LeaseNotes {
    const note =
      rules.kind === 'ring'
        ? formatShareNote({ kind: 'ring', acknowledged: register?.acknowledged ?? 0, yieldsTo })
        : formatShareNote({ kind: 'static', ordinal, count: rules.count, yieldsTo });
    sentNote = note;
    return { ...options.notes?.(), [keys.share]: note, [keys.format]: format, [keys.waiting]: waiting.text ?? '' };
  }

  function leaderNotes(previous: LeaseRecord | undefined): LeaseNotes {
    const mark = { [keys.mark]: identity.text };
    const sight = sightNow();
    // The plan must be based on the very register that this write replaces.
    const isSame = sight.leader?.annotations?.[keys.register] === previous?.annotations?.[keys.register];
    const next = isSame ? register?.plan(sight).register : undefined;
    return next === undefined ? mark : { ...mark, [keys.register]: formatRegister(next), [keys.format]: format };
  }

  /** Acts on the leases as they are now. Runs after every change and by its own timer. */
  function evaluate(): void {
    isScheduled = false;
    if (stop.signal.aborted) return;
    const sight = sightNow();
    const isValid = own.grant('') !== undefined;
    register?.follow(sight);
    const mine = slotsByRules();
    const alone = soleLeader(sight, keys.mark);
    if (!isValid || alone !== undefined) held.letGo([...held.slots], alone ?? 'the lease is over', true);
    else held.letGo(without(held.slots, mine), 'they belong to somebody else', false);
    yieldTo(alone === undefined ? undefined : sight.leader?.holder);
    if (register?.acknowledge(held.isAnyEnding) === true) own.renewNow();
    const foreign = isValid ? undefined : whyIncompatible(sight);
    hooks.refused?.(foreign !== undefined);
    if (isValid) take(mine, sight);
    else waiting.set(foreign);
    for (const one of toBeFreed(sight)) void free(one, sight);
    scheduleNext(sight, mine);
  }

  function scheduleNow(): void {
    if (isScheduled) return;
    isScheduled = true;
    queueMicrotask(evaluate);
  }

  function scheduleNext({ nowMs, fenceMs: silentMs, leases }: LeaseSight, mine: ReadonlySet<number>): void {
    timer?.cancel();
    const isWaiting = without(mine, held.slots).length > 0 || held.isAnyEnding || mine.size === 0;
    const due = [...leases.values()].map(({ sinceMs }) => sinceMs + silentMs - nowMs).filter((ms) => ms > 0);
    timer = clock.after(isWaiting || isCoordinating() ? RECHECK_MS : Math.min(silentMs, ...due), scheduleNow);
  }

  function slotsByRules(): ReadonlySet<number> {
    return rules.kind === 'static'
      ? slotsOf(ordinalAssignment(rules.count), ordinal)
      : (register?.slots() ?? new Set());
  }

  function isCoordinating(): boolean {
    return register !== undefined && coordinator.grant('') !== undefined;
  }

  /** A replica that leads alone begins when every sharing replica has noted that it holds nothing any more. */
  function yieldTo(leader: string | undefined): void {
    const next = held.isIdle ? leader : undefined;
    if (next === yieldsTo) return;
    yieldsTo = next;
    own.renewNow();
  }

  function take(mine: ReadonlySet<number>, sight: LeaseSight): void {
    const wanted = without(mine, held.slots);
    const found = freeOf(wanted, sight);
    waiting.set(wanted.length === 0 ? whyNothing(sight) : found.why);
    const term = own.termVersion;
    held.take(found.free, (slots) => {
      if (term === undefined || own.termVersion !== term) return [];
      const now = slotsByRules();
      const still = slots.filter((slot) => now.has(slot));
      return freeOf(still, sightNow()).free;
    });
  }

  /** A ring assigns no slots before its register exists, and none to surplus replicas. */
  function whyNothing(sight: LeaseSight): string | undefined {
    if (register === undefined || held.slots.size > 0) return undefined;
    return foreignClaims(sight, rules, keys.mark)(0) ?? 'nothing has been given to this replica yet';
  }

  /** The wanted slots that no other replica can be working on, and a reason when some are not free. */
  function freeOf(wanted: readonly number[], sight: LeaseSight): { free: readonly number[]; why: string | undefined } {
    const notYet = whyNone(sight);
    if (notYet !== undefined) return { free: [], why: notYet };
    const claims = foreignClaims(sight, rules, keys.mark);
    const claimed = new Map(wanted.map((slot) => [slot, claims(slot) ?? register?.claimed(slot, sight)]));
    return {
      free: wanted.filter((slot) => claimed.get(slot) === undefined && !held.isEnding(slot)),
      why: [...claimed.values()].find((who) => who !== undefined),
    };
  }

  /** Why no slot at all may be taken yet; undefined when slots may be taken. */
  function whyNone(sight: LeaseSight): string | undefined {
    const seen = sight.leases.get(ordinal)?.record;
    const begun = own.termVersion;
    if (seen === undefined || begun === undefined || !hasReached(seen.resourceVersion, begun))
      return 'the watch of leases is behind';
    const alone = soleLeader(sight, keys.mark);
    if (alone !== undefined) return alone;
    // A replica that has read on our lease that we yield relies on it until the lease says otherwise.
    if (seen.annotations?.[keys.share] !== sentNote || yieldsTo !== undefined)
      return 'it is not said yet by which rules slots are taken';
    return register?.whyNotYet(sight);
  }

  /** Replicas whose leases keep slots from others. Also makes the coordinator of a ring write the next register. */
  function toBeFreed(sight: LeaseSight): readonly Ordinal[] {
    if (register === undefined) return waiting.text === undefined ? [] : silentReplicas(sight);
    if (!isCoordinating()) return [];
    const next = register.plan(sight);
    if (next.register !== undefined) coordinator.renewNow();
    return next.fences;
  }

  function tell(change: OwnershipChange): void {
    const { gained } = change;
    if (gained.length > 0) {
      const { givenSinceMs, generation } = register ?? {};
      if (givenSinceMs !== undefined) hooks.takenOver?.(clock.monotonicMs() - givenSinceMs);
      logger.info('Takes slots', { slots: gained.length, held: held.slots.size, generation });
    }
    listeners.emit(change);
  }

  for (const election of [own, coordinator]) election.onChange(() => evaluate());

  async function leave(): Promise<void> {
    held.stopTaking();
    held.letGo([...held.slots], 'leaving', false);
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
    grant: (key): Grant | undefined => (stop.signal.aborted ? undefined : held.grant(options.slotOf(key))),
    onChange: listeners.add,
    leave,
    get slots() {
      return held.slots;
    },
    get waiting() {
      return waiting.text;
    },
    leftMs: own.leftMs,
  };
}

function without(slots: ReadonlySet<number>, others: ReadonlySet<number>): readonly number[] {
  return [...slots].filter((slot) => !others.has(slot));
}
