// `npm run bench:removal`: how long removals take on members with the server's own timers and 20,000 keys, at rest,
// while clients write, with clients that never leave by themselves, and with an operator that is killed; what one costs
// the API server, and what a comparison costs the operator. Every acknowledged write is read back at the end.
// `-- --json` for machines.

import { setTimeout as delay } from 'node:timers/promises';
import type { Testbed } from '@marekvs/testbed';
import { type ClusterHandle, clusterHandle } from '../support/cluster-handle.ts';
import { type Keys, writeKeys } from '../support/data.ts';
import { round } from '../support/figures.ts';
import { startPinnedClients } from '../support/pinned-clients.ts';
import { type World, worldOf } from '../support/world.ts';
import { describeWrites } from '../support/written.ts';
import { benchOptions } from './command-line.ts';
import { comparisonFigures } from './comparison-cost.ts';
import { type Figure, figure, renderFigures } from './figure.ts';
import { onTestbed } from './on-testbed.ts';
import { registerFigures } from './registers.ts';
import { measureRemoval, secondsToClosed, timingFigures, writeFigures } from './removal.ts';

const NODES = 5;
const FEWEST = 3;
const KEYS = 20_000;
const LIMIT_MS = 360_000;
const WRITES_PER_SECOND = 200;
const PINNED_PER_MEMBER = 10;
/** How much longer removals may take with clients that stay. Of three removals together: the time of one alone hangs
 *  by some seconds on when the members' next rounds of anti-entropy begin. */
const PINNED_SHARE = 1.1;
/** The time from one SIGKILL to the next. */
const KILL_EVERY_MS = [20_000, 45_000] as const;
/** Removals that take longer are called off, and count with this. */
const LONGEST_MS = 240_000;

const PARTS = ['rest', 'writes', 'pinned', 'killed', 'comparison', 'registers'] as const;

const { json: isJson, part } = benchOptions({
  usage: `usage: npm run bench:removal [-- [--part <name>] [--json]]
  how long removals take, what one costs the API server, and what a comparison costs the operator, in about 20 minutes
  --part <name>  only this one: ${PARTS.join(', ')}; pinned measures writes as well, to compare with
  --json         figures for machines, and nothing else
  --help         this text
`,
  options: { json: { type: 'boolean', default: false }, part: { type: 'string' } },
  forms: { part: { pattern: new RegExp(`^(${PARTS.join('|')})$`), wanted: `one of ${PARTS.join(', ')}` } },
});
const say = (text: string): void => void (isJson ? undefined : process.stdout.write(`${text}\n`));
const isWanted = (...names: readonly (typeof PARTS)[number][]): boolean =>
  part === undefined || names.some((name) => name === part);

const ofRemovals = isWanted('rest', 'writes', 'pinned', 'killed') ? await removals() : [];
if (ofRemovals.length > 0) say(`\n${renderFigures(ofRemovals)}\n`);
const ofComparisons = [
  ...(isWanted('comparison') ? await comparisonFigures(say) : []),
  ...(isWanted('registers') ? await registerFigures(say) : []),
];
const figures = [...ofRemovals, ...ofComparisons];
process.stdout.write(isJson ? `${JSON.stringify(figures, null, 2)}\n` : `\n${renderFigures(figures)}\n`);
process.exitCode = figures.every(({ value, limit }) => value <= limit) ? 0 : 1;

/** One cluster, which is grown again after each measurement. */
interface Measured {
  readonly testbed: Testbed;
  readonly world: World;
  readonly cluster: ClusterHandle;
  readonly keys: Keys;
}

async function removals(): Promise<readonly Figure[]> {
  return onTestbed({ runner: 'process', operator: true }, async (testbed) => {
    const world = worldOf(testbed);
    const cluster = clusterHandle(() => world, 'bench');
    say(`One cluster of ${NODES} with real-timer members and ${KEYS} keys`);
    await cluster.create(NODES);
    const ids = Array.from({ length: NODES }, (_, id) => id);
    const keys = await writeKeys(testbed.kubelet, { namespace: 'bench', name: cluster.name, ids }, 'key', KEYS, {
      limitMs: LIMIT_MS,
    });
    const measured = { testbed, world, cluster, keys };
    const atRest = isWanted('rest') ? await atRestFigures(measured) : [];
    const underWrites = isWanted('writes', 'pinned') ? await underWritesFigures(measured) : undefined;
    const pinned = isWanted('pinned') && underWrites !== undefined ? await pinnedFigures(measured, underWrites) : [];
    const killed = isWanted('killed') ? await killedFigures(measured) : [];
    return [...atRest, ...(underWrites?.figures ?? []), ...pinned, ...killed];
  });
}

async function atRestFigures({ world, cluster }: Measured): Promise<readonly Figure[]> {
  say('At rest');
  const one = await measureRemoval(world, cluster, NODES - 1, LIMIT_MS);
  say(describeWrites(one.requests));
  await grown(cluster);
  const two = await removed(cluster, FEWEST);
  await grown(cluster);
  return [...timingFigures('5 to 4 at rest', one, 40), figure('5 to 3 at rest', two, 's', 75), ...writeFigures(one)];
}

interface UnderWrites {
  readonly figures: readonly Figure[];
  readonly oneSeconds: number;
  readonly twoSeconds: number;
}

async function underWritesFigures({ world, cluster, keys }: Measured): Promise<UnderWrites> {
  say(`Under ${WRITES_PER_SECOND} writes/s`);
  const ledger = await cluster.ledger({ perSecond: WRITES_PER_SECOND });
  const one = await measureRemoval(world, cluster, NODES - 1, LIMIT_MS);
  await grown(cluster);
  const two = await removed(cluster, FEWEST);
  say('Grown and made smaller again at once');
  await grown(cluster);
  const again = await removed(cluster, FEWEST);
  say(`      ${await ledger.stop()}`);
  await ledger.check(await cluster.ids());
  await keys.areOnHomes(await cluster.ids());
  await grown(cluster);
  const figures = [
    ...timingFigures(`5 to 4 under ${WRITES_PER_SECOND} writes/s`, one, 60),
    figure(`5 to 3 under ${WRITES_PER_SECOND} writes/s`, two, 's', 115),
    figure('5 to 3 under writes, right after growing', again, 's', 115),
  ];
  return { figures, oneSeconds: one.seconds, twoSeconds: two };
}

async function pinnedFigures(
  { world, cluster, keys }: Measured,
  { oneSeconds, twoSeconds }: UnderWrites,
): Promise<readonly Figure[]> {
  say(`With ${PINNED_PER_MEMBER} connections a member that stay until they are closed`);
  const { namespace, name } = cluster;
  const options = { namespace, name, perMember: PINNED_PER_MEMBER, perSecond: WRITES_PER_SECOND };
  let clients = await startPinnedClients(world, options);
  const one = await removed(cluster, NODES - 1);
  await grown(cluster);
  say(`      ${await clients.stop()}`);
  const lostByOne = await clients.lost(await cluster.ids());
  const errorsOfOne = clients.errors();
  // A new member has no connections before somebody makes some.
  clients = await startPinnedClients(world, options);
  const two = await removed(cluster, FEWEST);
  say(`      ${await clients.stop()}`);
  const lost = lostByOne + (await clients.lost(await cluster.ids()));
  const errors = [errorsOfOne, clients.errors()].flatMap((seen) => [...seen.values()]);
  await keys.areOnHomes(await cluster.ids());
  await grown(cluster);
  const what = `with ${PINNED_PER_MEMBER} clients a member that stay`;
  return [
    figure(`5 to 4 ${what}`, one, 's', 60),
    figure(`5 to 3 ${what}`, two, 's', 115),
    figure('  both, as a share of those without', round((one + two) / (oneSeconds + twoSeconds), 2), '', PINNED_SHARE),
    figure('  acknowledged writes lost', lost, '', 0),
    figure(
      '  errors other than a closed connection',
      errors.reduce((sum, count) => sum + count, 0),
      '',
      0,
    ),
  ];
}

async function killedFigures({ testbed, cluster, keys }: Measured): Promise<readonly Figure[]> {
  say('From 5 to 3 under writes, the operator killed every 20 to 45 s');
  const ledger = await cluster.ledger({ perSecond: WRITES_PER_SECOND, prefix: 'killed-' });
  const killing = new AbortController();
  const killed = killOperator(testbed, killing.signal);
  const seconds = await removed(cluster, FEWEST);
  killing.abort();
  const kills = await killed;
  say(`      ${await ledger.stop()}, ${kills} kills`);
  await ledger.check(await cluster.ids());
  await keys.areOnHomes(await cluster.ids());
  say('      every acknowledged write is on every home');
  return [figure(`5 to 3 under writes, the operator killed ${kills} times`, seconds, 's', 180)];
}

async function killOperator({ operator }: Testbed, signal: AbortSignal): Promise<number> {
  let count = 0;
  for (const [least, most] = KILL_EVERY_MS; !signal.aborted; ) {
    await delay(least + Math.random() * (most - least), undefined, { signal }).catch(() => {});
    if (signal.aborted) return count;
    await operator.kill();
    await operator.restart();
    count += 1;
  }
  return count;
}

async function removed(cluster: ClusterHandle, to: number): Promise<number> {
  return (await secondsToClosed(cluster, { from: NODES, to }, LONGEST_MS)) ?? LONGEST_MS / 1000;
}

async function grown(cluster: ClusterHandle): Promise<void> {
  await cluster.scale(NODES);
  await cluster.healthy(NODES, LIMIT_MS);
}
