// RESP2 values as bytes, as a member writes them. The client itself only writes commands.

import { RespErrorReply, type RespValue } from '../../src/resp-value.ts';

export function bulkBytes(value: string | Uint8Array): Uint8Array {
  return Buffer.concat(bulk(Buffer.from(value)));
}

/** Encodes any decoded value. */
export function replyBytes(value: RespValue): Uint8Array {
  return Buffer.concat(pieces(value));
}

function pieces(value: RespValue): readonly Uint8Array[] {
  if (value === null) return [Buffer.from('$-1\r\n')];
  if (typeof value === 'string') return [Buffer.from(`+${value}\r\n`)];
  if (typeof value === 'number') return [Buffer.from(`:${value}\r\n`)];
  if (value instanceof RespErrorReply) return [Buffer.from(`-${value.message}\r\n`)];
  if (value instanceof Uint8Array) return bulk(value);
  return [Buffer.from(`*${value.length}\r\n`), ...value.flatMap(pieces)];
}

function bulk(bytes: Uint8Array): readonly Uint8Array[] {
  return [Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n')];
}
