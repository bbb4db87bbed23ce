// Asks a member whether clients have sent it anything, as cheaply as Node can: the answer is read into a buffer that is used again, and when it
// says that nothing has changed no part of it is copied, decoded or cut into lines. Takes answers as members write them, and no others.

import { connect } from 'node:net';
import type { Endpoint } from './address.ts';
import { type RoundTripLimits, unreachable } from './connection.ts';
import { StoreError, StoreProtocolError, StoreTooLargeError, StoreUnreachableError, withContext } from './errors.ts';
import { encodeGet } from './http-response.ts';
import { type MemberMetrics, parseMetricsText } from './member-metrics.ts';
import { isDigit, isUnserved, startsWith, ZERO } from './served-since.ts';

/** Members say 12 KB, and 1.2 KB more for each kind of command they were sent. Memory that is never written to is none. */
const BUFFER_BYTES = 256 * 1024;
/** Buffers that are kept for later: about as many as there are questions at once. */
const MAX_KEPT = 16;
const kept: Buffer[] = [];

/** One for all: members do not look at whom they are asked as (docs/design/server.md#http). */
const REQUEST = encodeGet('/metrics', 'member');

const TRIED = 'GET /metrics';
const OK = Buffer.from('HTTP/1.1 200 ');
const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH = Buffer.from('\r\nContent-Length: ');
const CR = 0x0d;

/** One connection, one question. The figures; undefined when they say the same as those that are `known`.
 *  @throws StoreUnreachableError no complete answer in time; StoreProtocolError not the answer of a member; StoreTooLargeError for more than
 *  256 KiB; the reason of the aborted signal */
export function askServed(
  endpoint: Endpoint,
  known: MemberMetrics,
  { signal, timeoutMs, maxBytes }: RoundTripLimits,
  localAddress: string | undefined,
): Promise<MemberMetrics | undefined> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const buffer = kept.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
    const most = Math.min(maxBytes, BUFFER_BYTES - 1);
    let used = 0;
    let isOver = false;
    const onread = {
      buffer: () => (used < BUFFER_BYTES ? buffer.subarray(used) : buffer),
      callback(length: number): boolean {
        if (!isOver) received(length);
        return !isOver;
      },
    };
    const { host, port } = endpoint;
    const socket = connect(localAddress === undefined ? { host, port, onread } : { host, port, localAddress, onread });
    // The usual end of every question, so no error is built for it.
    const onClosed = (): void => {
      if (!isOver) fail(unreachable('closed'));
    };
    socket.on('error', (error) => fail(unreachable(error)));
    socket.on('end', onClosed);
    socket.on('close', onClosed);
    const onAbort = (): void => {
      if (end()) reject(signal?.reason);
    };
    signal?.addEventListener('abort', onAbort);
    const late = (): void =>
      fail(new StoreUnreachableError('timeout', `no complete answer within ${timeoutMs} ms`, { cause: undefined }));
    // After a blocked event loop the timer fires before the bytes that waited in the socket are read: let them in first.
    const timer = setTimeout(() => setImmediate(late), timeoutMs);
    socket.write(REQUEST);

    function received(length: number): void {
      used += length;
      try {
        if (used > most) throw new StoreTooLargeError(most, `an answer of more than ${most} bytes`);
        const body = bodyIn(buffer, used);
        if (body === undefined) return;
        const metrics = isUnserved(body, known) ? undefined : parseMetricsText(body);
        if (end()) resolve(metrics);
      } catch (error) {
        fail(error);
      }
    }

    function fail(error: unknown): void {
      if (!end()) return;
      reject(error instanceof StoreError ? withContext(error, { address: endpoint.text, tried: TRIED }) : error);
    }

    /** @returns whether it was not over before */
    function end(): boolean {
      if (isOver) return false;
      isOver = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      socket.destroy();
      if (kept.length < MAX_KEPT) kept.push(buffer);
      return true;
    }
  });
}

/** The body, once all of it is there.
 *  @throws StoreProtocolError not an answer with 200 and a length */
function bodyIn(buffer: Buffer, used: number): Buffer | undefined {
  const bytes = buffer.subarray(0, used);
  if (!startsWith(bytes, used < OK.length ? OK.subarray(0, used) : OK))
    throw new StoreProtocolError(`not an answer with figures: ${JSON.stringify(bytes.toString('latin1', 0, 60))}`);
  const head = bytes.indexOf(HEAD_END);
  if (head < 0) return undefined;
  const start = head + HEAD_END.length;
  const end = start + lengthIn(bytes.subarray(0, head + 2));
  return used < end ? undefined : bytes.subarray(start, end);
}

function lengthIn(head: Buffer): number {
  const at = head.indexOf(LENGTH);
  let digit = at + LENGTH.length;
  let length = 0;
  for (; at >= 0 && isDigit(head[digit]) && length < BUFFER_BYTES; digit += 1)
    length = 10 * length + (head[digit] ?? ZERO) - ZERO;
  if (at < 0 || head[digit] !== CR) throw new StoreProtocolError('an HTTP answer with an odd Content-Length');
  return length;
}
