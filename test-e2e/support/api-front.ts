// The API server with one thing more than ours can do: it reaches Pods. A real one refuses to proxy to addresses of its own machine, and
// the members of a testbed have no others. Everything else is handed on as it is, as the administrator.

import { writeFile } from 'node:fs/promises';
import { createServer, get as httpGet, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Testbed } from '@marekvs/testbed';

export interface ApiFront {
  readonly kubeconfig: string;
  close(): Promise<void>;
}

const OF_POD = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/:]+):(\d+)\/proxy(\/.*)$/;

/** @param pathOf what a path becomes before it is handed on */
export async function startApiFront(
  testbed: Testbed,
  folder: string,
  pathOf: (path: string) => string = (path) => path,
): Promise<ApiFront> {
  const { server: address, caPem: ca, certPem: cert, keyPem: key } = testbed.controlPlane.adminCredentials;

  function handOn(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(pathOf(request.url ?? ''), address);
    const { host: _, ...headers } = request.headers;
    const onward = httpsRequest(url, { method: request.method, headers, ca, cert, key }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
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

  const front = createServer((request, response) => {
    const [, namespace, pod, port = '', path = ''] = OF_POD.exec(request.url ?? '') ?? [];
    if (pod === undefined) handOn(request, response);
    else reach(response, `${namespace}/${pod}`, port, path);
  });
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

/** Nobody in particular, at this server. */
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
