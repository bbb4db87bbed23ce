// A changed template reaches one member after another, stops when one does not come up with it, and goes back.

import { containerOf } from '@marekvs/simulator';
import type { Fate } from '../../fate/fate.ts';
import { delayWatches, WATCHED } from '../../fate/member-faults.ts';
import { type Goal, ids, isLeavingPod, rested, type Scenario, unlessAtRest } from '../../life/scenario.ts';
import { CLUSTERS, NAMESPACE, REVISIONS } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { delayRepairs, missPushes } from '../steps/only-there.ts';
import { replaceOperators } from '../steps/operator-ends.ts';
import { strike } from '../steps/strike.ts';

export const NEXT = 'marekvs:next';
/** The image that somebody writes into stored templates. */
const ALTERED = 'marekvs:altered';
const OTHER_MESH = 'marekvs:other-mesh';
/** Each fails in its own way. */
const BAD = ['marekvs:missing', 'marekvs:crashing', OTHER_MESH, 'not an image'] as const;
/** A turn under load takes about twenty seconds; a failed one that goes back takes two minutes. */
export const WITHIN_MS = 600_000;

export const rollout: Scenario = {
  name: 'rollout',
  story: 'Another image reaches every member, one after the other, on its own volume.',
  async run(world, fate) {
    await rested(world, fate, 3);
    const volumes = volumesOf(world);
    world.edit({ image: NEXT });
    return goal(world, 3, NEXT, () => (volumesOf(world) === volumes ? undefined : 'a member has another volume'));
  },
};

/** A story of its own: where operators die or live in the past, a member may be away for longer than its turn. */
export const rolloutReady: Scenario = {
  name: 'rollout-ready',
  story:
    'Another image reaches every member while nothing else happens: the cluster is reported as Ready at every moment.',
  async run(world, fate) {
    await rested(world, fate, 3);
    staysReady(world);
    world.edit({ image: NEXT });
    return goal(world, 3, NEXT);
  },
};

export const rolloutUnderLoad: Scenario = {
  name: 'rollout-under-load',
  story: 'Clients write all the while another image reaches the members of a cluster of 4 or 5.',
  async run(world, fate) {
    const size = fate.whole(4, 5);
    await rested(world, fate, size);
    fate.count('load');
    world.startWriters({
      clients: 2,
      writesPerSecond: fate.between(10, 40),
      keys: 150,
      ...fate.pick([{}, { msetKeys: 10, isAware: false }, { counters: 3, isAware: false }, { isAware: false }]),
    });
    await world.advance(5_000);
    world.edit({ image: NEXT });
    await world.until(() => hasImage(world, NEXT) && world.isHealthy(size), WITHIN_MS, 'all have it under load');
    return goal(world, size, NEXT);
  },
};

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

export const rolloutTakenBack: Scenario = {
  name: 'rollout-taken-back',
  story: 'The image is set back, or changed to a third one, while members are being restarted.',
  async run(world, fate) {
    await rested(world, fate, 4);
    const before = imageOf(world, 0);
    const last = fate.pick([before, 'marekvs:third']);
    world.edit({ image: NEXT });
    await world.advance(fate.between(0, 50_000));
    const kept = last === before ? unchanged(world, before) : new Map<number, string | undefined>();
    world.edit({ image: last });
    const restarted = (): string | undefined => {
      const found = [...kept].filter(([id, uid]) => world.pod(id)?.metadata.uid !== uid);
      return found.length === 0 ? undefined : `demo-${found.map(([id]) => id)} had what is asked for again`;
    };
    return goal(world, 4, last, restarted);
  },
};

export const rolloutResized: Scenario = {
  name: 'rollout-resized',
  story: 'The size changes together with the image, or in the middle of it.',
  async run(world, fate) {
    await rested(world, fate, 4);
    const size = fate.pick([3, 5, 6]);
    if (fate.chance(0.5)) {
      world.edit({ image: NEXT, nodes: size });
    } else {
      world.edit({ image: NEXT });
      await world.advance(fate.between(0, 40_000));
      world.edit({ nodes: size });
    }
    return goal(world, size, NEXT);
  },
};

export const rolloutDisturbed: Scenario = {
  name: 'rollout-disturbed',
  story: 'In the middle of it a node or a Pod is deleted, a volume is lost, a member is killed, or the operator.',
  async run(world, fate) {
    await rested(world, fate, 4);
    world.edit({ image: NEXT });
    await world.advance(fate.between(0, 45_000));
    await strike(world, fate);
    return goal(world, 4, NEXT);
  },
};

export const rolloutKilled: Scenario = {
  name: 'rollout-killed',
  story: 'The operator ends again and again while the members get another image, and another one takes over.',
  async run(world, fate) {
    await rested(world, fate, 3);
    world.restartMs = fate.between(500, 8_000);
    world.edit({ image: NEXT });
    await replaceOperators(world, fate, 6, 500, 9_000);
    return goal(world, 3, NEXT);
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

export const rolloutCanary: Scenario = {
  name: 'rollout-canary',
  story: 'One canary gets another image, the others wait until a person has approved this very revision.',
  async run(world, fate) {
    await rested(world, fate, 3, { update: { canaryNodes: 1 } });
    const before = imageOf(world, 0);
    world.edit({ image: NEXT });
    await world.until(() => world.condition('RollingOut') === 'RolloutAwaitsApproval', 120_000, 'it waits');
    world.annotate('marekvsclusters.marekvs.io', 'demo', { 'marekvs.io/rollout-approved': 'another' });
    await world.advance(60_000);
    const waiting = [0, 1].filter((id) => imageOf(world, id) !== before);
    if (waiting.length > 0) throw new Error(`demo-${waiting.join()} did not wait`);
    const revision = world.cluster()?.status?.update?.revision ?? '';
    world.annotate('marekvsclusters.marekvs.io', 'demo', { 'marekvs.io/rollout-approved': revision });
    return goal(world, 3, NEXT);
  },
};

export const rolloutUnpushed: Scenario = {
  name: 'rollout-unpushed',
  story:
    'What clients write through the member whose turn it is reaches nobody for a while: it is not restarted before it has.',
  async run(world, fate) {
    await rested(world, fate, 3);
    delayRepairs(world, fate.between(12_000, 20_000));
    await missPushes(world, 2, 5_000);
    world.edit({ image: NEXT });
    await world.advance(fate.between(60_000, 90_000));
    delayRepairs(world, 0);
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

export const rolloutBeside: Scenario = {
  name: 'rollout-beside',
  story: 'Another member goes down right when the one whose turn it is was told to leave: that one waits for it.',
  async run(world, fate) {
    await rested(world, fate, 3);
    world.edit({ image: NEXT });
    await isLeavingPod(world, 2);
    await world.advance(fate.between(0, 1_500));
    fate.count('podDeleted');
    if (world.pod(0) !== undefined) world.removeObject('pods', 'demo-0');
    return goal(world, 3, NEXT);
  },
};

export const rolloutCut: Scenario = {
  name: 'rollout-cut',
  story:
    'A member gets what it missed with another image, and is cut off from another one for less than half a minute: the update does not stop for that.',
  async run(world, fate) {
    await rested(world, fate, 4);
    neverStops(world);
    await comesBackLate(world, fate, 3);
    await world.advance(fate.between(10_000, 30_000));
    fate.count('networkCut');
    world.cut(
      ...fate.pick<[number, number]>([
        [3, 0],
        [1, 3],
        [0, 1],
      ]),
    );
    await world.advance(fate.between(5_000, 20_000));
    world.heal();
    delayRepairs(world, 0);
    return goal(world, 4, NEXT);
  },
};

export const rolloutFiguresLate: Scenario = {
  name: 'rollout-figures-late',
  story:
    'One member gives no figures any more while another one is restarted with another image, so that the last it counted were too few, and that one ends once again: the update does not stop for that.',
  async run(world, fate) {
    await rested(world, fate, 4);
    neverStops(world);
    const late = fate.whole(0, 2);
    world.edit({ image: NEXT });
    await world.until(() => world.pod(3) === undefined, 120_000, 'demo-3 is restarted');
    // Its statistics are updated every 2 s.
    await world.advance(fate.between(2_500, 3_000));
    fate.count('metricsHang');
    world.setKnobs(late, { metrics: 'hang' });
    await world.until(() => world.member(3)?.phase === 'Active', 120_000, 'it is back');
    await world.advance(fate.between(26_000, 32_000));
    fate.count('memberKilled');
    world.kill(3);
    await world.advance(fate.between(8_000, 12_000));
    world.setKnobs(late, { metrics: null });
    return goal(world, 4, NEXT);
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

export const rolloutOfTwo: Scenario = {
  name: 'rollout-of-two',
  story:
    'Two operators believe to be the only one while members get another image, and hear of some things late: one member at a time, and all of them.',
  async run(world, fate) {
    await rested(world, fate, 4);
    fate.count('twoOperators');
    const other = world.startOperator();
    delayWatches(world, fate, fate.pick([...WATCHED, 'all', 'none']), 1_000, 5_000);
    await world.advance(fate.between(0, 5_000));
    world.edit({ image: NEXT });
    await world.advance(fate.between(20_000, 90_000));
    world.endOperator(other);
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

export const ROLLING_STORIES: readonly Scenario[] = [
  rollout,
  rolloutReady,
  rolloutUnderLoad,
  rolloutBad,
  rolloutCorrected,
  rolloutTakenBack,
  rolloutResized,
  rolloutDisturbed,
  rolloutKilled,
  rolloutMended,
  rolloutCanary,
  rolloutUnpushed,
  rolloutOtherMesh,
  rolloutBeside,
  rolloutCut,
  rolloutFiguresLate,
  rolloutRetried,
  rolloutBackFails,
  rolloutCrashesWithData,
  rolloutOfTwo,
  rolloutAltered,
];

/** Under load this member gets another image, serves, and lacks for long what it missed: its turn lasts as long. */
export async function comesBackLate(world: MemberWorld, fate: Fate, id: number): Promise<void> {
  fate.count('load');
  world.startWriters({ clients: 2, writesPerSecond: 20, keys: 100, isAware: fate.chance(0.5) });
  world.edit({ image: NEXT });
  await world.until(() => imageOf(world, id) === NEXT, 120_000, 'it is restarted');
  delayRepairs(world, 20_000);
  await world.until(() => imageOf(world, id) === NEXT && isLetIn(world, id), 120_000, 'it is let in again');
}

/** Breaks the connections of its process to the others, while gossip goes on. */
function spoilMesh(world: MemberWorld, id: number): void {
  const others = world.nodeIds().filter((other) => other !== id);
  const peers = others.map((other) => {
    const { podIP } = world.pod(other)?.status ?? {};
    return String(podIP);
  });
  world.setKnobs(id, { drops: peers.map((peer) => ({ peer, lane: 'tcp', direction: 'in' })) });
}

/** Whether its Pod is behind the Service and has the image its node was given last. */
function isLetIn(world: MemberWorld, id: number): boolean {
  const { labels = {} } = world.pod(id)?.metadata ?? {};
  return labels['marekvs.io/serving'] === 'true' && world.node(id)?.spec.template.image === imageOf(world, id);
}

function neverStops(world: MemberWorld): void {
  world.kube.server.onEvent(({ resource }) => {
    const stopped = resource === CLUSTERS ? world.cluster()?.status?.update?.stopped : undefined;
    if (stopped !== undefined) world.kube.violated(`the update has stopped at ${stopped.node}: ${stopped.message}`);
  });
}

function staysReady(world: MemberWorld): void {
  world.kube.server.onEvent(({ resource }) => {
    if (resource === CLUSTERS && world.condition('Ready') !== 'True')
      world.kube.violated('the cluster is not Ready while its members take their turns');
  });
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

/** Healthy at this size, and every member runs this image. */
export function goal(world: MemberWorld, nodes: number, image: string, problem?: () => string | undefined): Goal {
  const unmet = (): string | undefined => unlessAtRest(world, nodes) ?? unlessAll(world, image);
  return { nodes, withinMs: WITHIN_MS, unmet, ...(problem === undefined ? {} : { problem }) };
}

function unlessAll(world: MemberWorld, image: string): string | undefined {
  return hasImage(world, image) ? undefined : `not everybody runs ${image}`;
}

export function hasImage(world: MemberWorld, image: string): boolean {
  return world.nodeIds().every((id) => imageOf(world, id) === image);
}

export function imageOf(world: MemberWorld, id: number): string {
  const pod = world.pod(id);
  return pod === undefined ? '' : (containerOf(pod).image ?? '');
}

/** Pods of this image whose restart has not begun: their UIDs by id. */
function unchanged(world: MemberWorld, image: string): ReadonlyMap<number, string | undefined> {
  const turn = world.cluster()?.status?.operation?.roll?.nodeId;
  const left = world.nodeIds().filter((id) => id !== turn && imageOf(world, id) === image);
  return new Map(left.map((id) => [id, world.pod(id)?.metadata.uid]));
}

export function volumesOf(world: MemberWorld): string {
  return world
    .nodeIds()
    .map((id) => world.claim(id)?.metadata.uid)
    .join();
}
