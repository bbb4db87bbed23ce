// Commands over one in-memory connection, with the time limit of the virtual clock.

import { RespDecoder, type RespValue, StoreUnreachableError } from '@marekvs/store-client';
import type { MemberName, MemberNetwork } from './member-network.ts';

/** All answers in order.
 *  @throws ConnectionRefusedError; StoreUnreachableError when they are not complete in time or the member ends */
export function exchangeOver(
  network: MemberNetwork,
  name: MemberName,
  list: readonly (readonly string[])[],
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<readonly RespValue[]> {
  signal?.throwIfAborted();
  const client = network.connect(name);
  const deadlineMs = network.clock.now() + timeoutMs;
  const answers: RespValue[] = [];
  if (!network.isFrozen(name)) for (const words of list) client.send(...words);
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      client.close();
      settle();
    };
    const look = () => {
      if (signal?.aborted) return finish(() => reject(signal.reason));
      for (const bytes of client.take()) answers.push(decoded(bytes));
      if (answers.length >= list.length) return finish(() => resolve(answers));
      if (!network.isUp(name)) return finish(() => reject(new StoreUnreachableError('closed', 'the member is gone')));
      if (network.clock.now() >= deadlineMs)
        return finish(() => reject(new StoreUnreachableError('timeout', 'no answer')));
      network.clock.after(1, look);
      return undefined;
    };
    look();
  });
}

/** One reply as a value. Members say the same thing many times over, tables above all: equal bytes are one value, and whoever
 *  parses it can tell. Nobody changes it. */
function decoded(bytes: string): RespValue {
  const known = values.get(bytes);
  if (known !== undefined) return known;
  const decoder = new RespDecoder();
  decoder.push(Buffer.from(bytes, 'latin1'));
  const value = decoder.next();
  if (value === undefined) throw new Error(`decode ${JSON.stringify(bytes.slice(0, 40))}: no whole reply`);
  keptBytes += bytes.length;
  if (keptBytes > maxKeptBytes || values.size >= maxKeptValues) {
    values.clear();
    keptBytes = bytes.length;
  }
  values.set(bytes, value);
  return value;
}

/** As a value, a table of half a megabyte takes ten times as much. */
const maxKeptBytes = 4 * 1024 * 1024;
const maxKeptValues = 256;
let keptBytes = 0;
const values = new Map<string, RespValue>();
