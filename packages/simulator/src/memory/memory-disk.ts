// A data folder that lives as long as the test.

import type { Version } from '../member/messages.ts';
import type { DiskFile, MemberDisk } from '../member/world.ts';

const totalBytes = 100 * 1024 ** 3;

export class MemoryDisk implements MemberDisk {
  readonly #files = new Map<DiskFile, string>();
  readonly #versions = new Map<string, Version>();
  readonly #listeners = new Set<(version: Version) => void>();

  read(name: DiskFile): string | undefined {
    return this.#files.get(name);
  }

  write(name: DiskFile, text: string): void {
    this.#files.set(name, text);
  }

  remove(name: DiskFile): void {
    this.#files.delete(name);
  }

  /** What is stored of one key. */
  version(key: string): Version | undefined {
    return this.#versions.get(key);
  }

  /** Told of every version that is stored from now on. @returns ends it */
  onStored(listener: (version: Version) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** A copy: the member stores while it loads. */
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

  totalBytes(): number {
    return totalBytes;
  }

  availableBytes(): number {
    return totalBytes / 2;
  }
}
