// Who may act on an object, as every controller sees it: one synchronous question, no I/O. How a grant is won is the
// business of the ownership modes (docs/design/contract.md#ownership); mode `single` is in leader-election.ts.

import { untilAborted } from './aborted.ts';

/** The permission to act on one object, for a limited time. It makes double work rare, not impossible: between the
 *  check and the socket a process can be stopped, so every write still carries its resourceVersion or uid. */
export interface Grant {
  /** Milliseconds of validity left, by a clock that counts suspend; 0 once it is over. Ask before a
   *  call that must end in time. */
  left(): number;
  /** Aborted when the grant ends. Pass it to every request made under the grant. */
  readonly signal: AbortSignal;
}

/** Slots won and lost. Mode `single` has one slot, number 0. */
export interface OwnershipChange {
  readonly gained: readonly number[];
  readonly lost: readonly number[];
}

/** One replica's share of the objects. */
export interface Ownership {
  /** Takes part until the signal is aborted, then leaves. Never rejects because of the API server: it retries. */
  run(signal: AbortSignal): Promise<void>;
  /** Synchronous, no I/O. Undefined means: do nothing for this object now. */
  grant(uid: string): Grant | undefined;
  /** Calls `listener` after every change. @returns a function that ends it */
  onChange(listener: (change: OwnershipChange) => void): () => void;
  /** Stops granting at once and gives the lease back, if it is still ours. Call it after the work in
   *  flight has ended. Idempotent. */
  leave(): Promise<void>;
}

/** Grants everything for ever: one replica by construction, tests, `npm start`. */
export function createAlwaysGranted(): Ownership {
  const term = new AbortController();
  const grant: Grant = { left: () => (term.signal.aborted ? 0 : Number.POSITIVE_INFINITY), signal: term.signal };
  const listeners = new Set<(change: OwnershipChange) => void>();
  const emit = (change: OwnershipChange): void => {
    for (const listener of listeners) listener(change);
  };
  const leave = async (): Promise<void> => {
    if (term.signal.aborted) return;
    term.abort(new Error('left'));
    emit({ gained: [], lost: [0] });
  };
  return {
    async run(signal) {
      emit({ gained: [0], lost: [] });
      await untilAborted(signal);
      await leave();
    },
    grant: () => (term.signal.aborted ? undefined : grant),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    leave,
  };
}
