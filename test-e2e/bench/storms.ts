// What many clusters do to an API server that has a bad time: restarted, its watches cut all at once, refusing, slow.
// Each storm strikes while some of the clusters are told to grow, and is over when those have their new node: no herd,
// no removal, and nothing forgotten.

import { setTimeout as delay } from 'node:timers/promises';
import type { MarekvsCluster, MarekvsNode } from '@marekvs/api';
import { round } from '../support/figures.ts';
import { ownPath } from '../support/kube.ts';
import type { StormFront } from '../support/storm-front.ts';
import { type Figure, figure } from './figure.ts';
import { allHealthy, fleetOf } from './fleet.ts';
import type { World } from './single-cluster.ts';

/** Grow while a storm is on. */
const GROWING = 10;
const STORM_MS = 20_000;
const QUIET_MS = 5_000;
const LIMIT_MS = 180_000;

interface Storm {
  readonly name: string;
  /** Resolves when it is over. */
  strike(world: World, front: StormFront): Promise<void>;
}

const STORMS: readonly Storm[] = [
  {
    name: 'API server killed and started again',
    async strike({ testbed }) {
      testbed.controlPlane.signalApiServer('SIGKILL');
      await testbed.controlPlane.restartApiServer();
    },
  },
  {
    name: 'all watches cut at once',
    async strike(_, front) {
      front.cutWatches();
    },
  },
  {
    name: 'everything refused for 20 s, 429 with Retry-After 1',
    async strike(_, front) {
      front.become({ kind: 'refusing', retryAfterSeconds: 1 });
      front.cutWatches();
      await delay(STORM_MS);
      front.become({ kind: 'calm' });
    },
  },
  {
    name: 'every request takes 2 s for 20 s',
    async strike(_, front) {
      front.become({ kind: 'slow', delayMs: 2_000 });
      await delay(STORM_MS);
      front.become({ kind: 'calm' });
    },
  },
];

export async function measureStorms(world: World, front: StormFront, clusters: number): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [index, storm] of STORMS.entries()) {
    const growing = fleetOf(clusters).slice(index * GROWING, (index + 1) * GROWING);
    figures.push(...(await weather(storm, growing, world, front, clusters)));
  }
  return figures;
}

async function weather(
  { name, strike }: Storm,
  growing: ReturnType<typeof fleetOf>,
  world: World,
  front: StormFront,
  clusters: number,
): Promise<readonly Figure[]> {
  const { kube } = world;
  await quiet(front);
  front.take();
  await Promise.all(growing.map((one) => kube.patchCluster(one.namespace, one.name, { spec: { nodes: 4 } })));
  await strike(world, front);
  const overMs = performance.now();
  const wanted = new Set(growing.map((one) => `${one.namespace}/${one.name}-3`));
  const have = (all: readonly MarekvsNode[]) =>
    all.filter(({ metadata }) => wanted.has(`${metadata.namespace}/${metadata.name}`)).length === wanted.size;
  await kube.until<MarekvsNode>(`${name}: ${GROWING} new nodes`, ownPath('marekvsnodes'), have, LIMIT_MS);
  const seconds = round((performance.now() - overMs) / 1_000);
  await kube.until<MarekvsCluster>(`${name}: all Healthy`, ownPath('marekvsclusters'), allHealthy(clusters), LIMIT_MS);
  await quiet(front);
  const { requests, mostInASecond, deletes } = front.take();
  return [
    figure(`${name}: new nodes after it is over`, seconds, 's', 30),
    figure('  requests in the busiest second', mostInASecond, '/s', 200),
    figure('  requests until all are Healthy and quiet', requests, '', GROWING * 60 + 200),
    figure('  of them deletions', deletes, '', 0),
  ];
}

/** Nothing was asked for a while. */
async function quiet(front: StormFront): Promise<void> {
  while (performance.now() - front.traffic.lastAtMs < QUIET_MS) await delay(500);
}
