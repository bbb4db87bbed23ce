// What keeps a cluster from its desired state, removals aside: each hold is one sentence for a person. Its numbers do
// not change while the cluster does not.

import { listed } from '@marekvs/api';
import { followsUpstream } from '../evidence/preflight/preflight-checks.ts';
import { hasLostVolume } from '../members/member-state.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import { type Hold, hold } from '../values/hold.ts';

export function totalLossHold(o: ClusterObservation): Hold {
  return hold(
    'TotalLoss',
    `no volume of the formed cluster ${o.cluster.name} is left: it is not formed a second time by itself`,
    true,
  );
}

export function lostVolumeHold(node: NodeRecord): Hold | undefined {
  if (!hasLostVolume(node)) return undefined;
  return hold(
    'VolumeLost',
    `the volume of ${node.name} is gone: its id is not used again and a new node takes its place`,
  );
}

/** Stored before the schema refused it. */
export function upstreamHold({ cluster }: ClusterObservation): Hold | undefined {
  if (!followsUpstream(cluster)) return undefined;
  const message =
    'every member follows an upstream Redis by itself, so lists and counters come out several times: take MAREKVS_REPLICAOF out of spec.extraEnv';
  return hold('FollowsUpstream', message, true);
}

export function pausedHold(pending: string): Hold {
  return hold('Paused', `spec.paused is true${pending}`);
}

/** What would change in size if the cluster were not paused, as the end of a sentence. */
export function pendingChange(o: ClusterObservation, desired: number): string {
  const change = desired - o.nodes.filter((node) => !hasLostVolume(node)).length;
  if (change === 0) return '';
  const count = Math.abs(change);
  return `: ${count} ${count === 1 ? 'node is' : 'nodes are'} to be ${change > 0 ? 'added' : 'removed'}`;
}

/** Names the member that serves no clients while the pause lasts, as the end of a sentence: it cannot be brought back
 *  while nothing is written. */
export function blockedText({ cluster, nodes }: ClusterObservation): string {
  const { roll, target } = cluster.operation ?? {};
  const uid = (roll ?? target)?.uid;
  const node = nodes.find((one) => one.uid === uid && !one.serving);
  if (node === undefined) return '';
  const what = roll === undefined ? 'removal' : 'turn';
  return `; ${node.name} is in the middle of its ${what} and serves no clients before it goes on: kubectl mkv resume ${cluster.name}`;
}

/** A hibernated cluster that has never run is not formed: its members would have to stop at once. */
export function unformedHold({ name }: ClusterObservation['cluster']): Hold {
  return hold('HibernationWaits', `${name} has never run: it is formed when spec.hibernated is false`);
}

export function invalidSpec(o: ClusterObservation): Hold {
  const text = o.cluster.problems.map((problem) => `${problem.path}: ${problem.message}`).join('; ');
  return hold('InvalidSpec', text, true);
}

/** Objects that name this cluster without being its own, as copies do. Nothing waits for them, nor is anybody alarmed:
 *  whoever may write in some namespace can make one. So the text does not follow what happens elsewhere, either. */
export function foreignHold({ foreignNodes: { names, areElsewhere } }: ClusterObservation): Hold | undefined {
  if (names.length === 0 && !areElsewhere) return undefined;
  const here = names.length === 0 ? [] : [listed(names, MAX_FOREIGN)];
  const all = [...here, ...(areElsewhere ? ['some in other namespaces'] : [])].join(', and ');
  return hold('NodeForeign', `MarekvsNodes that name this cluster without being its own count for nothing: ${all}`);
}

const MAX_FOREIGN = 5;
