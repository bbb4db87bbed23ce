// Members do not come up with an image, or the others do not understand it: the update stops at its first member, which
// goes back, and a corrected image reaches all.

import { containerOf } from '@marekvs/simulator';
import { ids, rested, type Scenario, unlessAtRest } from '../../life/scenario.ts';
import { CLUSTERS, NAMESPACE, REVISIONS } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { delayRepairs } from '../steps/only-there.ts';
import { comesBackLate, goal, hasImage, imageOf, isLetIn, NEXT, unlessAll, WITHIN_MS } from './images.ts';

/** The image that somebody writes into stored templates. */
const ALTERED = 'marekvs:altered';
const OTHER_MESH = 'marekvs:other-mesh';
/** Each fails in its own way. */
const BAD = ['marekvs:missing', 'marekvs:crashing', OTHER_MESH, 'not an image'] as const;

export const rolloutBad: Scenario = {
  name: 'rollout-bad',
  story: 'A member does not come up with another image: nobody else gets it, and that one goes back.',
  async run(world, fate) {
    await rested(world, fate, 3);
    const before = imageOf(world, 0);
    await stops(world, fate.pick(BAD));
    const problem = (): string | undefined =>
      world.condition('RollingOut') === 'RolloutStopped'
        ? undefined
        : `RollingOut says ${world.condition('RollingOut')}`;
    return { nodes: 3, withinMs: WITHIN_MS, unmet: () => unlessAll(world, before) ?? unlessAtRest(world, 3), problem };
  },
};

export const rolloutCorrected: Scenario = {
  name: 'rollout-corrected',
  story: 'A bad image stops at its first member, before or after that has gone back; the corrected one reaches all.',
  async run(world, fate) {
    await rested(world, fate, 4);
    await stops(world, fate.pick(BAD), fate.chance(0.5));
    await world.advance(fate.between(0, 60_000));
    world.edit({ image: NEXT });
    return goal(world, 4, NEXT);
  },
};

export const rolloutMended: Scenario = {
  name: 'rollout-mended',
  story:
    'No member of a formed cluster can run, because its Pods were all lost at a bad image: the fix reaches all of them.',
  async run(world, fate) {
    await rested(world, fate, 3, { update: { type: 'OnDelete' } });
    world.edit({ image: 'marekvs:missing' });
    await world.advance(10_000);
    const lost = fate.whole(1, 3);
    for (const id of ids(0, lost - 1)) {
      fate.count('podDeleted');
      world.removeObject('pods', `demo-${id}`);
    }
    await world.advance(fate.between(20_000, 60_000));
    world.edit({ image: NEXT, update: { type: 'RollingUpdate' } });
    return goal(world, 3, NEXT);
  },
};

export const rolloutOtherMesh: Scenario = {
  name: 'rollout-other-mesh',
  story: 'The others do not understand the version of another image, while gossip looks healthy: it gets no clients.',
  async run(world, fate) {
    await rested(world, fate, 3);
    const before = imageOf(world, 0);
    world.kube.server.onEvent(({ resource, object }) => {
      const isLetIn = resource === 'pods' && object.metadata.labels?.['marekvs.io/serving'] === 'true';
      if (isLetIn && containerOf(object).image === OTHER_MESH)
        world.kube.violated(`${object.metadata.name} serves clients, and the others do not understand it`);
    });
    fate.count('load');
    world.startWriters({ clients: 2, writesPerSecond: 20, keys: 100 });
    await stops(world, OTHER_MESH);
    return { nodes: 3, withinMs: WITHIN_MS, unmet: () => unlessAtRest(world, 3) ?? unlessAll(world, before) };
  },
};

export const rolloutRetried: Scenario = {
  name: 'rollout-retried',
  story:
    'The others do not understand a member any more that serves clients with another image: it loses its clients, goes back, and is tried again when a person asks for that.',
  async run(world, fate) {
    await rested(world, fate, 3);
    const before = imageOf(world, 0);
    await comesBackLate(world, fate, 2);
    spoilMesh(world, 2);
    const spoilt = world.processOf(2);
    world.kube.server.onEvent(({ type, resource, object }) => {
      if (resource !== 'pods' || type !== 'MODIFIED' || object.metadata.name !== 'demo-2') return;
      if (object.metadata.deletionTimestamp === undefined || world.processOf(2) !== spoilt) return;
      const shown = world.member(0)?.view.members.find(({ id }) => id === 2);
      if (shown?.phase === 'Active') world.kube.violated('demo-2 goes back with its clients on it');
    });
    await world.until(() => world.cluster()?.status?.update?.stopped !== undefined, 120_000, 'it stops');
    await world.until(() => hasImage(world, before) && isLetIn(world, 2), 180_000, 'it goes back');
    delayRepairs(world, 0);
    await world.advance(fate.between(10_000, 60_000));
    if (!hasImage(world, before)) throw new Error('it goes on by itself');
    world.annotate(CLUSTERS, 'demo', { 'marekvs.io/rollout-retry': 'once more' });
    return goal(world, 3, NEXT);
  },
};

export const rolloutBackFails: Scenario = {
  name: 'rollout-back-fails',
  story:
    'A member goes back from a bad image and does not come up with the older one either, and another image is asked for meanwhile: nothing has been found of that one, so it is tried.',
  async run(world, fate) {
    await rested(world, fate, 3);
    const before = imageOf(world, 0);
    await stops(world, 'marekvs:crashing', false);
    const isUp = (): boolean => imageOf(world, 2) === before && world.member(2) !== undefined;
    await world.until(isUp, 120_000, 'it is restarted with the older image');
    world.setKnobs(2, { meshVersionMismatch: true });
    await world.advance(fate.between(0, 10_000));
    world.edit({ image: NEXT });
    const isGivenUp = (): boolean => world.cluster()?.status?.operation === undefined;
    await world.until(isGivenUp, 120_000, 'it does not come back');
    await world.advance(fate.between(0, 30_000));
    if (world.member(2) !== undefined) world.setKnobs(2, { meshVersionMismatch: null });
    return goal(world, 3, NEXT);
  },
};

export const rolloutCrashesWithData: Scenario = {
  name: 'rollout-crashes-with-data',
  story:
    'A server that crashes where there are records already: a new node comes up with it, the first member that is restarted does not, and nobody after that one gets it.',
  async run(world, fate) {
    await rested(world, fate, 3);
    const before = imageOf(world, 0);
    const bad = 'marekvs:crashing-with-data';
    world.edit({ image: bad, nodes: 4 });
    await world.until(() => world.cluster()?.status?.update?.stopped !== undefined, 240_000, 'it stops');
    await world.until(() => imageOf(world, 2) === before && isLetIn(world, 2), 240_000, 'it goes back');
    await world.advance(fate.between(0, 60_000));
    const found = world.nodeIds().map((id) => imageOf(world, id));
    if (found.join() !== [before, before, before, bad].join()) throw new Error(`they run ${found.join()}`);
    world.edit({ image: NEXT });
    return goal(world, 4, NEXT);
  },
};

export const rolloutAltered: Scenario = {
  name: 'rollout-altered',
  story:
    'A bad image is on its first member, and somebody alters or deletes the stored templates meanwhile: that member goes back to what it had, and nobody runs what was written into them.',
  async run(world, fate) {
    await rested(world, fate, 3);
    const before = imageOf(world, 0);
    world.kube.server.onEvent(({ resource, object }) => {
      if (resource === 'pods' && containerOf(object).image === ALTERED)
        world.kube.violated(`${object.metadata.name} runs what somebody wrote into a stored template`);
    });
    world.edit({ image: 'marekvs:crashing' });
    await world.until(() => imageOf(world, 2) === 'marekvs:crashing', 120_000, 'it is restarted');
    await world.advance(fate.between(0, 8_000));
    for (const { metadata, data } of world.kube.server.list(REVISIONS)) {
      if (fate.chance(0.3)) continue;
      if (fate.chance(0.5)) world.removeObject(REVISIONS, metadata.name);
      else {
        const template = { ...(data as { readonly template: object }).template, image: ALTERED };
        const change = { metadata: {}, data: { template } };
        world.kube.server.patch(REVISIONS, { namespace: NAMESPACE, name: metadata.name }, change);
      }
    }
    const problem = (): string | undefined =>
      world.condition('RollingOut') === 'RolloutStopped'
        ? undefined
        : `RollingOut says ${world.condition('RollingOut')}`;
    return { nodes: 3, withinMs: WITHIN_MS, unmet: () => unlessAll(world, before) ?? unlessAtRest(world, 3), problem };
  },
};

/** Breaks the connections of its process to the others, while gossip goes on. */
function spoilMesh(world: MemberWorld, id: number): void {
  const others = world.nodeIds().filter((other) => other !== id);
  const peers = others.map((other) => {
    const { podIP } = world.pod(other)?.status ?? {};
    return String(podIP);
  });
  world.setKnobs(id, { drops: peers.map((peer) => ({ peer, lane: 'tcp', direction: 'in' })) });
}

/** Sets an image with which members do not come up, and waits until the update stops. @param isBack also waits until
 *  that member has its earlier image */
async function stops(world: MemberWorld, image: string, isBack = true): Promise<void> {
  const before = imageOf(world, 0);
  world.edit({ image });
  await world.until(() => world.cluster()?.status?.update?.stopped !== undefined, 240_000, 'it stops');
  const struck = world.nodeIds().filter((id) => imageOf(world, id) !== before);
  if (struck.length > 1) throw new Error(`demo-${struck.join(' and demo-')} have ${image}`);
  if (isBack) await world.until(() => hasImage(world, before), 240_000, 'it goes back');
}
