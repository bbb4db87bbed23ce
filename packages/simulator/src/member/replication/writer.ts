// Stores versions in memory and in the folder, and keeps the hybrid clock that orders them. Replication of own writes
// is push-ring.ts.

import { clockStepsPerMs, sweeperIdleMs } from '../basics/constants.ts';
import type { Version } from '../basics/messages.ts';
import type { MemberContext } from '../interfaces/context.ts';
import { tombstoneOf } from '../records/expiry.ts';
import { type StampedWrite, versionOf, type Write } from '../records/write.ts';

export class Writer {
  readonly #context: MemberContext;
  readonly #wallNow: () => number;
  #clock = 0;
  #wroteAtMs = Number.NEGATIVE_INFINITY;

  constructor(context: MemberContext, wallNow: () => number) {
    this.#context = context;
    this.#wallNow = wallNow;
  }

  /** What is held afterwards of every record that has changed. */
  write(writes: readonly (Write | StampedWrite)[]): readonly Version[] {
    const { settings, world } = this.#context;
    this.#wroteAtMs = world.now();
    return writes.flatMap((write) => {
      this.#clock = Math.max(this.#clock + 1, Math.floor(this.#wallNow()) * clockStepsPerMs);
      const stamp = { clock: this.#clock, origin: settings.nodeId };
      return this.#keep(versionOf(stamp, typeof write === 'function' ? write(stamp) : write)) ?? [];
    });
  }

  /** Replaces a record whose time is over by a tombstone. Nothing is done while clients write. */
  expire(version: Version): readonly Version[] {
    const { settings, world } = this.#context;
    if (world.now() - this.#wroteAtMs < sweeperIdleMs) return [];
    const { clock, ...write } = tombstoneOf(version);
    const kept = this.#keep(versionOf({ clock, origin: settings.nodeId }, write));
    return kept === undefined ? [] : [kept];
  }

  applyRemote(version: Version): boolean {
    this.#clock = Math.max(this.#clock, version.clock);
    return this.#keep(version) !== undefined;
  }

  /** A version of an earlier process on this folder. */
  load(version: Version): void {
    this.#clock = Math.max(this.#clock, version.clock);
    this.#context.store.apply(version);
  }

  #keep(version: Version): Version | undefined {
    const { store, world } = this.#context;
    const kept = store.apply(version);
    if (kept !== undefined) world.disk.storeVersion(kept);
    return kept;
  }
}
