// What a request and a watch event cost this process: CPU per piece, without TLS. The server is a process of its own.
// Run: node --conditions=development packages/runtime/bench/transport.ts [requests] [events]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import {
  createClient,
  createReflector,
  createStaticCredentials,
  createTransport,
  type KubeObject,
  type Pod,
  pods,
} from '@marekvs/runtime';

const [requests = 20_000, eventCount = 20_000] = process.argv.slice(2).map(Number);

/** About 8.4 KB, as a Pod with managedFields is. */
function bigPod(i: number, resourceVersion: number): object {
  const labels = Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [`app.kubernetes.io/label-${n}`, `value-${i}-${n}`]),
  );
  const container = {
    name: 'c',
    image: 'registry/x:1',
    env: Array.from({ length: 25 }, (_, n) => ({ name: `E${n}`, value: `v${n}` })),
  };
  const managedFields = Array.from({ length: 4 }, (_, n) => ({ manager: `m${n}`, fieldsV1: { f: 'x'.repeat(900) } }));
  const conditions = Array.from({ length: 6 }, (_, n) => ({ type: `T${n}`, status: 'True', message: 'y'.repeat(150) }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: `ns-${i % 100}`,
      name: `pod-${i}`,
      uid: `uid-${i}`,
      resourceVersion: String(resourceVersion),
      labels,
      managedFields,
    },
    spec: { containers: [container], nodeName: `n-${i % 50}` },
    status: { phase: 'Running', podIP: '127.0.0.1', conditions },
  };
}

function serve(): void {
  const one = JSON.stringify(bigPod(1, 1_000));
  createServer(async (req, res) => {
    for await (const _ of req);
    res.setHeader('content-type', 'application/json');
    if (!req.url?.includes('watch=true')) return res.end(one);
    const send = async (type: string, object: object): Promise<void> => {
      if (!res.write(`${JSON.stringify({ type, object })}\n`)) await once(res, 'drain');
    };
    if (!req.url.includes('sendInitialEvents')) return;
    for (let i = 0; i < eventCount; i++) await send('ADDED', bigPod(i, 1_000 + i));
    const metadata = { resourceVersion: '100000', annotations: { 'k8s.io/initial-events-end': 'true' } };
    await send('BOOKMARK', { metadata });
    for (let i = 0; i < eventCount; i++) await send('MODIFIED', bigPod(i, 100_001 + i));
  }).listen(0, '127.0.0.1', function (this: { address(): unknown }) {
    process.stdout.write(`${(this.address() as AddressInfo).port}\n`);
  });
}

function meter(): (pieces: number) => string {
  const cpu = process.cpuUsage();
  const start = performance.now();
  return (pieces) => {
    const { user, system } = process.cpuUsage(cpu);
    const ms = performance.now() - start;
    return `${((user + system) / pieces).toFixed(1)} µs CPU each, ${Math.round((pieces / ms) * 1000)}/s, ${Math.round(ms)} ms`;
  };
}

async function measure(): Promise<void> {
  const child = spawn(
    process.execPath,
    [...process.execArgv, fileURLToPath(import.meta.url), String(requests), String(eventCount)],
    {
      env: { ...process.env, BENCH_ROLE: 'server' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [line] = await once(child.stdout, 'data');
  const credentials = createStaticCredentials({ authorization: 'Bearer x', clientCertificate: undefined });
  const access = {
    server: new URL(`http://127.0.0.1:${String(line).trim()}`),
    credentials,
    namespace: '',
    describe: '',
  };
  const transport = createTransport(access, { userAgent: 'bench' });
  const client = createClient(transport);
  const stop = new AbortController();

  async function batch(count: number, call: () => Promise<unknown>): Promise<void> {
    let left = count;
    const worker = async (): Promise<void> => {
      while (left-- > 0) await call();
    };
    await Promise.all(Array.from({ length: 8 }, worker));
  }
  const get = (): Promise<unknown> => client.get(pods, { namespace: 'default', name: 'a' });
  const patch = (): Promise<unknown> =>
    client.patch(
      pods,
      { namespace: 'default', name: 'a' },
      { metadata: { labels: { a: 'b' } } },
      { uid: 'u', resourceVersion: '1' },
    );
  await batch(2_000, get);
  for (const [name, call] of [
    ['get', get],
    ['merge patch', patch],
  ] as const) {
    const done = meter();
    await batch(requests, call);
    console.log(`${name} (8 in flight): ${done(requests)}`);
  }

  const project = ({
    metadata,
  }: KubeObject): { namespace: string | undefined; name: string; uid: string; resourceVersion: string } => ({
    namespace: metadata.namespace,
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
  });
  let changes = 0;
  const all = Promise.withResolvers<void>();
  const synced = meter();
  const reflector = createReflector({
    transport,
    kind: pods,
    project: project as (o: Pod) => ReturnType<typeof project>,
    indexes: { uid: (v) => [v.uid] },
    onChange() {
      if (++changes === 2 * eventCount) all.resolve();
    },
  });
  const running = reflector.run(stop.signal);
  await reflector.synced;
  console.log(`initial state (projected): ${synced(eventCount)}`);
  const followed = meter();
  await all.promise;
  console.log(`watch events in a burst: ${followed(eventCount)}`);
  console.log(`RSS ${Math.round(process.memoryUsage().rss / 1e6)} MB`);
  stop.abort();
  await running;
  await transport.close();
  child.kill();
}

if (process.env.BENCH_ROLE === 'server') serve();
else await measure();
