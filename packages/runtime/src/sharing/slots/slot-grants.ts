// The slots a replica holds: each with a signal of its own, all of them only as long as its lease is valid.
import type { Grant } from '../../lease/grant.ts';
import { GrantLostError } from '../../lease/term.ts';

export interface SlotGrants {
  /** Undefined for a slot that is not held, and for all of them when the lease is over. */
  grant(slot: number): Grant | undefined;
  has(slot: number): boolean;
  readonly slots: ReadonlySet<number>;
  add(slots: Iterable<number>): void;
  /** From now on no pass begins in these slots. Passes under way go on until `abort`. */
  remove(slots: Iterable<number>): SlotEnding;
}

/** Slots that are no longer held, and in which passes may still be under way. */
export interface SlotEnding {
  readonly slots: ReadonlySet<number>;
  abort(why: string): void;
}

/** @param leaseGrant the grant of the replica's lease, as it is now */
export function createSlotGrants(leaseGrant: () => Grant | undefined): SlotGrants {
  const held = new Map<number, { readonly abort: AbortController; readonly grant: Grant }>();

  function open(): { readonly abort: AbortController; readonly grant: Grant } {
    const abort = new AbortController();
    const left = (): number => (abort.signal.aborted ? 0 : (leaseGrant()?.left() ?? 0));
    return { abort, grant: { left, signal: abort.signal } };
  }

  return {
    grant: (slot) => (leaseGrant() === undefined ? undefined : held.get(slot)?.grant),
    has: (slot) => held.has(slot),
    get slots() {
      return new Set(held.keys());
    },
    add(slots) {
      for (const slot of slots) if (!held.has(slot)) held.set(slot, open());
    },
    remove(slots) {
      const ended = [...slots].flatMap((slot) => {
        const one = held.get(slot);
        held.delete(slot);
        return one === undefined ? [] : [{ slot, abort: one.abort }];
      });
      return {
        slots: new Set(ended.map(({ slot }) => slot)),
        abort(why) {
          for (const { abort } of ended) abort.abort(new GrantLostError(why));
        },
      };
    },
  };
}
