// Figures of 100 clusters of 3 hollow members: when they are created, left alone or changed, and when the operator is
// restarted.

import { setTimeout as delay } from 'node:timers/promises';
import type { MarekvsCluster } from '@marekvs/api';
import type { AuditReader, AuditRequest, OperatorProcess } from '@marekvs/testbed';
import { percentile, round } from '../support/figures.ts';
import { type Kube, ownPath } from '../support/kube.ts';
import { cpuSeconds, residentMiB, scrape } from '../support/operator-metrics.ts';
import { plainSpec } from '../support/specs.ts';
import { type Figure, figure } from './figure.ts';
import { type OperatorLine, waitForLine } from './operator-lines.ts';
import type { World } from './single-cluster.ts';

const NAMESPACES = ['fleet-a', 'fleet-b', 'fleet-c', 'fleet-d'];

/** The clusters of the fleet: names and namespaces. */
export function fleetOf(size: number): readonly { readonly namespace: string; readonly name: string }[] {
  return Array.from({ length: size }, (_, index) => ({
    namespace: NAMESPACES[index % NAMESPACES.length] ?? 'fleet-a',
    name: `c${index}`,
  }));
}

export async function createNamespaces(kube: Kube): Promise<void> {
  for (const namespace of NAMESPACES) await kube.createNamespace(namespace);
}

/** How many are created at once: more would only wait for the API server. */
export const BATCH = 50;

/** @returns seconds until every cluster is Healthy */
export async function createFleet(
  kube: Kube,
  size: number,
  { limitMs, atOnce = BATCH }: { readonly limitMs: number; readonly atOnce?: number },
): Promise<number> {
  const startMs = performance.now();
  const fleet = fleetOf(size);
  for (let made = 0; made < size; made += atOnce) {
    const batch = fleet.slice(made, made + atOnce);
    await Promise.all(batch.map(({ namespace, name }) => kube.createCluster(namespace, name, plainSpec(3))));
  }
  await kube.until<MarekvsCluster>(`${size} Healthy clusters`, ownPath('marekvsclusters'), allHealthy(size), limitMs);
  return round((performance.now() - startMs) / 1000);
}

/** Creates the fleet and waits until every cluster is Healthy. */
export async function measureCreation({ testbed, kube }: World, size: number): Promise<readonly Figure[]> {
  await createNamespaces(kube);
  const audit = await testbed.auditReader();
  const seconds = await createFleet(kube, size, { limitMs: 120_000, atOnce: size });
  const withoutWatchesAndLeases = await untilQuiet(audit);
  return [
    figure(`${size} clusters x 3: all ready`, seconds, 's', 20, '41.5 s'),
    figure(`${size} clusters x 3: requests`, withoutWatchesAndLeases, '', size * 45, '8,930'),
  ];
}

/** Counts on until the operator has asked nothing for two seconds: the last events and node statuses follow the last
 *  Healthy. */
async function untilQuiet(audit: AuditReader): Promise<number> {
  let total = 0;
  for (let quietSeconds = 0, seconds = 0; quietSeconds < 2 && seconds < 30; seconds += 1) {
    await delay(1000);
    const { withoutWatchesAndLeases } = await audit.read();
    total += withoutWatchesAndLeases;
    quietSeconds = withoutWatchesAndLeases === 0 ? quietSeconds + 1 : 0;
  }
  return total;
}

/** What the idle fleet costs over a window. Members are asked for figures twice before they are known to serve
 *  nothing, and rarely afterwards.
 *  @param settlingSeconds the time for that
 *  @returns cpu: seconds of it a minute */
export async function measureIdle(
  { testbed }: World,
  windowSeconds: number,
  settlingSeconds: number,
): Promise<{ readonly figures: readonly Figure[]; readonly cpu: number }> {
  await delay(settlingSeconds * 1000);
  const audit = await testbed.auditReader();
  const { pid } = testbed.operator;
  const cpuBefore = cpuSeconds(pid);
  await delay(windowSeconds * 1000);
  const cpu = ((cpuSeconds(pid) - cpuBefore) * 60) / windowSeconds;
  const { withoutWatchesAndLeases } = await audit.read();
  const figures = [
    figure('idle fleet: requests', round((withoutWatchesAndLeases * 60) / windowSeconds, 2), '/min', 0, '18,490 /min'),
    figure('idle fleet: operator CPU', round(cpu, 2), 's/min', 0.7, '8.7 s/min'),
    figure('idle fleet: operator RSS', round(residentMiB(pid), 0), 'MiB', 110, '32.5 MiB'),
  ];
  return { figures, cpu };
}

/** Time for the members to come to their turns, after every cluster has noted the size it begins with. */
const SETTLING_MS = 40_000;

/** How much more than with fixed sizes the same fleet may take. */
const MOST_FOR_MEASURING = 1.2;

/** What the same fleet costs when every size follows the load. There is none, so that only measuring is counted.
 *  @param fixedCpu CPU seconds a minute while its sizes were fixed */
export async function measureAutoscaled(
  world: World,
  size: number,
  windowSeconds: number,
  fixedCpu: number,
): Promise<readonly Figure[]> {
  const { kube, testbed } = world;
  const autoscale = { minNodes: 3, maxNodes: 5, targetOpsPerNode: 5_000 };
  for (const { namespace, name } of fleetOf(size)) await kube.patchCluster(namespace, name, { spec: { autoscale } });
  const isBegun = ({ status }: MarekvsCluster) => status?.autoscale?.size !== undefined;
  const path = ownPath('marekvsclusters');
  await kube.until<MarekvsCluster>('all are sized', path, (all) => all.filter(isBegun).length === size, 120_000);
  await delay(SETTLING_MS);
  const audit = await testbed.auditReader();
  const before = cpuSeconds(testbed.operator.pid);
  await delay(windowSeconds * 1000);
  const cpu = ((cpuSeconds(testbed.operator.pid) - before) * 60) / windowSeconds;
  const { withoutWatchesAndLeases } = await audit.read();
  return [
    figure('  sized by load: requests', round((withoutWatchesAndLeases * 60) / windowSeconds, 2), '/min', 0),
    figure('  sized by load: operator CPU', round(cpu, 2), 's/min', round(MOST_FOR_MEASURING * fixedCpu, 2)),
  ];
}

/** The machine has other work, so the best of so many restarts is taken. */
const RESTARTS = 3;

/** Restarts the operator over the fleet, several times. */
export async function measureRestart({ testbed }: World, size: number): Promise<readonly Figure[]> {
  const audit = await testbed.auditReader();
  const sinceStartMs: number[] = [];
  for (let count = 0; count < RESTARTS; count += 1) {
    const before = (await testbed.operator.logs()).length;
    await testbed.operator.restart();
    sinceStartMs.push(await firstPasses(testbed.operator, before, size));
  }
  const { requests, withoutWatchesAndLeases } = await audit.read();
  const bestSeconds = round(Math.min(...sinceStartMs) / 1000, 2);
  return [
    figure('operator restart: writes', objectWrites(requests), '', 0, '-'),
    figure('operator restart: requests', Math.ceil(withoutWatchesAndLeases / RESTARTS), '', 30, '849-925'),
    figure(`operator restart: every cluster looked at, best of ${RESTARTS}`, bestSeconds, 's', 1.5, '1.8-3.5 s'),
  ];
}

/** Follows the operator's log until it says that it has reconciled every cluster. @param after
 *  characters of the log to pass over */
export async function firstPasses(operator: OperatorProcess, after: number, size: number): Promise<number> {
  const fits = ({ clusters }: OperatorLine): boolean => clusters === size;
  const { sinceStartMs = 0 } = await waitForLine(operator, 'Reconciled every cluster', 120_000, { after, fits });
  return sinceStartMs;
}

/** Grows some of the clusters by one, and measures the time from each change to the operator's first write for it. */
export async function measureReaction({ testbed, kube }: World, some: number): Promise<readonly Figure[]> {
  const admin = await testbed.auditReader('testbed-admin');
  const audit = await testbed.auditReader();
  const chosen = fleetOf(some);
  for (const { namespace, name } of chosen) await kube.patchCluster(namespace, name, { spec: { nodes: 4 } });
  for (const { namespace, name } of chosen) await kube.healthy(namespace, name, 4);
  const edits = (await admin.read()).requests.filter(
    ({ verb, resource }) => verb === 'patch' && resource === 'marekvsclusters',
  );
  const writes = (await audit.read()).requests.filter(
    ({ verb, resource }) => verb === 'create' && resource === 'marekvsnodes',
  );
  const reactions = edits.map((edit) => {
    const first = writes.find(
      ({ namespace, name }) => namespace === edit.namespace && name.startsWith(`${edit.name}-`),
    );
    if (first === undefined) throw new Error(`no write followed the change of ${edit.namespace}/${edit.name}`);
    return first.receivedAtMs - edit.receivedAtMs;
  });
  return [
    figure(
      `spec change to first write, ${some} of the fleet: p50`,
      round(percentile(reactions, 0.5), 0),
      'ms',
      200,
      '3.0 s',
    ),
  ];
}

/** Changes an unrelated label of converged clusters, so many times a second, and counts what follows. */
export async function measureTouches(
  { testbed, kube }: World,
  perSecond: number,
  seconds: number,
): Promise<readonly Figure[]> {
  const audit = await testbed.auditReader();
  const before = await scrape(testbed.operator);
  const fleet = fleetOf(perSecond);
  for (let second = 0; second < seconds; second += 1) {
    const nextMs = performance.now() + 1000;
    const labels = { touched: String(second) };
    await Promise.all(fleet.map(({ namespace, name }) => kube.patchCluster(namespace, name, { metadata: { labels } })));
    await delay(Math.max(0, nextMs - performance.now()));
  }
  const after = await scrape(testbed.operator);
  const { requests } = await audit.read();
  const of = (le: string) => {
    const labels = { controller: 'marekvscluster', le };
    return (
      after.sum('marekvs_operator_queue_wait_seconds_bucket', labels) -
      before.sum('marekvs_operator_queue_wait_seconds_bucket', labels)
    );
  };
  const passes = of('+Inf');
  const late = passes === 0 ? 1 : 1 - of('0.005') / passes;
  return [
    figure(`${passes} passes over converged clusters: writes`, objectWrites(requests), '', 0, '-'),
    figure(`event to pass at ${perSecond} events/s: later than 5 ms`, round(late * 100, 2), '%', 1, '-'),
  ];
}

/** Writes to anything but leases; a question for one's own permissions is a read although it is a create. */
function objectWrites(requests: readonly AuditRequest[]): number {
  const writes = requests.filter(({ verb }) => ['create', 'update', 'patch', 'delete'].includes(verb));
  return writes.filter(({ resource }) => resource !== 'leases' && resource !== 'selfsubjectrulesreviews').length;
}

export function allHealthy(size: number): (clusters: readonly MarekvsCluster[]) => boolean {
  return (clusters) => clusters.filter(isHealthy).length === size;
}

function isHealthy({ metadata, status }: MarekvsCluster): boolean {
  return status?.phase === 'Healthy' && status.observedGeneration === metadata.generation;
}
