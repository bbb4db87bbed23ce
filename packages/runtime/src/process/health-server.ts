// /metrics, /healthz and /readyz on node:http. Answers GET and HEAD only, limits connections, cuts them at the stop.
// Readiness is decided elsewhere; an answer from /healthz proves that the event loop turns.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { EXIT_CODE, ExitError } from '../errors/exit-codes.ts';
import { type Logger, silentLogger } from '../log/logger.ts';
import type { Runnable } from './runnable.ts';

export interface HealthServerOptions {
  /** `host:port`, `:port` for all addresses, `[::1]:port`. Port 0 takes a free one. */
  readonly address: string;
  /** @default 'health-server' */
  readonly name?: string;
  /** One sentence per part that is not ready; empty means ready. Serves /healthz and /readyz when given. */
  readonly notReady?: () => readonly string[];
  /** Serves /metrics when given. */
  readonly metrics?: { readonly contentType: string; metrics(): Promise<string> };
  readonly logger?: Logger;
}

export interface HealthServer extends Runnable {
  /** Where it listens, once ready. */
  readonly boundAddress: string | undefined;
}

/** Listening failed: the address is malformed, in use, not of this machine, or not permitted. */
export class ListenError extends ExitError {
  override readonly name = 'ListenError';
  readonly address: string;
  constructor(address: string, why: string, cause?: unknown) {
    super(EXIT_CODE.usage, `listen on ${address}: ${why}`, { cause });
    this.address = address;
  }
}

const MAX_CONNECTIONS = 64;
const REQUEST_MS = 5000;
const MAX_HEADER_BYTES = 8192;

export function createHealthServer(options: HealthServerOptions): HealthServer {
  const { address, name = 'health-server', logger = silentLogger } = options;
  let boundAddress: string | undefined;
  const listening = Promise.withResolvers<void>();
  // Prevents an unhandled rejection when `ready` is not called; `run` rejects with the same error.
  listening.promise.catch(() => {});

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?', 1)[0];
    if (request.method !== 'GET' && request.method !== 'HEAD') return send(response, 405, 'only GET is answered\n');
    if (path === '/metrics' && options.metrics !== undefined) {
      return send(response, 200, await options.metrics.metrics(), options.metrics.contentType);
    }
    if (path === '/healthz' && options.notReady !== undefined) return send(response, 200, 'ok\n');
    if (path === '/readyz' && options.notReady !== undefined) {
      const why = options.notReady();
      return why.length === 0 ? send(response, 200, 'ok\n') : send(response, 503, `${why.join('\n')}\n`);
    }
    return send(response, 404, 'not found\n');
  }

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    answer(request, response).catch((err: unknown) => {
      logger.error('Answering a request failed', { path: request.url, err });
      if (!response.headersSent) send(response, 500, 'failed\n');
      response.destroy();
    });
  }

  return {
    name,
    async run(signal) {
      const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: REQUEST_MS }, onRequest);
      server.headersTimeout = REQUEST_MS;
      server.maxConnections = MAX_CONNECTIONS;
      try {
        boundAddress = await listen(server, address);
        listening.resolve();
      } catch (error) {
        listening.reject(error);
        throw error;
      }
      logger.debug('Listening', { address: boundAddress });
      if (!signal.aborted) {
        await new Promise<void>((resolve, reject) => {
          signal.addEventListener('abort', () => resolve(), { once: true });
          server.on('error', reject);
        });
      }
      await close(server);
    },
    ready: () => listening.promise,
    get boundAddress() {
      return boundAddress;
    },
  };
}

function send(response: ServerResponse, status: number, body: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}

function listen(server: Server, address: string): Promise<string> {
  const { host, port } = parseAddress(address);
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new ListenError(address, explain(error), error)));
    server.listen({ port, ...(host === '' ? {} : { host }) }, () => {
      const bound = server.address();
      const shownHost = host.includes(':') ? `[${host}]` : host;
      resolve(typeof bound === 'object' && bound !== null ? `${shownHost}:${bound.port}` : address);
    });
  });
}

function parseAddress(address: string): { host: string; port: number } {
  const match = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(address);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) throw new ListenError(address, 'not of the form host:port');
  return { host: match[1] ?? match[2] ?? '', port };
}

function explain(error: NodeJS.ErrnoException): string {
  if (error.code === 'EADDRINUSE') return 'the port is in use by another process';
  if (error.code === 'EADDRNOTAVAIL') return 'this machine does not have the address';
  if (error.code === 'EACCES') return 'not permitted';
  return error.message;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
