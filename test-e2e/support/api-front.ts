// A front of the API server that can do one thing more: reach Pods. A real one does not proxy to addresses of its own
// machine, and the members of a testbed have no others. Everything else is passed on unchanged, as the administrator.
// Or it can do one thing less: for a user who may not use the proxy, on whose machine there are no members.

import { writeFile } from 'node:fs/promises';
import { createServer, get as httpGet, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import type { Testbed } from '@marekvs/testbed';

export interface ApiFront {
  readonly kubeconfig: string;
  close(): Promise<void>;
}

/** Matches the address of a member of a testbed, in JSON. */
const LOOPBACK = /"127\.(\d+\.\d+\.\d+)"/g;
const OF_POD = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/:]+):(\d+)\/proxy(\/.*)$/;

export interface FrontOptions {
  /** Changes a path before it is passed on. */
  readonly pathOf?: (path: string) => string;
  /** As on another machine, and for a user who may not use the proxy: only a port forward reaches a member. */
  readonly isFar?: boolean;
}

export async function startApiFront(
  testbed: Testbed,
  folder: string,
  { pathOf = (path) => path, isFar = false }: FrontOptions = {},
): Promise<ApiFront> {
  const { server: address, caPem: ca, certPem: cert, keyPem: key } = testbed.controlPlane.adminCredentials;

  function handOn(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(pathOf(request.url ?? ''), address);
    const { host: _, ...headers } = request.headers;
    const onward = httpsRequest(url, { method: request.method, headers, ca, cert, key }, (answer) => {
      const isText = answer.headers['content-type']?.startsWith('application/json') === true;
      const { 'content-length': _, ...others } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, isFar && isText ? others : answer.headers);
      if (isFar && isText) void text(answer).then((body) => response.end(body.replaceAll(LOOPBACK, '"10.$1"')));
      else answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  }

  function refuse(response: ServerResponse, pod: string): void {
    const message = `pods "${pod}" is forbidden: User "far" cannot get resource "pods/proxy"`;
    const body = { kind: 'Status', status: 'Failure', reason: 'Forbidden', message, code: 403 };
    response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  function reach(response: ServerResponse, pod: string, port: string, path: string): void {
    const host = testbed.kubelet.pod(pod)?.ip;
    const onward = httpGet({ host, port, path }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, { 'content-type': 'text/plain' });
      answer.pipe(response);
    });
    onward.on('error', (error) => {
      const body = {
        kind: 'Status',
        status: 'Failure',
        reason: 'ServiceUnavailable',
        message: error.message,
        code: 503,
      };
      response.writeHead(503, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  }

  /** Passes on an upgraded connection byte by byte, as port forwards use it. */
  function tunnel(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { hostname, port, host } = new URL(address);
    const onward = connectTls({ host: hostname, port: Number(port), ca, cert, key }, () => {
      const headers = Object.entries({ ...request.headers, host }).map(([name, value]) => `${name}: ${value}`);
      onward.write([`${request.method} ${request.url} HTTP/1.1`, ...headers, '', ''].join('\r\n'));
      onward.write(head);
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
    onward.on('close', () => socket.destroy());
    socket.on('error', () => onward.destroy());
    socket.on('close', () => onward.destroy());
  }

  const front = createServer((request, response) => {
    const [, namespace, pod, port = '', path = ''] = OF_POD.exec(request.url ?? '') ?? [];
    if (pod === undefined) handOn(request, response);
    else if (isFar) refuse(response, `${namespace}/${pod}`);
    else reach(response, `${namespace}/${pod}`, port, path);
  });
  front.on('upgrade', tunnel);
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const { port } = front.address() as AddressInfo;
  const kubeconfig = join(folder, `front-${port}.json`);
  await writeFile(kubeconfig, kubeconfigOf(`http://127.0.0.1:${port}`));
  return {
    kubeconfig,
    async close() {
      front.closeAllConnections();
      await new Promise((resolve) => front.close(resolve));
    },
  };
}

/** A kubeconfig for this server without any credentials. */
export function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'front',
    contexts: [{ name: 'front', context: { cluster: 'front', user: 'front' } }],
    clusters: [{ name: 'front', cluster: { server } }],
    users: [{ name: 'front', user: {} }],
  });
}
