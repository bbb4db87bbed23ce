// What a wanted size means: refused, nothing to do, or a change with what happens next. Pure.

import { DEFAULTS, type MarekvsCluster, type MarekvsNode, minimumNodes, unsupportedFieldsUsed } from '@marekvs/api';
import type { Change } from './change.ts';

export type SizeChange = Change<{
  readonly nodes: number;
  /** Nodes will go. */
  readonly isSmaller: boolean;
}>;

export const MOST_NODES = 1000;

/** The size the operator keeps: what is asked for, raised to the floor. */
export function keptSize(spec: MarekvsCluster['spec']): number {
  return Math.max(spec.nodes ?? DEFAULTS.nodes, minimumNodes(spec));
}

export function sizeChange(cluster: MarekvsCluster, nodes: readonly MarekvsNode[], wanted: number): SizeChange {
  const { spec, metadata } = cluster;
  const { namespace, name } = metadata;
  const present = spec.nodes ?? DEFAULTS.nodes;
  const floor = minimumNodes(spec);
  if (metadata.deletionTimestamp !== undefined)
    return { kind: 'refused', why: `${name} is being deleted`, next: 'nothing changes it any more' };
  // A field without effect decides nothing: kubectl scale does it as well.
  if (spec.autoscale !== undefined && !unsupportedFieldsUsed(spec).includes('spec.autoscale'))
    return {
      kind: 'refused',
      why: `${name} has spec.autoscale, which decides its size`,
      next: `change minNodes and maxNodes: kubectl edit mkv ${name} -n ${namespace}`,
    };
  if (wanted < floor)
    return {
      kind: 'refused',
      why: `${wanted} ${wanted === 1 ? 'node is' : 'nodes are'} below replicationFactor + 1 = ${floor}, and the operator would keep ${floor}`,
      next:
        keptSize(spec) === floor
          ? `it has the fewest already; a node that has to go is replaced by a new one: kubectl mkv replace ${nodes.at(-1)?.metadata.name ?? `${name}-0`} -n ${namespace}`
          : `kubectl mkv scale ${name} ${floor} -n ${namespace}`,
    };
  if (wanted === present) return { kind: 'same', text: `${name} already wants ${wanted} nodes` };
  const did = `${name}: spec.nodes ${present} -> ${wanted}`;
  return {
    kind: 'change',
    nodes: wanted,
    isSmaller: wanted < nodes.length,
    did,
    next: consequence(cluster, nodes.length, wanted),
  };
}

function consequence({ metadata, spec }: MarekvsCluster, present: number, wanted: number): string {
  const follow = `follow it: kubectl mkv status ${metadata.name} -n ${metadata.namespace} --watch`;
  const paused = spec.paused === true ? 'it is paused, so nothing happens before it is resumed; ' : '';
  if (wanted > present)
    return `${paused}${wanted - present === 1 ? 'one node joins' : `${wanted - present} nodes join together`}; ${follow}`;
  if (wanted < present)
    return present - wanted === 1
      ? `${paused}one node leaves after proof that its data is elsewhere; ${follow}`
      : `${paused}${present - wanted} nodes leave one at a time, each after proof that its data is elsewhere; ${follow}`;
  return `${paused}a removal under way is undone; ${follow}`;
}
