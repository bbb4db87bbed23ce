// What the cluster controller bases a decision on in a world: what is in its caches now, and nothing later.

import { nodeName, pvcName, withDefaults } from '@marekvs/api';
import type { NodeRecord, VolumeRecord } from '@marekvs/planner';
import type { ExecuteContext } from '../../src/cluster/steps/execute-context.ts';
import { nodeStamp } from '../../src/objects/template.ts';
import { nodesOf, toNodeRecord, volumesOf } from '../../src/pass/node-record.ts';
import { createWorld } from './fake-world.ts';

export type World = Awaited<ReturnType<typeof healthyWorld>>;

/** A healthy cluster of so many, of which nothing has been written yet as far as the world shows. */
export async function healthyWorld(nodes = 3) {
  const w = createWorld();
  w.apply({ nodes });
  await w.live();
  w.writes.length = 0;
  return w;
}

export function decidedOn(w: World): ExecuteContext {
  const cluster = w.cluster();
  if (cluster === undefined) throw new Error('the cluster is not in the cache');
  const nodes = nodesOf(w.caches, cluster.metadata).map((view) => toNodeRecord(view, w.caches, w.ports.sampler));
  const volumes = volumesOf(w.caches, 'default', 'demo');
  const stamp = nodeStamp(cluster, withDefaults(cluster.spec));
  const { signal } = new AbortController();
  return { namespace: 'default', cluster, nodes, volumes, stamp, joiner: stamp, ports: w.ports, signal };
}

export function cachedNode(w: World, id: number): NodeRecord {
  const view = w.caches.nodes.store.get(`default/${nodeName('demo', id)}`);
  if (view === undefined) throw new Error(`node ${id} is not in the cache`);
  return toNodeRecord(view, w.caches, w.ports.sampler);
}

export function cachedVolume(w: World, id: number): VolumeRecord {
  const found = w.caches.volumes.store.get(`default/${pvcName('demo', id)}`);
  if (found === undefined) throw new Error(`volume ${id} is not in the cache`);
  return found;
}
