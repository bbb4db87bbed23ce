// The part of a kubelet that an API server calls for logs: HTTPS on the address of the Nodes, with the members' own log files behind it.
// The testbed's kubelet has none, because nothing but `kubectl logs` and `kubectl mkv logs` ever asks.

import { globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import type { Testbed } from '@marekvs/testbed';
import type { Kube } from './kube.ts';

const LOOK_EVERY_MS = 50;

/** The log of the member in this Pod, as its process writes it. */
export function memberLogOf(testbed: Testbed, namespace: string, pod: string): string | undefined {
  return globSync(`**/pods/${namespace}_${pod}_*/member.log`, { cwd: testbed.dir }).map((path) =>
    join(testbed.dir, path),
  )[0];
}

/** Every Node answers at one address from now on. @returns how to end it */
export async function serveLogs(testbed: Testbed, kube: Kube): Promise<() => Promise<void>> {
  const certificates = join(testbed.controlPlane.dir, 'certs');
  const server = createServer(
    { cert: readFileSync(join(certificates, 'serving.crt')), key: readFileSync(join(certificates, 'serving.key')) },
    ({ url = '' }, response) => void answer(testbed, new URL(url, 'https://kubelet'), response),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  };
  for (const { metadata } of (await kube.core.listNode()).items) {
    const patch = { name: metadata?.name ?? '', body: { status } };
    await kube.core.patchNodeStatus(patch, setHeaderOptions('Content-Type', PatchStrategy.MergePatch));
  }
  return async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
}

async function answer(testbed: Testbed, { pathname, searchParams }: URL, response: ServerResponse): Promise<void> {
  const [, namespace = '', pod = '', container] = /^\/containerLogs\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(pathname) ?? [];
  const path = memberLogOf(testbed, namespace, pod);
  if (path === undefined || searchParams.get('previous') === 'true') {
    const what = path === undefined ? '' : 'previous terminated ';
    response.writeHead(400).end(`${what}container "${container}" in pod "${pod}" not found`);
    return;
  }
  const text = await readFile(path, 'utf8');
  const tail = Number(searchParams.get('tailLines') ?? Number.POSITIVE_INFINITY);
  const lines = text.split('\n').slice(0, -1);
  response.writeHead(200).write(
    lines
      .slice(Math.max(0, lines.length - tail))
      .map((line) => `${line}\n`)
      .join(''),
  );
  if (searchParams.get('follow') !== 'true') {
    response.end();
    return;
  }
  let sent = text.length;
  const timer = setInterval(() => {
    const now = readFileSync(path, 'utf8');
    if (now.length > sent) response.write(now.slice(sent));
    sent = now.length;
  }, LOOK_EVERY_MS);
  response.on('close', () => clearInterval(timer));
}
