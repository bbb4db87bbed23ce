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
  const decoder = new RespDecoder();
  const answers: RespValue[] = [];
  let decoded = 0;
  if (!network.isFrozen(name)) for (const words of list) client.send(...words);
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      client.close();
      settle();
    };
    const look = () => {
      if (signal?.aborted) return finish(() => reject(signal.reason));
      decoder.push(Buffer.from(client.received.slice(decoded), 'latin1'));
      decoded = client.received.length;
      for (let value = decoder.next(); value !== undefined; value = decoder.next()) answers.push(value);
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
