// One operator whose cache is behind for one kind and up to date for all others: so it is certain what it must not do,
// and which live read prevents it. time-travel.ts does the same at random.

import { WatchCache } from '@marekvs/simulator';
import type { Fate } from '../../fate/fate.ts';
import { ids, reached, rested, type Scenario } from '../../life/scenario.ts';
import { CLAIMS, CLUSTERS, NODES } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { lateFor } from './unseen.ts';

const PODS = 'pods';

export const ONE_BEHIND_STORIES: readonly Scenario[] = [
  {
    name: 'unseen-node',
    story:
      'A second operator has heard of a new size and not of the node that was made for it, whose claim is refused for a while: it makes no other one.',
    async run(world, fate) {
      await rested(world, fate, 3);
      const second = secondOperator(world, fate);
      await world.advance(5_000);
      for (const resource of [NODES, CLUSTERS]) second.hold(resource);
      // Its claim would show that the node exists.
      world.fateOf = ({ verb, resource }) => (verb === 'create' && resource === CLAIMS ? 'unavailable' : 'pass');
      world.edit({ nodes: 4 });
      world.kube.server.onEvent(({ resource }) => {
        const count = resource === NODES ? world.nodes().length : 0;
        if (count > 4) world.kube.violated(`${count} nodes are made, and 4 are wanted`);
      });
      await world.until(() => world.cluster()?.status?.highestNodeId === 3, 30_000, 'the new node is counted');
      second.release(CLUSTERS);
      await world.advance(fate.between(2_000, 15_000));
      second.end();
      world.fateOf = () => 'pass';
      return { nodes: 4, ids: ids(0, 3) };
    },
  },
  {
    name: 'unseen-second',
    story:
      'A person deletes another node right before the DELETE of one too many, and the operator hears of it late: the first is wanted again.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.edit({ nodes: 3 });
      await reached(world, 'Deleting');
      lateFor(world, NODES);
      world.removeObject(NODES, 'demo-1');
      const fromMs = world.nowMs + 100;
      world.kube.server.onEvent(({ resource, object }) => {
        const isDeleted = resource === NODES && object.metadata.deletionTimestamp !== undefined;
        const isTarget = object.metadata.name === 'demo-3' && world.nowMs >= fromMs;
        if (isDeleted && isTarget)
          world.kube.violated('demo-3 is deleted although it is wanted in the place of demo-1');
      });
      await world.advance(30_000);
      world.lagMs = () => 2;
      return { nodes: 3, ids: [0, 2, 3] };
    },
  },
  {
    name: 'unseen-ending',
    story:
      'A person deletes the Pod of another member right before the DELETE of a node, and the operator hears of it late: the node stays until that member is back.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.edit({ nodes: 3 });
      await reached(world, 'Deleting');
      lateFor(world, PODS);
      world.removeObject(PODS, 'demo-1');
      await world.advance(30_000);
      world.lagMs = () => 2;
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'unseen-eviction',
    story:
      'A person has deleted one node, and the Pod of another member right before the first one’s Pod ends; the operator hears of the second late: the first runs on until that member is back.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.edit({ nodes: 3 });
      world.removeObject(NODES, 'demo-2');
      let isStruck = false;
      world.fateOf = ({ resource }) => {
        const isProven = resource === `${NODES}/status` && world.operationPhase() === 'Deleting';
        if (isStruck || !isProven) return 'pass';
        isStruck = true;
        lateFor(world, PODS);
        world.removeObject(PODS, 'demo-0');
        return 'unavailable';
      };
      await world.until(() => isStruck, 180_000, 'that its proof is there');
      await world.advance(30_000);
      world.lagMs = () => 2;
      return { nodes: 3, ids: [0, 1, 3] };
    },
  },
];

/** A second operator whose cache of a kind may be held at its current version. */
function secondOperator(world: MemberWorld, fate: Fate) {
  const caches = new Map<string, WatchCache>();
  const { server, transcript } = world.kube;
  const cacheOf = (resource: string): WatchCache => {
    const cache = caches.get(resource) ?? new WatchCache({ server, resource });
    caches.set(resource, cache);
    return cache;
  };
  const first = world.operator.name;
  world.cacheOf = (process, resource) => (process === first ? undefined : cacheOf(resource));
  fate.count('twoOperators');
  const second = world.startOperator();
  return {
    hold(resource: string): void {
      transcript.add('world', `${second.name} hears of no ${resource} any more`);
      cacheOf(resource).holdAt(server.version);
    },
    release(resource: string): void {
      transcript.add('world', `${second.name} hears of ${resource} again`);
      cacheOf(resource).release();
    },
    end: () => world.endOperator(second),
  };
}
