// Two more nodes in three ways, on members with the server's own timers: both at once, as the operator does it, one
// after the other, and back on their volumes. The time is from the change of the spec until both serve clients.

import type { Testbed } from '@marekvs/testbed';
import { type ClusterHandle, clusterHandle } from '../support/cluster-handle.ts';
import { writeKeys } from '../support/data.ts';
import { round } from '../support/figures.ts';
import { worldOf } from '../support/world.ts';
import { type Figure, figure } from './figure.ts';

const KEYS = 20_000;
const LIMIT_MS = 400_000;

export async function measureJoins(testbed: Testbed): Promise<readonly Figure[]> {
  const world = worldOf(testbed);
  const together = await ready('joins-together');
  const both = await grown(together, 5);
  await together.edit({ nodes: 3 });
  await together.healthy(3, LIMIT_MS);
  const kept = await grown(together, 5);
  await together.edit({ nodes: 3 });
  await together.healthy(3, LIMIT_MS);
  const staggered = await ready('joins-staggered');
  const first = await grown(staggered, 4);
  const second = await grown(staggered, 5);
  return [
    figure('3 to 5, both at once: both serve', both, 's', Number.POSITIVE_INFINITY),
    figure('  one after the other', round(first + second), 's', Number.POSITIVE_INFINITY),
    figure('  beside both at once', round((first + second) / both, 2), 'x', Number.POSITIVE_INFINITY),
    figure('  back onto kept volumes', kept, 's', Number.POSITIVE_INFINITY),
  ];

  async function ready(namespace: string): Promise<ClusterHandle> {
    const cluster = clusterHandle(() => world, namespace);
    await cluster.create(3);
    const part = { namespace, name: cluster.name, ids: [0, 1, 2] };
    await writeKeys(testbed.kubelet, part, 'key', KEYS, { limitMs: LIMIT_MS });
    return cluster;
  }
}

/** The seconds until so many nodes serve clients. */
async function grown(cluster: ClusterHandle, nodes: number): Promise<number> {
  const startedMs = performance.now();
  await cluster.edit({ nodes });
  await cluster.says(`${nodes} serve`, ({ status }) => status?.readyNodes === nodes, LIMIT_MS);
  const seconds = round((performance.now() - startedMs) / 1000);
  await cluster.healthy(nodes, LIMIT_MS);
  return seconds;
}
