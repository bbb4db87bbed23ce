// What the manager starts and stops: a cache, the election, a controller, a server.

/** A part with a life of its own. */
export interface Runnable {
  /** Unique within a manager; for log lines and readiness. */
  readonly name: string;
  /** Runs until the signal is aborted and resolves when all of its work has ended: nothing stays behind.
   *  Ending earlier, or rejecting, stops the whole manager. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when the next stage may start. Missing: at once. Must reject, not resolve, when `signal` is aborted. */
  ready?(signal: AbortSignal): Promise<void>;
  /** Why this part is not ready, one short sentence; undefined when it is. Missing: always ready. Synchronous, no
   *  I/O. */
  notReady?(): string | undefined;
}
