// An API server on 127.0.0.1 that answers exactly what a test tells it to, request by request, down to cutting a
// connection in the middle of a line.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type ClusterAccess, type CredentialSource, createStaticCredentials } from '@marekvs/runtime';
import { createInbox } from './inbox.ts';

/** One request that waits for its answer. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
  json(code: number, body: unknown, headers?: Record<string, string>): void;
  /** Answers with a Status object with that reason. */
  refuse(code: number, reason: string, more?: { headers?: Record<string, string>; details?: object }): void;
  /** Accepts the request as a watch. */
  openWatch(): WatchStream;
  /** Cuts the connection without an answer. */
  reset(): void;
  /** Sends this much of an answer with a larger content-length, then cuts. */
  truncate(body: string): void;
  readonly closed: Promise<void>;
}

export interface WatchStream {
  event(type: string, object: unknown): void;
  /** The bookmark, with the annotation when it ends the initial events. */
  bookmark(resourceVersion: string, isInitialEnd?: boolean): void;
  error(code: number, reason: string, more?: { details?: object }): void;
  /** Bytes as they are. Resolves when they have been handed to the socket. */
  raw(bytes: string | Uint8Array): Promise<void>;
  end(): void;
  reset(): void;
  /** Resolves when the client is gone. */
  readonly closed: Promise<void>;
}

export interface ScriptedApiServer {
  readonly access: ClusterAccess;
  /** The next request, in order of arrival. */
  next(): Promise<Exchange>;
  /** Paths with query of everything that ever arrived. */
  readonly seen: readonly string[];
  readonly connections: number;
  /** Refuses new connections; those that exist are cut. */
  close(): Promise<void>;
}

export async function startScriptedApiServer(
  opts: { readonly credentials?: CredentialSource; readonly basePath?: string } = {},
): Promise<ScriptedApiServer> {
  const inbox = createInbox<Exchange>();
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((req, res) => {
    readBody(req).then((body) => {
      seen.push(req.url ?? '');
      inbox.push(toExchange(req, res, body));
    }, noop);
  });
  server.on('connection', (socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', noop);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const none = { authorization: undefined, clientCertificate: undefined };
  return {
    access: {
      server: new URL(`http://127.0.0.1:${port}${opts.basePath ?? ''}`),
      credentials: opts.credentials ?? createStaticCredentials(none),
      namespace: 'default',
      describe: 'scripted server',
    },
    next: inbox.next,
    seen,
    get connections() {
      return connections;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function noop(): void {}

async function readBody(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

function toExchange(req: IncomingMessage, res: ServerResponse, body: unknown): Exchange {
  const url = new URL(req.url ?? '/', 'http://scripted');
  const closed = new Promise<void>((resolve) => res.on('close', resolve));
  const json = (code: number, answer: unknown, headers: Record<string, string> = {}): void => {
    res.writeHead(code, { 'content-type': 'application/json', ...headers });
    res.end(JSON.stringify(answer));
  };
  return {
    method: req.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: req.headers,
    body,
    json,
    refuse: (code, reason, { headers, details } = {}) => json(code, statusOf(code, reason, details), headers),
    openWatch: () => openWatch(res, closed),
    reset: () => (req.socket as Socket).resetAndDestroy(),
    truncate(text) {
      res.writeHead(200, { 'content-length': String(Buffer.byteLength(text) + 100) });
      res.write(text, () => req.socket.destroy());
    },
    closed,
  };
}

function openWatch(res: ServerResponse, closed: Promise<void>): WatchStream {
  res.writeHead(200, { 'content-type': 'application/json' });
  res.flushHeaders();
  const line = (type: string, object: unknown): void => {
    res.write(`${JSON.stringify({ type, object })}\n`);
  };
  return {
    event: line,
    bookmark: (resourceVersion, isInitialEnd = false) =>
      line('BOOKMARK', {
        kind: 'Pod',
        metadata: {
          resourceVersion,
          ...(isInitialEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
        },
      }),
    error: (code, reason, { details } = {}) => line('ERROR', statusOf(code, reason, details)),
    raw: (bytes) => new Promise((resolve) => res.write(bytes, () => resolve())),
    end: () => res.end(),
    reset: () => (res.socket as Socket).resetAndDestroy(),
    closed,
  };
}

function statusOf(code: number, reason: string, details: object | undefined): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: `scripted ${reason}`, details };
}
