// The serving end of SPDY/3.1, as far as Kubernetes uses it for port forwards: streams that the other end opens, bytes
// both ways, half closes. Kubernetes does not use flow control, so windows are not counted.
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { constants, inflateSync } from 'node:zlib';
import { SPDY_DICTIONARY } from './spdy-dictionary.ts';

const VERSION = 3;
const TYPE = { synStream: 1, synReply: 2, rstStream: 3, ping: 6, goAway: 7 } as const;
const FIN = 1;
const HEAD_BYTES = 8;
const INTERNAL_ERROR = 6;
/** The head of a zlib stream (RFC 1950) with that dictionary, which it names by its Adler-32. */
const DEFLATE_HEAD = Buffer.from('78bbe3c6a7c2', 'hex');
/** Four bytes that say that there are 0 headers, in a stored block (RFC 1951, 3.2.4), and an empty block: before that,
 *  Go's reader does not pass on what it has. */
const NO_HEADERS = Buffer.from('000400fbff00000000000000ffff', 'hex');

export interface SpdyStream {
  readonly headers: Readonly<Record<string, string>>;
  /** What the other end sends, until it ends its half. */
  readonly input: AsyncIterable<Buffer>;
  send(bytes: Buffer): Promise<void>;
  /** Ends our half: nothing more is sent. */
  end(): Promise<void>;
  /** Ends both halves. */
  reset(): Promise<void>;
}

/** Serves one connection until it ends. @param onStream called for each stream, already accepted */
export async function serveSpdy(connection: Duplex, onStream: (stream: SpdyStream) => void): Promise<void> {
  const inflate = createInflater();
  let isFirstReply = true;
  const inputs = new Map<number, Input>();

  async function write(...parts: readonly Buffer[]): Promise<void> {
    if (connection.destroyed || connection.writableEnded) return;
    if (!connection.write(Buffer.concat(parts)))
      await Promise.race([once(connection, 'drain'), once(connection, 'close')]);
  }

  const control = (type: number, body: Buffer): Promise<void> => {
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt16BE(0x8000 | VERSION, 0);
    head.writeUInt16BE(type, 2);
    head.writeUInt32BE(body.length, 4);
    return write(head, body);
  };
  const data = (id: number, flags: number, bytes: Buffer): Promise<void> => {
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32BE(id, 0);
    head.writeUInt32BE(bytes.length, 4);
    head.writeUInt8(flags, 4);
    return write(head, bytes);
  };

  async function accept(body: Buffer, isEnded: boolean): Promise<void> {
    const id = body.readUInt32BE(0) & 0x7fff_ffff;
    // The headers come after the ids of this and the associated stream, and the priority.
    const headers = readHeaders(inflate(body.subarray(10)));
    const input = new Input();
    if (isEnded) input.end();
    else inputs.set(id, input);
    await control(TYPE.synReply, Buffer.concat([numbers(id), ...(isFirstReply ? [DEFLATE_HEAD] : []), NO_HEADERS]));
    isFirstReply = false;
    onStream({
      headers,
      input,
      send: (bytes) => data(id, 0, bytes),
      end: () => data(id, FIN, Buffer.alloc(0)),
      reset: () => control(TYPE.rstStream, numbers(id, INTERNAL_ERROR)),
    });
  }

  async function handle(head: Buffer, body: Buffer): Promise<void> {
    const flags = head.readUInt8(4);
    if ((head.readUInt8(0) & 0x80) === 0) return take(head.readUInt32BE(0), flags, body);
    const type = head.readUInt16BE(2);
    if (type === TYPE.synStream) return accept(body, (flags & FIN) !== 0);
    if (type === TYPE.ping) return control(TYPE.ping, body);
    if (type === TYPE.rstStream) take(body.readUInt32BE(0), FIN, Buffer.alloc(0));
    if (type === TYPE.goAway) connection.end();
  }

  function take(id: number, flags: number, bytes: Buffer): void {
    const input = inputs.get(id);
    if (bytes.length > 0) input?.push(bytes);
    if ((flags & FIN) === 0) return;
    input?.end();
    inputs.delete(id);
  }

  try {
    let pending: Buffer = Buffer.alloc(0);
    for await (const chunk of connection) {
      pending = Buffer.concat([pending, chunk]);
      for (let size = frameBytes(pending); size <= pending.length; size = frameBytes(pending)) {
        await handle(pending.subarray(0, HEAD_BYTES), pending.subarray(HEAD_BYTES, size));
        pending = pending.subarray(size);
      }
    }
  } finally {
    for (const input of inputs.values()) input.end();
    connection.destroy();
  }
}

/** Size of the first frame; infinite while its head is incomplete. */
function frameBytes(pending: Buffer): number {
  return pending.length < HEAD_BYTES ? Number.POSITIVE_INFINITY : HEAD_BYTES + (pending.readUInt32BE(4) & 0x00ff_ffff);
}

/** All headers of one direction are one compressed stream. A connection has few of them, so the stream is inflated from
 *  its beginning each time, and only the new end is returned. */
function createInflater(): (bytes: Buffer) => Buffer {
  let packed: Buffer = Buffer.alloc(0);
  let known = 0;
  return (bytes) => {
    packed = Buffer.concat([packed, bytes]);
    const all = inflateSync(packed, { dictionary: SPDY_DICTIONARY, finishFlush: constants.Z_SYNC_FLUSH });
    const fresh = all.subarray(known);
    known = all.length;
    return fresh;
  };
}

function readHeaders(block: Buffer): Readonly<Record<string, string>> {
  let at = 4;
  const text = (): string => {
    const from = at + 4;
    at = from + block.readUInt32BE(at);
    return block.toString('utf8', from, at);
  };
  return Object.fromEntries(Array.from({ length: block.readUInt32BE(0) }, () => [text(), text()]));
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}

/** Received bytes, queued until they are read. */
class Input implements AsyncIterable<Buffer> {
  readonly #chunks: Buffer[] = [];
  #isEnded = false;
  #wake: () => void = () => undefined;

  push(chunk: Buffer): void {
    // Copied, because a view would keep the whole buffer that was read from the connection.
    this.#chunks.push(Buffer.from(chunk));
    this.#wake();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) yield chunk;
      else if (this.#isEnded) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
