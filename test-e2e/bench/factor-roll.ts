// Another replicationFactor on four members under writes, from 2 to 3 and back: how long each change takes, what it
// costs the API server, what is read a second after it was acknowledged, and whether every write is on every home in
// the end.

import type { Testbed } from '@marekvs/testbed';
import { type ClusterHandle, clusterHandle } from '../support/cluster-handle.ts';
import { writeKeys } from '../support/data.ts';
import { round } from '../support/figures.ts';
import { isRolledOut } from '../support/seen.ts';
import { worldOf } from '../support/world.ts';
import { writesTo } from '../support/written.ts';
import { type Figure, figure } from './figure.ts';

const NS = 'factor';
const NODES = 4;
const KEYS = 20_000;
const WRITES_PER_SECOND = 200;
const LIMIT_MS = 600_000;

export async function measureFactorRoll(testbed: Testbed, say: (text: string) => void): Promise<readonly Figure[]> {
  const world = worldOf(testbed);
  const cluster = clusterHandle(() => world, NS);
  await cluster.create(NODES, { replicationFactor: 2 });
  const ids = Array.from({ length: NODES }, (_, id) => id);
  const part = { namespace: NS, name: cluster.name, ids };
  const keys = await writeKeys(testbed.kubelet, part, 'key', KEYS, { limitMs: LIMIT_MS });
  const ledger = await cluster.ledger({ perSecond: WRITES_PER_SECOND, knowing: 2, isReadBack: true });
  const audit = await testbed.auditReader();
  const up = await secondsUntilAllHave(cluster, 3);
  const raised = writesTo(await audit.read(), NS).length;
  const down = await secondsUntilAllHave(cluster, 2);
  const lowered = writesTo(await audit.read(), NS).length;
  say(`      ${await ledger.stop()}`);
  const { knowing, unknowing } = await ledger.reads();
  await ledger.check(ids);
  await keys.areOnHomes(ids);
  say('      every acknowledged write is on every home');
  const none = Number.POSITIVE_INFINITY;
  return [
    figure(`replicationFactor 2 to 3 on ${NODES} members`, up, 's', none),
    figure('  API writes', raised, '', none),
    figure('  and back to 2', down, 's', none),
    figure('  API writes', lowered, '', none),
    figure(`  read a second later, homes known: empty of ${knowing.read}`, knowing.empty, '', none),
    figure('    stale', knowing.stale, '', none),
    figure(`  homes unknown: empty of ${unknowing.read}`, unknowing.empty, '', none),
    figure('    stale', unknowing.stale, '', none),
  ];
}

/** Resolves when every member runs with it, and every record was seen on so many homes. */
async function secondsUntilAllHave(cluster: ClusterHandle, replicationFactor: number): Promise<number> {
  const startedMs = performance.now();
  await cluster.edit({ replicationFactor });
  await cluster.says(`all have ${replicationFactor} homes`, isRolledOut, LIMIT_MS);
  const seconds = round((performance.now() - startedMs) / 1000);
  await cluster.healthy(NODES, LIMIT_MS);
  return seconds;
}
