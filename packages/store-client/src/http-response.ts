// HTTP/1.1 as the server speaks it on :9121 (docs/design/server.md#http): one GET, one answer with Content-Length, then
// close. No I/O. No chunked bodies: the server sends none, and truncation would go unnoticed without a length.

import { ByteQueue } from './byte-queue.ts';
import { StoreProtocolError, StoreTooLargeError } from './errors.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly body: Uint8Array;
}

const MAX_HEAD_BYTES = 8192;
const encoder = new TextEncoder();
const decoder = new TextDecoder('latin1');

/** A request in one piece: the server reads once, at most 4096 bytes. `path` is ours and needs no escaping. */
export function encodeGet(path: string, host: string): Uint8Array {
  return encoder.encode(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
}

/** Bytes in, one answer out. Chunks may be split anywhere; bytes after the announced length are ignored. */
export class HttpResponseReader {
  readonly #queue = new ByteQueue();
  readonly #maxBodyBytes: number;
  #status: number | undefined;
  #contentLength: number | undefined;
  #headBytes = 0;
  #isHeadDone = false;

  constructor(maxBodyBytes: number) {
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** Takes a chunk and returns the answer once it is complete, undefined before.
   *  @throws StoreProtocolError not an HTTP answer of the server; StoreTooLargeError longer than allowed */
  push(chunk: Uint8Array): HttpAnswer | undefined {
    this.#queue.push(chunk);
    while (this.#status === undefined || !this.#isHeadDone) {
      const line = this.#line();
      if (line === undefined) return undefined;
      if (this.#status === undefined) this.#status = parseStatus(line);
      else if (line === '') this.#finishHead();
      else this.#header(line);
    }
    const length = this.#contentLength ?? 0;
    return this.#queue.length < length ? undefined : { status: this.#status, body: this.#queue.take(length) };
  }

  #line(): string | undefined {
    const end = this.#queue.lineEnd();
    const length = (end < 0 ? this.#queue.end : end) - this.#queue.start;
    if (this.#headBytes + length > MAX_HEAD_BYTES)
      throw new StoreTooLargeError(MAX_HEAD_BYTES, 'an HTTP head without an end');
    if (end < 0) return undefined;
    const line = decoder.decode(this.#queue.bytes.subarray(this.#queue.start, end));
    this.#headBytes += length;
    this.#queue.skipLine();
    return line;
  }

  #header(line: string): void {
    const colon = line.indexOf(':');
    if (colon < 1) throw new StoreProtocolError('an HTTP head with a line that is no header');
    const name = line.slice(0, colon).toLowerCase();
    if (name === 'transfer-encoding') throw new StoreProtocolError('an HTTP answer with Transfer-Encoding');
    if (name !== 'content-length') return;
    const value = line.slice(colon + 1).trim();
    if (this.#contentLength !== undefined || !/^[0-9]{1,15}$/.test(value)) {
      throw new StoreProtocolError('an HTTP answer with an odd Content-Length');
    }
    this.#contentLength = Number(value);
  }

  #finishHead(): void {
    if (this.#contentLength === undefined) throw new StoreProtocolError('an HTTP answer without Content-Length');
    if (this.#contentLength > this.#maxBodyBytes) {
      throw new StoreTooLargeError(
        this.#maxBodyBytes,
        `a body of ${this.#contentLength} bytes, limit ${this.#maxBodyBytes}`,
      );
    }
    this.#isHeadDone = true;
  }
}

function parseStatus(line: string): number {
  const match = /^HTTP\/1\.[01] ([2-5][0-9]{2})(?: |$)/.exec(line);
  if (!match) throw new StoreProtocolError(`not an HTTP answer: ${JSON.stringify(line.slice(0, 60))}`);
  return Number(match[1]);
}
