// Stores versions in memory and in the folder, and keeps the hybrid clock that orders them. Replication of own writes
// is push-ring.ts.

import { clockStepsPerMs } from './constants.ts';
import type { MemberContext } from './context.ts';
import type { Counter, Register, Version } from './messages.ts';

export interface Write {
  readonly key: string;
  /** Bytes as latin1; undefined writes a tombstone. */
  readonly value: string | undefined;
  /** Wall milliseconds. */
  readonly expiresAtMs?: number;
  readonly merged?: Counter | Register;
}

export class Writer {
  readonly #context: MemberContext;
  readonly #wallNow: () => number;
  #clock = 0;

  constructor(context: MemberContext, wallNow: () => number) {
    this.#context = context;
    this.#wallNow = wallNow;
  }

  write(writes: readonly Write[]): readonly Version[] {
    const { store, world, settings } = this.#context;
    return writes.map(({ key, value, ...rest }) => {
      this.#clock = Math.max(this.#clock + 1, Math.floor(this.#wallNow()) * clockStepsPerMs);
      const version: Version = {
        key,
        clock: this.#clock,
        origin: settings.nodeId,
        value: value ?? '',
        isDead: value === undefined,
        ...rest,
      };
      store.apply(version);
      world.disk.storeVersion(version);
      return version;
    });
  }

  applyRemote(version: Version): boolean {
    const { store, world } = this.#context;
    this.#clock = Math.max(this.#clock, version.clock);
    // A member that has dropped the expired version would get it back from every member that has not.
    if (version.expiresAtMs !== undefined && version.expiresAtMs <= this.#wallNow()) return false;
    const kept = store.apply(version);
    if (kept !== undefined) world.disk.storeVersion(kept);
    return kept !== undefined;
  }

  /** A version of an earlier process on this folder. */
  load(version: Version): void {
    this.#clock = Math.max(this.#clock, version.clock);
    this.#context.store.apply(version);
  }
}
