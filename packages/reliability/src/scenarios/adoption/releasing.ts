// Members that were taken over are handed to a StatefulSet again: none of their processes ends, clients notice nothing,
// and it can be taken back.

import { findCondition, type MarekvsClusterSpec } from '@marekvs/api';
import type { Fate } from '../../fate/fate.ts';
import { type Goal, ids, type Scenario } from '../../life/scenario.ts';
import { controllerUid, STATEFUL_SETS, startStatefulSets } from '../../world/cluster/stateful-sets.ts';
import { CLUSTERS, NAME, NAMESPACE, NODES } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import {
  askForRelease,
  handOver,
  letGo,
  makeStatefulSet,
  runByOldOperator,
  takeRequestBack,
} from '../../world/old-operator.ts';
import { sameProcesses } from '../steps/same-processes.ts';

const COUNT = 3;
const REF = { namespace: NAMESPACE, name: NAME };

/** A cluster of the existing operator that was taken over, under load. Then the story begins.
 *  @returns which members no longer run as they did then */
async function adopted(world: MemberWorld, fate: Fate, count = COUNT): Promise<() => string | undefined> {
  await runByOldOperator(world, count);
  startStatefulSets(world);
  world.startWriters({ clients: 2, writesPerSecond: 20, keys: 150 });
  world.startOperator();
  await world.until(() => world.condition('Ready') === 'StatefulSetFound', 60_000, 'that it is found');
  handOver(world, count);
  await world.until(() => world.isHealthy(count), 300_000, 'that it is taken over');
  await world.until(() => world.condition('FullyReplicated') === 'True', 120_000, 'that it is compared');
  const changed = sameProcesses(world, ids(0, COUNT - 1));
  fate.begin();
  return changed;
}

const phaseOf = (world: MemberWorld) => world.cluster()?.status?.release?.phase;
const setOf = (world: MemberWorld) => world.kube.server.find(STATEFUL_SETS, REF);

/** What `kubectl mkv release` does, from its first write on. */
async function handBack(world: MemberWorld): Promise<void> {
  askForRelease(world);
  await world.until(() => phaseOf(world) === 'Waiting', 300_000, 'that the StatefulSet is waited for');
  makeStatefulSet(world);
}

/** What is missing until the StatefulSet has every Pod; undefined then. */
function handedBack(world: MemberWorld): string | undefined {
  const { formed, release } = world.cluster()?.status ?? {};
  const left = world.nodes().length;
  if (left > 0 || formed !== undefined || release !== undefined) return `${left} nodes, at ${release?.phase}`;
  const uid = setOf(world)?.metadata.uid;
  const others = ids(0, COUNT - 1).filter((id) => {
    const pod = world.pod(id);
    return pod === undefined || controllerUid(pod) !== uid;
  });
  return others.length === 0 ? undefined : `demo-${others.join(' and demo-')} is not the StatefulSet's`;
}

/** In the end nothing of the cluster is ours, and every key is on all its homes. */
function toStatefulSet(world: MemberWorld, problem: () => string | undefined): Goal {
  return { nodes: COUNT, unmet: () => handedBack(world), problem, withinMs: 300_000 };
}

export const release: Scenario = {
  name: 'release',
  story: 'Three members are handed to a StatefulSet under load: no process ends, no volume changes, no node is left.',
  async run(world, fate) {
    const problem = await adopted(world, fate);
    await handBack(world);
    await world.until(() => handedBack(world) === undefined, 300_000, 'members of a StatefulSet');
    return toStatefulSet(world, problem);
  },
};

/** Runs `act` when the phase LettingGo is stored: no Pod has been let go yet, and none may be for a while. */
async function inTheMoment(world: MemberWorld, how: string, act: () => void): Promise<void> {
  let hasHappened = false;
  const forget = world.kube.server.onEvent(({ resource, object }) => {
    if (resource === CLUSTERS && phaseOf(world) === 'LettingGo' && !hasHappened) {
      hasHappened = true;
      act();
    }
    if (resource === 'pods' && hasHappened && controllerUid(object) === undefined)
      world.kube.violated(`${object.metadata.name} is let go ${how}`);
  });
  await handBack(world);
  await world.until(() => hasHappened, 60_000, 'that members are to go');
  await world.advance(6_000);
  forget();
}

/** Asks for the release, which is refused, and must not begin while there are `count` nodes. */
async function refusedFirst(world: MemberWorld, fate: Fate, count: number, which: string): Promise<void> {
  world.kube.server.onEvent(({ resource }) => {
    if (resource === CLUSTERS && phaseOf(world) !== undefined && world.nodes().length === count)
      world.kube.violated(`members are handed over ${which}`);
  });
  askForRelease(world);
  await world.until(() => isRefused(world), 60_000, 'that it is refused');
  await world.advance(fate.between(1_000, 20_000));
}

function isRefused(world: MemberWorld): boolean {
  return findCondition(world.cluster()?.status?.conditions, 'Stalled')?.reason === 'ReleaseRefused';
}

export const RELEASE_STORIES: readonly Scenario[] = [
  release,
  {
    name: 'release-and-adopt',
    story: 'Members are handed to a StatefulSet, and taken over again: the same processes all the way.',
    async run(world, fate) {
      const problem = await adopted(world, fate);
      await handBack(world);
      await world.until(() => handedBack(world) === undefined, 300_000, 'members of a StatefulSet');
      await world.advance(fate.between(1_000, 30_000));
      handOver(world, COUNT);
      return { nodes: COUNT, ids: ids(0, COUNT - 1), withinMs: 300_000, problem };
    },
  },
  {
    name: 'release-taken-back',
    story:
      'Half-way to a StatefulSet the members are wanted back: whichever it had by then, all of them stay as they run.',
    async run(world, fate) {
      const problem = await adopted(world, fate);
      await handBack(world);
      await world.until(() => phaseOf(world) === 'LettingGo', 60_000, 'that they are let go');
      await world.advance(fate.between(0, 400));
      if (phaseOf(world) === 'LettingGo') {
        takeRequestBack(world);
        await world.advance(fate.between(0, 6_000));
        letGo(world);
        return { nodes: COUNT, ids: ids(0, COUNT - 1), withinMs: 300_000, problem };
      }
      return toStatefulSet(world, problem);
    },
  },
  {
    name: 'release-of-two',
    story: 'Two operators at once hand the members to a StatefulSet, each with caches of its own.',
    async run(world, fate) {
      const problem = await adopted(world, fate);
      const second = world.startOperator();
      await handBack(world);
      await world.until(() => handedBack(world) === undefined, 300_000, 'members of a StatefulSet');
      world.endOperator(second);
      return toStatefulSet(world, problem);
    },
  },
  {
    name: 'release-with-an-end',
    story: 'A member ends while it changes hands: whoever has it then makes it again, on its volume and its data.',
    async run(world, fate) {
      await adopted(world, fate);
      await handBack(world);
      await world.advance(fate.between(0, 5_000));
      if (world.pod(1) !== undefined) world.removeObject('pods', 'demo-1');
      return toStatefulSet(world, () => undefined);
    },
  },
  {
    name: 'release-unfit',
    story: 'The StatefulSet that is made for the members would restart them: it gets none before that is put right.',
    async run(world, fate) {
      const problem = await adopted(world, fate);
      askForRelease(world);
      await world.until(() => phaseOf(world) === 'Waiting', 300_000, 'that the StatefulSet is waited for');
      makeStatefulSet(world, { updateStrategy: { type: 'RollingUpdate' } });
      await world.until(() => world.condition('Stalled') === 'True', 60_000, 'that it is said');
      await world.advance(fate.between(1_000, 20_000));
      world.kube.server.patch(STATEFUL_SETS, REF, { spec: { updateStrategy: { type: 'OnDelete' } } });
      return toStatefulSet(world, problem);
    },
  },
  {
    name: 'release-while-shrinking',
    story:
      'Members are to be handed over while one of them is being removed: that is finished first, and the others go.',
    async run(world, fate) {
      const problem = await adopted(world, fate, COUNT + 1);
      world.edit({ nodes: COUNT } satisfies Partial<MarekvsClusterSpec>);
      await world.until(() => world.operationPhase() !== undefined, 180_000, 'that a removal has begun');
      world.stopWriters();
      await world.advance(fate.between(0, 10_000));
      world.kube.server.onEvent(({ resource }) => {
        if (resource === CLUSTERS && phaseOf(world) !== undefined && world.operationPhase() !== undefined)
          world.kube.violated('members are handed over while one of them is being removed');
      });
      await handBack(world);
      return toStatefulSet(world, problem);
    },
  },
  {
    name: 'release-set-gone',
    story:
      'The StatefulSet is deleted at the moment in which it is to get the members: none is left without an owner, and the next one has them all.',
    async run(world, fate) {
      const problem = await adopted(world, fate);
      await inTheMoment(world, 'to nobody', () => letGo(world));
      await world.until(
        () => phaseOf(world) === 'Waiting' && setOf(world) === undefined,
        120_000,
        'that it is waited for',
      );
      makeStatefulSet(world);
      return toStatefulSet(world, problem);
    },
  },
  {
    name: 'release-called-off',
    story: 'The request is taken back in the moment in which members are to go to the StatefulSet: none goes any more.',
    async run(world, fate) {
      const problem = await adopted(world, fate);
      await inTheMoment(world, 'although nobody asks any more', () => takeRequestBack(world));
      letGo(world);
      return { nodes: COUNT, ids: ids(0, COUNT - 1), withinMs: 300_000, problem };
    },
  },
  {
    name: 'release-of-ours',
    story:
      'One of the members that are to be handed over is of our own making, with a folder of its own: it is removed first.',
    async run(world, fate) {
      const problem = await adopted(world, fate);
      world.edit({ nodes: COUNT + 1 });
      await world.until(() => world.isHealthy(COUNT + 1), 300_000, 'a fourth');
      await refusedFirst(world, fate, COUNT + 1, 'which would look elsewhere for its data');
      world.edit({ nodes: COUNT });
      await world.until(() => phaseOf(world) === 'Waiting', 300_000, 'that the StatefulSet is waited for');
      makeStatefulSet(world);
      return toStatefulSet(world, problem);
    },
  },
  {
    name: 'release-with-a-gap',
    story: 'Of four members the second was removed: the others are handed over when it is back on its kept volume.',
    async run(world, fate) {
      await adopted(world, fate, COUNT + 1);
      world.stopWriters();
      world.annotate(NODES, 'demo-1', { 'marekvs.io/remove-first': 'true' });
      world.edit({ nodes: COUNT });
      await world.until(
        () => world.isHealthy(COUNT) && world.node(1) === undefined,
        300_000,
        'three without the second',
      );
      await refusedFirst(world, fate, COUNT, 'of which a StatefulSet would end one');
      world.edit({ nodes: COUNT + 1 });
      await world.until(() => phaseOf(world) === 'Waiting', 300_000, 'that the StatefulSet is waited for');
      makeStatefulSet(world);
      return toStatefulSet(world, () => undefined);
    },
  },
];
