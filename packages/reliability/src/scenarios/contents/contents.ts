// Members hold different records: the removal waits for a record that only one member has, however long, and everything
// else goes on.

import type { Fate } from '../../fate/fate.ts';
import {
  forbidRemoval,
  type Goal,
  ids,
  isLeavingPod,
  isSealing,
  missingReason,
  reasonsFor,
  rested,
  type Scenario,
} from '../../life/scenario.ts';
import { CLUSTERS, type MemberWorld } from '../../world/member-world.ts';
import {
  burst,
  COUNTED,
  delayRepairs,
  loseRepairs,
  mergeRegisters,
  missPushes,
  PERSISTED,
  REGISTERED,
  REMOVED,
  RESTAMPED,
  writeApart,
  writeLarge,
  writeSmall,
} from '../steps/only-there.ts';

/** After ten minutes without progress the missing records are reported as stuck. */
const STUCK_MS = 630_000;
const GONE_MS = 300_000;

/** Longer than missing records take to arrive after a change. */
const KNOWN_MS = 60_000;

function writtenApart(name: string, story: string, apart: Parameters<typeof writeApart>[3]): Scenario {
  return {
    name,
    story,
    async run(world, fate) {
      await rested(world, fate, 4);
      loseRepairs(world, 1);
      await writeApart(world, 3, fate.whole(3, 10), apart);
      world.edit({ nodes: 3 });
      await world.advance(fate.between(30_000, 60_000));
      loseRepairs(world, 0);
      return { nodes: 3, ids: ids(0, 2) };
    },
  };
}

async function growAndShrink(world: MemberWorld, fate: Fate): Promise<Goal> {
  await rested(world, fate, 4);
  for (const id of world.nodeIds()) world.setKnobs(id, { copyRecordsPerSecond: fate.between(5, 30) });
  fate.count('load');
  world.startWriters({ clients: 2, writesPerSecond: 10, keys: 100, isAware: fate.chance(0.5) });
  world.edit({ nodes: 5 });
  await world.until(() => world.node(4)?.status?.phase === 'Active', 120_000, 'a fifth member is known');
  await world.advance(fate.between(0, 10_000));
  world.edit({ nodes: 3 });
  await world.until(() => world.isHealthy(3), GONE_MS, '3 of 5 stay');
  return { nodes: 3, ids: ids(0, 2) };
}

export const CONTENTS_STORIES: readonly Scenario[] = [
  {
    name: 'pushes-missed',
    story:
      'What clients write through the member that is to go is pushed to nobody, and anti-entropy is 12 to 20 seconds behind: it stays until that has caught up.',
    async run(world, fate) {
      await rested(world, fate, 4);
      delayRepairs(world, fate.between(12_000, 20_000));
      await missPushes(world, 3, 5_000);
      world.edit({ nodes: 3 });
      await world.advance(fate.between(60_000, 90_000));
      delayRepairs(world, 0);
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'burst-while-leaving',
    story:
      'After five idle minutes a client writes a burst of keys through the member that was just told to leave, mostly of partitions that it does not home, and nobody hears of them for a while.',
    async run(world, fate) {
      await rested(world, fate, 4);
      await world.advance(300_000);
      world.edit({ nodes: 3 });
      await isLeavingPod(world, 3);
      await world.advance(fate.between(0, 500));
      loseRepairs(world, 1);
      if (world.pod(3)?.metadata.deletionTimestamp === undefined)
        await burst(world, 3, fate.whole(30, 100), fate.chance(0.8));
      await world.advance(fate.between(10_000, 40_000));
      loseRepairs(world, 0);
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'burst-at-the-end',
    story:
      'A client writes through the member that is to leave while its open process ends, and nobody hears of that for a while: what was compared before counts for nothing.',
    async run(world, fate) {
      await rested(world, fate, 4, { volumeRetention: { whenScaled: 'Delete' } });
      world.edit({ nodes: 3 });
      await isSealing(world);
      const isEnding = (): boolean => world.pod(3)?.metadata.deletionTimestamp !== undefined;
      await world.until(isEnding, 30_000, 'the open process ends');
      delayRepairs(world, 15_000);
      world.setKnobs(3, { pushLossRate: 1 });
      await world.advance(fate.between(0, 1_500));
      await burst(world, 3, 60, fate.chance(0.5));
      await world.advance(fate.between(20_000, 40_000));
      delayRepairs(world, 0);
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'too-large',
    story:
      'One member alone has a value that fits into no frame when a cluster goes from 5 to 3, the first to leave or another one: it stays, and the status reports why, until a client writes a smaller value.',
    async run(world, fate) {
      await rested(world, fate, 5);
      const id = fate.pick([3, 4]);
      writeLarge(world, id);
      world.edit({ nodes: 3 });
      const reasons = await reasonsFor(world, STUCK_MS);
      writeSmall(world, id);
      return { nodes: 3, ids: ids(0, 2), problem: () => missingReason(reasons, 'ReplicationStuck') };
    },
  },
  {
    name: 'known-missing',
    story:
      'A comparison that somebody asked for has found a value that one of the members that stay alone has: no other one is drained before a smaller one is written.',
    async run(world, fate) {
      await rested(world, fate, 4);
      const id = fate.whole(0, 2);
      writeLarge(world, id);
      world.annotate(CLUSTERS, 'demo', { 'marekvs.io/verify': 'before-shrinking' });
      await world.until(() => world.condition('FullyReplicated') === 'RecordsMissing', 120_000, 'the value is missed');
      forbidRemoval(world, 'over a record that is known to be missing', KNOWN_MS);
      world.edit({ nodes: 3 });
      await world.advance(KNOWN_MS);
      const reasons = new Set([world.condition('Ready')]);
      writeSmall(world, id);
      return { nodes: 3, ids: ids(0, 2), problem: () => missingReason(reasons, 'RecordsMissing') };
    },
  },
  {
    name: 'slow-repairs',
    story:
      'The members of a restarted cluster repair a few records a second, which looks like health, when one is to leave under load.',
    async run(world, fate) {
      await rested(world, fate, 4);
      for (const id of world.nodeIds()) world.setKnobs(id, { copyRecordsPerSecond: fate.between(2, 6) });
      await missPushes(world, 3, 8_000);
      fate.count('load');
      world.startWriters({ clients: 2, writesPerSecond: 5, keys: 50 });
      world.edit({ nodes: 3 });
      await world.until(() => world.isHealthy(3), GONE_MS, '3 of 4 stay');
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  writtenApart(
    'counted-apart',
    'Both homes of some counters count at once and hear nothing of each other: the one whose version is older goes when its counts are at the other.',
    COUNTED,
  ),
  writtenApart(
    'restamped-elsewhere',
    'The member that is to leave takes new values of hash fields and deletions of others, of which nobody hears; then the other home gives these fields a deadline, so that its records are newer: the member goes when all of it is there.',
    RESTAMPED,
  ),
  writtenApart(
    'removed-elsewhere',
    'Both homes of some sets add and remove the same members and hear nothing of each other: the one whose records are older goes when the other one knows all of it.',
    REMOVED,
  ),
  writtenApart(
    'persisted-there',
    'The member that is to leave takes PERSIST of counters that have a deadline, and nobody hears of it: it goes when no home would let them expire.',
    PERSISTED,
  ),
  {
    name: 'registered-apart',
    story:
      'Both homes of some HyperLogLogs hear of other users, and the server never reconciles their registers: the member that has ranks of its own stays, and says why, until somebody merges the keys through copies.',
    async run(world, fate) {
      await rested(world, fate, 4);
      const keys = await writeApart(world, 3, fate.whole(1, 3), REGISTERED);
      world.edit({ nodes: 3 });
      const reasons = await reasonsFor(world, fate.between(40_000, 60_000));
      // In a few lives the first round of anti-entropy runs both ways at once, and reconciles all of them.
      const areReconciled = !world.nodeIds().includes(3);
      await mergeRegisters(world, keys);
      return {
        nodes: 3,
        ids: ids(0, 2),
        problem: () => (areReconciled ? undefined : missingReason(reasons, 'RegistersDiverge')),
      };
    },
  },
  {
    name: 'every-kind-of-write',
    story:
      'Clients that know no homes write many keys at once and count through whoever they reach, and records expire, all the while a cluster goes from 5 to 3.',
    async run(world, fate) {
      await rested(world, fate, 5);
      fate.count('load');
      world.startWriters({ clients: 2, writesPerSecond: fate.between(1, 3), keys: 200, msetKeys: 20, isAware: false });
      world.startWriters({
        clients: 2,
        writesPerSecond: fate.between(2, 10),
        counters: fate.whole(2, 8),
        isAware: false,
      });
      world.startWriters({ clients: 2, writesPerSecond: fate.between(2, 10), expireSeconds: fate.whole(2, 15) });
      await world.advance(fate.between(5_000, 15_000));
      world.edit({ nodes: 3 });
      await world.until(() => world.isHealthy(3), GONE_MS, '3 of 5 stay under load');
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'grown-under-load',
    story: 'A cluster under load grows and shrinks again while its new member is still being filled by slow repairs.',
    run: (world, fate) => growAndShrink(world, fate),
  },
];
