// How long two comparisons of a member take that holds a hundred full HyperLogLogs, every register of which has another
// version on its other home: the first, which has to read them all, and the next, when nothing has changed.
//
// The members' own anti-entropy finds those registers in every round, lists them and changes nothing, without end
// (docs/design/server.md#how-records-merge). It is held to one partition a round here, since what is measured is the
// operator's part.

import { homesAt, partitionOfKey, placementOf } from '@marekvs/api';
import { registerKey } from '@marekvs/simulator';
import { Redis } from 'ioredis';
import { clusterHandle } from '../support/cluster-handle.ts';
import { membersOf } from '../support/data.ts';
import { round } from '../support/figures.ts';
import { worldOf } from '../support/world.ts';
import { comparing, requestFor } from './comparing.ts';
import { type Figure, figure } from './figure.ts';
import { onTestbed } from './on-testbed.ts';

const IDS = [0, 1, 2];
const SOURCE = 0;
const REPLICATION_FACTOR = 2;
const KEYS = 100;
/** As on the real server. */
const REGISTERS = 16_384;
/** Elements in one PFADD. */
const BATCH = 1_024;
const LIMIT_MS = 600_000;
/** 1.6 million records are more than other members of the testbed ever hold. */
const MEMBER_OPTIONS = '--max-old-space-size=4096';

/** Nothing that a member writes reaches another one, so that the versions of both homes stay. */
const KNOBS = { hyperLogLogRegisters: REGISTERS, pushLossRate: 1, repairDropRate: 1 };

export async function registerFigures(say: (text: string) => void): Promise<readonly Figure[]> {
  return onTestbed({ runner: 'process', operator: true }, async (testbed) => {
    const cluster = clusterHandle(() => worldOf(testbed), 'registers');
    say(`${KEYS} HyperLogLogs of ${REGISTERS} registers on two homes each`);
    await cluster.create(IDS.length, {
      extraEnv: {
        SIMULATOR_KNOBS: JSON.stringify(KNOBS),
        MAREKVS_AE_PARTITIONS_PER_ROUND: '1',
        NODE_OPTIONS: MEMBER_OPTIONS,
      },
    });
    const members = membersOf(testbed.kubelet, cluster.namespace, cluster.name);
    await fill(members);
    const request = await requestFor(members, { sources: [SOURCE], replicationFactor: REPLICATION_FACTOR });
    return await comparing(async (compare) => {
      const cpuBefore = process.cpuUsage();
      const first = await compare(request, LIMIT_MS);
      const { user, system } = process.cpuUsage(cpuBefore);
      const again = await compare({ ...request, id: 'again' }, LIMIT_MS);
      return [
        figure(`comparison of ${KEYS} HyperLogLogs that differ on both homes: time`, first.seconds, 's', 30),
        figure('  of it CPU of the operator', round((user + system) / 1e6), 's', Number.POSITIVE_INFINITY),
        figure('  again, when nothing has changed: time', again.seconds, 's', 3),
      ];
    });
  });
}

/** Writes every register of every key through both of its homes. */
async function fill(members: ReadonlyMap<number, string>): Promise<void> {
  const placement = placementOf(IDS, REPLICATION_FACTOR);
  const keys = keysOf((key) => homesAt(placement, partitionOfKey(key)).includes(SOURCE));
  const elements = elementsOfAllRegisters();
  // One after the other: the later version is that of the same home for every key.
  for (const id of IDS) {
    const own = keys.filter((key) => homesAt(placement, partitionOfKey(key)).includes(id));
    const client = new Redis({ host: members.get(id) ?? '', enableReadyCheck: false, disableClientInfo: true });
    for (const key of own)
      for (let at = 0; at < elements.length; at += BATCH) await client.pfadd(key, ...elements.slice(at, at + BATCH));
    client.disconnect();
  }
}

function keysOf(isWanted: (key: string) => boolean): readonly string[] {
  const keys: string[] = [];
  const partitions = new Set<number>();
  for (let no = 0; keys.length < KEYS; no += 1) {
    const key = `visitors:${no}`;
    const partition = partitionOfKey(key);
    if (!isWanted(key) || partitions.has(partition)) continue;
    partitions.add(partition);
    keys.push(key);
  }
  return keys;
}

function elementsOfAllRegisters(): readonly string[] {
  const found = new Map<string, string>();
  for (let no = 0; found.size < REGISTERS; no += 1) {
    const register = registerKey('', String(no), REGISTERS);
    if (!found.has(register)) found.set(register, String(no));
  }
  return [...found.values()];
}
