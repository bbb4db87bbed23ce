// Kept-alive connections to one server over Node's own HTTP client. An operator sends a handful of requests a minute,
// and a plugin a handful in all: a faster client would cost more memory and load time than it could save
// (docs/design/runtime.md#the-http-client).

import http, { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { ConnectionOptions } from 'node:tls';
import { onAbort } from '../time/aborted.ts';

export interface PoolOptions {
  /** Open at once; further requests wait for a free connection. @default 64 */
  readonly connections?: number;
  /** Bytes of one answer. @default no bound */
  readonly maxResponseBytes?: number;
  /** A connection that was idle for this time is closed. */
  readonly keepAliveMs: number;
  /** For connecting, TLS included. */
  readonly connectTimeoutMs: number;
  /** After this time without data on an open connection, TCP probes whether the other side is there. */
  readonly tcpKeepAliveMs: number;
  readonly tls?: Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'servername' | 'rejectUnauthorized'>;
}

export interface PoolRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal;
}

export interface PoolAnswer {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: AsyncIterable<Uint8Array> & { text(): Promise<string> };
}

const MAX_CONNECTIONS = 64;

/** Errors of our own carry one of these codes; all others are those of the connection. */
export type PoolErrorCode = 'POOL_CONNECT_TIMEOUT' | 'POOL_CLOSED' | 'POOL_ANSWER_TOO_LARGE';

export class Pool {
  readonly #origin: URL;
  readonly #options: PoolOptions;
  readonly #agent: http.Agent;
  readonly #isTls: boolean;
  #underWay = 0;
  /** Functions that each end a request which has no connection yet. */
  readonly #waiting = new Set<(reason: unknown) => void>();
  #isClosed = false;
  #isDestroyed = false;

  constructor(origin: string, options: PoolOptions) {
    const { tls, keepAliveMs, tcpKeepAliveMs, connections = MAX_CONNECTIONS } = options;
    const shared = {
      keepAlive: true,
      keepAliveMsecs: tcpKeepAliveMs,
      keepAliveInitialDelay: tcpKeepAliveMs,
      timeout: keepAliveMs,
      maxSockets: connections,
    };
    this.#origin = new URL(origin);
    this.#options = options;
    this.#isTls = this.#origin.protocol === 'https:';
    this.#agent = this.#isTls ? new https.Agent({ ...shared, ...tls }) : new http.Agent(shared);
  }

  /** New requests are rejected. */
  get closed(): boolean {
    return this.#isClosed;
  }

  get destroyed(): boolean {
    return this.#isDestroyed;
  }

  /** It is closed, and nothing is under way. */
  get isOver(): boolean {
    return this.#isClosed && this.#underWay === 0;
  }

  /** Resolves with the head of the answer. @throws the error of the connection, or the signal's reason */
  request({ method, path, headers, body, signal }: PoolRequest): Promise<PoolAnswer> {
    if (this.#isClosed) return Promise.reject(closedError());
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    const { hostname, port } = this.#origin;
    const options = {
      method,
      path,
      headers: withLength(headers, body),
      // An IPv6 address has brackets only inside a URL.
      host: hostname.replace(/^\[|\]$/g, ''),
      port,
      agent: this.#agent,
      ...(signal === undefined ? {} : { signal }),
    };
    this.#underWay += 1;
    return new Promise((resolve, reject) => {
      const onAnswer = (answer: IncomingMessage): void => resolve(this.#answerOf(answer));
      const request = this.#isTls ? https.request(options, onAnswer) : http.request(options, onAnswer);
      request.on('error', (error) => reject(signal?.aborted === true ? signal.reason : this.#own(error)));
      const release = this.#endWhileWaiting(request, reject, signal);
      request.once('close', () => {
        release();
        this.#ended();
      });
      this.#limitConnecting(request);
      request.end(body);
    });
  }

  /** Ends a request that waits for a connection when it is aborted or the pool is destroyed; Node reports that only
   *  once the request gets a connection. @returns to be called when the request has ended */
  #endWhileWaiting(
    request: ClientRequest,
    reject: (reason: unknown) => void,
    signal: AbortSignal | undefined,
  ): () => void {
    const end = (reason: unknown): void => {
      reject(reason);
      request.destroy();
    };
    const ignoreAbort = signal === undefined ? undefined : onAbort(signal, end);
    const release = (): void => {
      ignoreAbort?.();
      this.#waiting.delete(end);
    };
    this.#waiting.add(end);
    request.once('socket', release);
    return release;
  }

  #limitConnecting(request: ClientRequest): void {
    const { connectTimeoutMs } = this.#options;
    request.once('socket', (socket) => {
      if (!socket.connecting) return;
      const timer = setTimeout(
        () => request.destroy(coded(`no connection within ${connectTimeoutMs} ms`, 'POOL_CONNECT_TIMEOUT')),
        connectTimeoutMs,
      );
      const end = (): void => clearTimeout(timer);
      socket.once(this.#isTls ? 'secureConnect' : 'connect', end);
      socket.once('close', end);
    });
  }

  #answerOf(answer: IncomingMessage): PoolAnswer {
    const pieces = { [Symbol.asyncIterator]: () => this.#pieces(answer), text: () => this.#text(answer) };
    return { statusCode: answer.statusCode ?? 0, headers: answer.headers, body: pieces };
  }

  /** Node itself raises an error for an answer that ends early: before its announced length, or its last chunk. */
  async *#pieces(answer: IncomingMessage): AsyncGenerator<Uint8Array> {
    const tooLarge = this.#bound();
    try {
      for await (const piece of answer as AsyncIterable<Uint8Array>) {
        const error = tooLarge(piece);
        if (error !== undefined) throw error;
        yield piece;
      }
    } catch (error) {
      throw this.#own(error);
    }
  }

  /** Reads the whole text at once: iterating over the pieces would be a third of what a small request costs. */
  #text(answer: IncomingMessage): Promise<string> {
    const tooLarge = this.#bound();
    const pieces: Uint8Array[] = [];
    return new Promise((resolve, reject) => {
      answer.on('data', (piece: Uint8Array) => {
        pieces.push(piece);
        const error = tooLarge(piece);
        if (error !== undefined) answer.destroy(error);
      });
      answer.on('error', (error) => reject(this.#own(error)));
      answer.on('end', () => resolve(Buffer.concat(pieces).toString('utf8')));
    });
  }

  /** Returns an error for the piece with which the answer exceeds `maxResponseBytes`. */
  #bound(): (piece: Uint8Array) => Error | undefined {
    const { maxResponseBytes = Number.POSITIVE_INFINITY } = this.#options;
    let bytes = 0;
    return (piece) => {
      bytes += piece.length;
      return bytes <= maxResponseBytes
        ? undefined
        : coded(`the answer is larger than ${maxResponseBytes} bytes`, 'POOL_ANSWER_TOO_LARGE');
    };
  }

  /** After `destroy` every error is reported as a closed pool. */
  #own(error: unknown): unknown {
    return this.#isDestroyed ? closedError() : error;
  }

  #ended(): void {
    this.#underWay -= 1;
    if (this.isOver) this.#agent.destroy();
  }

  /** Requests under way finish; then the connections are closed. */
  close(): void {
    this.#isClosed = true;
    if (this.isOver) this.#agent.destroy();
  }

  /** Cuts every connection. */
  destroy(): void {
    this.#isClosed = true;
    this.#isDestroyed = true;
    for (const end of this.#waiting) end(closedError());
    this.#agent.destroy();
  }
}

/** Node announces no length for the body of a DELETE. The server would read the body as the beginning of the next
 *  request, and delete without the preconditions and with the default propagation policy. */
function withLength(headers: PoolRequest['headers'], body: string | undefined): PoolRequest['headers'] {
  return body === undefined ? headers : { ...headers, 'content-length': String(Buffer.byteLength(body)) };
}

function closedError(): Error {
  return coded('the pool is closed', 'POOL_CLOSED');
}

function coded(message: string, code: PoolErrorCode): Error {
  return Object.assign(new Error(message), { code });
}
