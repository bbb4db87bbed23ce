// Sends commands and reads their replies in one round trip: pipelining, AUTH first, and the meaning of error replies.

import type { Connection, RoundTripLimits } from './connection.ts';
import { StoreAuthError, StoreProtocolError } from './errors.ts';
import { RespDecoder } from './resp-decoder.ts';
import { RespErrorReply, type RespValue } from './resp-value.ts';
import { RespWriter } from './resp-writer.ts';

/** Values in an answer to anything but CLUSTER SLOTS, which are all plain texts. */
const MAX_PLAIN_VALUES = 64;

/** Sends the commands in one write, with AUTH first when there is a password. Returns the replies without that to AUTH.
 *  A member that has no password yet (rotation under way) answers AUTH with an error and the rest as usual: that is
 *  accepted.
 *  @throws StoreAuthError, and all of Connection.roundTrip */
export async function exchangeCommands(
  connection: Connection,
  tried: string,
  commands: readonly (readonly (string | Uint8Array)[])[],
  limits: RoundTripLimits,
  password = '',
  onGuarded?: () => void,
): Promise<readonly RespValue[]> {
  const writer = new RespWriter(512);
  if (password !== '') writer.command(['AUTH', password]);
  for (const command of commands) writer.command(command);
  const expected = commands.length + (password === '' ? 0 : 1);
  const isTable = commands.some(([, what]) => what === 'SLOTS');
  const maxElements = isTable ? undefined : MAX_PLAIN_VALUES;
  const decoder = new RespDecoder({ maxBulkBytes: limits.maxBytes, maxElements });
  const replies: RespValue[] = [];
  const take = (chunk: Uint8Array): readonly RespValue[] | undefined => {
    decoder.push(chunk);
    while (replies.length < expected) {
      const reply = decoder.next();
      if (reply === undefined) return undefined;
      replies.push(reply);
      // After a refused password every further reply is a refusal, too. Throw now: the server may close the connection.
      if (reply instanceof RespErrorReply) checkAuth(reply);
    }
    if (password === '') return replies;
    if (replies[0] === 'OK') onGuarded?.();
    return replies.slice(1);
  };
  return connection.roundTrip(tried, writer.bytes(), take, limits);
}

function checkAuth(reply: RespErrorReply): void {
  if (reply.code === 'WRONGPASS') throw new StoreAuthError('wrongPassword');
  if (reply.code === 'NOAUTH') throw new StoreAuthError('passwordRequired');
}

/** The bytes of a bulk reply.
 *  @throws StoreProtocolError for an error reply or any other type */
export function bulkOf(reply: RespValue | undefined): Uint8Array {
  if (reply instanceof Uint8Array) return reply;
  if (reply instanceof RespErrorReply) {
    throw new StoreProtocolError(`the member answered with the error ${JSON.stringify(reply.message.slice(0, 120))}`);
  }
  throw new StoreProtocolError('the reply is no bulk string');
}
