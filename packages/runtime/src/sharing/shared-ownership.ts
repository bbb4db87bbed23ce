// Ownership modes `static` and `ring`: each replica holds a lease of its own and a part of the slots
// (docs/design/runtime.md#sharing). share-plan.ts decides from all leases and the memory of this replica what to do
// next, held-slots.ts has how slots come and go; this file carries the plan out after each change.

import type { Grant, Ownership, OwnershipChange } from '../lease/grant.ts';
import type { LeaderElectionOptions } from '../lease/leader-election.ts';
import type { LeaseApi, LeaseIdentity, LeaseNotes, LeaseRecord } from '../lease/lease-record.ts';
import { createListeners } from '../lease/listeners.ts';
import { type Logger, silentLogger } from '../log/logger.ts';
import { type Clock, systemClock, type Timer } from '../time/clock.ts';
import { whyIncompatible } from './foreign-claims.ts';
import { replicaLease } from './leases/lease-table.ts';
import { SHARE_FORMAT } from './leases/share-format.ts';
import { createShareLeases } from './leases/share-leases.ts';
import { createSilentLeases } from './leases/silent-leases.ts';
import { formatRegister } from './ring/register.ts';
import type { ShareRules } from './ring/ring-plan.ts';
import { createSeenLeases } from './seen-leases.ts';
import {
  planShare,
  registerToStore,
  type ShareKeys,
  type ShareSituation,
  START_OF_SHARING,
  shareNoteOf,
  stillFree,
} from './share-plan.ts';
import type { Ordinal } from './slots/assignment.ts';
import { createHeldSlots, type SharePart } from './slots/held-slots.ts';
import { createWaitingNote } from './waiting-note.ts';

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
  /** Takes in that all leases have just been read, and that changes before that may have been missed. */
  listed(): void;
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
  const seen = createSeenLeases({ baseName, self: ordinal, keys, format, timing, clock });
  const listeners = createListeners<OwnershipChange>('ownership changes', logger);
  const stop = new AbortController();
  const waiting = createWaitingNote(clock, logger);
  let memory = START_OF_SHARING;
  /** The note that was sent last. */
  let sentNote: string | undefined;
  let timer: Timer | undefined;
  let isScheduled = false;

  const elections = createShareLeases({
    names: { own: replicaLease(baseName, ordinal), leader: baseName },
    notes: { own: ownNotes, leader: leaderNotes },
    apiOf,
    identity,
    timing,
    clock,
    random,
    logger,
    hooks: {
      leading: (isLeading) => hooks.lease?.(isLeading),
      renewed: (durationMs) => hooks.renewed?.(durationMs),
      failed: () => hooks.failed?.(),
    },
    mayTake: () => whyIncompatible(seen.sight()) === undefined,
  });
  const { own, coordinator } = elections;
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
    renewMs: timing.renewMs ?? 4_000,
    clock,
    logger,
    signal: stop.signal,
    onFreed: () => hooks.fenced?.(),
  });

  function ownNotes(): LeaseNotes {
    // A term that has run out ends when it is asked for, and the memory changes with it.
    own.grant('');
    const note = shareNoteOf(rules, memory);
    sentNote = note;
    return {
      ...options.notes?.(),
      [keys.share]: note,
      [keys.format]: format,
      [keys.waiting]: waiting.text ?? '',
    };
  }

  function leaderNotes(previous: LeaseRecord | undefined): LeaseNotes {
    const mark = { [keys.mark]: identity.text };
    const next = registerToStore(previous, { rules, sight: seen.sight(), memory, keys });
    return next === undefined ? mark : { ...mark, [keys.register]: formatRegister(next), [keys.format]: format };
  }

  function situation(): ShareSituation {
    // Asking for the term can end it: the listeners of that run before the answer comes.
    const { termVersion } = own;
    const isCoordinating = coordinator.grant('') !== undefined;
    return { rules, keys, sight: seen.sight(), memory, termVersion, isCoordinating, sentNote, held };
  }

  /** Acts on the leases as they are now. Runs after every change and by its own timer. */
  function evaluate(): void {
    isScheduled = false;
    if (stop.signal.aborted) return;
    const now = situation();
    const plan = planShare(now);
    const followed = plan.memory.register.last?.generation;
    if (followed !== memory.register.last?.generation) logger.info('Follows the register', { generation: followed });
    memory = plan.memory;
    waiting.set(memory.waiting);
    held.letGo(plan.letGo.slots, plan.letGo.why, plan.letGo.isForced);
    if (plan.hasNews) own.renewNow();
    hooks.refused?.(plan.refused !== undefined);
    take(plan.take);
    if (plan.register !== undefined) coordinator.renewNow();
    for (const one of plan.fences) void free(one, now.sight);
    scheduleNext(now, plan.isWaiting);
  }

  function scheduleNow(): void {
    if (isScheduled) return;
    isScheduled = true;
    queueMicrotask(evaluate);
  }

  function scheduleNext({ sight, isCoordinating }: ShareSituation, isWaiting: boolean): void {
    timer?.cancel();
    const { nowMs, fenceMs: silentMs, leases } = sight;
    const due = [...leases.values()].map(({ sinceMs }) => sinceMs + silentMs - nowMs).filter((ms) => ms > 0);
    timer = clock.after(isWaiting || isCoordinating ? RECHECK_MS : Math.min(silentMs, ...due), scheduleNow);
  }

  function take(slots: readonly number[]): void {
    const { termVersion } = own;
    held.take(slots, (taken) => {
      const now = situation();
      return now.termVersion === termVersion ? stillFree(taken, now) : [];
    });
  }

  function tell(change: OwnershipChange): void {
    const { gained } = change;
    if (gained.length > 0) {
      const { givenSinceMs, last } = memory.register;
      if (givenSinceMs !== undefined) hooks.takenOver?.(clock.monotonicMs() - givenSinceMs);
      logger.info('Takes slots', { slots: gained.length, held: held.slots.size, generation: last?.generation });
    }
    listeners.emit(change);
  }

  for (const election of [own, coordinator]) election.onChange(() => evaluate());

  async function leave(): Promise<void> {
    held.stopTaking();
    held.letGo([...held.slots], 'leaving', false);
    await elections.leave();
  }

  return {
    name: 'ownership',
    async run(signal) {
      signal.addEventListener('abort', () => stop.abort(signal.reason), { once: true });
      scheduleNow();
      await elections.run(signal);
      timer?.cancel();
      await leave();
    },
    observe(name, record) {
      seen.note(name, record);
      elections.push(name, record);
      scheduleNow();
    },
    listed() {
      seen.listed();
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
