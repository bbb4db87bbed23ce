// Commands to a member, and questions right before an action, since a sample is a second old.

import { isIPv4 } from 'node:net';
import {
  type MemberAddress,
  StoreAuthError,
  type StoreClient,
  StoreError,
  StoreProtocolError,
  StoreUnreachableError,
} from '@marekvs/store-client';

export interface MemberCommands {
  /** Tells the member at this address to hand over its primaries and, with them, its clients. It stays a full home.
   *  Idempotent; only a restart undoes it. Resolves when accepted, not when the others have noticed.
   *  @throws StoreError no usable answer within 3 s; the signal's reason when aborted; RangeError for anything but an
   *  IPv4 address */
  drain(ip: string, signal: AbortSignal): Promise<void>;
  /** True when the member at this address takes commands: the port opens when a member becomes Active, half a second
   *  before it calls itself ready (docs/design/server.md#http). False while nothing answers there, and for an IPv6
   *  address, at which no server listens (docs/design/server.md#h8).
   *  @throws the signal's reason when aborted */
  hasJoined(ip: string, signal: AbortSignal): Promise<boolean>;
  /** Sets or removes the password of this member, over a session with the present one, and verifies it over a new
   *  session. Open sessions of clients go on. Idempotent. Nothing is sent to an address at which another one answers.
   *  @throws StoreProtocolError when another one does; StoreAuthError when it takes none of the passwords; StoreError
   *  no usable answer within 3 s; otherwise as above */
  setPassword(member: MemberAt, passwords: PasswordChange, signal: AbortSignal): Promise<void>;
}

function addressOf(host: string, password: string | undefined): MemberAddress {
  return { host, ...(password === undefined ? {} : { password }) };
}

/** A member and the address at which it should be. */
export interface MemberAt {
  readonly ip: string;
  readonly nodeId: number;
}

export interface PasswordChange {
  /** Undefined: no password, every client is let in. */
  readonly next: string | undefined;
  /** Passwords that it may require now. That it requires none is tried as well. */
  readonly before: readonly string[];
}

/** For connecting and the answer together; a member answers in milliseconds. */
const TIMEOUT_MS = 3_000;

/** `/drain` asks for no password (docs/design/server.md#http), so the address is all it takes. */
export function createMemberCommands({
  store,
}: {
  readonly store: Pick<StoreClient, 'drain' | 'clusterInfo' | 'session' | 'metrics'>;
}): MemberCommands {
  /** Whether a new session is accepted with this password and would not be without one; for undefined, whether it is
   *  accepted without one. */
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
    async setPassword({ ip, nodeId }, { next, before }, signal) {
      const { nodeId: answering } = await store.metrics({ host: ip }, { signal, timeoutMs: TIMEOUT_MS });
      if (answering !== nodeId)
        throw new StoreProtocolError(`member ${answering ?? 'unknown'} answers in place of ${nodeId}`);
      // No password last: most members refuse that.
      for (const password of [...before, undefined]) {
        if (await takes(ip, next, signal)) return;
        if (await takes(ip, password, signal)) await change(ip, password, next ?? '', signal);
      }
      if (!(await takes(ip, next, signal))) throw new StoreAuthError('wrongPassword');
    },
    drain: (ip, signal) => store.drain({ host: ip }, { signal, timeoutMs: TIMEOUT_MS }),
    async hasJoined(ip, signal) {
      if (!isIPv4(ip)) return false;
      try {
        await store.clusterInfo({ host: ip }, { signal, timeoutMs: TIMEOUT_MS });
        return true;
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        // A demand for a password is an answer, too.
        return !(error instanceof StoreUnreachableError);
      }
    },
  };
}
