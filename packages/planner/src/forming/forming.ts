// Answers: how does a cluster that never held data come to life? All nodes start at once (together 7 s, staggered up to
// 75 s: docs/design/server.md#forming). No member serves clients before all agree. A member that missed its peers and
// went Active alone (docs/design/server.md#h7) restarts with explicit seeds.

import { hasLostVolume } from '../members/member-state.ts';
import { groupByView, type Membership, membershipHold } from '../members/membership.ts';
import { presentTopology } from '../members/topology.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import { detachedVolumes, nextNodeIds } from '../size/sizing.ts';
import type { ClusterStep } from '../steps/cluster-step.ts';
import { type Hold, hold } from '../values/hold.ts';
import { gossipAddresses, sameSeeds } from './seeds.ts';

/** Views may differ this long after members turn Active before a member counts as lonely (phases spread in 0.5-1 s,
 *  docs/design/server.md#gossip). */
export const LONELY_MEMBER_MS = 5_000;
/** A cluster that is not formed after this long says so; it goes on trying. */
export const FORMING_DEADLINE_MS = 180_000;

export interface FormingPlan {
  readonly steps: readonly ClusterStep[];
  readonly holds: readonly Hold[];
  readonly mayLatchFormed: boolean;
  readonly requeueAfterMs: number | undefined;
}

/** The next steps of a cluster whose identity is not latched yet. Pure. */
export function planForming(o: ClusterObservation, membership: Membership, desired: number): FormingPlan {
  const missing = missingAtForming(o, desired);
  if (missing > 0) {
    const steps = nextNodeIds(o, missing).map((id): ClusterStep => ({ kind: 'createNode', id, why: 'Forming' }));
    return { steps, holds: [], mayLatchFormed: false, requeueAfterMs: undefined };
  }
  const late = o.nowMs - o.cluster.createdAtMs - FORMING_DEADLINE_MS;
  // Members with equal lists may still place keys differently for a moment. Then their contents would have to be
  // compared at once.
  const isPlaced = late >= 0 || presentTopology(o.nodes.filter((node) => !hasLostVolume(node))) !== undefined;
  if (isPlaced && isComplete(o, membership))
    return { steps: [], holds: [], mayLatchFormed: true, requeueAfterMs: undefined };
  const lonely = restartLonelyMembers(o);
  const holds = membership.kind === 'unknown' ? [membershipHold(membership)] : [];
  return {
    steps: lonely.steps,
    holds: late >= 0 ? [...holds, timedOut(o)] : holds,
    mayLatchFormed: false,
    requeueAfterMs: lonely.requeueAfterMs ?? (late < 0 ? -late : undefined),
  };
}

/** How many nodes are missing. Volumes left by an earlier cluster of this name may each hold the only copy
 *  of something, so all of them are taken up together, even beyond the wished size. */
function missingAtForming(o: ClusterObservation, desired: number): number {
  const usable = o.nodes.filter((node) => !hasLostVolume(node)).length;
  return Math.max(desired, usable + detachedVolumes(o).length) - usable;
}

/** True when every node's member serves and shows every other one, each has primaries, and the node's status names its
 *  volume: once clients write, an id must not come back on another one (docs/design/server.md#h2). A node that lost its
 *  volume was replaced before anything was written to it, so it is not waited for. */
export function isComplete(o: ClusterObservation, membership: Membership): boolean {
  if (membership.kind !== 'agreed') return false;
  const active = new Set(membership.lines.filter((line) => line.hasPrimaries).map((line) => line.id));
  const usable = o.nodes.filter((node) => !hasLostVolume(node));
  const isReady = ({ id, answer, recordedVolumeUid }: NodeRecord): boolean =>
    active.has(id) && answer.kind === 'serving' && recordedVolumeUid !== undefined;
  return active.size === usable.length && usable.every(isReady);
}

/** Members outside the largest agreeing group get that group's addresses as seeds, which restarts them. */
export function restartLonelyMembers(o: ClusterObservation): Pick<FormingPlan, 'steps' | 'requeueAfterMs'> {
  const groups = groupByView(o.nodes.filter((node) => node.answer.kind === 'serving'));
  const base = groups[0];
  if (base === undefined || groups.length < 2) return { steps: [], requeueAfterMs: undefined };
  const differForMs = o.history.differForMs ?? 0;
  if (differForMs < LONELY_MEMBER_MS) return { steps: [], requeueAfterMs: LONELY_MEMBER_MS - differForMs };
  const seeds = gossipAddresses(base);
  const steps = groups
    .slice(1)
    .flat()
    .filter((node) => isCutOff(node, base) && !sameSeeds(node.seeds, seeds))
    .map((node): ClusterStep => ({ kind: 'setSeeds', node, seeds }));
  return { steps, requeueAfterMs: undefined };
}

/** True when the node and the base group do not see each other at all: waiting would not help for up to a minute. */
function isCutOff(node: NodeRecord, base: readonly NodeRecord[]): boolean {
  const shown = new Set(node.answer.kind === 'serving' ? node.answer.view.map((line) => line.id) : []);
  return base.every((other) => !shown.has(other.id));
}

function timedOut(o: ClusterObservation): Hold {
  const waiting = o.nodes.filter((node) => node.answer.kind !== 'serving').map((node) => node.name);
  const unnamed = o.nodes.filter((node) => node.recordedVolumeUid === undefined).map((node) => node.name);
  const why =
    unnamed.length > 0 ? `the status of ${unnamed.join(', ')} names no volume yet` : 'the members do not agree yet';
  const who = waiting.length > 0 ? `${waiting.join(', ')} do not serve yet` : why;
  return hold('FormingTimedOut', `not formed ${FORMING_DEADLINE_MS / 1000} s after creation: ${who}`);
}
