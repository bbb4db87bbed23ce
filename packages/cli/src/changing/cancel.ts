// Answers: how is the removal under way undone, if it still can be? Pure.

import { ANNOTATIONS, type MarekvsCluster, type MarekvsNode, type OperationPhase } from '@marekvs/api';
import { wantedSize } from './size.ts';

export type Cancellation =
  | { readonly kind: 'nothing'; readonly text: string }
  | { readonly kind: 'impossible'; readonly why: string; readonly next: string }
  /** Keep as many nodes as there are. */
  | { readonly kind: 'keep'; readonly nodes: number; readonly from: number; readonly target: string }
  /** Take the force-remove annotation off. */
  | { readonly kind: 'unforce'; readonly target: string };

/** Up to Proving everything can be undone (docs/design/contract.md#removing-a-node). */
const UNDOABLE: ReadonlySet<OperationPhase> = new Set<OperationPhase>(['Claimed', 'Isolating', 'Proving']);

export function cancellation(cluster: MarekvsCluster, nodes: readonly MarekvsNode[]): Cancellation {
  const { status, spec, metadata } = cluster;
  const operation = status?.operation;
  const staying = nodes.filter((node) => node.metadata.deletionTimestamp === undefined);
  const { nodes: wanted } = wantedSize(cluster);
  if (operation === undefined || operation.roll !== undefined) {
    const marked = nodes.find((node) => node.metadata.annotations?.[ANNOTATIONS.forceRemove] !== undefined);
    if (marked !== undefined) return { kind: 'unforce', target: marked.metadata.name };
    if (staying.length > wanted)
      return spec.autoscale === undefined
        ? { kind: 'keep', nodes: staying.length, from: wanted, target: 'the node that would go next' }
        : sizedByLoad(cluster, staying.length);
    if (operation?.roll !== undefined)
      return {
        kind: 'impossible',
        why: `no removal is under way on ${metadata.name}: it is the turn of ${operation.roll.name} in a rolling update`,
        next: `kubectl mkv rollout undo ${metadata.name} -n ${metadata.namespace} takes that back, kubectl mkv rollout pause stops it after this turn`,
      };
    return { kind: 'nothing', text: `nothing is under way on ${metadata.name}` };
  }
  const target = operation.target?.name ?? 'the node';
  if (operation.phase === 'Cancelling')
    return { kind: 'nothing', text: `the removal of ${target} is being undone already` };
  if (!UNDOABLE.has(operation.phase))
    return {
      kind: 'impossible',
      why: `the removal of ${target} is past the point of no return (phase ${operation.phase})`,
      next:
        spec.autoscale === undefined
          ? `let it finish, then add a node: kubectl mkv scale ${metadata.name} ${wanted + 1} -n ${metadata.namespace}`
          : 'let it finish: a node is added when the load asks for it',
    };
  if (operation.basis === 'Forced') return { kind: 'unforce', target };
  const isDeleted = nodes.some(
    (node) => node.metadata.name === target && node.metadata.deletionTimestamp !== undefined,
  );
  if (isDeleted || operation.type === 'Replace')
    return {
      kind: 'impossible',
      why: `${target} was deleted, or lost its volume, and a deletion cannot be taken back`,
      next: 'nothing is lost: a new node has joined first, and it leaves only after proof',
    };
  if (spec.autoscale !== undefined) return sizedByLoad(cluster, staying.length);
  return { kind: 'keep', nodes: staying.length, from: wanted, target };
}

/** As many nodes as there are can only be kept by the bounds. */
function sizedByLoad(
  { metadata: { namespace, name }, spec: { autoscale } }: MarekvsCluster,
  nodes: number,
): Cancellation {
  const isBeyond = nodes > (autoscale?.maxNodes ?? nodes);
  const bounds = { minNodes: nodes, ...(isBeyond ? { maxNodes: nodes } : {}) };
  const spec = JSON.stringify({ spec: { autoscale: bounds } });
  return {
    kind: 'impossible',
    why: `${name} has spec.autoscale, which decides its size`,
    next: `load that rises takes the removal back; so does a larger minNodes: kubectl patch mkv ${name} -n ${namespace} --type merge -p '${spec}'`,
  };
}
