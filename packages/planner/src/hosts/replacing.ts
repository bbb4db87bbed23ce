// Answers: which member on a drained host is replaced, since its volume can be on no other host, and what keeps the
// others? One at a time: its node is marked, a new one joins where the scheduler puts it, and then the marked one is
// removed as one node too many, by the usual proof. The Pod of the new node shows whether there is room: until that is
// Active the old one serves on.

import { minimumNodes } from '@marekvs/api';
import { isReplacedOnDrain, isToCountAgain } from '../members/drain-mark.ts';
import { isCarrying } from '../members/member-state.ts';
import { needsReplacement } from '../members/replacement.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import { freeHosts, growthLimit } from '../size/one-per-host.ts';
import { desiredSize } from '../size/sizing.ts';
import type { ClusterStep } from '../steps/cluster-step.ts';
import { type Hold, hold } from '../values/hold.ts';
import { isMovePending, isOnDrainedHost } from './leaving-members.ts';

export interface DrainedHostsPlan {
  readonly steps: readonly ClusterStep[];
  readonly holds: readonly Hold[];
}

/** What is done, and reported, about members whose hosts are being drained and whose volumes are bound to them. Pure.
 *  @param isBeginning an operation begins in this very pass */
export function planDrainedHosts(o: ClusterObservation, isBeginning: boolean): DrainedHostsPlan {
  const { cluster } = o;
  if (!cluster.isFormed || cluster.isDeleting) return { steps: [], holds: [] };
  const back = o.nodes.filter((node) => isToCountAgain(o, node));
  if (back.length > 0) return { steps: back.flatMap(unmark), holds: [] };
  if (!isReplacedOnDrain(cluster)) return { steps: [], holds: stayingHolds(o) };
  if (o.drainsSeen === 'forbidden') return { steps: [], holds: [unseenHold()] };
  const staying = o.nodes.filter((node) => isOnDrainedHost(o, node) && !needsReplacement(node) && !mayBeMoved(o, node));
  const judged = staying.map((node) => ({ node, keeps: whatKeeps(o, node, isBeginning) }));
  // Holds of the others show in the next pass, when this one is being replaced.
  const next = judged.find(({ keeps }) => keeps === undefined)?.node;
  const host = next?.pod?.hostName;
  return {
    steps: next === undefined || host === undefined ? [] : [{ kind: 'markHostDrained', node: next, host }],
    holds: [
      ...o.nodes.flatMap(replacedHold),
      ...judged.flatMap(({ node, keeps }) => (keeps === undefined ? [] : [stays(node, keeps)])),
    ],
  };
}

/** Another host could mount its volume, or that is not known yet. */
function mayBeMoved(o: ClusterObservation, { uid }: NodeRecord): boolean {
  const finding = o.hostFindings.get(uid);
  // Where there is no place to move to, no host is probed.
  if (freeHosts(o) === 0) return false;
  return finding === undefined || finding.volume === 'movable' || finding.state === 'notAsked';
}

/** Why it is not replaced now, as half a sentence; undefined when it is. Ordered: what never changes by itself comes
 *  first. */
function whatKeeps(o: ClusterObservation, node: NodeRecord, isBeginning: boolean): string | undefined {
  const finding = o.hostFindings.get(node.uid);
  if (freeHosts(o) === 0) return 'no other host that spec.hosts.onePerHost selects is free';
  if (finding?.volume !== 'bound') return `where else its volume can be is not known: ${finding?.unknown ?? ''}`;
  if (o.nodes.some(({ replicationFactor }) => replicationFactor < 2))
    return 'with replicationFactor 1 nobody else has what it holds';
  return whyNotNow(o, node, isBeginning);
}

/** Undefined when all others are up and stay, and nothing else is under way or about to be. */
function whyNotNow(o: ClusterObservation, node: NodeRecord, isBeginning: boolean): string | undefined {
  const { operation, spec } = o.cluster;
  const others = o.nodes.filter(({ uid }) => uid !== node.uid);
  const other = others.find(needsReplacement);
  if (other !== undefined) return `${other.name} is replaced first`;
  if (operation !== undefined) return `operation ${operation.id} is under way`;
  if (spec.hibernated) return 'all members are to be stopped';
  const wanted = Math.max(desiredSize(o.cluster).nodes, minimumNodes(spec));
  if (o.nodes.length < growthLimit(o, wanted)) return 'nodes are added first';
  // The node that goes is this one, or another one on a drained host: no node has to join for it.
  if (o.nodes.length > wanted) return 'nodes that are too many go first';
  if (isMovePending(o)) return 'members whose volumes can move are moved first';
  if (isBeginning) return 'another operation begins';
  const missing = o.nodes.find((other) => !isCarrying(other));
  return missing === undefined ? undefined : `${missing.name} is not up`;
}

function unmark(node: NodeRecord): readonly ClusterStep[] {
  const { hostDrained } = node;
  return hostDrained === undefined ? [] : [{ kind: 'unmarkHostDrained', node, host: hostDrained }];
}

/** Members that cannot be moved and are not to be replaced. */
function stayingHolds(o: ClusterObservation): readonly Hold[] {
  return o.nodes
    .filter((node) => isOnDrainedHost(o, node) && !needsReplacement(node))
    .filter(({ uid }) => o.hostFindings.get(uid)?.volume === 'bound')
    .map((node) => stays(node, 'its volume can be on no other'));
}

function stays({ name, pod }: NodeRecord, why: string): Hold {
  return hold('HostDraining', `${name} stays on host ${pod?.hostName}, which is being drained: ${why}`);
}

function replacedHold({ name, hostDrained }: NodeRecord): readonly Hold[] {
  if (hostDrained === undefined) return [];
  const message = `${name} is replaced: its host ${hostDrained} is being drained, and its volume can be on no other`;
  return [hold('HostDraining', message)];
}

function unseenHold(): Hold {
  return hold('HostsNotReadable', 'spec.hosts.replaceOnDrain replaces nobody: the operator may not watch Nodes', true);
}
