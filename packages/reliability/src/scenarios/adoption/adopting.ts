// Members that a StatefulSet started are taken over: none of their processes ends, and clients notice nothing.

import { findCondition } from '@marekvs/api';
import type { Fate } from '../../fate/fate.ts';
import { ids, type Scenario } from '../../life/scenario.ts';
import { CLAIMS, CLUSTERS, NAMESPACE, NODES } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import {
  askFor,
  handOver,
  isHandedOver,
  letGo,
  makeClaim,
  makeStranger,
  runByOldOperator,
} from '../../world/old-operator.ts';
import { sameProcesses } from '../steps/same-processes.ts';

const COUNT = 3;

/** A cluster of the existing operator that has taken writes and that ours finds. Then the story begins. */
async function found(world: MemberWorld, fate: Fate): Promise<() => string | undefined> {
  await runByOldOperator(world, COUNT);
  const changed = sameProcesses(world, ids(0, COUNT - 1));
  world.startWriters({ clients: 2, writesPerSecond: 20, keys: 150 });
  await world.advance(10_000);
  world.kube.server.onEvent(({ resource, object }) => {
    if (resource === NODES && !isHandedOver(world))
      world.kube.violated(`${object.metadata.name} is made beside a StatefulSet`);
  });
  world.startOperator();
  await world.until(() => world.condition('Ready') === 'StatefulSetFound', 60_000, 'that it is found');
  fate.begin();
  return changed;
}

export const adopt: Scenario = {
  name: 'adopt',
  story: 'Three members of a StatefulSet are taken over under load: no process ends, no volume changes.',
  async run(world, fate) {
    const problem = await found(world, fate);
    handOver(world, COUNT);
    return { nodes: COUNT, ids: ids(0, COUNT - 1), withinMs: 300_000, problem };
  },
};

export const adoptAndGoOn: Scenario = {
  name: 'adopt-and-go-on',
  story: 'Members that were taken over are restarted, joined by a fourth and left by one, each on the data it had.',
  async run(world, fate) {
    const problem = await found(world, fate);
    handOver(world, COUNT);
    await world.until(() => world.isHealthy(COUNT), 300_000, 'three members taken over');
    const wrong = problem();
    if (wrong !== undefined) throw new Error(wrong);
    world.stopWriters();
    world.removeObject('pods', `demo-${fate.whole(0, COUNT - 1)}`);
    await world.until(() => !world.isHealthy(COUNT), 30_000, 'that its end is seen');
    await world.until(() => world.isHealthy(COUNT), 180_000, 'the restarted one');
    world.edit({ nodes: 4 });
    await world.until(() => world.isHealthy(4), 300_000, 'a fourth');
    world.edit({ nodes: 3 });
    return { nodes: 3, ids: ids(0, COUNT - 1), withinMs: 600_000 };
  },
};

export const adoptLate: Scenario = {
  name: 'adopt-late',
  story:
    'A Pod ends between the handover and its operator, which comes later: it is made again, on its volume and its data.',
  async run(world, fate) {
    await found(world, fate);
    world.endOperator(world.operator);
    handOver(world, COUNT);
    await world.advance(2_000);
    await ends(world, 1);
    world.kube.server.onEvent(({ resource }) => {
      const isFormed = resource === CLUSTERS && world.cluster()?.status?.formed !== undefined;
      if (isFormed && world.member(1)?.phase !== 'Active') world.kube.violated('the cluster is formed without demo-1');
    });
    world.startOperator();
    return { nodes: COUNT, ids: ids(0, COUNT - 1), withinMs: 300_000 };
  },
};

export const ADOPTING_STORIES: readonly Scenario[] = [
  adopt,
  adoptAndGoOn,
  {
    name: 'adopt-and-guard',
    story: 'Members that were taken over are given a password, and are rid of it again: no process ends.',
    async run(world, fate) {
      const problem = await found(world, fate);
      handOver(world, COUNT);
      await world.until(() => world.isHealthy(COUNT), 300_000, 'three members taken over');
      world.stopWriters();
      const data: Readonly<Record<string, string>> = { password: Buffer.from('a password').toString('base64') };
      const secret = { metadata: { name: 'pass', namespace: NAMESPACE }, data };
      world.kube.server.create('secrets', secret);
      const allWant = (password: string) => ids(0, COUNT - 1).every((id) => world.member(id)?.requirepass === password);
      world.edit({ auth: { secretRef: { name: 'pass', key: 'password' } } });
      await world.until(() => allWant('a password'), 60_000, 'all want a password');
      const isStamped = () => world.nodes().every(({ spec }) => spec.template.authSecretRef?.name === 'pass');
      await world.until(isStamped, 60_000, 'new Pods start with it');
      await world.advance(fate.between(0, 20_000));
      world.edit({ auth: null });
      await world.until(() => allWant(''), 60_000, 'none wants one');
      return { nodes: COUNT, ids: ids(0, COUNT - 1), withinMs: 300_000, problem };
    },
  },
  adoptLate,
  {
    name: 'adopt-asked',
    story:
      'Members are to be taken over and their StatefulSet still exists: none of them is touched before it is deleted.',
    async run(world, fate) {
      const problem = await found(world, fate);
      askFor(world, COUNT);
      await world.advance(fate.between(6_000, 20_000));
      letGo(world);
      return { nodes: COUNT, ids: ids(0, COUNT - 1), withinMs: 300_000, problem };
    },
  },
  {
    name: 'adopt-swapped',
    story:
      'Between the handover and its operator the claim of a member is deleted and made again under its name: nothing is started on the empty one.',
    async run(world, fate) {
      await handedOverWithout(world, fate, 1);
      world.removeObject(CLAIMS, 'data-demo-1');
      await world.until(() => world.claim(1) === undefined, 60_000, 'the end of a claim');
      makeClaim(world, 1);
      world.kube.server.onEvent(({ resource, object: { metadata } }) => {
        if (resource === 'pods' && metadata.name === 'demo-1')
          world.kube.violated(`Pod ${metadata.name} is made for an empty claim`);
      });
      world.startOperator();
      return { nodes: COUNT, unmet: () => otherReason(world, 1, 'VolumeForeign') };
    },
  },
  {
    name: 'adopt-stranger',
    story:
      'Between the handover and its operator somebody puts a Pod on another volume in the place of a member: it is not taken for one.',
    async run(world, fate) {
      await handedOverWithout(world, fate, 1);
      const stranger = makeStranger(world, 1);
      world.kube.server.onEvent(({ resource, object: { metadata } }) => {
        if (resource === 'pods' && metadata.uid === stranger && (metadata.ownerReferences ?? []).length > 0)
          world.kube.violated(`Pod ${metadata.name} of a stranger is taken over`);
      });
      world.startOperator();
      await world.until(() => otherReason(world, 1, 'NameTaken') === undefined, 60_000, 'that it is said');
      world.removeObject('pods', 'demo-1');
      return { nodes: COUNT, ids: ids(0, COUNT - 1), withinMs: 300_000 };
    },
  },
];

/** Handed over at rest while no operator runs to take over; meanwhile the Pod of that member ends. */
async function handedOverWithout(world: MemberWorld, fate: Fate, id: number): Promise<void> {
  await found(world, fate);
  world.stopWriters();
  await world.advance(20_000);
  world.endOperator(world.operator);
  handOver(world, COUNT);
  await ends(world, id);
}

async function ends(world: MemberWorld, id: number): Promise<void> {
  world.removeObject('pods', `demo-${id}`);
  await world.until(() => world.pod(id) === undefined, 90_000, 'the end of a Pod');
}

/** What is missing until the node reports this reason; undefined then. */
function otherReason(world: MemberWorld, id: number, reason: string): string | undefined {
  const shown = findCondition(world.node(id)?.status?.conditions, 'Ready')?.reason;
  return shown === reason ? undefined : `demo-${id} says ${shown}, not ${reason}`;
}
