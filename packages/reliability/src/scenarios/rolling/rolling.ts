// A changed template reaches one member after another: at rest and under load, with another wish in the middle of it,
// and with a person who approves it.

import { rested, type Scenario } from '../../life/scenario.ts';
import { CLUSTERS } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { volumesOf } from '../steps/who-runs.ts';
import {
  rolloutAltered,
  rolloutBackFails,
  rolloutBad,
  rolloutCorrected,
  rolloutCrashesWithData,
  rolloutMended,
  rolloutOtherMesh,
  rolloutRetried,
} from './bad-images.ts';
import {
  rolloutBeside,
  rolloutCut,
  rolloutDisturbed,
  rolloutFiguresLate,
  rolloutKilled,
  rolloutOfTwo,
  rolloutUnpushed,
} from './disturbed-turns.ts';
import { goal, hasImage, imageOf, NEXT, WITHIN_MS } from './images.ts';

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

export const ROLLING_STORIES: readonly Scenario[] = [
  rollout,
  /** A story of its own: where operators die or live in the past, a member may be away for longer than its turn. */
  {
    name: 'rollout-ready',
    story:
      'Another image reaches every member while nothing else happens: the cluster is reported as Ready at every moment.',
    async run(world, fate) {
      await rested(world, fate, 3);
      staysReady(world);
      world.edit({ image: NEXT });
      return goal(world, 3, NEXT);
    },
  },
  {
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
  },
  rolloutBad,
  rolloutCorrected,
  rolloutTakenBack,
  {
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
  },
  rolloutDisturbed,
  rolloutKilled,
  rolloutMended,
  {
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
  },
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

function staysReady(world: MemberWorld): void {
  world.kube.server.onEvent(({ resource }) => {
    if (resource === CLUSTERS && world.condition('Ready') !== 'True')
      world.kube.violated('the cluster is not Ready while its members take their turns');
  });
}

/** Pods of this image whose restart has not begun: their UIDs by id. */
function unchanged(world: MemberWorld, image: string): ReadonlyMap<number, string | undefined> {
  const turn = world.cluster()?.status?.operation?.roll?.nodeId;
  const left = world.nodeIds().filter((id) => id !== turn && imageOf(world, id) === image);
  return new Map(left.map((id) => [id, world.pod(id)?.metadata.uid]));
}
