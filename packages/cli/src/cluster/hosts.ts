// The state of the hosts under a cluster, and which hosts shall have a member; undefined when the user may not read
// Kubernetes Nodes.

import { type MarekvsCluster, withDefaults } from '@marekvs/api';
import { selectedHostOf } from '@marekvs/operator/projections';
import type { HostState, SelectedHost, SelectedHosts } from '@marekvs/planner';
import { isForbidden, type Node, nodes } from '@marekvs/runtime';
import type { Run } from '../connection/cli.ts';
import type { ClusterParts } from './cluster-parts.ts';
import { readDrains, type SeenDrains } from './drains.ts';

export interface SeenHosts {
  /** By name, for hosts that have Pods of the cluster. */
  readonly states: ReadonlyMap<string, HostState>;
  /** Hosts that spec.hosts.onePerHost selects; undefined without it. */
  readonly selected: SelectedHosts | undefined;
  readonly drains: SeenDrains;
}

export async function readHosts(run: Run, parts: ClusterParts): Promise<SeenHosts | undefined> {
  const { pods, cluster } = parts;
  try {
    const items = await run.list(nodes);
    const states = new Map(items.map(({ metadata, spec }) => [metadata.name, spec?.unschedulable === true]));
    const used = new Set(pods.flatMap(({ spec }) => (spec?.nodeName === undefined ? [] : [spec.nodeName])));
    return {
      states: new Map([...used].map((name) => [name, stateOf(states.get(name))])),
      selected: selectedOf(cluster, items),
      drains: await readDrains(run, parts, items),
    };
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

function stateOf(isCordoned: boolean | undefined): HostState {
  if (isCordoned === undefined) return 'gone';
  return isCordoned ? 'draining' : 'schedulable';
}

function selectedOf({ spec }: MarekvsCluster, items: readonly Node[]): SelectedHosts | undefined {
  const rule = withDefaults(spec).hosts.onePerHost;
  if (rule === undefined) return undefined;
  const wanted = Object.entries(rule.nodeSelector);
  const hosts = items
    .filter(({ metadata }) => wanted.every(([key, value]) => metadata.labels?.[key] === value))
    .map((item): [string, SelectedHost] => [item.metadata.name ?? '', selectedHostOf(item)]);
  return { kind: 'known', hosts: new Map(hosts) };
}
