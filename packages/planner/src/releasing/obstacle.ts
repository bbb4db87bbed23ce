// Answers: what keeps the members of a cluster from being handed to a StatefulSet of the existing operator? The checks
// of adoption, backwards: a Pod that is recreated from its template has to find what runs now
// (docs/decisions/adopting-and-releasing.md). The first obstacle is the answer, with the command to type. What passes
// by itself is waited for; everything else needs a person.

import {
  DATA_MOUNT,
  DEFAULT_CLUSTER_IDENTITY,
  DEFAULT_SERVER_GC_GRACE_SECONDS,
  minimumNodes,
  nodeName,
  pvcName,
} from '@marekvs/api';
import { firstHold, type Holds } from '../evidence/checks.ts';
import { currentVerification } from '../evidence/verification/verification.ts';
import { isActiveMember, isAskedToLeave, isBehindService, isUp } from '../members/member-state.ts';
import type { Membership } from '../members/membership.ts';
import { isOfOtherSecret } from '../members/passwords.ts';
import { needsReplacement } from '../members/replacement.ts';
import { detachedVolumeStates } from '../members/volume-age.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import type { ReleaseSeen } from '../observation/release-seen.ts';
import { outdatedNodes, restingReason } from '../operations/rolling/next-turn.ts';
import { isHibernation } from '../operations/sleep/hibernation.ts';
import { type Hold, hold, namesOf } from '../values/hold.ts';

interface HandOver {
  readonly o: ClusterObservation;
  readonly identity: ReleaseSeen['identity'];
  readonly membership: Membership;
  readonly desired: number;
}

const HOLDS: Holds<'HandOver', HandOver> = {
  notStopped,
  nothingUnderWay,
  likeSpec,
  likeIds,
  likeFolders,
  settled,
  allWell,
};

/** Undefined when they may be handed over now. */
export function releaseObstacle(scope: HandOver): Hold | undefined {
  return firstHold('HandOver', HOLDS, scope);
}

/** A member that is stopped for a while cannot change hands, and comes back when a person says so. */
function notStopped({ o: { cluster, nodes } }: HandOver): Hold | undefined {
  const { name, namespace } = cluster;
  if (cluster.spec.hibernated || isHibernation(cluster))
    return refused(`its members are stopped for a while: kubectl mkv wake ${name} -n ${namespace}`);
  const asked = nodes.find(({ suspendAsked }) => suspendAsked !== undefined);
  if (asked === undefined) return undefined;
  return refused(`${asked.name} is off its volume: kubectl mkv resume-member ${asked.name} -n ${namespace}`);
}

/** An operation under way ends by itself, and has to end first. */
function nothingUnderWay({ o }: HandOver): Hold | undefined {
  const { operation } = o.cluster;
  if (operation === undefined) return undefined;
  const name = (operation.roll ?? operation.target)?.name ?? 'a node';
  const what = operation.roll === undefined ? 'removal' : 'turn';
  return waits(`the ${what} of ${name} is finished first`);
}

/** Settings that a StatefulSet of the existing operator has no field for. */
function likeSpec({ o, identity }: HandOver): Hold | undefined {
  const { name, namespace, spec } = o.cluster;
  const set = (why: string, change: object) =>
    refused(`${why}: kubectl patch mkv ${name} -n ${namespace} --type=merge -p '${JSON.stringify({ spec: change })}'`);
  if (identity !== DEFAULT_CLUSTER_IDENTITY)
    return refused(
      `its members call their cluster ${identity}, and those of the existing operator ${DEFAULT_CLUSTER_IDENTITY}: one that it makes again would be alone. Copy its data into another cluster`,
    );
  if (spec.gcGraceSeconds !== DEFAULT_SERVER_GC_GRACE_SECONDS)
    return set(
      `its members keep tombstones for ${spec.gcGraceSeconds} s, and those of the existing operator for ${DEFAULT_SERVER_GC_GRACE_SECONDS} s`,
      { gcGraceSeconds: DEFAULT_SERVER_GC_GRACE_SECONDS },
    );
  if (spec.deletionProtection)
    return set('it has deletionProtection, which a StatefulSet cannot keep', { deletionProtection: false });
  if (spec.hosts.onePerHost !== undefined)
    return set('it has a member on every host with a label, which a StatefulSet cannot express', {
      hosts: { onePerHost: null },
    });
  if (spec.volumeRetention.whenDeleted === 'Delete')
    return set('its volumes are to be deleted with it, which a StatefulSet of the existing operator cannot express', {
      volumeRetention: { whenDeleted: 'Retain' },
    });
  return undefined;
}

/** A StatefulSet has the ids from 0 without a gap, and ends Pods with a higher one. */
function likeIds({ o }: HandOver): Hold | undefined {
  const misnamed = o.nodes.find((node) => node.name !== nodeName(o.cluster.name, node.id) || !hasItsClaim(o, node));
  if (misnamed !== undefined)
    return refused(
      `${misnamed.name} is not on PersistentVolumeClaim ${pvcName(o.cluster.name, misnamed.id)}, which a StatefulSet would give it`,
    );
  const gap = o.nodes.findIndex((node, index) => node.id !== index);
  if (gap < 0) return undefined;
  const ids = o.nodes.map(({ id }) => id).join(', ');
  const back = detachedVolumeStates(o).find(({ volume, state }) => volume.nodeId === gap && state === 'Reusable');
  const { name, namespace } = o.cluster;
  if (back !== undefined)
    return refused(
      `it has the ids ${ids}, and a StatefulSet has no gap: ${nodeName(name, gap)} comes back on its kept volume with kubectl mkv scale ${name} ${o.nodes.length + 1} -n ${namespace}`,
    );
  return withoutThese(o, o.nodes.slice(gap), `it has the ids ${ids}, and a StatefulSet has no gap`);
}

function hasItsClaim({ cluster }: ClusterObservation, { id, volume, recordedVolumeUid }: NodeRecord): boolean {
  return volume?.name === pvcName(cluster.name, id) && volume.uid === recordedVolumeUid;
}

/** The data of every member has to be where a Pod of the StatefulSet expects it. */
function likeFolders({ o }: HandOver): Hold | undefined {
  const first = o.nodes.find((node) => folderOf(node) !== DATA_MOUNT);
  if (first === undefined) return undefined;
  const why = `${first.name} has its data in ${folderOf(first)}, and a StatefulSet of the existing operator looks in ${DATA_MOUNT}`;
  return withoutThese(o, o.nodes.slice(o.nodes.indexOf(first)), why);
}

/** The folder on the volume, as a Pod of ours sees it. */
function folderOf({ id, volume, adopts }: NodeRecord): string {
  return volume?.dataDir ?? adopts?.dataDir ?? `${DATA_MOUNT}/n${id}`;
}

/** The obstacle that these members have to be removed first, the highest first, if enough others are left. */
function withoutThese(o: ClusterObservation, leaving: readonly NodeRecord[], why: string): Hold {
  const { spec, namespace } = o.cluster;
  const last = leaving.at(-1);
  const needed = minimumNodes(spec);
  if (last === undefined || o.nodes.length - leaving.length < needed)
    return refused(`${why}; without them fewer than ${needed} members are left. Copy its data into another cluster`);
  const names = namesOf(leaving);
  return refused(
    `${why}: remove ${names} first, beginning with kubectl mkv remove ${last.name} -n ${namespace} --shrink`,
  );
}

/** Changes under way that the operator would not finish after the handover. */
function settled({ o, desired }: HandOver): Hold | undefined {
  const leaving = o.nodes.find((node) => needsReplacement(node) || isAskedToLeave(node));
  if (leaving !== undefined) return waits(`${leaving.name} leaves first`);
  if (o.nodes.length !== desired) return waits(`it has ${o.nodes.length} of ${desired} members`);
  const resting = restingReason(o);
  if (resting !== undefined) return refused(`not all members have what the spec asks for: ${resting.message}`);
  const [outdated] = outdatedNodes(o);
  if (outdated !== undefined) return waits(`${outdated.name} has an older template`);
  const { replicationFactor, gcGraceSeconds } = o.cluster.spec;
  const other = o.nodes.find(
    (node) => node.replicationFactor !== replicationFactor || node.gcGraceSeconds !== gcGraceSeconds,
  );
  if (other !== undefined) return waits(`${other.name} runs with other settings than the spec has`);
  // While it runs it has the password of the spec; after a restart it would not be given it again.
  const started = o.nodes.find(isOfOtherSecret);
  if (started === undefined) return undefined;
  return refused(
    `${started.name} was started with another Secret than spec.auth names, and a process that ends in its Pod would want the password of that: kubectl mkv restart ${started.name} -n ${o.cluster.namespace}`,
  );
}

/** Undefined when every member serves and shows exactly the others, and no records are known to be missing. */
function allWell({ o, membership }: HandOver): Hold | undefined {
  const sick = o.nodes.find((node) => !isWell(node));
  if (sick !== undefined) return waits(`${sick.name} does not serve`);
  if (membership.kind !== 'agreed') return waits(membership.kind === 'unknown' ? membership.message : 'nobody serves');
  const shown = new Set(membership.lines.map(({ id }) => id));
  const isExact = shown.size === o.nodes.length && o.nodes.every(({ id }) => shown.has(id));
  if (!isExact) return waits('its members list others than its nodes');
  return currentVerification(o)?.state === 'Missing' ? waits('records are missing at their homes') : undefined;
}

function isWell(node: NodeRecord): boolean {
  const isOpen = node.serving && isBehindService(node) && node.pod?.isLeaving === false;
  return isOpen && isUp(node) && isActiveMember(node);
}

function refused(message: string): Hold {
  return hold('ReleaseRefused', message, true);
}

function waits(message: string): Hold {
  return hold('Releasing', `the handover to a StatefulSet waits: ${message}`);
}
