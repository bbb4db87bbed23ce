// Answers: may the members of this cluster be handed to a StatefulSet, as far as can be seen from here? The checks are
// the operator's own, on what it last recorded of the members, and two that only the CLI makes, because the operator
// does not see objects that are not its own. Pure.

import { isReleaseAsked, type MarekvsCluster, parseNodeId, releasedSelector } from '@marekvs/api';
import { agreeOnMembership, type ClusterObservation, desiredSize, releaseObstacle } from '@marekvs/planner';
import type { KubeObject, Stored } from '@marekvs/runtime';

export interface HandingBack {
  readonly cluster: MarekvsCluster;
  readonly observation: ClusterObservation;
  /** A StatefulSet with the cluster's name exists. */
  readonly hasSet: boolean;
  /** Every Pod of the namespace with the label by which a StatefulSet takes Pods. */
  readonly labelled: readonly Stored<KubeObject>[];
}

export interface HandingBackRefusal {
  readonly why: string;
  readonly next: string;
}

/** The first thing that is in the way, with what to do about it; undefined when nothing is. */
export function handingBackProblem({
  cluster,
  observation,
  hasSet,
  labelled,
}: HandingBack): HandingBackRefusal | undefined {
  const { name, namespace, deletionTimestamp } = cluster.metadata;
  const { formed, release } = cluster.status ?? {};
  if (deletionTimestamp !== undefined) return { why: `${name} is being deleted`, next: 'nothing changes it any more' };
  if (cluster.spec.paused === true)
    return {
      why: `${name} is paused, so nothing would be handed over`,
      next: `kubectl mkv resume ${name} -n ${namespace}`,
    };
  const stranger = labelled.find(({ metadata }) => !isMember(observation, name, metadata.name ?? ''));
  if (stranger !== undefined)
    return {
      why: `Pod ${stranger.metadata.name} has the label ${labelText(name)} and is no member: the Services would find it, and a StatefulSet end it`,
      next: `kubectl label pod ${stranger.metadata.name} -n ${namespace} app-`,
    };
  // The release has begun: the operator reports what has changed since, and waits for it.
  if (isReleaseAsked(cluster) && release !== undefined) return undefined;
  if (release !== undefined)
    return {
      why: `the members of ${name} are being taken back from a StatefulSet`,
      next: `kubectl mkv adopt ${name} -n ${namespace}`,
    };
  if (hasSet) return { why: `there is a StatefulSet ${name} already`, next: 'rename or remove it' };
  const obstacle = releaseObstacle({
    o: observation,
    identity: formed?.clusterId ?? '',
    membership: agreeOnMembership(observation.nodes),
    desired: desiredSize(observation.cluster).nodes,
  });
  if (obstacle === undefined) return undefined;
  const next = `kubectl mkv release ${name} -n ${namespace}`;
  return { why: obstacle.message, next: obstacle.needsPerson ? `do that, then ${next}` : `wait, then ${next}` };
}

function isMember({ nodes }: ClusterObservation, cluster: string, pod: string): boolean {
  const id = parseNodeId(cluster, pod);
  return id !== undefined && nodes.some((node) => node.id === id && node.name === pod);
}

export function labelText(cluster: string): string {
  return Object.entries(releasedSelector(cluster))
    .map(([key, value]) => `${key}=${value}`)
    .join();
}
