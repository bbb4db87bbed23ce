// What the parts of one member share. Each part owns its own state and reaches the others only through this.

import type { MeshMessage, Phase, Version } from '../basics/messages.ts';
import type { MetricsBook } from '../basics/metrics-book.ts';
import type { MemberWorld } from '../basics/world.ts';
import type { View } from '../membership/view.ts';
import type { Store } from '../records/store.ts';
import type { MemberKnobs } from '../settings/knobs.ts';
import type { MemberSettings } from '../settings/settings.ts';

export interface MemberContext {
  readonly settings: MemberSettings;
  readonly world: MemberWorld;
  readonly metrics: MetricsBook;
  readonly store: Store;
  knobs(): MemberKnobs;
  view(): View;
  /** This member's own phase, ahead of what its view shows by up to one tick. */
  phase(): Phase;
  /** To a connected peer; false when there is no connection or the frame was dropped. */
  send(peer: number, message: MeshMessage): boolean;
  connectedPeers(): readonly number[];
  /** Stores a version that came from a peer; true when it changed anything. */
  applyRemote(version: Version): boolean;
  /** Replaces a record whose time is over by a tombstone, which is replicated like any other write. */
  expire(version: Version): void;
  /** Deletes without a tombstone: old tombstones, and what only a rejoining member has. */
  dropLocal(key: string): void;
}

/** Ids this member may pick as partners: in its view with this phase, itself excluded. */
export function othersIn(context: MemberContext, phase: Phase): number[] {
  return context
    .view()
    .members.filter((member) => member.phase === phase && member.id !== context.settings.nodeId)
    .map((member) => member.id);
}

export function pickOne<T>(world: MemberWorld, list: readonly T[]): T | undefined {
  return list[Math.floor(world.random() * list.length)];
}
