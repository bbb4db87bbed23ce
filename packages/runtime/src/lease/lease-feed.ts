// How the election learns about the lease: a watch of another component pushes changes in. No polling.
import type { LeaseRecord } from './lease-record.ts';

/** Undefined: the lease is known not to exist. */
export type LeaseListener = (record: LeaseRecord | undefined) => void;

export interface LeaseFeed {
  /** Calls `listener` with the known state, if there is one, and with every change. @returns ends the subscription */
  observe(listener: LeaseListener): () => void;
}

/** A feed that a reflector's change handler fills: `onChange: (change) => feed.push(change.current)`. */
export interface PushedLeaseFeed extends LeaseFeed {
  push(record: LeaseRecord | undefined): void;
}

export function createLeaseFeed(): PushedLeaseFeed {
  const listeners = new Set<LeaseListener>();
  let last: { readonly record: LeaseRecord | undefined } | undefined;
  return {
    observe(listener) {
      listeners.add(listener);
      if (last !== undefined) listener(last.record);
      return () => listeners.delete(listener);
    },
    push(record) {
      last = { record };
      for (const listener of listeners) listener(record);
    },
  };
}
