// Commands out and their replies in, in one round trip: pipelining, AUTH in front, and what an error reply means.

import type { Connection, RoundTripLimits } from './connection.ts';
import { StoreAuthError, StoreProtocolError } from './errors.ts';
import { RespDecoder } from './resp-decoder.ts';
import { RespErrorReply, type RespValue } from './resp-value.ts';
import { RespWriter } from './resp-writer.ts';

/** Sends the commands in one write, with AUTH in front when there is a password, and gives the replies without AUTH's.
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
  const decoder = new RespDecoder({ maxBulkBytes: limits.maxBytes });
  const replies: RespValue[] = [];
  const take = (chunk: Uint8Array): readonly RespValue[] | undefined => {
    decoder.push(chunk);
    while (replies.length < expected) {
      const reply = decoder.next();
      if (reply === undefined) return undefined;
      replies.push(reply);
      // A refused password makes every further reply a refusal; a server that hangs up then must not hide the reason.
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
