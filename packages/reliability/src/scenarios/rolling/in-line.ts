// More clusters change at once than may restart members. All of them run with members of their own; only the one that
// all stories are about is judged member by member.

import type { MarekvsCluster } from '@marekvs/api';
import type { ApiObject } from '@marekvs/simulator';
import { ids, rested, type Scenario } from '../../life/scenario.ts';
import { NAME } from '../../world/cluster/world-view.ts';
import { CLUSTERS, type MemberWorld } from '../../world/member-world.ts';
import { replaceOperator } from '../steps/operator-ends.ts';
import { goal, NEXT } from './images.ts';

/** Another tenant, with more clusters of two members than there are places. */
const ELSEWHERE = 'elsewhere';
const PLACES = 7;
const CROWD = ids(0, PLACES + 1).map((id) => `c${id}`);
/** A hanging turn takes a place for a minute; the places are checked every five seconds. */
const WAIT_MS = 75_000;
/** Apart, so that no two places become free together. */
const APART_MS = 6_500;
const HOLD = 'example.org/hold';

export const rolloutInLine: Scenario = {
  name: 'rollout-in-line',
  story:
    'Seven clusters of a tenant have a place each, and their Pods do not end; two more of it and one of another tenant wait. That one is next, then the others, in their order; nobody waits for those that hang. Or another operator takes over meanwhile.',
  async run(world, fate) {
    await crowded(world);
    await rested(world, fate, 3);
    const begun = begunIn(world);
    for (const name of CROWD.slice(0, PLACES)) {
      world.kube.server.patch('pods', at(`${name}-1`), { metadata: { finalizers: [HOLD] } });
      edit(world, name);
      await world.advance(APART_MS);
    }
    await world.until(() => begun.size === PLACES, 10_000, 'as many as may have their turns');
    for (const name of CROWD.slice(PLACES)) {
      edit(world, name);
      await world.advance(500);
    }
    world.edit({ image: NEXT });
    await world.until(() => world.condition('RollingOut') === 'RolloutInLine', 20_000, 'it says that it is in line');
    // The operator's memory is lost then, and the order with it.
    const isTakenOver = fate.chance(0.3);
    if (isTakenOver) await replaceOperator(world, fate);
    const inLine = [...CROWD.slice(PLACES), NAME];
    await world.until(() => inLine.some((name) => begun.has(name)), WAIT_MS, 'the first in line begins');
    if (!isTakenOver && !begun.has(NAME))
      world.kube.violated(`${[...begun.keys()].at(-1)} begins before the only one of another tenant`);
    await world.until(() => inLine.every((name) => begun.has(name)), WAIT_MS, 'all in line have begun');
    const order = [...begun.keys()].filter((name) => CROWD.indexOf(name) >= PLACES);
    if (!isTakenOver && order.join() !== CROWD.slice(PLACES).join())
      world.kube.violated(`${order.join(' begins before ')}, which came first`);
    for (const name of CROWD.slice(0, PLACES)) letGo(world, name);
    const isDone = (name: string) =>
      clusterAt(world, name)?.status?.conditions?.some(({ reason }) => reason === 'TemplateCurrent');
    await world.until(() => CROWD.every((name) => isDone(name) === true), 240_000, 'all others have it');
    for (const name of CROWD) world.kube.server.remove(CLUSTERS, at(name));
    return goal(world, 3, NEXT);
  },
};

function at(name: string) {
  return { namespace: ELSEWHERE, name };
}

function clusterAt(world: MemberWorld, name: string): MarekvsCluster | undefined {
  return world.kube.server.find(CLUSTERS, at(name)) as (ApiObject & MarekvsCluster) | undefined;
}

async function crowded(world: MemberWorld): Promise<void> {
  world.kube.server.create('namespaces', { metadata: { name: ELSEWHERE } });
  const spec = { image: 'marekvs:test', nodes: 2, replicationFactor: 1 };
  for (const name of CROWD) world.kube.server.create(CLUSTERS, { metadata: at(name), spec });
  const isUp = (name: string) => clusterAt(world, name)?.status?.phase === 'Healthy';
  await world.until(() => CROWD.every(isUp), 120_000, 'all others are Healthy');
}

/** Lets the held Pod end, unless another one has its name by now. */
function letGo(world: MemberWorld, name: string): void {
  const pod = world.kube.server.find('pods', at(`${name}-1`));
  if (pod?.metadata.finalizers?.includes(HOLD) === true)
    world.kube.server.patch('pods', pod.metadata, { metadata: { finalizers: [] } });
}

function edit(world: MemberWorld, name: string): void {
  world.kube.transcript.add('user', `edits ${ELSEWHERE}/${name}`);
  world.kube.server.patch(CLUSTERS, at(name), { spec: { image: NEXT } });
}

/** Records which clusters have begun a turn, in order, and when. Violated when more begin within a minute than there
 *  are places. */
function begunIn(world: MemberWorld): ReadonlyMap<string, number> {
  const begun = new Map<string, number>();
  world.kube.server.onEvent(({ resource, object }) => {
    const { metadata, status } = object as ApiObject & MarekvsCluster;
    if (resource !== CLUSTERS || status?.operation?.roll === undefined || begun.has(metadata.name)) return;
    const young = [...begun.values()].filter((atMs) => world.nowMs - atMs < 59_000).length;
    if (young >= PLACES) world.kube.violated(`${metadata.name} begins beside ${young} others`);
    begun.set(metadata.name, world.nowMs);
  });
  return begun;
}
