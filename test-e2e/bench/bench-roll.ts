// `npm run bench:roll`: how a changed template reaches five members with the server's own timers and 20,000 keys while
// clients write, half of which know homes: the seconds of a turn, its cost for the API server, what is read a second
// after it was acknowledged, and how soon a bad image stops and is taken back. Then a hundred clusters (`--clusters n`)
// change at once, which is all with `-- --fleet`; `-- --factor` changes replicationFactor instead; `-- --json`.

import type { MarekvsCluster } from '@marekvs/api';
import { type ClusterHandle, clusterHandle } from '../support/cluster-handle.ts';
import { writeKeys } from '../support/data.ts';
import { round } from '../support/figures.ts';
import { createKube } from '../support/kube.ts';
import type { ReadBackCount } from '../support/read-back.ts';
import { isRolledOut } from '../support/seen.ts';
import { type World, worldOf } from '../support/world.ts';
import { describeWrites, writesTo } from '../support/written.ts';
import { benchOptions, WHOLE_NUMBER } from './command-line.ts';
import { measureFactorRoll } from './factor-roll.ts';
import { type Figure, figure, renderFigures } from './figure.ts';
import { measureFleetRoll } from './fleet-roll.ts';
import { onTestbed } from './on-testbed.ts';
import { followTurns } from './turns.ts';

const NS = 'bench';
const NODES = 5;
const KEYS = 20_000;
const LIMIT_MS = 360_000;
const WRITES_PER_SECOND = 200;
const IMAGE = 'ghcr.io/yannick/marekvs';
/** API writes around all turns: the stored template, the disruption budget before and after, and the first claim. */
const WRITES_AROUND = 4;

const {
  factor: isFactorAlone,
  fleet: isFleetAlone,
  json: isJson,
  ...values
} = benchOptions({
  usage: `usage: npm run bench:roll [-- [--fleet | --factor] [--clusters <n>] [--json]]
  how long a changed template takes to reach five members, and what a fleet makes of it, in about twenty minutes
  --fleet         only many clusters that change at once
  --clusters <n>  so many of them, default 100
  --factor        only another number of homes instead, in about four minutes
  --json          figures for machines, and nothing else
  --help          this text
`,
  options: {
    factor: { type: 'boolean', default: false },
    fleet: { type: 'boolean', default: false },
    clusters: { type: 'string', default: '100' },
    json: { type: 'boolean', default: false },
  },
  forms: { clusters: WHOLE_NUMBER },
});
const clusters = Number(values.clusters);
const say = (text: string): void => void (isJson ? undefined : process.stdout.write(`${text}\n`));

const figures = isFactorAlone ? await factorRolls() : [...(isFleetAlone ? [] : await rolls()), ...(await fleetRolls())];
process.stdout.write(isJson ? `${JSON.stringify(figures, null, 2)}\n` : `\n${renderFigures(figures)}\n`);
process.exitCode = figures.every(({ value, limit }) => value <= limit) ? 0 : 1;

async function rolls(): Promise<readonly Figure[]> {
  return onTestbed({ runner: 'process', operator: true }, async (testbed) => {
    const world = worldOf(testbed);
    const cluster = clusterHandle(() => world, NS);
    say(`One cluster of ${NODES} with real-timer members and ${KEYS} keys (about 5 minutes)`);
    await cluster.create(NODES);
    const ids = Array.from({ length: NODES }, (_, id) => id);
    const keys = await writeKeys(testbed.kubelet, { namespace: NS, name: cluster.name, ids }, 'key', KEYS, {
      limitMs: LIMIT_MS,
    });
    const ledger = await cluster.ledger({ perSecond: WRITES_PER_SECOND, knowing: 2, isReadBack: true });
    const turns = await followTurns(world, NS, NODES);
    say(`Another variable, under ${WRITES_PER_SECOND} writes/s`);
    const audit = await testbed.auditReader();
    const inForce = await secondsUntil(cluster, { extraEnv: { ROLLED: 'once' } }, isRolledOut);
    const summary = await audit.read();
    say(describeWrites(summary.requests));
    say(turns.describe());
    const writes = writesTo(summary, NS).length - WRITES_AROUND;
    say('An image that cannot be pulled, for one canary');
    const before = await podUids(world);
    const bad = { image: `${IMAGE}:missing`, update: { canaryNodes: 1 } };
    const stopped = await secondsUntil(cluster, bad, isStopped);
    const back = await secondsUntil(cluster, {}, isBack);
    const after = await podUids(world);
    const touched = [...before].filter((uid) => !after.has(uid)).length;
    await secondsUntil(cluster, { image: `${IMAGE}:latest` }, isRolledOut);
    turns.stop();
    say(`      ${await ledger.stop()}`);
    const { knowing, unknowing } = await ledger.reads();
    say(`      read a second later: ${describeReads('clients that know homes', knowing)}`);
    say(`                           ${describeReads('clients that do not', unknowing)}`);
    await ledger.check(ids);
    await keys.areOnHomes(ids);
    say('      every acknowledged write is on every home');
    return [
      figure(`a template reaches ${NODES} members`, inForce, 's', 90),
      figure('  API writes a turn', round(writes / NODES), '', 10),
      figure('  members down at once', turns.mostDown(), '', 1),
      figure('  stale or empty a second later, homes known', knowing.empty + knowing.stale, '', 0),
      figure('  stale or empty a second later, homes unknown', unknowing.empty + unknowing.stale, '', 0),
      // A member that is back shows itself as a home, which the operator cannot prevent: reported without a limit.
      figure('  the same at members not yet let in', knowing.early + unknowing.early, '', Number.POSITIVE_INFINITY),
      figure('a bad image stops at its canary', stopped, 's', 60),
      figure('  its member is back', round(stopped + back), 's', 120),
      figure(`  members of ${NODES} that it touched`, touched, '', 1),
    ];
  });
}

async function factorRolls(): Promise<readonly Figure[]> {
  say('Another number of homes on four members, and back (about 4 minutes)');
  return onTestbed({ runner: 'process', operator: true }, async (testbed) => {
    return await measureFactorRoll(testbed, say);
  });
}

async function fleetRolls(): Promise<readonly Figure[]> {
  say(`${clusters} clusters of hollow members, changed at once (a hundred take about 15 minutes)`);
  return onTestbed({ runner: 'hollow', operator: true }, async (testbed) => {
    return await measureFleetRoll({ testbed, kube: createKube(testbed.kubeconfigs.admin) }, clusters);
  });
}

/** The turn of the bad canary makes a new Pod twice, and no other member gets one. */
async function podUids({ kube }: World): Promise<ReadonlySet<string>> {
  const { items } = await kube.core.listNamespacedPod({ namespace: NS });
  return new Set(items.flatMap(({ metadata }) => metadata?.uid ?? []));
}

function describeReads(who: string, { read, empty, stale, early, unanswered }: ReadBackCount): string {
  return `${read} of ${who}, ${empty} empty, ${stale} stale, ${early} at members not let in, ${unanswered} unanswered`;
}

/** Measured from the edit on. */
async function secondsUntil(
  cluster: ClusterHandle,
  edit: object,
  isIt: (seen: MarekvsCluster) => boolean,
): Promise<number> {
  const startedMs = performance.now();
  if (Object.keys(edit).length > 0) await cluster.edit(edit);
  await cluster.says('the update is as far', isIt, LIMIT_MS);
  return round((performance.now() - startedMs) / 1000);
}

function isStopped({ status }: MarekvsCluster): boolean {
  return status?.update?.stopped !== undefined;
}

function isBack({ status }: MarekvsCluster): boolean {
  return status?.operation === undefined && status?.lastOperation?.reason === 'RolledBack';
}
