// Stands for undici in the bundle: the part of its Pool that the runtime's transport uses, over Node's own HTTP client. A plugin makes a
// handful of requests and ends; loading undici would take longer than all of them together. Errors carry the codes the runtime knows.

import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  Agent as PlainAgent,
  request as plainRequest,
} from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import type { ConnectionOptions } from 'node:tls';

export interface PoolOptions {
  readonly connections?: number;
  /** Bytes of one answer. */
  readonly maxResponseSize?: number;
  readonly keepAliveTimeout?: number;
  readonly connect?: ConnectionOptions & { readonly timeout?: number; readonly keepAliveInitialDelay?: number };
}

export interface PoolRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | null;
  readonly signal?: AbortSignal;
}

export interface PoolAnswer {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: AsyncIterable<Uint8Array> & { text(): Promise<string> };
}

const MAX_SOCKETS = 64;

export class Pool {
  readonly #origin: URL;
  readonly #options: PoolOptions;
  readonly #agent: PlainAgent | TlsAgent;
  #isDestroyed = false;

  constructor(origin: string, options: PoolOptions) {
    this.#origin = new URL(origin);
    this.#options = options;
    const { timeout: _ours, ...connect } = options.connect ?? {};
    const shared = { ...connect, keepAlive: true, maxSockets: options.connections ?? MAX_SOCKETS };
    this.#agent = this.#isTls ? new TlsAgent(shared) : new PlainAgent(shared);
  }

  get #isTls(): boolean {
    return this.#origin.protocol === 'https:';
  }

  /** Resolves with the head of the answer. @throws what the connection says, or the signal's reason */
  request({ method, path, headers, body, signal }: PoolRequest): Promise<PoolAnswer> {
    if (this.#isDestroyed) return Promise.reject(coded('the pool is destroyed', 'UND_ERR_DESTROYED'));
    const { hostname, port } = this.#origin;
    // An IPv6 address has its brackets in a URL and nowhere else.
    const host = hostname.replace(/^\[|\]$/g, '');
    const options = {
      method,
      path,
      headers: withLength(headers, body),
      host,
      port,
      agent: this.#agent,
      ...(signal === undefined ? {} : { signal }),
    };
    return new Promise((resolve, reject) => {
      const request = (this.#isTls ? tlsRequest : plainRequest)(options, (answer) => resolve(this.#answerOf(answer)));
      request.once('error', (error) => reject(signal?.aborted === true ? signal.reason : error));
      this.#limitConnecting(request);
      request.end(body ?? undefined);
    });
  }

  #limitConnecting(request: ClientRequest): void {
    const limitMs = this.#options.connect?.timeout;
    if (limitMs === undefined) return;
    request.once('socket', (socket) => {
      if (!socket.connecting) return;
      const timer = setTimeout(
        () => request.destroy(coded(`no connection within ${limitMs} ms`, 'UND_ERR_CONNECT_TIMEOUT')),
        limitMs,
      );
      const end = (): void => clearTimeout(timer);
      socket.once(this.#isTls ? 'secureConnect' : 'connect', end);
      socket.once('close', end);
    });
  }

  #answerOf(answer: IncomingMessage): PoolAnswer {
    const body = bounded(answer, this.#options.maxResponseSize ?? Number.POSITIVE_INFINITY);
    return {
      statusCode: answer.statusCode ?? 0,
      headers: answer.headers,
      body: Object.assign(body, {
        async text() {
          const chunks: Uint8Array[] = [];
          for await (const chunk of body) chunks.push(chunk);
          return Buffer.concat(chunks).toString('utf8');
        },
      }),
    };
  }

  async close(): Promise<void> {
    await this.destroy();
  }

  async destroy(): Promise<void> {
    this.#isDestroyed = true;
    this.#agent.destroy();
  }
}

/** Node announces no length for the body of a DELETE, and the server would read it as the beginning of the next request: without
 *  its preconditions, and with the default way of deleting. */
function withLength(headers: PoolRequest['headers'], body: string | null | undefined): PoolRequest['headers'] {
  return body === undefined || body === null
    ? headers
    : { ...headers, 'content-length': String(Buffer.byteLength(body)) };
}

/** An answer that ends early is an error of the stream itself: Node compares it with its announced length, or its last chunk. */
async function* bounded(answer: IncomingMessage, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw coded(`the answer is larger than ${maxBytes} bytes`, 'UND_ERR_RES_EXCEEDED_MAX_SIZE');
    yield chunk;
  }
}

function coded(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}

/** For requests of client-node itself, which are never made. */
export const Agent = undefined;
export const ProxyAgent = undefined;
