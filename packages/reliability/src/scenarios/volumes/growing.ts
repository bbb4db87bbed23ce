// Volumes are asked to be larger: they grow online, with a restart of their Pods, or not at all.

import { ApiRefusal } from '@marekvs/simulator';
import { rested, type Scenario } from '../../life/scenario.ts';
import { CLAIMS } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { imageOf, NEXT } from '../rolling/images.ts';
import { strike } from '../steps/strike.ts';
import { livesOf, podsOf } from '../steps/who-runs.ts';
import { goal, sizeOf, stalledReason, statusOf, unlessSized, WITHIN_MS } from './volume-sizes.ts';

const MORE = { storage: { size: '20Gi' } };

export const GROWING_STORIES: readonly Scenario[] = [
  {
    name: 'volumes-grow',
    story:
      'Every volume gets another size and other attributes where it is, while clients write: no member is restarted.',
    async run(world, fate) {
      await rested(world, fate, 4);
      const lives = livesOf(world);
      fate.count('load');
      world.startWriters({ clients: 2, writesPerSecond: 20, keys: 100 });
      world.edit({ storage: { size: '20Gi', volumeAttributesClassName: 'fast' } });
      return goal(world, 4, '20Gi', () => {
        const slow = world.nodeIds().filter((id) => statusOf(world, id).currentVolumeAttributesClassName !== 'fast');
        if (slow.length > 0) return `${slow.join()} are not fast`;
        return livesOf(world) === lives ? undefined : `${lives} became ${livesOf(world)}`;
      });
    },
  },
  {
    name: 'volumes-grow-offline',
    story: 'File systems take up their size only when Pods start anew: members are restarted one after the other.',
    async run(world, fate) {
      await rested(world, fate, 4, { storage: { className: 'offline' } });
      const before = podsOf(world);
      if (fate.chance(0.5)) {
        fate.count('load');
        world.startWriters({ clients: 2, writesPerSecond: 15, keys: 100 });
      }
      world.edit(MORE);
      return goal(world, 4, '20Gi', () =>
        podsOf(world).some((uid) => before.includes(uid)) ? 'not restarted' : undefined,
      );
    },
  },
  {
    name: 'volumes-grow-rolled',
    story: 'The size and the image change together, or one in the middle of the other: neither waits for the other.',
    async run(world, fate) {
      const className = fate.pick(['standard', 'offline']);
      await rested(world, fate, 4, { storage: { className } });
      const edits = [MORE, { image: NEXT }];
      if (fate.chance(0.4)) world.edit({ ...MORE, image: NEXT });
      else
        for (const edit of fate.chance(0.5) ? edits : edits.reverse()) {
          world.edit(edit);
          await world.advance(fate.between(0, 70_000));
        }
      return goal(world, 4, '20Gi');
    },
  },
  {
    name: 'volumes-grow-broken',
    story: 'Size and image change together, and the image fails: the volumes grow all the same.',
    async run(world, fate) {
      await rested(world, fate, 3, { storage: { className: fate.pick(['standard', 'offline']) } });
      world.edit({ ...MORE, image: fate.pick(['marekvs:missing', 'marekvs:crashing']) });
      const unmet = (): string | undefined => {
        if (world.condition('RollingOut') !== 'RolloutStopped') return 'the update has not stopped';
        return unlessSized(world, '20Gi', new Set(idsAwaitingRestart(world)));
      };
      return { nodes: 3, withinMs: WITHIN_MS, unmet };
    },
  },
  {
    name: 'volumes-refused',
    story:
      'One volume, or all of them, may not grow: the status reports each, the others grow, and the rest of the spec is carried out. Later they may.',
    async run(world, fate) {
      await rested(world, fate, 3);
      const refused = fate.pick([[0], [2], [0, 1, 2]]);
      refuseGrowthOf(world, refused);
      world.edit({ ...MORE, image: NEXT });
      const others = world.nodeIds().filter((id) => !refused.includes(id));
      const done = (): boolean =>
        others.every((id) => sizeOf(world, id) === '20Gi') &&
        world.nodeIds().every((id) => imageOf(world, id) === NEXT) &&
        world.condition('PendingChange') === 'True' &&
        world.condition('Ready') === 'True';
      await world.until(done, WITHIN_MS, 'the others have grown and all have the image');
      await world.advance(fate.between(0, 60_000));
      const reasons = volumeReasons(world, refused);
      world.kube.server.admitChange = () => {};
      return goal(world, 3, '20Gi', () =>
        reasons.every((reason) => reason === 'VolumeChangeRefused') ? undefined : `said was ${reasons.join()}`,
      );
    },
  },
  {
    name: 'volumes-stuck',
    story:
      'A provider never grows the volumes: the status reports it, no member is restarted for it, and another image is rolled out.',
    async run(world, fate) {
      await rested(world, fate, 3, { storage: { className: 'stuck' } });
      world.edit(MORE);
      const before = podsOf(world);
      await world.advance(660_000);
      const wasTouched = podsOf(world).join() !== before.join();
      world.edit({ image: NEXT });
      const unmet = (): string | undefined => {
        const isOld = world.nodeIds().some((id) => imageOf(world, id) !== NEXT);
        return isOld || world.condition('Ready') !== 'True' ? 'not rolled out' : undefined;
      };
      const problem = (): string | undefined => {
        if (wasTouched) return 'somebody was restarted for a volume that does not grow';
        const reason = world.condition('Stalled') === 'True' ? stalledReason(world) : world.condition('Stalled');
        return reason === 'VolumeChangeStuck' ? undefined : `Stalled says ${reason}`;
      };
      return { nodes: 3, withinMs: WITHIN_MS, unmet, problem };
    },
  },
  {
    name: 'volumes-in-vain',
    story: 'A file system does not grow when its Pod starts anew either: each member is restarted once, and not again.',
    async run(world, fate) {
      await rested(world, fate, 3, { storage: { className: 'vain' } });
      world.edit(MORE);
      const ends = (): number => endsOf(world);
      const before = ends();
      world.kube.server.onEvent(({ type, resource }) => {
        if (type === 'DELETED' && resource === 'pods' && ends() - before > 3)
          world.kube.violated(`${ends() - before} Pods were ended for three volumes`);
      });
      await world.until(() => ends() - before >= 3, WITHIN_MS, 'each was restarted');
      await world.advance(300_000);
      const unmet = (): string | undefined =>
        world.condition('Ready') === 'True' && world.cluster()?.status?.operation === undefined
          ? undefined
          : 'not at rest';
      return { nodes: 3, withinMs: WITHIN_MS, unmet };
    },
  },
  {
    name: 'volumes-disturbed',
    story: 'While volumes grow a node or a Pod is deleted, a volume is lost, a member ends, or the operator.',
    async run(world, fate) {
      await rested(world, fate, 4, { storage: { className: fate.pick(['standard', 'offline']) } });
      world.edit(MORE);
      await world.advance(fate.between(0, 90_000));
      await strike(world, fate);
      return goal(world, 4, '20Gi');
    },
  },
];

function refuseGrowthOf({ kube }: MemberWorld, ids: readonly number[]): void {
  const names = ids.map((id) => `data-demo-${id}`);
  kube.server.admitChange = (resource, { metadata, spec }, next) => {
    if (resource !== CLAIMS || !names.includes(metadata.name)) return;
    if (JSON.stringify(next.spec) === JSON.stringify(spec)) return;
    const why = 'exceeded quota: disks, requested: requests.storage=10Gi, used: requests.storage=30Gi';
    throw new ApiRefusal(403, 'Forbidden', `persistentvolumeclaims "${metadata.name}" is forbidden: ${why}`);
  };
}

/** Nodes whose grown volumes wait for a restart that a stopped update does not give them, which must be reported. */
function idsAwaitingRestart(world: MemberWorld): readonly number[] {
  const isReported = world.cluster()?.status?.pendingChanges?.some(({ reason }) => reason === 'VolumeAwaitsRestart');
  const ids = world.nodeIds();
  return isReported === true ? ids.filter((id) => volumeReasons(world, [id])[0] === 'VolumeAwaitsRestart') : [];
}

function volumeReasons(world: MemberWorld, ids: readonly number[]): readonly (string | undefined)[] {
  return ids.map((id) => world.node(id)?.status?.conditions?.find(({ type }) => type === 'VolumeUpToDate')?.reason);
}

function endsOf({ kube }: MemberWorld): number {
  return kube.server.history.filter(({ type, resource }) => type === 'DELETED' && resource === 'pods').length;
}
