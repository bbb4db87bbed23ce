// How this replica takes and gives up slots. A slot is taken when the caches hold all its objects. It is given up in
// two steps: no new pass begins in it, then passes under way end or are aborted. Owners are decided elsewhere.

import type { Grant, OwnershipChange } from '../../lease/grant.ts';
import type { Logger } from '../../log/logger.ts';
import type { Clock } from '../../time/clock.ts';
import { createSlotGrants, type SlotEnding } from './slot-grants.ts';

/** What the process does when its share changes. */
export interface SharePart {
  /** Resolves when the caches hold the objects of these slots, and of no others, as the API server has them now. */
  hold(slots: ReadonlySet<number>, signal: AbortSignal): Promise<void>;
  /** Resolves when no pass is under way in these slots. */
  settled(slots: ReadonlySet<number>): Promise<void>;
  /** Forgets everything about these slots. */
  letGo(slots: ReadonlySet<number>): void;
}

export interface HeldSlots {
  /** Undefined for a slot that is not held, and for all of them when the lease is over. */
  grant(slot: number): Grant | undefined;
  readonly slots: ReadonlySet<number>;
  /** Passes are still under way in slots that were given up. */
  readonly isAnyEnding: boolean;
  /** No slot is held, being taken, or ending. */
  readonly isIdle: boolean;
  isEnding(slot: number): boolean;
  /** Reads the objects of these slots, then takes the slots that are still free. Does nothing while others are being
   *  taken. @param stillFree called after the read, which takes a while */
  take(slots: readonly number[], stillFree: (slots: readonly number[]) => readonly number[]): void;
  stopTaking(): void;
  /** Gives up slots; `onChange` reports them when no pass is under way in them any more.
   *  @param isForced aborts passes under way at once, and a `take` under way */
  letGo(slots: readonly number[], why: string, isForced: boolean): void;
}

export interface HeldSlotsOptions {
  readonly part: SharePart;
  /** The current grant of the replica's lease. */
  readonly leaseGrant: () => Grant | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The number of held slots has changed. */
  readonly onCount: (count: number) => void;
  readonly onChange: (change: OwnershipChange) => void;
  /** A take or an ending has finished: the owner decides again. */
  readonly onSettled: () => void;
}

/** How long passes may go on before they are aborted when their slot is given up. */
const END_MS = 1_000;

export function createHeldSlots(options: HeldSlotsOptions): HeldSlots {
  const { part, clock, logger, onCount, onChange, onSettled } = options;
  const grants = createSlotGrants(options.leaseGrant);
  const ending = new Set<SlotEnding>();
  let taking: AbortController | undefined;

  /** Fills the caches first: a slot is ours only when all its objects are known. */
  async function take(slots: readonly number[], stillFree: () => readonly number[], end: AbortController) {
    const underWay = [...ending].flatMap((one) => [...one.slots]);
    try {
      await part.hold(new Set([...grants.slots, ...underWay, ...slots]), end.signal);
    } catch (err) {
      if (!end.signal.aborted) logger.warn('Reading what belongs to the slots failed', { err });
      end.abort();
    }
    taking = undefined;
    const free = end.signal.aborted ? [] : stillFree();
    if (free.length > 0) {
      grants.add(free);
      onCount(grants.slots.size);
      onChange({ gained: free, lost: [] });
    }
    onSettled();
  }

  async function finish(ended: SlotEnding, why: string): Promise<void> {
    const limit = clock.after(END_MS, () => ended.abort(why));
    await part.settled(ended.slots);
    limit.cancel();
    ended.abort(why);
    ending.delete(ended);
    part.letGo(ended.slots);
    onChange({ gained: [], lost: [...ended.slots] });
    onSettled();
  }

  return {
    grant: grants.grant,
    get slots() {
      return grants.slots;
    },
    get isAnyEnding() {
      return ending.size > 0;
    },
    get isIdle() {
      return grants.slots.size === 0 && ending.size === 0 && taking === undefined;
    },
    isEnding: (slot) => [...ending].some(({ slots }) => slots.has(slot)),
    take(slots, stillFree) {
      if (taking !== undefined || slots.length === 0) return;
      taking = new AbortController();
      void take(slots, () => stillFree(slots), taking);
    },
    stopTaking: () => taking?.abort(),
    letGo(slots, why, isForced) {
      if (isForced) {
        taking?.abort();
        // Otherwise work still going on in them would get the grant of the next term.
        for (const one of ending) one.abort(why);
      }
      if (slots.length === 0) return;
      const ended = grants.remove(slots);
      ending.add(ended);
      onCount(grants.slots.size);
      logger.info('Gives up slots', { slots: slots.length, why });
      if (isForced) ended.abort(why);
      void finish(ended, why);
    },
  };
}
