// Everything at once: random sizes; one or two removals; in half of the lives another image or other shared settings;
// in some a size that follows the load; and any faults in the meantime, several at once.

import { ANNOTATIONS } from '@marekvs/api';
import type { Fate, Fault } from '../../fate/fate.ts';
import { delayWatches, STRIKES, type Strike, WATCHED } from '../../fate/member-faults.ts';
import { disturbWrites } from '../../fate/write-faults.ts';
import type { Goal, Scenario } from '../../life/scenario.ts';
import { CLAIMS, CLUSTERS, NAME, NODES } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { hasImage, NEXT } from '../rolling/images.ts';
import { othersThan, type SharedSettings } from '../rolling/shared-settings.ts';
import { mergeThroughCopy } from '../steps/only-there.ts';
import { roamingClients } from '../steps/pinned.ts';

/** How long writes and watches are disturbed, in virtual milliseconds. */
const DISTURBED_MS = 40_000;
/** A removal takes about ten seconds: later strikes would miss it. */
const MAX_APART_MS = 8_000;
/** Share of the lives with an update in which shared settings change instead of the image. Small, since more homes mean
 *  more nodes. */
const SHARED_OF_ROLLED = 0.12;
/** A turn takes as long, and there are four or five: that much more time, and more strikes. */
const ROLLED_MS = 50_000;
const MORE_STRIKES = 4;
/** Load counts as low only after a minute. */
const SIZED_MS = 90_000;
const TARGET_OPS = 20;
const GRACES = [3_600, 604_800] as const;
const OTHER_IMAGES = ['marekvs:test', 'marekvs:third', 'marekvs:missing', 'marekvs:crashing'] as const;
/** A removal that was undone is retried after ten minutes. */
const WITHIN_MS = 900_000;
/** A member that ends a second time within a turn may have crashed by itself. */
const KILLS_THAT_STOP = 2;
const RETRIED_AFTER_MS = 20_000;
/** How long a person takes to read what is needed of them. */
const READ_AFTER_MS = 20_000;
const SHARED_KEYS = 5;
/** Half of the single stories' time, since this one runs for thousands of lives. */
const REST_MS = 30_000;

export const mixed: Scenario = {
  name: 'mixed',
  story:
    'A cluster of random size shrinks, by hand or for want of load, and takes up another image or other shared settings in half of the lives, while the operator, its requests, members, the network and people do anything they can.',
  async run(world, fate) {
    const replicationFactor = fate.pick([2, 2, 2, 3]);
    const size = replicationFactor + 2 + fate.whole(0, 1);
    const goal = replicationFactor + 1 + (fate.chance(0.5) ? 0 : Math.min(1, size - replicationFactor - 2));
    const isLoaded = fate.chance(0.25);
    world.restartMs = fate.between(500, 8_500);
    await world.formed(size, { replicationFactor });
    startWriters(world, fate, 20);
    await world.advance(8_000);
    world.stopWriters();
    await world.advance(fate.between(0, 10_000));
    if (isLoaded) {
      fate.count('load');
      startWriters(world, fate, fate.between(5, 20));
    }
    fate.begin();
    disturbWrites(world, fate);
    delayWatches(world, fate, fate.pick([...WATCHED, 'all', 'none']), 1_000, 5_000);
    const lot = fate.random();
    const isRolled = lot < 0.5;
    const isSized = lot >= 0.85;
    const shared = lot < 0.5 * SHARED_OF_ROLLED ? otherShared(fate, replicationFactor) : undefined;
    const image = isRolled && shared === undefined ? NEXT : world.cluster()?.spec.image;
    const nodes = Math.max(goal, (shared?.replicationFactor ?? replicationFactor) + 1);
    if (isSized) {
      world.edit({ autoscale: bounds(goal, size) });
      if (isLoaded) await loadRises(world, fate);
    } else world.edit({ nodes: goal, ...(isRolled ? (shared ?? { image: NEXT }) : {}) });
    if (isRolled) retryAfterKills(world, fate, image);
    mergeAsTold(world);
    removeAsTold(world);
    await strikeAgainAndAgain(world, fate, { size, goal, isLoaded, isRolled, isSized, image });
    world.stopWriters();
    const end: Goal = { nodes, restMs: REST_MS, withinMs: WITHIN_MS };
    const isOld = (): string | undefined => {
      if (shared !== undefined) return othersThan(world, shared);
      return hasImage(world, NEXT) ? undefined : `not everybody runs ${NEXT}`;
    };
    return isRolled ? { ...end, problem: isOld } : end;
  },
};

/** Kills within one turn look like a member that cannot run, and the update rightly stops. A person who knows better
 *  retries. Every other stop on the wanted image is one that should not have happened, and nobody helps there.
 *  @param image the wanted one */
function retryAfterKills(world: MemberWorld, fate: Fate, image: string | undefined): void {
  let answered: string | undefined;
  world.kube.server.onEvent(({ resource }) => {
    const { spec, status } = (resource === CLUSTERS ? world.cluster() : undefined) ?? {};
    const stopped = status?.update?.stopped;
    const areKills = stopped?.reason === 'CrashLooping' && (fate.faults.get('memberKilled') ?? 0) >= KILLS_THAT_STOP;
    if (!areKills || spec?.image !== image || stopped.at === answered) return;
    answered = stopped.at;
    world.kube.clock.after(RETRIED_AFTER_MS, () =>
      world.annotate(CLUSTERS, NAME, { [ANNOTATIONS.rolloutRetry]: stopped.at }),
    );
  });
}

/** Registers that diverge never reconcile by themselves: a removal that would lose some waits until a person has merged
 *  them. */
function mergeAsTold(world: MemberWorld): void {
  let isHelping = false;
  world.kube.server.onEvent(({ resource }) => {
    const blocked = resource === CLUSTERS ? world.cluster()?.status?.operation?.blocked : undefined;
    if (isHelping || blocked?.reason !== 'RegistersDiverge') return;
    isHelping = true;
    world.kube.clock.after(READ_AFTER_MS, () => {
      isHelping = false;
      for (let n = 0; n < SHARED_KEYS; n += 1) mergeThroughCopy(world, `shared:hll:${n}`);
    });
  });
}

/** A member that cannot start, on a volume that somebody has deleted, is neither restarted nor removed by itself: a
 *  person accepts the loss of what only it has. */
function removeAsTold(world: MemberWorld): void {
  const answered = new Set<string>();
  world.kube.server.onEvent(({ resource }) => {
    const conditions = (resource === CLUSTERS ? world.cluster()?.status?.conditions : undefined) ?? [];
    const told = conditions.find(({ message }) => message.includes('its volume is being deleted'))?.message ?? '';
    const [, name, uid] = /annotate marekvsnode (\S+) .*force-remove=([^/]+)\//.exec(told) ?? [];
    if (name === undefined || uid === undefined || answered.has(uid)) return;
    answered.add(uid);
    world.kube.clock.after(READ_AFTER_MS, () =>
      world.annotate(NODES, name, { [ANNOTATIONS.forceRemove]: `${uid}/it does not start` }),
    );
  });
}

/** Another number of homes, another retention time for deletions, or both. */
function otherShared(fate: Fate, replicationFactor: number): SharedSettings {
  const factor = { replicationFactor: replicationFactor === 2 ? 3 : 2 };
  const grace = { gcGraceSeconds: fate.pick(GRACES) };
  return fate.pick([factor, factor, grace, { ...factor, ...grace }]);
}

/** Clients that know homes, or do not, or write to any member at any moment. They write strings, also many at once,
 *  count, or share keys of every kind. */
function startWriters(world: MemberWorld, fate: Fate, writesPerSecond: number): void {
  const isAware = fate.chance(0.5);
  const isRoaming = !isAware && fate.chance(0.4);
  const shared = { shared: fate.whole(1, SHARED_KEYS) };
  const kind = isAware
    ? fate.pick([{}, shared, { expireSeconds: fate.whole(2, 15) }])
    : fate.pick([
        {},
        shared,
        { ...shared, msetKeys: 10 },
        { msetKeys: 10 },
        { counters: fate.whole(1, 6) },
        { expireSeconds: fate.whole(2, 15) },
      ]);
  const rates = { clients: 2, writesPerSecond, keys: 100, isAware, ...kind };
  if (isRoaming) roamingClients(world, rates);
  else world.startWriters(rates);
}

/** The served load decides the size; switching autoscale on moves nothing. */
function bounds(minNodes: number, maxNodes: number): object {
  const windows = { scaleUpCooldownSeconds: 10, scaleDownStabilizationSeconds: 60 };
  return { minNodes, maxNodes, targetOpsPerNode: TARGET_OPS, ...windows };
}

/** Raises the load so that the present nodes may not be enough. */
async function loadRises(world: MemberWorld, fate: Fate): Promise<void> {
  world.stopWriters();
  startWriters(world, fate, fate.between(TARGET_OPS, 3 * TARGET_OPS));
  await world.advance(fate.between(0, 20_000));
}

interface Sizes {
  readonly size: number;
  readonly goal: number;
  readonly isLoaded: boolean;
  readonly isRolled: boolean;
  readonly isSized: boolean;
  /** The image that every member should have in the end. */
  readonly image: string | undefined;
}

async function strikeAgainAndAgain(world: MemberWorld, fate: Fate, sizes: Sizes): Promise<void> {
  const strikes: Readonly<Partial<Record<Fault, Strike>>> = { ...STRIKES, ...handsOf(sizes) };
  const endsAtMs = world.nowMs + DISTURBED_MS + (sizes.isRolled ? ROLLED_MS : 0) + (sizes.isSized ? SIZED_MS : 0);
  const count = fate.whole(2, 5) + (sizes.isRolled || sizes.isSized ? MORE_STRIKES : 0);
  for (let n = 0; n < count; n += 1) {
    await world.advance(fate.between(500, sizes.isSized ? 2 * MAX_APART_MS : MAX_APART_MS));
    const [fault, strike] = fate.pick(Object.entries(strikes) as readonly [Fault, Strike][]);
    if (world.nodeIds().length > 0 && strike(world, fate)) fate.count(fault);
  }
  await world.advance(Math.max(0, endsAtMs - world.nowMs));
}

/** Strikes by users. */
function handsOf({ size, goal, isLoaded, isRolled, isSized, image }: Sizes): Readonly<Partial<Record<Fault, Strike>>> {
  return {
    sizeEdited(world, fate) {
      const sized = (nodes: number) => (isSized ? { autoscale: bounds(nodes, size) } : { nodes });
      world.edit(sized(size));
      fate.undoAfter(fate.between(0, 30_000), () => world.edit(sized(goal)));
      return true;
    },
    // To the earlier image, a third one or a bad one; and then to the wanted one again.
    imageEdited(world, fate) {
      if (!isRolled) return false;
      world.edit({ image: fate.pick(OTHER_IMAGES) });
      fate.undoAfter(fate.between(0, 40_000), () => world.edit({ image }));
      return true;
    },
    paused(world, fate) {
      world.edit({ paused: true });
      fate.undoAfter(fate.between(0, 30_000), () => world.edit({ paused: null }));
      return true;
    },
    // Only once: deleting both homes of a key asks for its loss. Not while clients write, and not while a write that
    // was not pushed waits for anti-entropy: it is on one volume only.
    volumeDeleted(world, fate) {
      if (isLoaded || fate.faults.has('volumeDeleted')) return false;
      const id = fate.pick(world.nodeIds());
      const disk = world.kube.kubelet.diskOf(world.claim(id)?.metadata.uid ?? '');
      if (disk === undefined || world.kube.ledger.onlyOn(disk).length > 0) return false;
      world.removeObject(CLAIMS, `data-demo-${id}`);
      return true;
    },
    nodeDeleted(world, fate) {
      world.removeObject(NODES, `demo-${fate.pick(world.nodeIds())}`);
      return true;
    },
  };
}
