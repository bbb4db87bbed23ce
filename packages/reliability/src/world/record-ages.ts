// Since when each member's volume has held each of its records: a proof is about what was held at a moment in the past.

import type { MemoryDisk, Version } from '@marekvs/simulator';
import type { WorldView } from './world-view.ts';

/** Virtual milliseconds between two checks: a record counts as younger than it is by at most this. */
const CHECK_MS = 500;
/** No proof is about an earlier moment. */
const KEPT_MS = 120_000;

interface KeptRecord {
  readonly version: Version;
  readonly sinceMs: number;
}

/** The records of one volume. */
interface Watched {
  /** By key, newest last. */
  readonly records: Map<string, KeptRecord[]>;
  /** Keys that were stored since the last check; usually none. */
  readonly stored: Set<string>;
  readonly end: () => void;
}

export class RecordAges {
  readonly #view: WorldView;
  /** By volume. */
  readonly #watched = new Map<string, Watched>();
  #isWatching = false;

  constructor(view: WorldView) {
    this.#view = view;
  }

  /** Checks from now on, until `isOver`. */
  watch(isOver: () => boolean): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const check = (): void => {
      this.#isWatching = !isOver();
      if (!this.#isWatching) {
        for (const { end } of this.#watched.values()) end();
        this.#watched.clear();
        return;
      }
      this.#check();
      this.#view.kube.clock.after(CHECK_MS, check);
    };
    check();
  }

  /** What a volume held at that moment (wall clock), of the records it still holds or has replaced by something
   *  newer. */
  at(volumeUid: string, nowMs: number): readonly Version[] {
    return [...(this.#watched.get(volumeUid)?.records.values() ?? [])].flatMap(
      (list) => list.findLast(({ sinceMs }) => sinceMs <= nowMs)?.version ?? [],
    );
  }

  #check(): void {
    const { kubelet } = this.#view.kube;
    const nowMs = this.#view.kube.nowMs();
    for (const id of this.#view.nodeIds()) {
      const uid = this.#view.claim(id)?.metadata.uid ?? '';
      const disk = kubelet.diskOf(uid);
      if (disk === undefined) continue;
      const { records, stored } = this.#watched.get(uid) ?? this.#begin(uid, disk);
      for (const key of stored) note(records, disk.version(key), nowMs);
      stored.clear();
    }
  }

  #begin(uid: string, disk: MemoryDisk): Watched {
    const stored = new Set(Array.from(disk.loadVersions(), ({ key }) => key));
    const watched = { records: new Map(), stored, end: disk.onStored(({ key }) => stored.add(key)) };
    this.#watched.set(uid, watched);
    return watched;
  }
}

/** @param version undefined: dropped again */
function note(known: Map<string, KeptRecord[]>, version: Version | undefined, nowMs: number): void {
  if (version === undefined) return;
  const list = known.get(version.key);
  if (list === undefined) {
    known.set(version.key, [{ version, sinceMs: nowMs }]);
    return;
  }
  if (list.at(-1)?.version === version) return;
  list.push({ version, sinceMs: nowMs });
  while ((list[1]?.sinceMs ?? nowMs) < nowMs - KEPT_MS) list.shift();
}
