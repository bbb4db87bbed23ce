// What fleets of different sizes cost one replica, the API server and etcd: created, left alone, restarted, touched.

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { V1Service } from '@kubernetes/client-node';
import type { MarekvsCluster } from '@marekvs/api';
import type { AtRest, ScaleRow, Spread } from '@marekvs/reference';
import { round } from '../support/figures.ts';
import { ownPath } from '../support/kube.ts';
import { cpuSeconds, residentMiB, type Scrape, scrape } from '../support/operator-metrics.ts';
import { plainSpec } from '../support/specs.ts';
import { firstPasses, fleetOf, isHealthy, NAMESPACES } from './fleet.ts';
import type { World } from './single-cluster.ts';

/** Created at once: more only wait for the API server. */
const BATCH = 50;
const CREATION_LIMIT_MS = 1_800_000;
/** Every member has been asked twice, and is known to serve nothing. */
const SETTLING_MS = 100_000;
const WINDOW_MS = 60_000;
const TOUCHES_PER_SECOND = 100;
const TOUCHED_SECONDS = 10;
const RESTARTS = 3;

export interface ScaleOptions {
  readonly clusters: number;
  readonly unrelated: number;
  readonly say: (text: string) => void;
}

export async function measureScale(world: World, { clusters, unrelated, say }: ScaleOptions): Promise<ScaleRow> {
  const { testbed } = world;
  const createdSeconds = await create(world, clusters);
  say(`  created in ${createdSeconds} s`);
  if (unrelated > 0) await createUnrelated(world, unrelated);
  await delay(SETTLING_MS);
  const rest = await atRest(world);
  say(`  at rest ${rest.operator.residentMiB} MiB, ${rest.operator.cpuSecondsPerMinute} CPU s/min`);
  const touched = await touch(world, clusters);
  const restart = await restartOver(testbed, clusters);
  return { clusters, unrelated, createdSeconds, ...rest, restart, ...touched };
}

async function create({ kube }: World, clusters: number): Promise<number> {
  for (const namespace of NAMESPACES) await kube.createNamespace(namespace);
  const startMs = performance.now();
  const fleet = fleetOf(clusters);
  for (let made = 0; made < clusters; made += BATCH) {
    const batch = fleet.slice(made, made + BATCH);
    await Promise.all(batch.map(({ namespace, name }) => kube.createCluster(namespace, name, plainSpec(3))));
  }
  const path = ownPath('marekvsclusters');
  const areHealthy = (all: readonly MarekvsCluster[]) => all.filter(isHealthy).length === clusters;
  await kube.until<MarekvsCluster>(`${clusters} Healthy clusters`, path, areHealthy, CREATION_LIMIT_MS);
  return round((performance.now() - startMs) / 1000);
}

/** Of a kind that the operator watches, without its label. */
async function createUnrelated({ kube }: World, count: number): Promise<void> {
  const namespace = 'others';
  await kube.createNamespace(namespace);
  for (let made = 0; made < count; made += BATCH) {
    const names = Array.from({ length: Math.min(BATCH, count - made) }, (_, index) => `other-${made + index}`);
    await Promise.all(names.map((name) => kube.core.createNamespacedService({ namespace, body: headless(name) })));
  }
}

function headless(name: string): V1Service {
  return { metadata: { name }, spec: { clusterIP: 'None', ports: [{ port: 80 }], selector: { app: name } } };
}

async function atRest({ testbed }: World): Promise<Pick<ScaleRow, 'operator' | 'apiServer' | 'etcd'>> {
  const { operator, controlPlane } = testbed;
  const pids = [
    operator.pid,
    processWith(`--audit-log-path=${controlPlane.auditLogPath}`),
    processWith(`--data-dir=${controlPlane.dir}/etcd`),
  ] as const;
  const audit = await testbed.auditReader();
  const before = pids.map(cpuSeconds);
  await delay(WINDOW_MS);
  const costs = pids.map((pid, index): AtRest => {
    const seconds = cpuSeconds(pid) - (before[index] ?? 0);
    return { cpuSecondsPerMinute: round((seconds * 60_000) / WINDOW_MS, 2), residentMiB: round(residentMiB(pid)) };
  });
  const { withoutWatchesAndLeases } = await audit.read();
  const heapMiB = round((await scrape(operator)).sum('process_heap_bytes') / 2 ** 20);
  const [own, apiServer, etcd] = costs as [AtRest, AtRest, AtRest];
  const requestsPerMinute = round((withoutWatchesAndLeases * 60_000) / WINDOW_MS, 2);
  return { operator: { ...own, heapMiB, requestsPerMinute }, apiServer, etcd };
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

/** The best of some: the machine has other things to do as well. */
async function restartOver(testbed: World['testbed'], clusters: number): Promise<ScaleRow['restart']> {
  const audit = await testbed.auditReader();
  const seconds: number[] = [];
  for (let count = 0; count < RESTARTS; count += 1) {
    const before = (await testbed.operator.logs()).length;
    await testbed.operator.restart();
    seconds.push((await firstPasses(testbed, before, clusters)).sinceStartMs / 1000);
  }
  const { withoutWatchesAndLeases } = await audit.read();
  return { seconds: round(Math.min(...seconds), 2), requests: Math.ceil(withoutWatchesAndLeases / RESTARTS) };
}

async function touch({ testbed, kube }: World, clusters: number): Promise<Pick<ScaleRow, 'queueWait' | 'pass'>> {
  const before = await scrape(testbed.operator);
  const fleet = fleetOf(Math.min(clusters, TOUCHES_PER_SECOND));
  for (let second = 0; second < TOUCHED_SECONDS; second += 1) {
    const nextMs = performance.now() + 1000;
    const labels = { touched: String(second) };
    await Promise.all(fleet.map(({ namespace, name }) => kube.patchCluster(namespace, name, { metadata: { labels } })));
    await delay(Math.max(0, nextMs - performance.now()));
  }
  const after = await scrape(testbed.operator);
  return {
    queueWait: spreadOf('marekvs_operator_queue_wait_seconds', before, after),
    pass: spreadOf('marekvs_operator_reconcile_duration_seconds', before, after),
  };
}

/** Upper bounds of the buckets in which the percentiles lie. */
function spreadOf(name: string, before: Scrape, after: Scrape): Spread {
  const labels = { controller: 'marekvscluster' };
  const bounds = after.bounds(name, labels);
  const count = (le: string) => {
    const bucket = { ...labels, le };
    return after.sum(`${name}_bucket`, bucket) - before.sum(`${name}_bucket`, bucket);
  };
  const total = count('+Inf');
  const at = (share: number) => {
    const bound = bounds.find((le) => count(le) >= share * total);
    return bound === undefined || bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound) * 1000;
  };
  return { p50: at(0.5), p99: at(0.99) };
}
