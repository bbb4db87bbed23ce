// A hundred clusters of hollow members whose template is changed at the same moment: once it has a place, is each
// served like the others, does a turn cost the same as alone, and are clusters that nobody changed unaffected? Verdicts
// are ratios within one run, because times say more of the machine.

import { setTimeout as delay } from 'node:timers/promises';
import type { MarekvsCluster } from '@marekvs/api';
import type { AuditReader, AuditRequest } from '@marekvs/testbed';
import { percentile, round } from '../support/figures.ts';
import { ownPath } from '../support/kube.ts';
import { cpuSeconds, scrape } from '../support/operator-metrics.ts';
import { says } from '../support/seen.ts';
import { plainSpec } from '../support/specs.ts';
import { type Figure, figure } from './figure.ts';
import type { World } from './single-cluster.ts';

const NODES = 3;
const FLEET = 'rolled';
const BESIDE = 'beside';
/** Clusters whose template nobody changes: each edit of them is answered by one write of their status. */
const NEIGHBOURS = ['n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8', 'n9'];
/** With ten clusters, enough edits that the 99th percentile is not a single pause of the machine. */
const ROUNDS_ALONE = 50;
const BETWEEN_ROUNDS_MS = 1_000;
const LIMIT_MS = 900_000;
const IDLE_SECONDS = 30;
const LAG = 'marekvs_operator_event_loop_lag_seconds';

export async function measureFleetRoll({ testbed, kube }: World, size: number): Promise<readonly Figure[]> {
  const fleet = Array.from({ length: size }, (_, index) => `c${index}`);
  for (const namespace of [FLEET, BESIDE]) await kube.createNamespace(namespace);
  await Promise.all([
    ...fleet.map((name) => kube.createCluster(FLEET, name, plainSpec(NODES))),
    ...NEIGHBOURS.map((name) => kube.createCluster(BESIDE, name, plainSpec(NODES))),
  ]);
  await until('all are Healthy', size + NEIGHBOURS.length, isHealthy);
  const admin = await testbed.auditReader('testbed-admin');
  const [answers, asked] = await Promise.all([testbed.auditReader(), testbed.auditReader()]);
  await untilQuiet(await testbed.auditReader());
  for (const reader of [admin, answers, asked]) await reader.skip();

  const edits = rounds();
  for (let round = 0; round < ROUNDS_ALONE; round += 1) await edits.next();
  const alone = await reactions();
  await kube.patchCluster(FLEET, 'c0', { spec: { extraEnv: { ROLLED: 'alone' } } });
  await until('one is changed', 1, (cluster) => cluster.metadata.name === 'c0' && isInForce(cluster));
  const requestsAlone = await requestsOfTurns(1);
  const seenAlone = await scrape(testbed.operator);

  const startedMs = performance.now();
  const cpuBefore = cpuSeconds(testbed.operator.pid);
  const over = new AbortController();
  const disturbed = (async () => {
    while (!over.signal.aborted) await edits.next();
  })();
  await Promise.all(
    fleet.map((name) => kube.patchCluster(FLEET, name, { spec: { extraEnv: { ROLLED: 'together' } } })),
  );
  const { doneMs, turningMs } = await eachInForce(fleet, startedMs);
  const cpu = cpuSeconds(testbed.operator.pid) - cpuBefore;
  over.abort();
  await disturbed;
  const seenBeside = await scrape(testbed.operator);
  const grew = (name: string, labels: Readonly<Record<string, string>>): number =>
    seenBeside.sum(name, labels) - seenAlone.sum(name, labels);
  const [requests, beside] = await Promise.all([requestsOfTurns(size), reactions()]);
  await untilQuiet(asked);
  await delay(IDLE_SECONDS * 1000);
  const idle = (await asked.read()).withoutWatchesAndLeases;
  const slowest = Math.max(...doneMs);
  return [
    figure(`${size} clusters changed at once: all in force`, round(slowest / 1000), 's', Number.POSITIVE_INFINITY),
    figure('  the last beside the median', round(slowest / percentile(doneMs, 0.5), 2), 'x', Number.POSITIVE_INFINITY),
    figure(
      '  from its first turn on, the slowest beside the median',
      round(Math.max(...turningMs) / percentile(turningMs, 0.5), 2),
      'x',
      1.5,
    ),
    figure('  CPU of the operator a turn', round((cpu * 1000) / (size * NODES), 0), 'ms', Number.POSITIVE_INFINITY),
    figure('  requests of a turn beside one alone', round(requests / requestsAlone, 2), 'x', 1.1),
    figure(
      '  p99 of untouched clusters beside alone',
      round(percentile(beside, 0.99) / percentile(alone, 0.99), 2),
      'x',
      1.5,
    ),
    figure('    the median of these, alone', round(percentile(alone, 0.5)), 'ms', Number.POSITIVE_INFINITY),
    figure('    beside', round(percentile(beside, 0.5)), 'ms', Number.POSITIVE_INFINITY),
    figure('    the 99th percentile alone', round(percentile(alone, 0.99)), 'ms', Number.POSITIVE_INFINITY),
    figure('    beside', round(percentile(beside, 0.99)), 'ms', Number.POSITIVE_INFINITY),
    figure(
      '  timers of the operator that came more than 25 ms late',
      round(100 * (1 - grew(`${LAG}_bucket`, { le: '0.025' }) / grew(`${LAG}_count`, {})), 1),
      '%',
      Number.POSITIVE_INFINITY,
    ),
    figure('  idle afterwards: requests', round((idle * 60) / IDLE_SECONDS, 1), '/min', 0),
  ];

  function until(what: string, count: number, isIt: (cluster: MarekvsCluster) => boolean): Promise<unknown> {
    return kube.until<MarekvsCluster>(
      what,
      ownPath('marekvsclusters'),
      (clusters) => clusters.filter(isIt).length >= count,
      LIMIT_MS,
    );
  }

  /** How long each took until it was first seen with the change: from the edit on, and from its own first turn on. */
  async function eachInForce(
    names: readonly string[],
    fromMs: number,
  ): Promise<{ readonly doneMs: readonly number[]; readonly turningMs: readonly number[] }> {
    const begun = new Map<string, number>();
    const done = new Map<string, number>();
    await kube.until<MarekvsCluster>(
      'all are changed',
      ownPath('marekvsclusters', FLEET),
      (clusters) => {
        const nowMs = performance.now();
        for (const cluster of clusters) {
          const { name } = cluster.metadata;
          if (cluster.status?.operation !== undefined && !begun.has(name)) begun.set(name, nowMs);
          if (isInForce(cluster) && !done.has(name)) done.set(name, nowMs);
        }
        return names.every((name) => done.has(name));
      },
      LIMIT_MS,
    );
    return {
      doneMs: [...done.values()].map((atMs) => atMs - fromMs),
      turningMs: [...done].map(([name, atMs]) => atMs - (begun.get(name) ?? fromMs)),
    };
  }

  /** Every neighbour is edited, in a way that changes no Pod. */
  async function* rounds(): AsyncGenerator<void> {
    for (let seconds = 86_401; ; seconds += 1) {
      const spec = { verification: { intervalSeconds: seconds } };
      await Promise.all(NEIGHBOURS.map((name) => kube.patchCluster(BESIDE, name, { spec })));
      await delay(BETWEEN_ROUNDS_MS);
      yield;
    }
  }

  /** From each edit of a neighbour to the operator's next status of it. */
  async function reactions(): Promise<readonly number[]> {
    const isAnswered = (cluster: MarekvsCluster) => cluster.metadata.namespace === BESIDE && isHealthy(cluster);
    await until('every edit is answered', NEIGHBOURS.length, isAnswered);
    // The audit log is written after the answers.
    await delay(BETWEEN_ROUNDS_MS);
    const of = (requests: readonly AuditRequest[], resource: string) =>
      requests.filter((request) => request.namespace === BESIDE && request.resource === resource);
    const edited = of((await admin.read()).requests, 'marekvsclusters').filter(({ verb }) => verb === 'patch');
    const written = of((await answers.read()).requests, 'marekvsclusters/status');
    return edited.map((edit) => {
      const next = written.find(({ name, receivedAtMs }) => name === edit.name && receivedAtMs >= edit.receivedAtMs);
      if (next === undefined) throw new Error(`no status followed the change of ${edit.name}`);
      return next.receivedAtMs - edit.receivedAtMs;
    });
  }

  /** Requests for the fleet per turn since the last count. */
  async function requestsOfTurns(clusters: number): Promise<number> {
    const { requests } = await asked.read();
    const own = requests.filter(({ namespace, verb, resource }) => namespace === FLEET && !isFree(verb, resource));
    return own.length / (clusters * NODES);
  }
}

function isFree(verb: string, resource: string): boolean {
  return verb === 'watch' || resource === 'leases';
}

/** Resolves when the last events and node statuses are written, which follow the last Healthy. */
async function untilQuiet(audit: AuditReader): Promise<void> {
  for (let quietSeconds = 0, seconds = 0; quietSeconds < 3 && seconds < 60; seconds += 1) {
    await delay(1000);
    quietSeconds = (await audit.read()).withoutWatchesAndLeases === 0 ? quietSeconds + 1 : 0;
  }
}

function isHealthy({ metadata, status }: MarekvsCluster): boolean {
  return status?.phase === 'Healthy' && status.observedGeneration === metadata.generation;
}

function isInForce(cluster: MarekvsCluster): boolean {
  return isHealthy(cluster) && says(cluster, 'RollingOut', 'False', 'TemplateCurrent');
}
