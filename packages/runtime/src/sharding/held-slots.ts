// The slots of this replica on their way in and out: one is taken when the caches hold everything of it, and given up
// in two steps: nothing new begins in it, and what is under way ends, by itself or by force. Whose a slot is, is
// decided elsewhere.
import type { Clock } from '../clock.ts';
import type { Grant, OwnershipChange } from '../grant.ts';
import type { Logger } from '../logger.ts';
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

export interface HeldSlots {
  /** Undefined for a slot that is not held, and for all of them when the lease is over. */
  grant(slot: number): Grant | undefined;
  readonly slots: ReadonlySet<number>;
  /** Something is still under way in slots that were given up. */
  readonly isAnyEnding: boolean;
  /** Nothing is held, being taken, or under way. */
  readonly isIdle: boolean;
  isEnding(slot: number): boolean;
  /** Reads what belongs to these slots and then takes those of them that are still free; nothing while others are
   *  being taken.
   *  @param stillFree a while has passed: asked once more */
  take(slots: readonly number[], stillFree: (slots: readonly number[]) => readonly number[]): void;
  stopTaking(): void;
  /** Others learn of it when nothing is under way any more.
   *  @param isForced ends what is under way at once, and what is being taken is not */
  letGo(slots: readonly number[], why: string, isForced: boolean): void;
}

export interface HeldSlotsOptions {
  readonly part: SharePart;
  /** Of the replica's lease, as it is now. */
  readonly leaseGrant: () => Grant | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How many there are has changed. */
  readonly onCount: (count: number) => void;
  readonly onChange: (change: OwnershipChange) => void;
  /** Something has ended: what follows may have changed. */
  readonly onSettled: () => void;
}

/** What is under way gets so long to end by itself when its slot is given up. */
const END_MS = 1_000;

export function createHeldSlots(options: HeldSlotsOptions): HeldSlots {
  const { part, clock, logger, onCount, onChange, onSettled } = options;
  const grants = createSlotGrants(options.leaseGrant);
  const ending = new Set<SlotEnding>();
  let taking: AbortController | undefined;

  /** The caches first: a slot is ours when everything of it is known. */
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
        // What goes on from before would have the grant of the next term.
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
