// Who may act on an object, as every controller sees it: one synchronous question, no I/O. How a grant is won is the
// business of the ownership modes (docs/design/contract.md#ownership); mode `single` is in leader-election.ts.

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
