// Volumes grow: online, with a restart of their Pods, not at all for some, and by themselves when they fill up.

import { ApiRefusal } from '@marekvs/simulator';
import type { Fate } from '../../fate/fate.ts';
import { type Goal, rested, type Scenario, unlessAtRest } from '../../life/scenario.ts';
import { CLAIMS } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { imageOf, NEXT } from '../rolling/rolling.ts';
import { replaceOperator } from '../steps/operator-ends.ts';
import { strike } from '../steps/strike.ts';
import { livesOf, podsOf } from '../steps/who-runs.ts';

const GI = 1024 ** 3;
const MORE = { storage: { size: '20Gi' } };
const WITHIN_MS = 900_000;
/** The shipped defaults of hours are minutes here. */
const AUTO_GROW = { atPercent: 80, byPercent: 50, max: '30Gi' };

export const volumesGrow: Scenario = {
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
};

export const volumesGrowOffline: Scenario = {
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
};

export const volumesGrowRolled: Scenario = {
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
};

export const volumesGrowBroken: Scenario = {
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
};

export const volumesRefused: Scenario = {
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
};

export const volumesStuck: Scenario = {
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
};

export const volumesInVain: Scenario = {
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
};

export const volumesDisturbed: Scenario = {
  name: 'volumes-disturbed',
  story: 'While volumes grow a node or a Pod is deleted, a volume is lost, a member ends, or the operator.',
  async run(world, fate) {
    await rested(world, fate, 4, { storage: { className: fate.pick(['standard', 'offline']) } });
    world.edit(MORE);
    await world.advance(fate.between(0, 90_000));
    await strike(world, fate);
    return goal(world, 4, '20Gi');
  },
};

export const volumesFill: Scenario = {
  name: 'volumes-fill',
  story:
    'Volumes fill up at their own pace and grow by themselves, one growth at a time, up to a limit; the operator ends meanwhile.',
  async run(world, fate) {
    await filling(world, fate);
    for (const size of ['15Gi', '23Gi']) {
      for (const id of world.nodeIds()) fill(world, id, 82);
      await world.until(() => world.nodeIds().every((id) => sizeOf(world, id) === size), WITHIN_MS, `all have ${size}`);
      // Full again long before they may grow again.
      for (const id of world.nodeIds()) fill(world, id, 88);
      await world.advance(fate.between(0, 40_000));
      await replaceOperator(world, fate);
      await world.advance(fate.between(60_000, 200_000));
    }
    const isFull = (): boolean => world.nodeIds().every((id) => sizeOf(world, id) === '30Gi');
    for (let n = 0; !isFull() && n < 10; n += 1) {
      for (const id of world.nodeIds()) fill(world, id, 85);
      await world.advance(fate.between(60_000, 200_000));
    }
    for (const id of world.nodeIds()) fill(world, id, 85);
    await world.until(isFull, WITHIN_MS, 'all are as large as they may be');
    await world.until(() => stalledReason(world) === 'AutoGrowAtMax', 300_000, 'that they are is said');
    // Members that serve nothing are asked for their metrics every four minutes.
    await world.advance(300_000);
    const unmet = (): string | undefined => (world.condition('Ready') === 'True' ? undefined : 'not Ready');
    return { nodes: 3, withinMs: WITHIN_MS, unmet };
  },
};

export const volumesUnknown: Scenario = {
  name: 'volumes-unknown',
  story: 'A member whose disk fills up gives no figures, or those of another disk: its volume is left alone.',
  async run(world, fate) {
    await filling(world, fate);
    const id = fate.pick(world.nodeIds());
    const how = fate.pick(['hang', 'other-disk'] as const);
    world.setKnobs(
      id,
      how === 'hang' ? { metrics: 'hang' } : { diskTotalBytes: 500 * GI, diskAvailableBytes: 50 * GI },
    );
    await world.advance(100_000);
    fill(world, id, 88);
    await world.advance(fate.between(120_000, 300_000));
    const wasAlone = sizeOf(world, id) === '10Gi';
    world.setKnobs(id, how === 'hang' ? { metrics: 'ok' } : { diskTotalBytes: 10 * GI, diskAvailableBytes: 1.2 * GI });
    const { unmet, ...rest } = goal(world, 3, undefined, () =>
      wasAlone ? undefined : 'it has grown on what nobody knew',
    );
    const isGrown = (): boolean => sizeOf(world, id) === '15Gi';
    return {
      ...rest,
      unmet: () => unmet?.() ?? (isGrown() ? undefined : 'it has not grown although it is known to be full'),
    };
  },
};

export const volumesStale: Scenario = {
  name: 'volumes-stale',
  story:
    'Members whose disks were full fall silent, and then much is deleted: their earlier figures do not make the volumes grow.',
  async run(world, fate) {
    await filling(world, fate, 3, 900);
    for (const id of world.nodeIds()) fill(world, id, 82);
    await world.until(() => world.nodeIds().every((id) => sizeOf(world, id) === '15Gi'), WITHIN_MS, 'all have grown');
    for (const id of world.nodeIds()) fill(world, id, 88);
    await world.advance(fate.between(250_000, 290_000));
    for (const id of world.nodeIds()) {
      world.setKnobs(id, { metrics: 'hang' });
      fill(world, id, 40);
    }
    await world.advance(fate.between(900_000, 1_000_000));
    for (const id of world.nodeIds()) world.setKnobs(id, { metrics: 'ok' });
    return goal(world, 3, '15Gi');
  },
};

export const volumesSettling: Scenario = {
  name: 'volumes-settling',
  story: 'Disks fill up while the others settle without a removed node: nothing grows before they have.',
  async run(world, fate) {
    await filling(world, fate, 4);
    world.edit({ nodes: 3 });
    const isDeleted = (): boolean => world.nodes().some(({ metadata }) => metadata.deletionTimestamp !== undefined);
    await world.until(isDeleted, 180_000, 'a node is deleted');
    const left = world.nodeIds().filter((id) => id !== world.cluster()?.status?.operation?.target?.nodeId);
    for (const id of left) world.setKnobs(id, { contents: 'close' });
    for (const id of left) fill(world, id, fate.between(82, 89));
    await world.advance(fate.between(10_000, 40_000));
    for (const id of left) world.setKnobs(id, { contents: 'ok' });
    return goal(world, 3, '15Gi');
  },
};

export const GROWING_STORIES: readonly Scenario[] = [
  volumesGrow,
  volumesGrowOffline,
  volumesGrowRolled,
  volumesGrowBroken,
  volumesRefused,
  volumesStuck,
  volumesInVain,
  volumesDisturbed,
  volumesFill,
  volumesUnknown,
  volumesStale,
  volumesSettling,
];

/** A cluster whose volumes grow by themselves, and are half full. */
async function filling(world: MemberWorld, fate: Fate, nodes = 3, coolDownSeconds = 120): Promise<void> {
  await rested(world, fate, nodes, { storage: { size: '10Gi', autoGrow: { ...AUTO_GROW, coolDownSeconds } } });
  for (const id of world.nodeIds()) fill(world, id, 50);
  await world.advance(60_000);
}

/** @param percent of the size of the volume */
export function fill(world: MemberWorld, id: number, percent: number): void {
  const claim = world.claim(id);
  const disk = world.kube.kubelet.diskOf(claim?.metadata.uid ?? '');
  const gibibytes = Number.parseInt(sizeOf(world, id) ?? '0', 10);
  disk?.fill((gibibytes * GI * percent) / 100);
  world.kube.transcript.add('world', `fills the volume of ${id} to ${Math.round(percent)} % of ${gibibytes}Gi`);
}

function refuseGrowthOf({ kube }: MemberWorld, ids: readonly number[]): void {
  const names = ids.map((id) => `data-demo-${id}`);
  kube.server.admitChange = (resource, { metadata, spec }, next) => {
    if (resource !== CLAIMS || !names.includes(metadata.name)) return;
    if (JSON.stringify(next.spec) === JSON.stringify(spec)) return;
    const why = 'exceeded quota: disks, requested: requests.storage=10Gi, used: requests.storage=30Gi';
    throw new ApiRefusal(403, 'Forbidden', `persistentvolumeclaims "${metadata.name}" is forbidden: ${why}`);
  };
}

function goal(world: MemberWorld, nodes: number, size: string | undefined, problem?: () => string | undefined): Goal {
  const unmet = (): string | undefined => {
    const unrest = unlessAtRest(world, nodes);
    if (unrest !== undefined) return unrest;
    if (world.condition('PendingChange') === 'True') return 'something is not in force';
    return size === undefined ? undefined : unlessSized(world, size);
  };
  return { nodes, withinMs: WITHIN_MS, unmet, ...(problem === undefined ? {} : { problem }) };
}

function unlessSized(world: MemberWorld, size: string, but: ReadonlySet<number> = new Set()): string | undefined {
  const others = world.nodeIds().filter((id) => sizeOf(world, id) !== size && !but.has(id));
  return others.length === 0 ? undefined : `${others.join()} have not ${size}`;
}

interface ClaimStatus {
  readonly capacity?: { readonly storage?: string };
  readonly currentVolumeAttributesClassName?: string;
}

function statusOf(world: MemberWorld, id: number): ClaimStatus {
  return (world.claim(id)?.status ?? {}) as ClaimStatus;
}

/** As in the status of its claim. */
export function sizeOf(world: MemberWorld, id: number): string | undefined {
  return statusOf(world, id).capacity?.storage;
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

function stalledReason(world: MemberWorld): string | undefined {
  return world.cluster()?.status?.conditions?.find(({ type, status }) => type === 'Stalled' && status === 'True')
    ?.reason;
}

function endsOf({ kube }: MemberWorld): number {
  return kube.server.history.filter(({ type, resource }) => type === 'DELETED' && resource === 'pods').length;
}
