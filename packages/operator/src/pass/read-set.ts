// What of a StatefulSet has the name of a cluster that is handed over? Both controllers read it live.

import { controllerOf, type MarekvsCluster } from '@marekvs/api';
import type { ReleaseSet } from '@marekvs/planner';
import { ifFound, statefulSets } from '@marekvs/runtime';
import { refusalIn } from '../api-server/write-refusal.ts';
import { setProblem } from '../objects/released-set.ts';
import type { Ports } from './ports.ts';

/** The live StatefulSet with the name of the cluster. */
export async function readSet(
  cluster: MarekvsCluster,
  members: number,
  { client }: Pick<Ports, 'client'>,
  signal: AbortSignal,
): Promise<ReleaseSet> {
  const { namespace, name, uid } = cluster.metadata;
  try {
    const set = await ifFound(client.get(statefulSets, { namespace, name }, { signal }));
    if (set === undefined) return { kind: 'none' };
    const isOurs = controllerOf(set.metadata)?.uid === uid;
    return { kind: 'there', uid: set.metadata.uid, isOurs, problem: setProblem(set, cluster, members) };
  } catch (error) {
    return { kind: 'unread', hold: refusalIn(error) };
  }
}
