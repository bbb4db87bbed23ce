// `npm run bench:removal`: how long removals take on members with the server's own timers and 20,000 keys, at rest and
// while clients write, what one costs the API server, and what a comparison costs the operator. Every acknowledged
// write is read back at the end. `-- --json` for machines.

import { setTimeout as delay } from 'node:timers/promises';
import { type ClusterHandle, clusterHandle } from '../support/cluster-handle.ts';
import { writeKeys } from '../support/data.ts';
import { round } from '../support/figures.ts';
import { worldOf } from '../support/world.ts';
import { describeWrites } from '../support/written.ts';
import { benchOptions } from './command-line.ts';
import { comparisonFigures } from './comparison-cost.ts';
import { type Figure, figure, renderFigures } from './figure.ts';
import { onTestbed } from './on-testbed.ts';
import { measureRemoval, timingFigures, writeFigures } from './removal.ts';

const NODES = 5;
const KEYS = 20_000;
const LIMIT_MS = 360_000;
const WRITES_PER_SECOND = 200;
/** The time from one SIGKILL to the next. */
const KILL_EVERY_MS = [20_000, 45_000] as const;

const { json: isJson } = benchOptions({
  usage: `usage: npm run bench:removal [-- [--json]]
  how long removals take, what one costs the API server, and what a comparison costs the operator, in about ten minutes
  --json    figures for machines, and nothing else
  --help    this text
`,
  options: { json: { type: 'boolean', default: false } },
});
const say = (text: string): void => void (isJson ? undefined : process.stdout.write(`${text}\n`));

const ofRemovals = await removals();
say(`\n${renderFigures(ofRemovals)}\n`);
const figures = [...ofRemovals, ...(await comparisonFigures(say))];
process.stdout.write(isJson ? `${JSON.stringify(figures, null, 2)}\n` : `\n${renderFigures(figures)}\n`);
process.exitCode = figures.every(({ value, limit }) => value <= limit) ? 0 : 1;

async function removals(): Promise<readonly Figure[]> {
  return onTestbed({ runner: 'process', operator: true }, async (testbed) => {
    const world = worldOf(testbed);
    const cluster = clusterHandle(() => world, 'bench');
    say(`One cluster of ${NODES} with real-timer members and ${KEYS} keys (about 10 minutes)`);
    await cluster.create(NODES);
    const ids = Array.from({ length: NODES }, (_, id) => id);
    const keys = await writeKeys(testbed.kubelet, { namespace: 'bench', name: cluster.name, ids }, 'key', KEYS, {
      limitMs: LIMIT_MS,
    });
    say('Removing one at rest');
    const atRest = await measureRemoval(world, cluster, NODES - 1, LIMIT_MS);
    say(describeWrites(atRest.requests));
    await grown(cluster);
    const ledger = await cluster.ledger({ perSecond: WRITES_PER_SECOND });
    say(`Removing one under ${WRITES_PER_SECOND} writes/s`);
    const underLoad = await measureRemoval(world, cluster, NODES - 1, LIMIT_MS);
    await grown(cluster);
    say('From 5 to 3 under load');
    const toThree = await secondsTo(cluster, 3);
    say('Grown and made smaller again at once, under load');
    await grown(cluster);
    const again = await secondsTo(cluster, 3);
    await grown(cluster);
    say('From 5 to 3 under load, the operator killed every 20 to 45 s');
    const killing = new AbortController();
    const killed = killOperator(killing.signal);
    const whileKilled = await secondsTo(cluster, 3);
    killing.abort();
    const kills = await killed;
    say(`      ${await ledger.stop()}, ${kills} kills`);
    await ledger.check([0, 1, 2]);
    await keys.areOnHomes([0, 1, 2]);
    say('      every acknowledged write is on every home');
    return [
      ...timingFigures('removal of 1 of 5 at rest', atRest, 35),
      ...timingFigures(`removal of 1 of 5 under ${WRITES_PER_SECOND} writes/s`, underLoad, 45),
      figure('5 to 3 under load', toThree, 's', 90),
      figure('5 to 3 under load, right after growing', again, 's', 90),
      figure(`5 to 3 under load, the operator killed ${kills} times`, whileKilled, 's', 360),
      ...writeFigures(atRest),
    ];

    async function killOperator(signal: AbortSignal): Promise<number> {
      let count = 0;
      for (const [least, most] = KILL_EVERY_MS; !signal.aborted; ) {
        await delay(least + Math.random() * (most - least), undefined, { signal }).catch(() => {});
        if (signal.aborted) return count;
        await testbed.operator.kill();
        await testbed.operator.restart();
        count += 1;
      }
      return count;
    }
  });
}

async function grown(cluster: ClusterHandle): Promise<void> {
  await cluster.scale(NODES);
  await cluster.healthy(NODES, LIMIT_MS);
}

/** The time from the edit to Healthy. */
async function secondsTo(cluster: ClusterHandle, nodes: number): Promise<number> {
  const startedMs = performance.now();
  await cluster.scale(nodes);
  await cluster.healthy(nodes, LIMIT_MS);
  return round((performance.now() - startedMs) / 1000);
}
