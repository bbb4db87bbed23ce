// What one comparison costs the operator's process, for three members with 200,000 records, each on its two homes.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { homesAt, partitionOfKey, placementOf } from '@marekvs/api';
import { clusterHandle } from '../support/cluster-handle.ts';
import { membersOf, write } from '../support/data.ts';
import { round } from '../support/figures.ts';
import { worldOf } from '../support/world.ts';
import { type Compared, comparing, requestFor } from './comparing.ts';
import { type Figure, figure } from './figure.ts';
import { onTestbed } from './on-testbed.ts';

const IDS = [0, 1, 2];
/** The first ready member, to which everything is written. */
const WRITER = 0;
const REPLICATION_FACTOR = 2;
const KEYS = 200_000;
/** Resolves when the members' own anti-entropy has repaired what was not pushed, minutes after a fast load. */
const COPIED_MS = 900_000;
const MEASURED_MS = 60_000;
const MIB = 1024 * 1024;
const RESOLUTION_MS = 1;
const MEMORY_EVERY_MS = 10;

export async function comparisonFigures(say: (text: string) => void): Promise<readonly Figure[]> {
  return onTestbed({ runner: 'process', operator: true }, async (testbed) => {
    const world = worldOf(testbed);
    const cluster = clusterHandle(() => world, 'compared');
    say(`Comparing ${KEYS} records of ${IDS.length} members`);
    await cluster.create(IDS.length);
    const names = await write(testbed.kubelet, { namespace: 'compared', name: cluster.name }, 'key', KEYS);
    const members = membersOf(testbed.kubelet, 'compared', cluster.name);
    const request = await requestFor(members, { sources: IDS, replicationFactor: REPLICATION_FACTOR });
    return await comparing(async (compare) => {
      // The first comparison is not measured: after it, every record is on its homes, and code and buffers are warm.
      await compare(request, COPIED_MS);
      globalThis.gc?.();
      return await measured(() => compare({ ...request, id: 'measured' }, MEASURED_MS), heldOf(names));
    });
  });
}

/** How many records the members have, which includes those on members that took a write without being a home. */
function heldOf(names: readonly string[]): number {
  const placement = placementOf(IDS, REPLICATION_FACTOR);
  const holders = names.map((name) => new Set([WRITER, ...homesAt(placement, partitionOfKey(name))]).size);
  return holders.reduce((sum, count) => sum + count, 0);
}

async function measured(compare: () => Promise<Compared>, held: number): Promise<readonly Figure[]> {
  const memoryBefore = process.memoryUsage().rss;
  let memoryMost = memoryBefore;
  const watch = setInterval(() => {
    memoryMost = Math.max(memoryMost, process.memoryUsage().rss);
  }, MEMORY_EVERY_MS);
  const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const cpuBefore = process.cpuUsage();
  loop.enable();
  const { report, seconds } = await compare();
  loop.disable();
  clearInterval(watch);
  const { user, system } = process.cpuUsage(cpuBefore);
  const records = [...report.records.values()].reduce((sum, about) => sum + about, 0);
  return [
    figure('comparison of 200,000 records on two homes each: time', seconds, 's', 60),
    figure('  of it CPU of the operator', round((user + system) / 1e6), 's', 1),
    figure('  memory above before, at most', round((memoryMost - memoryBefore) / MIB), 'MiB', 16),
    figure('  event loop blocked, at most', round(loop.max / 1e6), 'ms', 50),
    figure('  records found, off by', round((100 * Math.abs(records - held)) / held), '%', 5),
  ];
}
