// Commands over one in-memory connection, with the time limit of the virtual clock.

import { RespDecoder, type RespValue, StoreUnreachableError } from '@marekvs/store-client';
import type { MemberNetwork } from './member-network.ts';
import type { MemberName } from './network-options.ts';

/** All answers in order, each parsed by `read`.
 *  @throws ConnectionRefusedError; StoreUnreachableError when they are not complete in time or the member ends */
export function exchangeOver<T>(
  network: MemberNetwork,
  name: MemberName,
  list: readonly (readonly string[])[],
  read: (bytes: string) => T,
  timeoutMs: number,
  {
    signal,
    onSettled,
  }: { readonly signal?: AbortSignal | undefined; readonly onSettled?: (() => void) | undefined } = {},
): Promise<readonly T[]> {
  signal?.throwIfAborted();
  const client = network.connect(name);
  const deadlineMs = network.clock.now() + timeoutMs;
  const answers: T[] = [];
  if (!network.isFrozen(name)) for (const words of list) client.send(...words);
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      client.close();
      settle();
      onSettled?.();
    };
    const poll = () => {
      if (signal?.aborted) return finish(() => reject(signal.reason));
      for (const bytes of client.take()) answers.push(read(bytes));
      if (answers.length >= list.length) return finish(() => resolve(answers));
      if (!network.isUp(name)) return finish(() => reject(new StoreUnreachableError('closed', 'the member is gone')));
      if (network.clock.now() >= deadlineMs)
        return finish(() => reject(new StoreUnreachableError('timeout', 'no answer')));
      network.clock.after(1, poll);
      return undefined;
    };
    poll();
  });
}

/** One reply as a value. */
export function decoded(bytes: string): RespValue {
  const decoder = new RespDecoder();
  decoder.push(Buffer.from(bytes, 'latin1'));
  const value = decoder.next();
  if (value === undefined) throw new Error(`decode ${JSON.stringify(bytes.slice(0, 40))}: no whole reply`);
  return value;
}

/** Caches `read` by reply text, since members send the same replies many times over. Values are shared: callers must
 *  not change them. */
export function oncePerText<T>(read: (bytes: string) => T): (bytes: string) => T {
  const values = new Map<string, T>();
  let keptBytes = 0;
  return (bytes) => {
    const known = values.get(bytes);
    if (known !== undefined) return known;
    const value = read(bytes);
    keptBytes += bytes.length;
    if (keptBytes > maxKeptBytes || values.size >= maxKeptValues) {
      values.clear();
      keptBytes = bytes.length;
    }
    values.set(bytes, value);
    return value;
  };
}

const maxKeptBytes = 4 * 1024 * 1024;
const maxKeptValues = 256;
