// The operator comes back with one kind of object from before it existed, and everything else up to date: missing
// objects look deleted. So it is certain what it must not do, and which live read prevents it.

import { WatchCache } from '@marekvs/simulator';
import type { Fate } from '../../fate/fate.ts';
import { type Goal, ids, pausedIn, podEnded, rested, type Scenario } from '../../life/scenario.ts';
import { CLAIMS, CLUSTERS, NAME, NODES } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { diesAtDelete } from '../removal/departing.ts';
import { goal, NEXT } from '../rolling/images.ts';

const PODS = 'pods';

export const FROM_BEFORE_STORIES: readonly Scenario[] = [
  {
    name: 'unseen-template',
    story:
      'A template was corrected while the cluster formed, and the operator comes back to before that: the members of the formed cluster are restarted by nobody.',
    async run(world, fate) {
      world.apply({ nodes: 3 });
      await world.until(() => world.member(2) !== undefined, 20_000, 'the last member starts');
      const { version } = world.kube.server;
      world.edit({ podMetadata: { labels: { team: 'red' } } });
      await world.until(() => world.isHealthy(3), 120_000, 'the cluster is formed');
      fate.begin();
      const release = backTo(world, fate, version, [NODES, CLUSTERS]);
      world.operator.crash();
      await world.advance(fate.between(10_000, 40_000));
      release();
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'unseen-pod',
    story:
      'The operator comes back to before the Pod of a deleted node was made, and nobody lists its frozen member: the node is not released while its Pod exists.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.removeObject(PODS, 'demo-3');
      await world.until(() => world.pod(3) === undefined, 60_000, 'the Pod is gone');
      const { version } = world.kube.server;
      await world.until(() => world.isHealthy(4), 60_000, 'the Pod is back');
      await world.advance(60_000);
      world.edit({ nodes: 3 });
      const release = backTo(world, fate, version, [PODS]);
      await diesAtDelete(world);
      world.freeze(3);
      await world.advance(fate.between(10_000, 30_000));
      release();
      world.thaw(3);
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'unseen-address',
    story:
      'When the Pod of a node has ended, the operator comes back to before the others had Pods, and can ask nobody: the node stays until all have forgotten it.',
    async run(world, fate) {
      world.apply({ nodes: 4 });
      const version = await firstOf(world, PODS);
      await world.until(() => world.isHealthy(4), 180_000, 'the cluster is formed');
      await world.advance(60_000);
      fate.begin();
      world.edit({ nodes: 3 });
      await podEnded(world, 3);
      const release = comeBackTo(world, fate, version, [PODS]);
      await world.advance(fate.between(5_000, 20_000));
      release();
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'unseen-target',
    story:
      'When the Pod of a node has ended, the operator comes back to before that node was made: its removal is not taken for done, and can go on.',
    async run(world, fate) {
      const version = await grown(world, fate);
      world.edit({ nodes: 3 });
      await podEnded(world, 3);
      const release = comeBackTo(world, fate, version, [NODES]);
      await world.advance(fate.between(10_000, 30_000));
      release();
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'unseen-removal',
    story:
      'In the middle of a removal the operator comes back to before its node was made: it is not given up as one whose node was deleted by force.',
    async run(world, fate) {
      const version = await grown(world, fate);
      return diesMidway(world, fate, version, [NODES]);
    },
  },
  {
    name: 'unseen-beginning',
    story:
      'In the middle of a removal the operator comes back to when its cluster had just been applied, and had neither a status nor nodes: it is not given up.',
    async run(world, fate) {
      world.apply({ nodes: 4 });
      const { version } = world.kube.server;
      await world.until(() => world.isHealthy(4), 180_000, 'the cluster is formed');
      await world.advance(60_000);
      fate.begin();
      return diesMidway(world, fate, version, [CLUSTERS, NODES]);
    },
  },
  {
    name: 'unseen-claims',
    story:
      'A cluster is deleted and made again, and the operator comes back to before all its claims but one were made: it takes up all of them.',
    async run(world, fate) {
      world.apply({ nodes: 3 });
      const version = await firstOf(world, CLAIMS);
      await world.until(() => world.isHealthy(3), 180_000, 'the cluster is formed');
      world.startWriters({ clients: 2, writesPerSecond: 20, keys: 150 });
      await world.advance(10_000);
      world.stopWriters();
      await world.advance(10_000);
      fate.begin();
      world.removeObject(CLUSTERS, NAME);
      const isGone = (): boolean => world.nodes().length === 0 && world.kube.server.list(PODS).length === 0;
      await world.until(isGone, 120_000, 'the cluster is gone');
      const release = comeBackTo(world, fate, version, [CLAIMS]);
      await world.advance(1_000);
      world.apply({ nodes: 3 });
      await world.advance(fate.between(5_000, 20_000));
      release();
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'unseen-reclaiming',
    story:
      'A node has gone with its volume, and the operator comes back to before that node had one: it makes no other volume, which would be an empty one under a used id.',
    async run(world, fate) {
      await rested(world, fate, 3, { volumeRetention: { whenScaled: 'Delete' } });
      world.edit({ nodes: 4 });
      const version = await firstOf(world, NODES);
      await world.until(() => world.isHealthy(4), 180_000, 'the fourth joins');
      world.edit({ nodes: 3 });
      await world.until(() => world.isHealthy(3) && world.claim(3) === undefined, 300_000, 'its volume is reclaimed');
      world.kube.server.onEvent(({ resource, object }) => {
        if (resource === CLAIMS && object.metadata.name === 'data-demo-3')
          world.kube.violated('a claim is made for demo-3, which is gone');
      });
      const release = comeBackTo(world, fate, version, [NODES]);
      await world.advance(fate.between(10_000, 30_000));
      release();
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'unseen-size',
    story:
      'A node was made and removed again, and the operator comes back to when it was only wanted: none is made for that.',
    async run(world, fate) {
      await rested(world, fate, 3);
      world.edit({ nodes: 4 });
      const { version } = world.kube.server;
      await world.until(() => world.isHealthy(4), 180_000, 'the fourth joins');
      await world.advance(60_000);
      world.edit({ nodes: 3 });
      await world.until(() => world.isHealthy(3), 300_000, 'the fourth has left');
      world.kube.server.onEvent(({ resource, object }) => {
        if (resource === NODES && world.nodes().length > 3)
          world.kube.violated(`${object.metadata.name} is made for a wish that is past`);
      });
      const release = comeBackTo(world, fate, version, [CLUSTERS]);
      await world.advance(fate.between(10_000, 30_000));
      release();
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'unseen-start',
    story:
      'The operator comes back to before the Pod of a member had a host, and the image changes: a member that runs by now is not stopped as one that cannot start.',
    async run(world, fate) {
      await rested(world, fate, 3);
      fate.count('podDeleted');
      world.removeObject(PODS, 'demo-2');
      await world.until(() => world.pod(2) === undefined, 60_000, 'the Pod is gone');
      await world.until(() => world.pod(2) !== undefined, 60_000, 'the Pod is made again');
      const { version } = world.kube.server;
      await world.until(() => world.isHealthy(3), 60_000, 'the member is back');
      const release = comeBackTo(world, fate, version, [PODS]);
      world.edit({ image: NEXT });
      await world.advance(fate.between(15_000, 40_000));
      release();
      return goal(world, 3, NEXT);
    },
  },
];

/** The operator dies in the middle of a removal from 4 to 3 and sees that version again for some seconds: the removal
 *  goes on. */
async function diesMidway(
  world: MemberWorld,
  fate: Fate,
  version: number,
  resources: readonly string[],
): Promise<Goal> {
  world.restartMs = 1_000;
  world.edit({ nodes: 3 });
  const held = await pausedIn(world, 'Proving');
  await world.advance(fate.between(0, 3_000));
  const release = backTo(world, fate, version, resources);
  world.operator.crash();
  world.kube.server.onEvent(({ resource }) => {
    const ended = resource === CLUSTERS ? world.cluster()?.status?.lastOperation : undefined;
    if (ended?.reason === 'FinalizerRemoved')
      world.kube.violated(`the removal of ${ended.target?.name} is given up while its node is there`);
  });
  await world.advance(fate.between(10_000, 25_000));
  release();
  held.goOn();
  return { nodes: 3, ids: ids(0, 2) };
}

/** The version in which the first object of that kind exists, and no other. */
async function firstOf(world: MemberWorld, wanted: string): Promise<number> {
  const { server } = world.kube;
  let first: number | undefined;
  const forget = server.onEvent(({ resource, version }) => {
    if (resource === wanted) first ??= version;
  });
  await world.until(() => first !== undefined, 60_000, `the first of ${wanted}`);
  forget();
  return first ?? server.version;
}

/** A cluster of three that has grown to four. Returns the version from before. */
async function grown(world: MemberWorld, fate: Fate): Promise<number> {
  await rested(world, fate, 3);
  const { version } = world.kube.server;
  world.edit({ nodes: 4 });
  await world.until(() => world.isHealthy(4), 180_000, 'the fourth joins');
  await world.advance(60_000);
  return version;
}

/** Breaks the streams of the running operator, which start again in the past; its history is gone. */
function comeBackTo(world: MemberWorld, fate: Fate, version: number, resources: readonly string[]): () => void {
  const release = backTo(world, fate, version, resources);
  world.oldestVersion = world.kube.server.version;
  world.operator.cutStreams();
  return release;
}

/** From now on these kinds are shown as of this version, until the returned function is called. */
function backTo(world: MemberWorld, fate: Fate, version: number, resources: readonly string[]): () => void {
  fate.count('timeTravel');
  const { server } = world.kube;
  const caches = new Map(
    resources.map((resource) => [resource, new WatchCache({ server, resource, keepsPromise: false })]),
  );
  for (const cache of caches.values()) cache.holdAt(version);
  world.cacheOf = (_, resource) => caches.get(resource);
  return () => {
    for (const cache of caches.values()) cache.release();
  };
}
