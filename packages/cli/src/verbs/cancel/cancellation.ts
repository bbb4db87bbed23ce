// Answers: how is the removal under way undone, if it still can be? Pure.

import { ANNOTATIONS, kindOf, type MarekvsCluster, type MarekvsNode, stageOf } from '@marekvs/api';
import { sizedByHosts, wantedSize } from '../../changing/size.ts';

export type Cancellation =
  | { readonly kind: 'nothing'; readonly text: string }
  | { readonly kind: 'impossible'; readonly why: string; readonly next: string }
  /** Set the size to the present number of nodes. */
  | { readonly kind: 'keep'; readonly nodes: number; readonly from: number; readonly target: string }
  /** Remove the force-remove annotation. */
  | { readonly kind: 'unforce'; readonly target: string };

type Removal = NonNullable<NonNullable<MarekvsCluster['status']>['operation']>;

export function cancellation(cluster: MarekvsCluster, nodes: readonly MarekvsNode[]): Cancellation {
  const operation = cluster.status?.operation;
  const staying = nodes.filter((node) => node.metadata.deletionTimestamp === undefined).length;
  return operation !== undefined && kindOf(operation) === 'removal'
    ? ofRemoval(cluster, operation, nodes, staying)
    : withoutRemoval(cluster, nodes, staying);
}

function impossible(why: string, next: string): Cancellation {
  return { kind: 'impossible', why, next };
}

/** No removal is under way: looks at what would be removed next, and at other operations. */
function withoutRemoval(cluster: MarekvsCluster, nodes: readonly MarekvsNode[], staying: number): Cancellation {
  const { name, namespace } = cluster.metadata;
  const { type, roll } = cluster.status?.operation ?? {};
  const none = `no removal is under way on ${name}`;
  if (type === 'Hibernate')
    return impossible(
      `${none}: all its members are stopped, or on their way there or back`,
      `kubectl mkv wake ${name} -n ${namespace}`,
    );
  if (type === 'Suspend')
    return impossible(
      `${none}: ${roll?.name} is off its volume for repair by hand`,
      `kubectl mkv resume-member ${roll?.name} -n ${namespace}`,
    );
  const forced = nodes.find((node) => node.metadata.annotations?.[ANNOTATIONS.forceRemove] !== undefined);
  if (forced !== undefined) return { kind: 'unforce', target: forced.metadata.name };
  if (staying > wantedSize(cluster).nodes) return keeping(cluster, staying, 'the node that would go next');
  if (roll === undefined) return { kind: 'nothing', text: `nothing is under way on ${name}` };
  return impossible(
    `${none}: it is the turn of ${roll.name} in a rolling update`,
    `kubectl mkv rollout undo ${name} -n ${namespace} takes that back, kubectl mkv rollout pause stops it after this turn`,
  );
}

function ofRemoval(
  cluster: MarekvsCluster,
  operation: Removal,
  nodes: readonly MarekvsNode[],
  staying: number,
): Cancellation {
  const { phase, basis, type } = operation;
  const target = operation.target?.name ?? 'the node';
  if (phase === 'Cancelling') return { kind: 'nothing', text: `the removal of ${target} is being undone already` };
  if (stageOf(operation) !== 'before')
    return impossible(
      `the removal of ${target} is past the point of no return (phase ${phase})`,
      `let it finish${howOneIsAdded(cluster)}`,
    );
  if (basis === 'Forced') return { kind: 'unforce', target };
  const node = nodes.find(({ metadata }) => metadata.name === target)?.metadata;
  if (node?.annotations?.[ANNOTATIONS.hostDrained] !== undefined)
    return impossible(
      `${target} is replaced because its host is being drained, and the new node has joined`,
      'nothing is lost: it leaves only after proof, and one of the two would have to go if the host took Pods again',
    );
  if (node?.deletionTimestamp !== undefined || type === 'Replace')
    return impossible(
      `${target} was deleted, or lost its volume, and a deletion cannot be taken back`,
      'nothing is lost: a new node has joined first, and it leaves only after proof',
    );
  return keeping(cluster, staying, target);
}

function howOneIsAdded(cluster: MarekvsCluster): string {
  const { metadata, spec } = cluster;
  if (spec.hosts?.onePerHost !== undefined) return ': a node is added when another host has the labels';
  if (spec.autoscale !== undefined) return ': a node is added when the load asks for it';
  const size = wantedSize(cluster).nodes + 1;
  return `, then add a node: kubectl mkv scale ${metadata.name} ${size} -n ${metadata.namespace}`;
}

function keeping(cluster: MarekvsCluster, nodes: number, target: string): Cancellation {
  return sizedByOthers(cluster, nodes) ?? { kind: 'keep', nodes, from: wantedSize(cluster).nodes, target };
}

/** Why `cancel` cannot set the size; undefined when spec.nodes decides it. */
function sizedByOthers(cluster: MarekvsCluster, nodes: number): Cancellation | undefined {
  if (cluster.spec.autoscale !== undefined) return sizedByLoad(cluster, nodes);
  const byHosts = sizedByHosts(cluster);
  if (byHosts === undefined) return undefined;
  return impossible(byHosts.why, `the label on its host again takes the removal back; or ${byHosts.next}`);
}

/** With autoscaling, only its bounds can keep the present number of nodes. */
function sizedByLoad(
  { metadata: { namespace, name }, spec: { autoscale } }: MarekvsCluster,
  nodes: number,
): Cancellation {
  const isBeyond = nodes > (autoscale?.maxNodes ?? nodes);
  const bounds = { minNodes: nodes, ...(isBeyond ? { maxNodes: nodes } : {}) };
  const spec = JSON.stringify({ spec: { autoscale: bounds } });
  return impossible(
    `${name} has spec.autoscale, which decides its size`,
    `load that rises takes the removal back; so does a larger minNodes: kubectl patch mkv ${name} -n ${namespace} --type merge -p '${spec}'`,
  );
}
