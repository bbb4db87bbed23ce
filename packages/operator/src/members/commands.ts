// Commands to a member, and questions right before something is done to it: a sample is a second old.

import {
  type MemberAddress,
  StoreAuthError,
  type StoreClient,
  StoreError,
  StoreUnreachableError,
} from '@marekvs/store-client';

export interface MemberCommands {
  /** Tells the member at this address to hand over its primaries and, with them, its clients. It stays a full home.
   *  Idempotent; only a restart takes it back. Resolves when accepted, not when the others have noticed.
   *  @throws StoreError no usable answer within 3 s; the signal's reason when aborted; RangeError for
   *  anything but an IPv4 address */
  drain(ip: string, signal: AbortSignal): Promise<void>;
  /** True when commands are taken at this address: the port opens at the moment a member becomes Active, half a second
   *  before it calls itself ready (docs/design/server.md#http). False while nothing answers there.
   *  @throws the signal's reason when aborted; RangeError for anything but an IPv4 address */
  hasJoined(ip: string, signal: AbortSignal): Promise<boolean>;
  /** Gives the member at this address another password, or takes it from it, over a session with what it takes now, and
   *  reads it back over a new one. Sessions of clients that are open go on. Idempotent.
   *  @throws StoreAuthError when it takes none of them; StoreError no usable answer within 3 s; as the others */
  setPassword(ip: string, passwords: PasswordChange, signal: AbortSignal): Promise<void>;
}

function addressOf(host: string, password: string | undefined): MemberAddress {
  return { host, ...(password === undefined ? {} : { password }) };
}

export interface PasswordChange {
  /** Undefined: none, every client is let in. */
  readonly next: string | undefined;
  /** What it may want now; that it wants none is tried as well. */
  readonly before: readonly string[];
}

/** For connecting and the answer together; a member answers in milliseconds. */
const TIMEOUT_MS = 3_000;

/** `/drain` asks for no password (docs/design/server.md#http), so the address is all it takes. */
export function createMemberCommands({
  store,
}: {
  readonly store: Pick<StoreClient, 'drain' | 'clusterInfo' | 'session'>;
}): MemberCommands {
  /** Whether a new session is let in with it, and would not be without; of none, whether it is let in without. */
  async function takes(host: string, password: string | undefined, signal: AbortSignal): Promise<boolean> {
    let isGuarded = password === undefined;
    const onGuarded = () => {
      isGuarded = true;
    };
    try {
      await store.clusterInfo(addressOf(host, password), { signal, timeoutMs: TIMEOUT_MS, onGuarded });
      return isGuarded;
    } catch (error) {
      if (error instanceof StoreAuthError) return false;
      throw error;
    }
  }

  async function change(host: string, password: string | undefined, next: string, signal: AbortSignal): Promise<void> {
    await using session = await store.session(addressOf(host, password), { signal, timeoutMs: TIMEOUT_MS });
    await session.commands([['CONFIG', 'SET', 'requirepass', next]], { signal, timeoutMs: TIMEOUT_MS });
  }

  return {
    async setPassword(ip, { next, before }, signal) {
      // Without one last: most members refuse that.
      for (const password of [...before, undefined]) {
        if (await takes(ip, next, signal)) return;
        if (await takes(ip, password, signal)) await change(ip, password, next ?? '', signal);
      }
      if (!(await takes(ip, next, signal))) throw new StoreAuthError('wrongPassword');
    },
    drain: (ip, signal) => store.drain({ host: ip }, { signal, timeoutMs: TIMEOUT_MS }),
    async hasJoined(ip, signal) {
      try {
        await store.clusterInfo({ host: ip }, { signal, timeoutMs: TIMEOUT_MS });
        return true;
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        // Asking for a password is an answer, too.
        return !(error instanceof StoreUnreachableError);
      }
    },
  };
}
