// A data folder that lives as long as the test.

import type { Version } from '../member/basics/messages.ts';
import type { DiskFile, MemberDisk } from '../member/basics/world.ts';

const GENEROUS_BYTES = 100 * 1024 ** 3;

export class MemoryDisk implements MemberDisk {
  readonly #files = new Map<DiskFile, string>();
  readonly #versions = new Map<string, Version>();
  readonly #listeners = new Set<(version: Version) => void>();
  #usedBytes: number | undefined;
  #sizeBytes: number | undefined;

  read(name: DiskFile): string | undefined {
    return this.#files.get(name);
  }

  write(name: DiskFile, text: string): void {
    this.#files.set(name, text);
  }

  remove(name: DiskFile): void {
    this.#files.delete(name);
  }

  /** Whether any version is stored. */
  get hasRecords(): boolean {
    return this.#versions.size > 0;
  }

  /** The stored version of one key. */
  version(key: string): Version | undefined {
    return this.#versions.get(key);
  }

  /** Calls `listener` for every version that is stored from now on. @returns ends it */
  onStored(listener: (version: Version) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** A copy, since the member stores while it loads. */
  loadVersions(): Iterable<Version> {
    return [...this.#versions.values()];
  }

  storeVersion(version: Version): void {
    this.#versions.set(version.key, version);
    for (const listener of this.#listeners) listener(version);
  }

  dropVersion(key: string): void {
    this.#versions.delete(key);
  }

  /** Sets the size of the volume in bytes. */
  resize(bytes: number | undefined): void {
    this.#sizeBytes = bytes;
  }

  /** Sets the used bytes. Before the first call the disk is half full, and large enough for any story. */
  fill(bytes: number): void {
    this.#usedBytes = bytes;
  }

  totalBytes(): number {
    return this.#usedBytes === undefined ? GENEROUS_BYTES : (this.#sizeBytes ?? GENEROUS_BYTES);
  }

  availableBytes(): number {
    const total = this.totalBytes();
    return this.#usedBytes === undefined ? total / 2 : Math.max(0, total - this.#usedBytes);
  }
}
