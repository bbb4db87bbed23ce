// What a wanted size means: refused, nothing to do, or a change with what happens next. Pure.

import {
  ANNOTATIONS,
  acceptedSize,
  DEFAULTS,
  type MarekvsCluster,
  type MarekvsNode,
  minimumNodes,
  withDefaults,
} from '@marekvs/api';
import { sizeRecordOf } from '@marekvs/operator/projections';
import { type DesiredSize, desiredSize, labelText } from '@marekvs/planner';
import { type Change, refused } from './change.ts';
import type { ClusterChange } from './writes.ts';

export type SizeChange = Change<{
  readonly nodes: number;
  readonly write: ClusterChange;
  /** Nodes will be removed. */
  readonly isSmaller: boolean;
}>;

export const MOST_NODES = 1000;

/** The size the operator works towards: what is asked for, or was decided by load, raised to the floor. */
export function wantedSize(cluster: MarekvsCluster): DesiredSize {
  return desiredSize(sizeRecordOf(cluster));
}

export function sizeChange(cluster: MarekvsCluster, nodes: readonly MarekvsNode[], wanted: number): SizeChange {
  const { spec, metadata } = cluster;
  const { namespace, name } = metadata;
  const asked = spec.nodes ?? DEFAULTS.nodes;
  const floor = minimumNodes(spec);
  if (metadata.deletionTimestamp !== undefined)
    return refused(`${name} is being deleted`, 'nothing changes it any more');
  if (spec.autoscale !== undefined) return sizedByLoad(cluster, wanted);
  const byHosts = sizedByHosts(cluster);
  if (byHosts !== undefined) return { kind: 'refused', ...byHosts };
  const { nodes: present, isKept } = wantedSize(cluster);
  if (wanted < floor)
    return {
      kind: 'refused',
      why: `${wanted} ${wanted === 1 ? 'node is' : 'nodes are'} below replicationFactor + 1 = ${floor}, and the operator would keep ${floor}`,
      next:
        present === floor
          ? `it has the fewest already; a node that has to go is replaced by a new one: kubectl mkv replace ${nodes.at(-1)?.metadata.name ?? `${name}-0`} -n ${namespace}`
          : `kubectl mkv scale ${name} ${floor} -n ${namespace}`,
    };
  if (wanted === asked && !isKept) return { kind: 'same', text: `${name} already wants ${wanted} nodes` };
  const change = {
    kind: 'change',
    nodes: wanted,
    isSmaller: wanted < nodes.length,
    next: consequence(cluster, nodes.length, wanted, isKept),
  } as const;
  if (wanted !== asked)
    return { ...change, write: { spec: { nodes: wanted } }, did: `${name}: spec.nodes ${asked} -> ${wanted}` };
  // spec.nodes has this value already. Without a new request it would count as what was wanted long ago.
  return {
    ...change,
    write: {
      spec: {},
      annotations: { [ANNOTATIONS.acceptedNodes]: acceptedSize(wanted, cluster.status?.autoscale?.since) },
    },
    did: `${name}: spec.nodes ${wanted} is confirmed, instead of the ${present} nodes that were decided by load`,
  };
}

/** Refuses, and names the bounds to edit instead, so that the cluster gets the wanted number of nodes. */
function sizedByLoad({ metadata, spec, status }: MarekvsCluster, asked: number): SizeChange {
  const wanted = Math.max(asked, minimumNodes(spec));
  const { namespace, name } = metadata;
  const { minNodes = 1, maxNodes = 1 } = spec.autoscale ?? {};
  const size = status?.autoscale?.size;
  const bounds =
    wanted > maxNodes
      ? { minNodes: wanted, maxNodes: wanted }
      : size !== undefined && wanted < size
        ? { ...(wanted < minNodes ? { minNodes: wanted } : {}), maxNodes: wanted }
        : { minNodes: wanted };
  const now = size === undefined ? '' : `, now ${size}`;
  return refused(
    `${name} has spec.autoscale, which decides its size: minNodes ${minNodes} to maxNodes ${maxNodes}${now}`,
    `change the bounds: kubectl patch mkv ${name} -n ${namespace} --type merge -p '${JSON.stringify({ spec: { autoscale: bounds } })}'; or take spec.autoscale out, which keeps the size, and then scale`,
  );
}

/** Why the size of this cluster cannot be set, and what changes it; undefined when it does not follow the hosts. */
export function sizedByHosts({
  metadata,
  spec,
  status,
}: MarekvsCluster): { readonly why: string; readonly next: string } | undefined {
  const rule = withDefaults(spec).hosts.onePerHost;
  if (rule === undefined) return undefined;
  const { namespace, name } = metadata;
  const size = status?.autoscale?.size;
  const labels = labelText(rule);
  const taken = JSON.stringify({ spec: { hosts: { onePerHost: null } } });
  return {
    why: `${name} has spec.hosts.onePerHost, so its size is the number of hosts with ${labels}${size === undefined ? '' : `, now ${size}`}`,
    next: `label a host: kubectl label node <host> ${labels.replaceAll(',', ' ')}; or take onePerHost out, which keeps the size, and then scale: kubectl patch mkv ${name} -n ${namespace} --type merge -p '${taken}'`,
  };
}

function consequence({ metadata, spec }: MarekvsCluster, present: number, wanted: number, isKept: boolean): string {
  const follow = `follow it: kubectl mkv status ${metadata.name} -n ${metadata.namespace} --watch`;
  const paused = spec.paused === true ? 'it is paused, so nothing happens before it is resumed; ' : '';
  if (wanted > present)
    return `${paused}${wanted - present === 1 ? 'one node joins' : `${wanted - present} nodes join together`}; ${follow}`;
  if (wanted < present)
    return present - wanted === 1
      ? `${paused}one node leaves after proof that its data is elsewhere; ${follow}`
      : `${paused}${present - wanted} nodes leave one at a time, each after proof that its data is elsewhere; ${follow}`;
  // The size that load had decided becomes the one that is asked for.
  if (isKept) return `${paused}the ${wanted} nodes stay; ${follow}`;
  return `${paused}a removal under way is undone; ${follow}`;
}
