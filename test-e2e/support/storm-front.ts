// Stands between the operator and the API server, and acts like an API server in a storm: it refuses, is slow, or cuts
// its watches. It counts the requests.

import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { OPERATOR_USER, type Testbed } from '@marekvs/testbed';
import { kubeconfigOf } from './api-front.ts';

export type Weather =
  | { readonly kind: 'calm' }
  /** 429 with Retry-After, to everything. */
  | { readonly kind: 'refusing'; readonly retryAfterSeconds: number }
  | { readonly kind: 'slow'; readonly delayMs: number };

/** The requests that came, without those for leases. */
export interface Traffic {
  readonly requests: number;
  /** Requests in the busiest second. */
  readonly mostInASecond: number;
  /** Deletions of Pods, and of everything else. */
  readonly podDeletes: number;
  readonly otherDeletes: number;
  /** performance.now() at the last request. */
  readonly lastAtMs: number;
}

export interface StormFront {
  readonly kubeconfig: string;
  become(weather: Weather): void;
  cutWatches(): void;
  /** The traffic since the last call. */
  take(): Traffic;
  /** The traffic since the last `take`, which goes on. */
  readonly traffic: Traffic;
  close(): Promise<void>;
}

/** All requests reach the real API server as those of the operator's user. */
export async function startStormFront(testbed: Testbed): Promise<StormFront> {
  const { server: address, caPem: ca, certPem: cert, keyPem: key } = testbed.controlPlane.adminCredentials;
  const agent = new Agent({ keepAlive: true, ca, cert, key });
  const watches = new Set<ServerResponse>();
  let weather: Weather = { kind: 'calm' };
  let atMs: number[] = [];
  let podDeletes = 0;
  let otherDeletes = 0;

  function handOn(asked: IncomingMessage, answer: ServerResponse): void {
    const { host: _, connection: __, ...headers } = asked.headers;
    const onward = httpsRequest(
      new URL(asked.url ?? '/', address),
      { method: asked.method, headers: { ...headers, 'impersonate-user': OPERATOR_USER }, agent },
      (given) => {
        answer.writeHead(given.statusCode ?? 502, given.headers);
        given.pipe(answer);
        given.on('error', () => answer.destroy());
      },
    );
    onward.on('error', () => answer.destroy());
    answer.on('close', () => onward.destroy());
    asked.pipe(onward);
  }

  async function take(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const url = asked.url ?? '';
    const isLease = url.includes('/leases');
    if (!isLease) atMs.push(performance.now());
    if (asked.method === 'DELETE') {
      if (url.includes('/pods/')) podDeletes += 1;
      else otherDeletes += 1;
    }
    if (weather.kind === 'refusing') {
      asked.resume();
      answer.writeHead(429, { 'retry-after': String(weather.retryAfterSeconds) }).end('storm');
      return;
    }
    if (weather.kind === 'slow') await delay(weather.delayMs);
    if (url.includes('watch=true')) {
      watches.add(answer);
      answer.on('close', () => watches.delete(answer));
    }
    handOn(asked, answer);
  }

  const traffic = (): Traffic => {
    const seconds = new Map<number, number>();
    for (const ms of atMs) seconds.set(Math.floor(ms / 1_000), (seconds.get(Math.floor(ms / 1_000)) ?? 0) + 1);
    const mostInASecond = Math.max(0, ...seconds.values());
    const lastAtMs = atMs.at(-1) ?? Number.NEGATIVE_INFINITY;
    return { requests: atMs.length, mostInASecond, podDeletes, otherDeletes, lastAtMs };
  };
  const front = createServer((asked, answer) => void take(asked, answer));
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const { port } = front.address() as AddressInfo;
  const kubeconfig = join(testbed.dir, `storm-${port}.json`);
  await writeFile(kubeconfig, kubeconfigOf(`http://127.0.0.1:${port}`));
  return {
    kubeconfig,
    become(next) {
      weather = next;
    },
    cutWatches() {
      for (const watch of watches) watch.destroy();
    },
    take() {
      const taken = traffic();
      atMs = [];
      podDeletes = 0;
      otherDeletes = 0;
      return taken;
    },
    get traffic() {
      return traffic();
    },
    async close() {
      front.closeAllConnections();
      agent.destroy();
      await new Promise((resolve) => front.close(resolve));
    },
  };
}
