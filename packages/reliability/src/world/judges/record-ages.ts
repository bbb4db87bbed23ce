// What each member's volume has held of each of its records, and since when: a proof is about what was held at a moment
// in the past.

import type { MemoryDisk, Version } from '@marekvs/simulator';
import type { WorldView } from '../cluster/world-view.ts';

/** Virtual milliseconds between two looks for new volumes: what is on one then counts as younger than it is. */
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

  /** Watches from now on, until `isOver`. */
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

  /** Everything that a volume is known to have held of a record. */
  all(volumeUid: string, key: string): readonly Version[] {
    return (this.#watched.get(volumeUid)?.records.get(key) ?? []).map(({ version }) => version);
  }

  #check(): void {
    const { kubelet } = this.#view.kube;
    for (const id of this.#view.nodeIds()) {
      const uid = this.#view.claim(id)?.metadata.uid ?? '';
      const disk = kubelet.diskOf(uid);
      if (disk !== undefined && !this.#watched.has(uid)) this.#begin(uid, disk);
    }
  }

  #begin(uid: string, disk: MemoryDisk): void {
    const records = new Map<string, KeptRecord[]>();
    const note = (version: Version): void => keep(records, version, this.#view.kube.nowMs());
    for (const version of disk.loadVersions()) note(version);
    this.#watched.set(uid, { records, end: disk.onStored(note) });
  }
}

function keep(known: Map<string, KeptRecord[]>, version: Version, nowMs: number): void {
  const list = known.get(version.key);
  if (list === undefined) {
    known.set(version.key, [{ version, sinceMs: nowMs }]);
    return;
  }
  list.push({ version, sinceMs: nowMs });
  while ((list[1]?.sinceMs ?? nowMs) < nowMs - KEPT_MS) list.shift();
}
