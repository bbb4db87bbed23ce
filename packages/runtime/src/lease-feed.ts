// How the election hears of the lease: somebody else's watch pushes it in. No polling.
import type { LeaseRecord } from './lease-record.ts';

/** Undefined: the lease is known not to exist. */
export type LeaseListener = (record: LeaseRecord | undefined) => void;

export interface LeaseFeed {
  /** Calls `listener` with what is known, if anything is, and with every change. @returns a function that ends it */
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
