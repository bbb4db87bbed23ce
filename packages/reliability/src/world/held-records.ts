// Since when each member's volume has held each of its records: what a proof is about is what was held at a moment of the past.

import type { MemoryDisk, Version } from '@marekvs/simulator';
import type { WorldView } from './world-view.ts';

/** Between two looks, virtual milliseconds: what came in between counts as younger than it is. */
const LOOK_MS = 500;
/** No proof is about an older moment. */
const KEPT_MS = 120_000;

interface Held {
  readonly version: Version;
  readonly sinceMs: number;
}

export class HeldRecords {
  readonly #view: WorldView;
  /** By volume and key, the newest last. */
  readonly #held = new Map<string, Map<string, Held[]>>();
  /** How many changes each volume had had when it was last looked at: mostly it is as it was. */
  #seenChanges = new WeakMap<MemoryDisk, number>();
  #isWatching = false;

  constructor(view: WorldView) {
    this.#view = view;
  }

  /** Looks from now on, until `isOver`. */
  watch(isOver: () => boolean): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const look = (): void => {
      this.#isWatching = !isOver();
      if (!this.#isWatching) {
        this.#held.clear();
        this.#seenChanges = new WeakMap();
        return;
      }
      this.#look();
      this.#view.kube.clock.after(LOOK_MS, look);
    };
    look();
  }

  /** What a volume held at that moment, of what it still holds or has replaced by something newer. Wall clock. */
  at(volumeUid: string, nowMs: number): readonly Version[] {
    return [...(this.#held.get(volumeUid)?.values() ?? [])].flatMap(
      (list) => list.findLast(({ sinceMs }) => sinceMs <= nowMs)?.version ?? [],
    );
  }

  #look(): void {
    const { kubelet } = this.#view.kube;
    const nowMs = this.#view.kube.nowMs();
    for (const id of this.#view.nodeIds()) {
      const uid = this.#view.claim(id)?.metadata.uid ?? '';
      const disk = kubelet.diskOf(uid);
      if (disk === undefined || this.#seenChanges.get(disk) === disk.changes) continue;
      this.#seenChanges.set(disk, disk.changes);
      const known = this.#held.get(uid) ?? new Map<string, Held[]>();
      this.#held.set(uid, known);
      for (const version of disk.loadVersions()) note(known, version, nowMs);
    }
  }
}

function note(known: Map<string, Held[]>, version: Version, nowMs: number): void {
  const list = known.get(version.key);
  if (list === undefined) {
    known.set(version.key, [{ version, sinceMs: nowMs }]);
    return;
  }
  if (list.at(-1)?.version === version) return;
  list.push({ version, sinceMs: nowMs });
  while ((list[1]?.sinceMs ?? nowMs) < nowMs - KEPT_MS) list.shift();
}
