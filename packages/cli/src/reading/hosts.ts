// What the Kubernetes Nodes under a cluster are doing; undefined when whoever asks may not read them.

import type { HostState } from '@marekvs/planner';
import { isForbidden, nodes } from '@marekvs/runtime';
import type { Run } from '../cli.ts';
import type { ClusterParts } from './cluster-parts.ts';

export async function readHosts(run: Run, { pods }: ClusterParts): Promise<ReadonlyMap<string, HostState> | undefined> {
  const { client } = await run.connect();
  try {
    const { items } = await client.list(nodes, { signal: run.ports.signal });
    const states = new Map(items.map(({ metadata, spec }) => [metadata.name, spec?.unschedulable === true]));
    const used = new Set(pods.flatMap(({ spec }) => (spec?.nodeName === undefined ? [] : [spec.nodeName])));
    return new Map([...used].map((name) => [name, stateOf(states.get(name))]));
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

function stateOf(isCordoned: boolean | undefined): HostState {
  if (isCordoned === undefined) return 'gone';
  return isCordoned ? 'draining' : 'schedulable';
}
