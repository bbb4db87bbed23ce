// Answers: how is the removal under way undone, if it still can be? Pure.

import { ANNOTATIONS, type MarekvsCluster, type MarekvsNode, type OperationPhase } from '@marekvs/api';
import { sizedByHosts, wantedSize } from './size.ts';

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
  const { name, namespace } = metadata;
  if (operation?.type === 'Hibernate')
    return {
      kind: 'impossible',
      why: `no removal is under way on ${name}: all its members are stopped, or on their way there or back`,
      next: `kubectl mkv wake ${name} -n ${namespace}`,
    };
  if (operation?.type === 'Suspend')
    return {
      kind: 'impossible',
      why: `no removal is under way on ${name}: ${operation.roll?.name} is off its volume for repair by hand`,
      next: `kubectl mkv resume-member ${operation.roll?.name} -n ${namespace}`,
    };
  if (operation === undefined || operation.roll !== undefined) {
    const marked = nodes.find((node) => node.metadata.annotations?.[ANNOTATIONS.forceRemove] !== undefined);
    if (marked !== undefined) return { kind: 'unforce', target: marked.metadata.name };
    if (staying.length > wanted)
      return (
        sizedByOthers(cluster, staying.length) ?? {
          kind: 'keep',
          nodes: staying.length,
          from: wanted,
          target: 'the node that would go next',
        }
      );
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
        spec.hosts?.onePerHost !== undefined
          ? 'let it finish: a node is added when another host has the labels'
          : spec.autoscale === undefined
            ? `let it finish, then add a node: kubectl mkv scale ${metadata.name} ${wanted + 1} -n ${metadata.namespace}`
            : 'let it finish: a node is added when the load asks for it',
    };
  if (operation.basis === 'Forced') return { kind: 'unforce', target };
  const isDrained = nodes.some(
    ({ metadata: { name, annotations } }) => name === target && annotations?.[ANNOTATIONS.hostDrained] !== undefined,
  );
  if (isDrained)
    return {
      kind: 'impossible',
      why: `${target} is replaced because its host is being drained, and the new node has joined`,
      next: 'nothing is lost: it leaves only after proof, and one of the two would have to go if the host took Pods again',
    };
  const isDeleted = nodes.some(
    (node) => node.metadata.name === target && node.metadata.deletionTimestamp !== undefined,
  );
  if (isDeleted || operation.type === 'Replace')
    return {
      kind: 'impossible',
      why: `${target} was deleted, or lost its volume, and a deletion cannot be taken back`,
      next: 'nothing is lost: a new node has joined first, and it leaves only after proof',
    };
  return sizedByOthers(cluster, staying.length) ?? { kind: 'keep', nodes: staying.length, from: wanted, target };
}

/** Why `cancel` cannot set the size; undefined for a fixed one. */
function sizedByOthers(cluster: MarekvsCluster, nodes: number): Cancellation | undefined {
  if (cluster.spec.autoscale !== undefined) return sizedByLoad(cluster, nodes);
  const byHosts = sizedByHosts(cluster);
  if (byHosts === undefined) return undefined;
  return {
    kind: 'impossible',
    why: byHosts.why,
    next: `the label on its host again takes the removal back; or ${byHosts.next}`,
  };
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
