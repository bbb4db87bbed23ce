// One TCP connection to one member; nothing else in this package touches the network. Every round trip has one time
// limit for everything (connecting, sending, receiving) and a cap on the bytes it takes. After any failure the
// connection is gone.

import { connect, isIPv4, type Socket } from 'node:net';
import type { Endpoint } from './address.ts';
import {
  StoreError,
  StoreTooLargeError,
  StoreUnreachableError,
  type UnreachableReason,
  withContext,
} from './errors.ts';
import type { CallOptions } from './store-client.ts';

export interface RoundTripLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** Called with each chunk; returns the answer when it is complete, undefined before. A StoreError that it throws ends
 *  the connection. */
export type Take<T> = (chunk: Uint8Array) => T | undefined;

/** For a connection on which the other side also sends unsolicited messages. */
export interface ConnectionWatch {
  /** Called with bytes outside a round trip; without a watch they are dropped. A StoreError ends the connection. With a
   *  watch, a chunk is overwritten after each call, also of a round trip. */
  unasked(chunk: Uint8Array): void;
  /** Called when the connection was closed by us or has failed. May be called more than once. */
  closed(): void;
}

/** Most bytes read from one connection in one turn of the event loop, two chunks of a socket: decoding them takes a
 *  millisecond. */
const MAX_TURN_BYTES = 128 * 1024;

const READ_BYTES = 64 * 1024;

const CLOSED_BY_US = 'the connection was closed by us';

interface Pending {
  readonly tried: string;
  /** Takes a chunk; true when the answer is complete and has been delivered. */
  readonly take: (chunk: Uint8Array) => boolean;
  readonly reject: (reason: unknown) => void;
}

export class Connection {
  readonly #socket: Socket;
  readonly #endpoint: Endpoint;
  readonly #watch: ConnectionWatch | undefined;
  #pending: Pending | undefined;
  #failure: StoreError | undefined;
  #isClosed = false;
  #isHeld = false;
  /** Bytes read in this turn of the event loop. */
  #turnBytes = 0;

  /** Starts to connect; a failure is reported by the first round trip. */
  constructor(endpoint: Endpoint, localAddress?: string, watch?: ConnectionWatch) {
    this.#endpoint = endpoint;
    this.#watch = watch;
    const { host, port } = endpoint;
    this.#socket = connect({ host, port, localAddress, ...(watch === undefined ? {} : { onread: this.#reused() }) });
    if (watch === undefined) this.#socket.on('data', (chunk: Uint8Array) => this.#receive(chunk));
    this.#socket.on('error', (error: NodeJS.ErrnoException) => this.#break(reasonOf(error), error));
    this.#socket.on('end', () => this.#break('closed'));
    this.#socket.on('close', () => this.#break('closed'));
  }

  /** Who sends without being asked is read into the same memory again and again. */
  #reused() {
    const callback = (count: number, buffer: Uint8Array): boolean => {
      this.#receive(buffer.subarray(0, count));
      return true;
    };
    return { buffer: Buffer.allocUnsafeSlow(READ_BYTES), callback };
  }

  /** Sends `payload` and passes the bytes that come back to `take`. One round trip at a time.
   *  @param tried for messages, without secrets
   *  @throws StoreUnreachableError, StoreTooLargeError, what `take` throws, the reason of the aborted signal */
  roundTrip<T>(tried: string, payload: Uint8Array, take: Take<T>, limits: RoundTripLimits): Promise<T> {
    const { signal, timeoutMs, maxBytes } = limits;
    if (this.#pending !== undefined)
      throw new RangeError(`${tried}: the connection is busy with ${this.#pending.tried}`);
    return new Promise<T>((resolve, reject) => {
      if (signal?.aborted) {
        this.close();
        reject(signal.reason);
        return;
      }
      if (this.#isClosed) {
        reject(
          this.#failure ?? new StoreUnreachableError('closed', CLOSED_BY_US, { address: this.#endpoint.text, tried }),
        );
        return;
      }
      const onAbort = (): void => {
        settle();
        this.close();
        reject(signal?.reason);
      };
      const settle = (): void => {
        this.#pending = undefined;
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      let receivedBytes = 0;
      const pending: Pending = {
        tried,
        take: (chunk) => {
          receivedBytes += chunk.length;
          if (receivedBytes > maxBytes)
            throw new StoreTooLargeError(maxBytes, `an answer of more than ${maxBytes} bytes`);
          const answer = take(chunk);
          if (answer === undefined) return false;
          settle();
          resolve(answer);
          return true;
        },
        reject: (reason) => {
          settle();
          reject(reason);
        },
      };
      // After a blocked event loop the timer fires before bytes that wait in the socket are read: read those first.
      const timer = setTimeout(() => {
        setImmediate(() => {
          if (this.#pending === pending) this.#break('timeout', undefined, `no complete answer within ${timeoutMs} ms`);
        });
      }, timeoutMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#pending = pending;
      this.#socket.write(payload);
    });
  }

  /** Sends something that needs no answer. Dropped while the other side does not read, so that answers to its requests
   *  do not pile up in memory. */
  write(payload: Uint8Array): void {
    if (!this.#isClosed && !this.#socket.writableNeedDrain) this.#socket.write(payload);
  }

  /** Closes at once; idempotent. A round trip under way fails as `closed`. */
  close(): void {
    if (this.#pending !== undefined) this.#break('closed', undefined, CLOSED_BY_US);
    // Most exchanges end here, so no error object is created: that would cost more than the rest of closing.
    this.#isClosed = true;
    this.#socket.destroy();
    this.#watch?.closed();
  }

  /** Reads nothing more until `goOn`. What was read already still comes. */
  hold(): void {
    this.#isHeld = true;
    this.#socket.pause();
  }

  goOn(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    if (this.#turnBytes < MAX_TURN_BYTES) this.#socket.resume();
  }

  /** Ends reading for this turn of the event loop once much was read in it: a socket with enough to read would hand it
   *  over chunk by chunk without ever letting anything else run. */
  #endTurn(sizeBytes: number): void {
    if (this.#turnBytes === 0) {
      setImmediate(() => {
        this.#turnBytes = 0;
        if (!this.#isHeld) this.#socket.resume();
      });
    }
    this.#turnBytes += sizeBytes;
    if (this.#turnBytes >= MAX_TURN_BYTES) this.#socket.pause();
  }

  #receive(chunk: Uint8Array): void {
    if (this.#isClosed) return;
    this.#endTurn(chunk.length);
    // Without a watch, bytes after a complete answer belong to no call. Dropping them here makes the result independent
    // of how the bytes are split into chunks.
    try {
      if (this.#pending !== undefined) this.#pending.take(chunk);
      else this.#watch?.unasked(chunk);
    } catch (error) {
      this.#fail(error instanceof StoreError ? error : new StoreError('could not be read', { cause: error }));
    }
  }

  #break(reason: UnreachableReason, cause?: NodeJS.ErrnoException, detail?: string): void {
    if (this.#isClosed) return;
    this.#fail(new StoreUnreachableError(reason, detail ?? describe(reason, cause), { cause }));
  }

  #fail(failure: StoreError): void {
    const pending = this.#pending;
    this.#isClosed = true;
    this.#failure = withContext(failure, { address: this.#endpoint.text, tried: pending?.tried ?? 'connection' });
    this.#socket.destroy();
    this.#watch?.closed();
    pending?.reject(this.#failure);
  }
}

function reasonOf(error: NodeJS.ErrnoException): UnreachableReason {
  if (error.code === 'ECONNREFUSED') return 'refused';
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE') return 'reset';
  return error.code === 'ETIMEDOUT' ? 'timeout' : 'failed';
}

function describe(reason: UnreachableReason, cause?: NodeJS.ErrnoException): string {
  if (reason === 'refused') return 'nothing listens there';
  if (reason === 'reset') return 'the connection was reset';
  if (reason === 'closed') return 'the connection ended before a complete answer';
  return cause?.code ?? cause?.message ?? reason;
}

/** Options of a client for all its calls. */
export interface ClientLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly localAddress: string | undefined;
}

/** Returns the limits of each call of a client; a call's own timeout takes precedence.
 *  @throws RangeError for an invalid time limit, cap or local address, at once or from the returned function */
export function callLimits(client: ClientLimits): (call: CallOptions | undefined) => RoundTripLimits {
  const { timeoutMs, maxBytes, localAddress } = client;
  checkPositive('timeoutMs', timeoutMs);
  checkPositive('maxBytes', maxBytes);
  if (localAddress !== undefined && !isIPv4(localAddress))
    throw new RangeError(`localAddress ${localAddress}: not IPv4`);
  return (call) => ({
    timeoutMs: checkPositive('timeoutMs', call?.timeoutMs ?? timeoutMs),
    maxBytes,
    signal: call?.signal,
  });
}

/** @throws RangeError for a time limit or cap that is not valid */
export function checkPositive(name: string, value: number): number {
  // setTimeout takes anything above 2^31-1 for 1 ms.
  if (!(value > 0 && value <= 2_147_483_647)) throw new RangeError(`${name} ${value}: not in 1..2147483647`);
  return value;
}
