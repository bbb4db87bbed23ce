// Sixteen clusters of several teams that form, remove a node and roll; beside them, if wanted, four of a team whose
// members are hostile.

import { setTimeout as delay } from 'node:timers/promises';
import type { MarekvsCluster } from '@marekvs/api';
import { round } from '../support/figures.ts';
import { ownPath } from '../support/kube.ts';
import { cpuSeconds, residentMiB, scrape } from '../support/operator-metrics.ts';
import { says } from '../support/seen.ts';
import { plainSpec } from '../support/specs.ts';
import type { World } from '../support/world.ts';
import { waitForLine } from './operator-lines.ts';

const TEAMS = ['team-a', 'team-b', 'team-c', 'team-d'];
const CLUSTERS = 16;
const NODES = 4;
const FEWER = 3;
const LIMIT_MS = 300_000;
const SAMPLE_MS = 250;
/** Each in a namespace of its own, which is worse for the others than one for all. */
const HOSTILE: Readonly<Record<string, readonly string[]>> = {
  frames: ['largestFrames'],
  flood: ['unaskedFrames', 'restlessContents'],
  list: ['longList', 'slowBytes'],
  restless: ['restlessContents'],
};
/** The time for them to form and to be compared, before anybody else is there. */
const HEAD_START_MS = 15_000;
const LAG_MAX = 'marekvs_operator_event_loop_lag_max_seconds';

export interface TenantTimes {
  readonly formSeconds: number;
  readonly removeSeconds: number;
  readonly rollSeconds: number;
  /** Hostile clusters that were none: their removal has ended. */
  readonly calmed: number;
  readonly mostMiB: number;
  readonly longestBlockMs: number;
  readonly cpuSeconds: number;
  readonly restarts: number;
}

export async function measureTenants(
  { testbed, kube }: World,
  areHostile: boolean,
  say: (text: string) => void,
): Promise<TenantTimes> {
  const clusters = Array.from({ length: CLUSTERS }, (_, i) => ({
    namespace: TEAMS[i % TEAMS.length] ?? '',
    name: `c${i}`,
  }));
  for (const namespace of TEAMS) await kube.createNamespace(namespace);
  await waitForLine(testbed.operator, 'Started all parts', LIMIT_MS);
  const watch = watchOperator();
  if (areHostile) {
    await Promise.all(Object.entries(HOSTILE).map(([name, hostile]) => createHostile(name, hostile)));
    await delay(HEAD_START_MS);
    // A new cluster is not compared; one that is to lose a node is, without end.
    for (const name of Object.keys(HOSTILE)) await kube.patchCluster(name, 'hostile', { spec: { nodes: FEWER } });
  }
  const formSeconds = await timed('formed', isHealthy, (one) =>
    kube.createCluster(one.namespace, one.name, plainSpec(NODES)),
  );
  const removeSeconds = await timed(
    'smaller',
    (cluster) => isHealthy(cluster) && cluster.status?.replicas === FEWER,
    (one) => kube.patchCluster(one.namespace, one.name, { spec: { nodes: FEWER } }),
  );
  const rollSeconds = await timed('rolled', isInForce, (one) =>
    kube.patchCluster(one.namespace, one.name, { spec: { extraEnv: { ROLLED: 'yes' } } }),
  );
  const seen = await watch.end();
  const calmed = areHostile ? (await Promise.all(Object.keys(HOSTILE).map(isDone))).filter(Boolean).length : 0;
  return { formSeconds, removeSeconds, rollSeconds, calmed, ...seen };

  /** Its removal has ended, so that its members did no harm. */
  async function isDone(namespace: string): Promise<boolean> {
    const cluster = await kube.cluster(namespace, 'hostile');
    return isHealthy(cluster) && cluster.status?.replicas === FEWER;
  }

  async function createHostile(name: string, hostile: readonly string[]): Promise<void> {
    await kube.createNamespace(name);
    const extraEnv = { SIMULATOR_KNOBS: JSON.stringify({ hostile }) };
    await kube.createCluster(name, 'hostile', plainSpec(NODES, { extraEnv }));
  }

  /** Does the same to all sixteen at once. */
  async function timed(
    what: string,
    isDone: (cluster: MarekvsCluster) => boolean,
    start: (one: (typeof clusters)[number]) => Promise<unknown>,
  ): Promise<number> {
    const startMs = performance.now();
    await Promise.all(clusters.map(start));
    const areDone = (all: readonly MarekvsCluster[]) =>
      all.filter((cluster) => TEAMS.includes(cluster.metadata.namespace ?? '') && isDone(cluster)).length === CLUSTERS;
    await kube.until<MarekvsCluster>(`all ${what}`, ownPath('marekvsclusters'), areDone, LIMIT_MS);
    const seconds = round((performance.now() - startMs) / 1000);
    say(`      all ${what} after ${seconds} s`);
    return seconds;
  }

  /** Looks at the operator's process until the end. */
  function watchOperator() {
    const { pid } = testbed.operator;
    const cpuBefore = cpuSeconds(pid);
    const over = new AbortController();
    let mostMiB = 0;
    let longestBlockMs = 0;
    const done = (async () => {
      // What it took to start is not asked for.
      await scrape(testbed.operator);
      while (!over.signal.aborted) {
        mostMiB = Math.max(mostMiB, residentMiB(pid));
        const seen = await scrape(testbed.operator);
        longestBlockMs = Math.max(longestBlockMs, 1000 * seen.sum(LAG_MAX));
        await delay(SAMPLE_MS);
      }
    })();
    return {
      async end() {
        over.abort();
        await done;
        return {
          mostMiB: round(mostMiB, 0),
          longestBlockMs: round(longestBlockMs, 0),
          cpuSeconds: round(cpuSeconds(pid) - cpuBefore),
          restarts: testbed.operator.pid === pid ? 0 : 1,
        };
      },
    };
  }
}

function isHealthy({ metadata, status }: MarekvsCluster): boolean {
  return status?.phase === 'Healthy' && status.observedGeneration === metadata.generation;
}

function isInForce(cluster: MarekvsCluster): boolean {
  return isHealthy(cluster) && says(cluster, 'RollingOut', 'False', 'TemplateCurrent');
}
