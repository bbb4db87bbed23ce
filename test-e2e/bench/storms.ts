// What many clusters do to an API server that is restarted, cuts all watches, refuses, is slow, or has another schema
// of our kinds, and when the Pods of many clusters are evicted at once. Each storm begins while some clusters are told
// to grow, and is over when these have their new nodes: without a herd, without a removal, and nothing forgotten.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { V1Pod } from '@kubernetes/client-node';
import type { MarekvsCluster, MarekvsNode } from '@marekvs/api';
import { type Manifest, projectRoot } from '@marekvs/testbed';
import { load } from 'js-yaml';
import { round } from '../support/figures.ts';
import { ownPath } from '../support/kube.ts';
import type { StormFront } from '../support/storm-front.ts';
import { type Figure, figure } from './figure.ts';
import { allHealthy, BATCH, fleetOf } from './fleet.ts';
import type { World } from './single-cluster.ts';

/** How many clusters grow during a storm. */
const GROWING = 10;
const STORM_MS = 20_000;
const QUIET_MS = 5_000;
const LIMIT_MS = 180_000;
/** All members of a hundred clusters, or fewer if fewer clusters do not grow. */
const EVICTED = 300;
const MEMBERS = 3;
/** What a person writes to migrate stored objects to a new schema. */
const TOUCH = { metadata: { annotations: { 'example.com/touched': 'by a migration' } } };

interface Definition extends Manifest {
  readonly spec: {
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: { description: string } } }[];
  };
}

interface Storm {
  readonly name: string;
  /** Resolves when the storm is over. */
  strike(world: World, front: StormFront, fleet: Fleet): Promise<void>;
  /** Resolves when its damage is repaired, if Healthy does not show that. */
  mended?(world: World, fleet: Fleet): Promise<unknown>;
  /** How many Pods the storm costs. */
  readonly podsTaken?: number;
}

type Fleet = ReturnType<typeof fleetOf>;

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
  {
    name: 'another schema of both kinds, and a write to every object of them',
    async strike({ testbed, kube }, _, fleet) {
      await testbed.apply(await newerDefinitions());
      await inBatches(fleet, (one) => kube.patchCluster(one.namespace, one.name, TOUCH));
      await inBatches(fleet, ({ namespace, name }) => kube.patchNode(namespace, `${name}-0`, TOUCH));
    },
  },
  {
    name: `${EVICTED} Pods evicted at once`,
    podsTaken: EVICTED,
    async strike({ testbed }, _, fleet) {
      await Promise.all(podsOf(fleet).map((key) => testbed.kubelet.evict(key)));
    },
    mended({ kube }, fleet) {
      const wanted = new Set(podsOf(fleet));
      const areBack = (pods: readonly V1Pod[]) =>
        pods.filter((pod) => wanted.has(`${pod.metadata?.namespace}/${pod.metadata?.name}`) && isReady(pod)).length ===
        wanted.size;
      return kube.until<V1Pod>('the evicted members ready again', '/api/v1/pods', areBack, LIMIT_MS);
    },
  },
];

/** The Pods of the last clusters of the fleet, which grow in no storm. */
function podsOf(fleet: Fleet): readonly string[] {
  const last = fleet.slice(-EVICTED / MEMBERS);
  return last.flatMap(({ namespace, name }) => [0, 1, 2].map((id) => `${namespace}/${name}-${id}`));
}

function isReady({ status }: V1Pod): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
}

/** Our kinds with one more word in their schema, which ends every watch of them. */
async function newerDefinitions(): Promise<readonly Manifest[]> {
  const texts = await Promise.all(
    ['marekvsclusters', 'marekvsnodes'].map((kind) => readFile(join(projectRoot, 'crds', `${kind}.yaml`), 'utf8')),
  );
  return texts.map((text) => {
    const definition = load(text) as Definition;
    for (const { schema } of definition.spec.versions) schema.openAPIV3Schema.description += ' Newer.';
    return definition;
  });
}

async function inBatches(fleet: Fleet, write: (one: Fleet[number]) => Promise<void>): Promise<void> {
  for (let done = 0; done < fleet.length; done += BATCH) await Promise.all(fleet.slice(done, done + BATCH).map(write));
}

export async function measureStorms(world: World, front: StormFront, clusters: number): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  const fleet = fleetOf(clusters);
  for (const [index, storm] of STORMS.entries()) {
    const growing = fleet.slice(index * GROWING, (index + 1) * GROWING);
    figures.push(...(await weather(storm, growing, world, front, fleet)));
  }
  return figures;
}

async function weather(
  { name, strike, mended, podsTaken = 0 }: Storm,
  growing: Fleet,
  world: World,
  front: StormFront,
  fleet: Fleet,
): Promise<readonly Figure[]> {
  const { kube } = world;
  await quiet(front);
  front.take();
  await Promise.all(growing.map((one) => kube.patchCluster(one.namespace, one.name, { spec: { nodes: 4 } })));
  await strike(world, front, fleet);
  const overMs = performance.now();
  const wanted = new Set(growing.map((one) => `${one.namespace}/${one.name}-3`));
  const have = (all: readonly MarekvsNode[]) =>
    all.filter(({ metadata }) => wanted.has(`${metadata.namespace}/${metadata.name}`)).length === wanted.size;
  await kube.until<MarekvsNode>(`${name}: ${GROWING} new nodes`, ownPath('marekvsnodes'), have, LIMIT_MS);
  const seconds = round((performance.now() - overMs) / 1_000);
  await mended?.(world, fleet);
  const areHealthy = allHealthy(fleet.length);
  await kube.until<MarekvsCluster>(`${name}: all Healthy`, ownPath('marekvsclusters'), areHealthy, LIMIT_MS);
  const healthySeconds = round((performance.now() - overMs) / 1_000);
  await quiet(front);
  const { requests, mostInASecond, podDeletes, otherDeletes } = front.take();
  return [
    figure(`${name}: new nodes after it is over`, seconds, 's', 30),
    figure('  all clusters Healthy', healthySeconds, 's', 180),
    figure('  requests in the busiest second', mostInASecond, '/s', 200),
    figure('  requests until all are Healthy and quiet', requests, '', GROWING * 60 + 200 + podsTaken * 20),
    figure('  deletions of Pods', podDeletes, '', podsTaken),
    figure('  deletions of anything else', otherDeletes, '', 0),
  ];
}

/** Resolves when there was no request for a while. */
async function quiet(front: StormFront): Promise<void> {
  while (performance.now() - front.traffic.lastAtMs < QUIET_MS) await delay(500);
}
