// What a member is told, as opposed to asked. One thing so far: to leave.

import type { StoreClient } from '@marekvs/store-client';

export interface MemberCommands {
  /** Tells the member at this address to hand over its primaries and, with them, its clients. It stays a full home. Idempotent;
   *  only a restart takes it back. Resolves when accepted, not when the others have noticed.
   *  @throws StoreError no usable answer within 3 s; the signal's reason when aborted; RangeError for anything but an IPv4 address */
  drain(ip: string, signal: AbortSignal): Promise<void>;
}

/** For connecting and the answer together; a member answers in milliseconds. */
const DRAIN_TIMEOUT_MS = 3_000;

/** `/drain` asks for no password (marekvs.md 2), so the address is all it takes. */
export function createMemberCommands({ store }: { readonly store: Pick<StoreClient, 'drain'> }): MemberCommands {
  return { drain: (ip, signal) => store.drain({ host: ip }, { signal, timeoutMs: DRAIN_TIMEOUT_MS }) };
}
