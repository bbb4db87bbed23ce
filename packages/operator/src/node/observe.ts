// Gathers everything one node pass decides on: the node, its Pod and volume, its siblings, and whether its cluster still exists.

import type { MarekvsNode } from '@marekvs/api';
import type { NodeObservation, NodeRecord, ParentState } from '@marekvs/planner';
import { isUnasked, nodesOf, toNodeRecord } from '../observation/node-record.ts';
import type { Ports } from '../ports.ts';
import { wantedPodLabels } from './pod.ts';

export interface NodeScope {
  readonly node: MarekvsNode;
  readonly clusterUid: string;
  readonly record: NodeRecord;
  readonly observation: NodeObservation;
  /** The operator has just started and this node's member was not asked yet. */
  readonly isWaitingForAnswers: boolean;
}

/** @param goneParents UIDs of clusters that a live read found gone or being deleted: that never turns back */
export function observeNode(key: string, ports: Ports, goneParents: ReadonlySet<string>): NodeScope | undefined {
  const { caches, sampler, clock } = ports;
  const view = caches.nodes.store.get(key);
  if (view === undefined) return undefined;
  const { spec } = view.object;
  const parent = caches.clusters.store.get(`${view.namespace}/${spec.clusterName}`);
  const isParentKnown = parent !== undefined && parent.uid === view.ownerUid;
  const siblings = nodesOf(caches, view.ownerUid).map((sibling) => toNodeRecord(sibling, caches, sampler));
  const record = siblings.find((sibling) => sibling.uid === view.uid) ?? toNodeRecord(view, caches, sampler);
  return {
    node: view.object,
    clusterUid: view.ownerUid,
    record,
    observation: {
      nowMs: clock.nowMs(),
      clusterName: spec.clusterName,
      node: record,
      parent: parentOf(view.ownerUid, goneParents, isParentKnown ? parent.object : undefined),
      isClusterFormed: isParentKnown && parent.object.status?.formed !== undefined,
      replicationFactor: spec.template.replicationFactor,
      siblings,
      wantedPodLabels: wantedPodLabels(view.object, view.ownerUid),
    },
    isWaitingForAnswers: record.pod?.isReady === true && siblings.some(isUnasked),
  };
}

function parentOf(
  ownerUid: string,
  goneParents: ReadonlySet<string>,
  cluster: Parameters<typeof parentState>[0] | undefined,
): ParentState {
  if (ownerUid === '') return 'none';
  if (goneParents.has(ownerUid)) return 'gone';
  return cluster === undefined ? 'unconfirmed' : parentState(cluster);
}

/** A cluster that is being deleted is confirmed by a live read before anything of it goes. */
function parentState(cluster: {
  readonly metadata: { readonly deletionTimestamp?: string };
  readonly spec: { readonly paused?: boolean | undefined };
}): ParentState {
  if (cluster.metadata.deletionTimestamp !== undefined) return 'unconfirmed';
  return cluster.spec.paused === true ? 'paused' : 'present';
}
