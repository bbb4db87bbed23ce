// Answers: what happens, before a cluster is formed, to members that a StatefulSet runs, or ran, under its name? No
// cluster is ever formed beside them. They are taken over only on request, and as they are: their Pods go on running,
// and what clients use is switched last (docs/decisions/adopting-and-releasing.md). The node controller checks which
// Pod and which volume.

import { type AdoptionRequest, nodeName } from '@marekvs/api';
import type { Membership } from '../members/membership.ts';
import { membershipHold } from '../members/membership.ts';
import type { Adoption } from '../observation/adoption-found.ts';
import type { ClusterRecord } from '../observation/cluster-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import type { ClusterStep } from '../steps/cluster-step.ts';
import { type Hold, hold } from '../values/hold.ts';
import { type FormingPlan, isComplete } from './forming.ts';

/** Recheck interval once adoption is requested: whoever asked is about to delete the StatefulSet. */
export const ASKED_INTERVAL_MS = 5_000;
/** Recheck interval before that: StatefulSets are not watched, and one that is found may stay for ever. */
export const FOUND_INTERVAL_MS = 60_000;

/** The next steps of a cluster whose members a StatefulSet made. Pure. */
export function planAdoption(o: ClusterObservation, adoption: Adoption, membership: Membership): FormingPlan {
  if (adoption.kind !== 'underWay') {
    const isAsked = adoption.kind === 'found' && adoption.isAsked;
    return waitFor([standstill(o.cluster, adoption)], isAsked ? ASKED_INTERVAL_MS : FOUND_INTERVAL_MS);
  }
  const { request } = adoption;
  const known = new Set(o.nodes.map(({ id }) => id));
  const steps = request.volumes
    .filter(({ nodeId }) => !known.has(nodeId))
    .map(({ nodeId, uid }): ClusterStep => {
      return { kind: 'createNode', id: nodeId, why: 'Adopting', adopts: { volumeUid: uid, dataDir: request.dataDir } };
    });
  if (steps.length > 0) return { ...waitFor([progress(o, request)], undefined), steps };
  if (isComplete(o, membership)) return { ...waitFor([], undefined), mayLatchFormed: true };
  const unknown = membership.kind === 'unknown' ? [membershipHold(membership)] : [];
  return waitFor([...unknown, progress(o, request)], ASKED_INTERVAL_MS);
}

/** What is reported while the adoption cannot go on, also where something else ends the pass earlier; undefined once it
 *  is under way. */
export function adoptionHold(cluster: ClusterRecord): Hold | undefined {
  const { adoption } = cluster;
  return adoption === undefined || adoption.kind === 'underWay' ? undefined : standstill(cluster, adoption);
}

function waitFor(holds: readonly Hold[], requeueAfterMs: number | undefined): FormingPlan {
  return { steps: [], holds, mayLatchFormed: false, requeueAfterMs };
}

function standstill({ namespace, name }: ClusterRecord, adoption: Exclude<Adoption, { kind: 'underWay' }>): Hold {
  const command = `kubectl mkv adopt ${name} -n ${namespace}`;
  const found = (message: string): Hold => hold('StatefulSetFound', message, true);
  switch (adoption.kind) {
    case 'unread':
      return adoption.hold;
    case 'unclear':
      return hold(
        'AdoptionUnclear',
        `members of ${name} are taken over in part, and its annotation marekvs.io/adopt is gone or unreadable: put it back`,
        true,
      );
    case 'loose':
      return found(
        `Pod ${adoption.pod} runs without an owner: make its StatefulSet again, which takes its Pods back as they are, then ${command}`,
      );
    case 'found':
      if (!adoption.isOurs)
        return found(`StatefulSet ${name} belongs to somebody else: rename or remove one of the two`);
      return adoption.isAsked
        ? found(`StatefulSet ${name} is to be taken over and is still there: ${command} lets it go`)
        : found(`StatefulSet ${name} runs the members: stop the existing operator, then ${command}`);
  }
}

/** Names what is still missing, in a fixed order. */
function progress(o: ClusterObservation, { volumes }: AdoptionRequest): Hold {
  const taken = o.nodes.filter((node) => node.pod?.ownerUid === node.uid);
  const missing = volumes.filter(({ nodeId }) => !taken.some(({ id }) => id === nodeId));
  const rest =
    missing.length === 0
      ? 'the Services are switched when all of them agree'
      : `waiting for ${missing.map(({ nodeId }) => nodeName(o.cluster.name, nodeId)).join(', ')}`;
  return hold('Adopting', `${volumes.length - missing.length} of ${volumes.length} members are taken over: ${rest}`);
}
