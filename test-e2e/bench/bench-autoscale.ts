// `npm run bench:autoscale`: the example of the existing operator, word for word, on members with the server's own
// timers, from 3 to 5 nodes under 22,000 commands a second and back at 6,000, while clients write: how soon each size
// is decided and in force, what it costs the API server, and that every acknowledged write is on every home. About 20
// minutes; `-- --growth` ends at 5 nodes (4 minutes), `-- --joins` measures only how two nodes join; `-- --json`.

import { readFileSync } from 'node:fs';
import type { MarekvsCluster } from '@marekvs/api';
import type { Testbed } from '@marekvs/testbed';
import { load as readYaml } from 'js-yaml';
import { type ClusterHandle, clusterHandle } from '../support/cluster-handle.ts';
import { writeKeys } from '../support/data.ts';
import { round } from '../support/figures.ts';
import { startLoad } from '../support/load.ts';
import { says } from '../support/seen.ts';
import { worldOf } from '../support/world.ts';
import { describeWrites, writesTo } from '../support/written.ts';
import { benchOptions } from './command-line.ts';
import { type Figure, figure, renderFigures } from './figure.ts';
import { measureJoins } from './joins.ts';
import { onTestbed } from './on-testbed.ts';

const NS = 'bench';
const EXAMPLE = new URL('../../packages/api/test/samples/example-cluster.yaml', import.meta.url);
const KEYS = 20_000;
const HIGH_OPS = 22_000;
const LOW_OPS = 6_000;
const WRITES_PER_SECOND = 100;
const STEADY_MS = 60_000;
/** Writes that follow a growth: its last statuses and the disruption budget. */
const SETTLING_MS = 15_000;
const LIMIT_MS = 400_000;
/** So long the server takes for the first growth (docs/design/server.md#joining). */
const JOIN_SECONDS = 41;

const {
  joins: isJoinsAlone,
  growth: isGrowthOnly,
  json: isJson,
} = benchOptions({
  usage: `usage: npm run bench:autoscale [-- [--growth | --joins] [--json]]
  how soon a cluster follows its load, and what that costs, in about twenty minutes
  --growth  only the growth to five, in about four minutes
  --joins   only how soon two nodes join, at once and one after the other
  --json    figures for machines, and nothing else
  --help    this text
`,
  options: {
    growth: { type: 'boolean', default: false },
    joins: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const say = (text: string): void => void (isJson ? undefined : process.stdout.write(`${text}\n`));

const figures = [...(isJoinsAlone ? [] : await followsLoad()), ...(isGrowthOnly ? [] : await joins())];
process.stdout.write(isJson ? `${JSON.stringify(figures, null, 2)}\n` : `\n${renderFigures(figures)}\n`);
process.exitCode = figures.every(({ value, limit }) => value <= limit) ? 0 : 1;

async function followsLoad(): Promise<readonly Figure[]> {
  return onTestbed({ runner: 'process', operator: true }, async (testbed) => {
    const world = worldOf(testbed);
    const cluster = clusterHandle(() => world, NS);
    const { spec } = readYaml(readFileSync(EXAMPLE, 'utf8')) as MarekvsCluster;
    await cluster.create(3, spec);
    say(
      `The example with real-timer members, ${KEYS} keys and ${WRITES_PER_SECOND} writes/s (about a quarter of an hour)`,
    );
    const ids = [0, 1, 2];
    const keys = await writeKeys(testbed.kubelet, { namespace: NS, name: cluster.name, ids }, 'key', KEYS, {
      limitMs: LIMIT_MS,
    });
    const ledger = await cluster.ledger({ perSecond: WRITES_PER_SECOND });
    const low = await startLoad(addresses(testbed), LOW_OPS, 'GET');
    await low.runFor(STEADY_MS);
    say(`${HIGH_OPS} ops/s`);
    await low.stop();
    const high = await startLoad(addresses(testbed), HIGH_OPS, 'GET');
    const startedMs = performance.now();
    const up = await secondsUntil(cluster, 5, startedMs);
    await cluster.healthy(5, LIMIT_MS);
    const grown = seconds(startedMs);
    await cluster.says('it was compared', (seen) => says(seen, 'FullyReplicated', 'True'), LIMIT_MS);
    await high.runFor(SETTLING_MS);
    const audit = await testbed.auditReader();
    await high.runFor(STEADY_MS);
    const steady = await audit.read();
    say(describeWrites(steady.requests));
    const served = await high.stop();
    const growth = [
      figure('3 to 5 in one step: decided', up, 's', 15),
      figure('  both serve', grown, 's', 15 + JOIN_SECONDS),
      figure('status writes in a minute at a steady size', writesTo(steady, NS).length, '', 1),
    ];
    if (isGrowthOnly) {
      await ledger.stop();
      return growth;
    }
    say(`${LOW_OPS} ops/s (it was ${Math.round(served)})`);
    const again = await startLoad(addresses(testbed), LOW_OPS, 'GET');
    const loweredMs = performance.now();
    const four = await secondsUntil(cluster, 4, loweredMs);
    await cluster.healthy(4, LIMIT_MS);
    const three = await secondsUntil(cluster, 3, loweredMs);
    await cluster.healthy(3, LIMIT_MS);
    await again.stop();
    say(`      ${await ledger.stop()}`);
    await ledger.check(ids);
    await keys.areOnHomes(ids);
    say('      every acknowledged write is on every home');
    return [
      ...growth,
      figure('5 to 4: decided after a window of 300 s', four, 's', 330),
      figure('4 to 3: after another', three, 's', 700),
    ];
  });
}

async function joins(): Promise<readonly Figure[]> {
  say('Two nodes more, at once and one after the other (about 5 minutes)');
  return onTestbed({ runner: 'process', operator: true }, async (testbed) => {
    return await measureJoins(testbed);
  });
}

/** The addresses of the members that stay. */
function addresses(testbed: Testbed): readonly string[] {
  return testbed.kubelet.pods().flatMap(({ key, ip }) => (ip !== undefined && /demo-[0-2]$/.test(key) ? [ip] : []));
}

/** Resolves when this size is decided; fails when another one is decided before. */
async function secondsUntil(cluster: ClusterHandle, size: number, sinceMs: number): Promise<number> {
  const before = (await cluster.says('there is a size', () => true)).status?.autoscale?.size;
  const isNext = ({ status }: MarekvsCluster): boolean => status?.autoscale?.size !== before;
  const { status } = await cluster.says('another size is decided', isNext, LIMIT_MS);
  const { message, size: decided } = status?.autoscale ?? {};
  say(`      ${message}`);
  if (decided !== size) throw new Error(`sized to ${decided} instead of ${size}: ${message}`);
  return seconds(sinceMs);
}

function seconds(sinceMs: number): number {
  return round((performance.now() - sinceMs) / 1000);
}
