// The part of a kubelet that an API server calls for `kubectl logs` and `kubectl port-forward`: HTTPS on the address of
// each Node, with the members' own log files and ports behind it. It demands the client certificate that only this
// testbed's API server has.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { servePortForward } from './port-forward.ts';

export const KUBELET_PORT = 10_250;
/** A CN that no other client certificate of this authority has. */
export const KUBELET_CLIENT = 'kube-apiserver-kubelet-client';

/** Where the output of one life of a container is, in bytes: all its lives write into one file. */
export interface LogRange {
  readonly path: string;
  readonly from: number;
  /** Undefined for the life that still runs. */
  readonly to: number | undefined;
}

/** A container that has never run, and what it waits for. */
export interface NotStarted {
  readonly waitsFor: string;
}

export type FindLog = (namespace: string, pod: string, isPrevious: boolean) => LogRange | NotStarted | undefined;

/** The addresses of a Pod that runs, its loopback first; none when it does not. */
export type FindAddresses = (namespace: string, pod: string) => readonly string[];

export interface LogServer {
  close(): Promise<void>;
}

/** The limit of one answer; a member prints only some lines an hour. */
const MOST_BYTES = 16 * 1024 * 1024;
const CHECK_EVERY_MS = 100;

/** @param certificates of the control plane: its authority, and the certificate it serves with */
export async function startLogServer(
  certificates: string,
  addresses: readonly string[],
  find: FindLog,
  addressesOf: FindAddresses = () => [],
): Promise<LogServer> {
  const forwards = new Set<Duplex>();
  const files = { ca: 'ca.crt', cert: 'serving.crt', key: 'serving.key' };
  const [ca, cert, key] = [files.ca, files.cert, files.key].map((name) => readFileSync(join(certificates, name)));
  const servers: Server[] = await Promise.all(
    addresses.map((address) => {
      const server = createServer({ ca, cert, key, requestCert: true }, (request, response) => {
        if (!isApiServer(request.socket as TLSSocket)) {
          response.writeHead(401).end('only the API server may ask');
          return;
        }
        answer(find, new URL(request.url ?? '', 'https://kubelet'), response).catch((error: unknown) => {
          response.destroy(error instanceof Error ? error : undefined);
        });
      });
      server.on('upgrade', (request: IncomingMessage, connection: Duplex) => {
        forwards.add(connection);
        connection.once('close', () => forwards.delete(connection));
        const to = isApiServer(request.socket as TLSSocket) ? forwardedTo(request, addressesOf) : [];
        if (to.length === 0) connection.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
        // The client has gone, in the middle of a frame or after it.
        else servePortForward(connection, to).catch(() => connection.destroy());
      });
      return new Promise<Server>((resolve, reject) =>
        server.once('error', reject).listen({ host: address, port: KUBELET_PORT }, () => resolve(server)),
      );
    }),
  );
  return {
    async close() {
      for (const server of servers) server.closeAllConnections();
      for (const connection of forwards) connection.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

function isApiServer(socket: TLSSocket): boolean {
  return socket.authorized && socket.getPeerCertificate().subject?.CN === KUBELET_CLIENT;
}

/** None: nothing that is served here, or a Pod that does not run. */
function forwardedTo({ url = '', headers }: IncomingMessage, addressesOf: FindAddresses): readonly string[] {
  const { pathname } = new URL(url, 'https://kubelet');
  // The name may be followed by the UID of the Pod.
  const [, namespace, pod] = /^\/portForward\/([^/]+)\/([^/]+)(?:\/[^/]+)?$/.exec(pathname) ?? [];
  if (namespace === undefined || pod === undefined || headers.upgrade?.toUpperCase() !== 'SPDY/3.1') return [];
  return addressesOf(decodeURIComponent(namespace), decodeURIComponent(pod));
}

async function answer(find: FindLog, { pathname, searchParams }: URL, response: ServerResponse): Promise<void> {
  const parts = /^\/containerLogs\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(pathname)?.slice(1).map(decodeURIComponent);
  if (parts === undefined) {
    response.writeHead(404).end('only containerLogs and portForward are served here');
    return;
  }
  const [namespace = '', pod = '', container = ''] = parts;
  const isPrevious = searchParams.get('previous') === 'true';
  const range = find(namespace, pod, isPrevious);
  if (range !== undefined && 'waitsFor' in range) {
    response.writeHead(400).end(`container "${container}" in pod "${pod}" is waiting to start: ${range.waitsFor}`);
    return;
  }
  if (range === undefined || !existsSync(range.path)) {
    // The kubelet's own message.
    const what = isPrevious ? 'previous terminated ' : '';
    response.writeHead(400).end(`${what}container "${container}" in pod "${pod}" not found`);
    return;
  }
  const { path, from } = range;
  const to = range.to ?? statSync(path).size;
  const text = await readRange(path, Math.max(from, to - MOST_BYTES), to);
  const limit = numberOf(searchParams.get('limitBytes')) ?? MOST_BYTES;
  response.writeHead(200, { 'content-type': 'text/plain' });
  response.write(lastLines(text, numberOf(searchParams.get('tailLines'))).subarray(0, limit));
  if (searchParams.get('follow') === 'true' && range.to === undefined) await follow(path, to, response);
  else response.end();
}

async function readRange(path: string, from: number, to: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(to - from), 0, to - from, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

export function lastLines(text: Buffer, count: number | undefined): Buffer {
  if (count === undefined) return text;
  // The newline at the end of the text belongs to the last line.
  let at = text.length - 1;
  for (let left = count; at >= 0; left -= 1) {
    if (left === 0) return text.subarray(at + 1);
    at = at === 0 ? -1 : text.lastIndexOf('\n', at - 1);
  }
  return text;
}

/** Reads one part after the other, so that lines are sent in order. Ends when the log is gone; rejects after a failed
 *  read. */
async function follow(path: string, from: number, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  for (let at = from; !response.destroyed; ) {
    const size = statSync(path, { throwIfNoEntry: false })?.size;
    // The file is gone with its Pod: nothing more can be followed.
    if (size === undefined) {
      response.end();
      return;
    }
    if (size > at) {
      const text = await readRange(path, at, Math.min(size, at + MOST_BYTES));
      response.write(text);
      at += text.length;
    }
    await setTimeout(CHECK_EVERY_MS, undefined, { signal: gone.signal }).catch(() => undefined);
  }
}

function numberOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
