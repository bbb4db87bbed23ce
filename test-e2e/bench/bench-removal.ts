// `npm run bench:removal`: how long it takes to remove one of five nodes with unscaled server timers, and what that costs the API
// server. Three clusters at once, each twice: right after a restart of the operator, which then knows of what was before only what is
// stored, and after some minutes of idleness. `-- --json` for machines.

import { setTimeout as delay } from 'node:timers/promises';
import { startTestbed } from '@marekvs/testbed';
import { type ClusterHandle, clusterHandle } from '../support/cluster-handle.ts';
import { worldOf } from '../support/world.ts';
import { type Figure, renderFigures } from './figure.ts';
import { describeWrites, measureRemoval, type RemovalMeasured, timingFigures, writeFigures } from './removal.ts';

const CLUSTERS = 3;
const NODES = 5;
/** Members at rest are asked every half minute: some answers before the removal. */
const IDLE_MS = 150_000;
/** A cluster that has just formed has to stand still for a minute first, whoever looks at it. */
const STANDING_MS = 70_000;
const REMOVAL_LIMIT_MS = 300_000;
const JOIN_LIMIT_MS = 180_000;

const isJson = process.argv.includes('--json');
const say = (text: string): void => void (isJson ? undefined : process.stdout.write(`${text}\n`));

const figures = await bench();
process.stdout.write(isJson ? `${JSON.stringify(figures, null, 2)}\n` : `\n${renderFigures(figures)}\n`);
process.exitCode = figures.every(({ value, limit }) => value <= limit) ? 0 : 1;

async function bench(): Promise<readonly Figure[]> {
  const testbed = await startTestbed({ runner: 'process', operator: true });
  try {
    const world = worldOf(testbed);
    const clusters = Array.from({ length: CLUSTERS }, (_, index) => clusterHandle(() => world, `bench-${index}`));
    const removeOne = (cluster: ClusterHandle): Promise<RemovalMeasured> =>
      measureRemoval(world, cluster, NODES - 1, REMOVAL_LIMIT_MS);
    say(`${CLUSTERS} clusters of ${NODES} with real-timer members (about 7 minutes)`);
    for (const cluster of clusters) await cluster.create(NODES);
    await delay(STANDING_MS);
    say('Removing one of each, right after a restart of the operator');
    await testbed.operator.restart();
    const fresh = await Promise.all(clusters.map(removeOne));
    say('Growing again, then leaving them alone');
    await Promise.all(clusters.map((cluster) => cluster.scale(NODES)));
    await Promise.all(clusters.map((cluster) => cluster.healthy(NODES, JOIN_LIMIT_MS)));
    await delay(IDLE_MS);
    say('Removing one of each again');
    const idle = await Promise.all(clusters.map(removeOne));
    for (const { seconds, phases } of [...fresh, ...idle]) {
      say(`      ${seconds} s: ${phases.map((one) => `${one.phase} ${one.seconds}`).join(', ')}`);
    }
    const [one] = idle;
    if (one !== undefined) say(describeWrites(one));
    return [...timingFigures(fresh, false), ...timingFigures(idle, true), ...idle.flatMap(writeFigures)];
  } finally {
    await testbed.stop();
  }
}
