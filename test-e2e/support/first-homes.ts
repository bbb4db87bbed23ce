// Which member is the first home of a key (the first of its homes that has primaries, docs/design/server.md#placement),
// as a client knows it that asks a member behind the client Service for the placement twice a second.

import { setTimeout as delay } from 'node:timers/promises';
import { homesAt, partitionOfKey, placementOf } from '@marekvs/api';
import { createStoreClient, type MemberLine } from '@marekvs/store-client';
import type { Serving } from './serving.ts';

export interface FirstHomes {
  /** Address of the first home of a key by the last answer; undefined before the first answer. */
  of(key: string): string | undefined;
  /** Whether this member is the first home of any key, by the last answer. */
  has(address: string): boolean;
  stop(): Promise<void>;
}

const REFRESH_MS = 500;
const LIMIT_MS = 1_000;

export function followFirstHomes(serving: Serving): FirstHomes {
  const store = createStoreClient({ timeoutMs: LIMIT_MS });
  const stopped = new AbortController();
  let shown = shownIn([]);

  async function follow(): Promise<void> {
    for (let turn = 0; !stopped.signal.aborted; turn += 1) {
      const addresses = serving.addresses();
      const host = addresses[turn % addresses.length];
      // A member that is just leaving may not answer: the next one is asked half a second later.
      const lines = host === undefined ? undefined : await store.nodes({ host }).catch(() => undefined);
      if (lines !== undefined) shown = shownIn(lines);
      await delay(REFRESH_MS);
    }
  }
  const followed = follow();
  return {
    of: (key) => shown.of(key),
    has: (address) => shown.has(address),
    async stop() {
      stopped.abort();
      await followed;
    },
  };
}

/** What one answer shows, for as long as somebody keeps it. */
export function shownIn(lines: readonly MemberLine[]): Pick<FirstHomes, 'of' | 'has'> {
  const active = lines.filter(({ primarySlots }) => primarySlots > 0);
  const addresses = new Map(active.map(({ id, ip }) => [id, ip]));
  const placement = placementOf(addresses.keys(), 1);
  const used = new Set(addresses.values());
  return {
    of: (key) => addresses.get(homesAt(placement, partitionOfKey(key))[0] ?? -1),
    has: (address) => used.has(address),
  };
}
