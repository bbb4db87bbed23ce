// Answers: what is in the node controller's way that only it can see: what the API server refuses it, and what has a
// name it needs? Read from the nodes' own statuses, where the two controllers meet, so that a person who looks at the
// cluster need not open every node. Pure.

import { findCondition, type MarekvsNode, type Reason } from '@marekvs/api';
import { type Hold, hold } from '@marekvs/planner';

/** The reasons of write-refusal.ts; true when only a person can clear it. */
const REFUSALS: ReadonlyMap<Reason, boolean> = new Map([
  ['QuotaExceeded', true],
  ['ForbiddenByPolicy', true],
  ['Unauthorized', true],
  ['RequestInvalid', true],
  ['StorageBackendFull', true],
  ['ApiUnavailable', false],
  ['NamespaceTerminating', false],
]);

/** What stands in the way of a node's volume or Pod, with or without a Pod in the caches. */
const IN_THE_WAY: ReadonlySet<Reason> = new Set<Reason>(['NameTaken', 'VolumeForeign', 'PodStuckTerminating']);

/** One hold per node that has something in its way, and per node that has no Pod because its creation, or that of
 *  its volume, was refused. A node with a Pod got over it, whatever its status still says. */
export function nodeRefusals(
  nodes: readonly { readonly hasPod: boolean; readonly node: Pick<MarekvsNode, 'status'> }[],
): readonly Hold[] {
  return nodes.flatMap(({ hasPod, node }) => {
    const ready = findCondition(node.status?.conditions, 'Ready');
    if (ready?.status !== 'False') return [];
    if (IN_THE_WAY.has(ready.reason)) return [hold(ready.reason, ready.message, true)];
    const needsPerson = REFUSALS.get(ready.reason);
    if (hasPod || needsPerson === undefined) return [];
    return [hold(ready.reason, ready.message, needsPerson)];
  });
}
