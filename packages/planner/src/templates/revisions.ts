// Answers: which template does a member run, which one should it have, and how far has a changed one come? A template
// is known by its hash, its revision. What a member runs is read from its Pod: the stamp of its node only says what the
// next Pod is made from.

import type { MarekvsClusterStatus } from '@marekvs/api';
import { hasReadyPod } from '../members/member-state.ts';
import { needsReplacement } from '../members/replacement.ts';
import type { RevisionRecord } from '../observation/cluster-record.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';

export type Update = NonNullable<MarekvsClusterStatus['update']>;

/** The revision of the Pod. A Pod that was taken over carries none: it runs what its node was made from. */
export function runningRevision({ pod, templateHash }: NodeRecord): string {
  return pod?.templateHash ?? templateHash;
}

/** The Pod has the revision, and so will the next one. */
export function isUpdated(node: NodeRecord, revision: string): boolean {
  return node.templateHash === revision && runningRevision(node) === revision && !isHalfResized(node);
}

/** The Pod was permitted to get other resources in place, and nothing says that it has them: it may have the old ones
 *  or the new. */
export function isHalfResized({ resize, pod }: NodeRecord): boolean {
  return resize !== undefined && resize.podUid === pod?.uid && resize.operationId !== pod.resizedBy;
}

/** The revision a member goes back to when its turn fails. */
export function revisionBefore(node: NodeRecord, asked: string): string {
  const running = runningRevision(node);
  // Half-way to another revision, the one that is asked for again is nothing to go back to.
  return running === asked ? node.templateHash : running;
}

/** The member has come up with that revision: its Pod is ready and it serves clients. Not while its turn is under way,
 *  or after it has failed. */
function isUpOn(node: NodeRecord, revision: string): boolean {
  return node.serving && hasReadyPod(node) && isUpdated(node, revision);
}

/** How far the revision that is asked for has come. A changed template, or a person who asks for another try, ends a
 *  stop. */
export function currentUpdate(o: ClusterObservation): Update {
  const { templateHash: revision, update: stored, rollout } = o.cluster;
  const nodes = o.nodes.filter((node) => !needsReplacement(node));
  const previous = previousRevision(o);
  const stopped = stoppedUpdate(o.cluster);
  const retried = isRetried(o.cluster) ? rollout.retry : stored?.retried;
  return {
    revision,
    ...(previous === undefined ? {} : { previous }),
    updated: nodes.filter((node) => isUpOn(node, revision)).length,
    total: nodes.length,
    ...(stopped === undefined ? {} : { stopped }),
    ...(retried === undefined ? {} : { retried }),
  };
}

/** Where the update to the revision that is asked for has stopped, and why; undefined while it goes on. */
export function stoppedUpdate(cluster: ClusterObservation['cluster']): Update['stopped'] {
  const { templateHash: revision, update: stored } = cluster;
  return stored?.revision === revision && !isRetried(cluster) ? stored.stopped : undefined;
}

/** A person asks for another try, which has not been taken up yet. */
function isRetried({ rollout, update }: ClusterObservation['cluster']): boolean {
  return rollout.retry !== undefined && rollout.retry !== update?.retried;
}

/** The last revision that every member had: an update that was never finished is nothing to go back to. A member that
 *  is down for another reason counts as having it. */
function previousRevision({ cluster, nodes }: ClusterObservation): string | undefined {
  const { update: stored, templateHash: revision, operation } = cluster;
  if (stored === undefined || stored.revision === revision) return stored?.previous;
  const isEverywhere = nodes.every((node) => needsReplacement(node) || isUpdated(node, stored.revision));
  const isOver = stored.updated === stored.total || (isEverywhere && operation?.roll === undefined);
  return isOver && stored.stopped === undefined ? stored.revision : stored.previous;
}

/** What a new node is made from now. No node is started on a stopped revision while the one before is known. */
export function revisionForNewNodes(o: ClusterObservation): string {
  return previousOfStopped(o) ?? o.cluster.joinerHash ?? o.cluster.templateHash;
}

/** What an existing node is made from when it starts anew without a turn. */
export function revisionForStart(o: ClusterObservation, { wasActive }: NodeRecord): string {
  const hasJoined = wasActive || !o.cluster.isFormed;
  return hasJoined ? (previousOfStopped(o) ?? o.cluster.templateHash) : revisionForNewNodes(o);
}

function previousOfStopped(o: ClusterObservation): string | undefined {
  const previous = previousRevision(o);
  const isStopped = stoppedUpdate(o.cluster) !== undefined;
  return isStopped && previous !== undefined && isKept(o, previous) ? previous : undefined;
}

/** A ControllerRevision is stored for it whose content matches its name. */
export function isKept(o: Pick<ClusterObservation, 'revisions'>, hash: string): boolean {
  return keptRevision(o, hash) !== undefined;
}

export function keptRevision(
  { revisions }: Pick<ClusterObservation, 'revisions'>,
  hash: string,
): RevisionRecord | undefined {
  return revisions.find((record) => record.hash === hash && record.isValid);
}

/** How many revisions are kept besides those in use. */
const KEPT_REVISIONS = 5;

/** Revisions to be stored: the one asked for, and every one that a node was made from. */
export function revisionsToStore(o: ClusterObservation): readonly string[] {
  const known = new Set(o.revisions.map(({ hash }) => hash));
  return [...new Set([o.cluster.templateHash, ...o.nodes.map(({ templateHash }) => templateHash)])].filter(
    (hash) => !known.has(hash),
  );
}

/** Revisions that are no longer needed, and those whose content does not match their name. */
export function revisionsToDrop(o: ClusterObservation): readonly RevisionRecord[] {
  const inUse = new Set(revisionsInUse(o));
  const spare = o.revisions
    .filter(({ hash, isValid }) => isValid && !inUse.has(hash))
    .sort((a, b) => b.number - a.number);
  return [...o.revisions.filter(({ isValid }) => !isValid), ...spare.slice(KEPT_REVISIONS)];
}

function revisionsInUse({ cluster, nodes }: ClusterObservation): readonly string[] {
  const { update, operation } = cluster;
  const named = [cluster.templateHash, update?.revision, update?.previous, operation?.roll?.previous];
  return [...named, ...nodes.flatMap((node) => [node.templateHash, runningRevision(node)])].filter(
    (hash) => hash !== undefined,
  );
}
