// What fleets of different sizes cost one replica or several, the API server and etcd: created, left alone,
// touched, restarted, handed over.

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { V1Service } from '@kubernetes/client-node';
import type { AtRest, OperatorAtRest, ScaleRow, Spread } from '@marekvs/reference';
import type { OperatorProcess } from '@marekvs/testbed';
import { round } from '../support/figures.ts';
import { ownPath } from '../support/kube.ts';
import { cpuSeconds, residentMiB, type Scrape, scrape } from '../support/operator-metrics.ts';
import { BATCH, createFleet, createNamespaces, firstPasses, fleetOf } from './fleet.ts';
import { type Replicas, startReplicas } from './replicas.ts';
import type { World } from './single-cluster.ts';

const CREATION_LIMIT_MS = 1_800_000;
/** Time until every member has been asked twice, and is known to serve nothing. */
const SETTLING_MS = 100_000;
const WINDOW_MS = 60_000;
const TOUCHES_PER_SECOND = 100;
const TOUCHED_SECONDS = 10;
const RESTARTS = 3;
const CHECK_MS = 100;
const LISTING_LIMIT_MS = 120_000;

/** The circumstances of one row. */
export interface ScaleCase {
  readonly clusters: number;
  readonly unrelated: number;
  readonly replicas: number;
}

/** The rows of one fleet, which the replicas of the first case create, and those of the other cases find.
 *  @param cases with equally many clusters, the one with unrelated objects last */
export async function* measureScale(
  world: World,
  cases: readonly ScaleCase[],
  say: (text: string) => void,
): AsyncGenerator<ScaleRow> {
  let createdSeconds: number | undefined;
  let beside = 0;
  for (const one of cases) {
    const { clusters, unrelated, replicas: count } = one;
    say(`${clusters} clusters, ${count === 1 ? 'one replica' : `${count} replicas`}, ${unrelated} unrelated objects`);
    await createUnrelated(world, beside, unrelated);
    beside = Math.max(beside, unrelated);
    const replicas = await startReplicas(world.testbed, count);
    const isFirst = createdSeconds === undefined;
    createdSeconds ??= await created(world, clusters);
    if (isFirst) say(`  created in ${createdSeconds} s`);
    else await untilKnown(replicas, clusters);
    yield { ...one, ...(isFirst ? { createdSeconds } : {}), ...(await measureFleet(world, replicas, clusters, say)) };
    await replicas.stop();
  }
}

async function measureFleet(
  world: World,
  replicas: Replicas,
  clusters: number,
  say: (text: string) => void,
): Promise<Omit<ScaleRow, keyof ScaleCase | 'createdSeconds'>> {
  await delay(SETTLING_MS);
  const rest = await atRest(world, replicas.all);
  for (const { residentMiB, cpuSecondsPerMinute, clusters: part } of rest.operators)
    say(`  at rest: ${part} clusters, ${residentMiB} MiB, ${cpuSecondsPerMinute} CPU s/min`);
  const touched = await touch(world, replicas.all, clusters);
  const [first] = replicas.all;
  const restart =
    replicas.all.length === 1 && first !== undefined ? await restartOver(world, first, clusters) : undefined;
  const failover = await replicas.failover();
  say(`  another one takes over: planned ${failover.plannedSeconds} s, after a crash ${failover.crashSeconds} s`);
  return { ...rest, ...touched, failover, ...(restart === undefined ? {} : { restart }) };
}

/** Whether replicas that found the fleet have all of it. */
async function untilKnown({ all }: Replicas, clusters: number): Promise<void> {
  const startMs = performance.now();
  for (;;) {
    // A replica that was just started may not answer yet.
    const parts = await Promise.all(all.map((one) => scrape(one).then(clustersOf, () => 0)));
    if (parts.reduce((sum, part) => sum + part, 0) === clusters) return;
    if (performance.now() - startMs > LISTING_LIMIT_MS) throw new Error(`${parts.join(', ')} of ${clusters} clusters`);
    await delay(CHECK_MS);
  }
}

async function created({ kube }: World, clusters: number): Promise<number> {
  await createNamespaces(kube);
  return createFleet(kube, clusters, { limitMs: CREATION_LIMIT_MS });
}

/** Objects of a kind that the operator watches, without its label. */
async function createUnrelated({ kube, testbed }: World, present: number, count: number): Promise<void> {
  const namespace = 'others';
  if (present === 0 && count > 0) await kube.createNamespace(namespace);
  for (let made = present; made < count; made += BATCH) {
    const names = Array.from({ length: Math.min(BATCH, count - made) }, (_, index) => `other-${made + index}`);
    const path = `/api/v1/namespaces/${namespace}/services`;
    await Promise.all(
      names.map((name) =>
        testbed.transport.request({ verb: 'create', resource: 'services', path, subject: name, body: headless(name) }),
      ),
    );
  }
}

function headless(name: string): V1Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { clusterIP: 'None', ports: [{ port: 80 }], selector: { app: name } },
  };
}

async function atRest(
  { testbed }: World,
  all: readonly OperatorProcess[],
): Promise<Pick<ScaleRow, 'operators' | 'requestsPerMinute' | 'apiServer' | 'etcd'>> {
  const { controlPlane } = testbed;
  const apiServer = processWith(`--audit-log-path=${controlPlane.auditLogPath}`);
  const etcd = processWith(`--data-dir=${controlPlane.dir}/etcd`);
  const audit = await testbed.auditReader();
  const begun = new Map([...all.map(({ pid }) => pid), apiServer, etcd].map((pid) => [pid, cpuSeconds(pid)]));
  await delay(WINDOW_MS);
  const cost = (pid: number): AtRest => ({
    cpuSecondsPerMinute: round(((cpuSeconds(pid) - (begun.get(pid) ?? 0)) * 60_000) / WINDOW_MS, 2),
    residentMiB: round(residentMiB(pid)),
  });
  const costs = all.map(({ pid }) => cost(pid));
  const [ofApiServer, ofEtcd] = [cost(apiServer), cost(etcd)];
  const { withoutWatchesAndLeases } = await audit.read();
  const operators = await Promise.all(
    all.map(async (one, index): Promise<OperatorAtRest> => {
      const figures = await scrape(one);
      const heapMiB = round(figures.sum('process_heap_bytes') / 2 ** 20);
      return { ...(costs[index] ?? cost(one.pid)), heapMiB, clusters: clustersOf(figures) };
    }),
  );
  const requestsPerMinute = round((withoutWatchesAndLeases * 60_000) / WINDOW_MS, 2);
  return { operators, requestsPerMinute, apiServer: ofApiServer, etcd: ofEtcd };
}

function clustersOf(figures: Scrape): number {
  return figures.sum('marekvs_operator_clusters');
}

/** @throws Error when there is none */
function processWith(argument: string): number {
  for (const pid of readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name))) {
    if (argumentsOf(pid).includes(argument)) return Number(pid);
  }
  throw new Error(`no process was started with ${argument}`);
}

function argumentsOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return []; // It has ended meanwhile.
  }
}

/** The best of some, because the machine has other work. */
async function restartOver(
  { testbed }: World,
  operator: OperatorProcess,
  clusters: number,
): Promise<NonNullable<ScaleRow['restart']>> {
  const audit = await testbed.auditReader();
  const seconds: number[] = [];
  for (let count = 0; count < RESTARTS; count += 1) {
    const before = (await operator.logs()).length;
    await operator.restart();
    seconds.push((await firstPasses(operator, before, clusters)) / 1000);
  }
  const { withoutWatchesAndLeases } = await audit.read();
  return { seconds: round(Math.min(...seconds), 2), requests: Math.ceil(withoutWatchesAndLeases / RESTARTS) };
}

/** With our own client, because that of the journeys fails after a minute without requests. */
async function touch(
  { testbed }: World,
  all: readonly OperatorProcess[],
  clusters: number,
): Promise<Pick<ScaleRow, 'queueWait' | 'pass'>> {
  const before = await Promise.all(all.map(scrape));
  const fleet = fleetOf(Math.min(clusters, TOUCHES_PER_SECOND));
  for (let second = 0; second < TOUCHED_SECONDS; second += 1) {
    const nextMs = performance.now() + 1000;
    const labels = { touched: String(second) };
    await Promise.all(
      fleet.map(({ namespace, name }) =>
        testbed.transport.request({
          verb: 'patch',
          resource: 'marekvsclusters',
          path: `${ownPath('marekvsclusters', namespace)}/${name}`,
          subject: name,
          body: { metadata: { labels } },
          contentType: 'application/merge-patch+json',
        }),
      ),
    );
    await delay(Math.max(0, nextMs - performance.now()));
  }
  const after = await Promise.all(all.map(scrape));
  return {
    queueWait: spreadOf('marekvs_operator_queue_wait_seconds', before, after),
    pass: spreadOf('marekvs_operator_reconcile_duration_seconds', before, after),
  };
}

/** Upper bounds of the buckets that contain the percentiles, over all replicas. */
function spreadOf(name: string, before: readonly Scrape[], after: readonly Scrape[]): Spread {
  const labels = { controller: 'marekvscluster' };
  const bounds = after[0]?.bounds(name, labels) ?? [];
  const all = (figures: readonly Scrape[], le: string) =>
    figures.reduce((sum, one) => sum + one.sum(`${name}_bucket`, { ...labels, le }), 0);
  const count = (le: string) => all(after, le) - all(before, le);
  const total = count('+Inf');
  const at = (share: number) => {
    const bound = bounds.find((le) => count(le) >= share * total);
    return bound === undefined || bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound) * 1000;
  };
  return { p50: at(0.5), p99: at(0.99) };
}
