// What every phase of a removal asks of an observation: who is the target, who are the others, and how far is the
// comparison of their contents?

import type { Operation } from '@marekvs/api';
import type { ComparisonRequest } from '../contents/request.ts';
import { comparedMembers, reportOf } from '../evidence/compared-members.ts';
import { contentsCheck, FRESH_MS } from '../evidence/contents-check.ts';
import { namesIn } from '../evidence/report-text.ts';
import { survivorsOf } from '../members/replacement.ts';
import { sharedFactor } from '../members/shared-factor.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import type { Hold } from '../values/hold.ts';

/** One operation with a target, as the phases see it. */
export interface RemovalScope {
  readonly o: ClusterObservation;
  readonly record: Operation;
  readonly desired: number;
  readonly target: NonNullable<Operation['target']>;
  /** The target's MarekvsNode: the one with its UID, not just its name. */
  readonly node: NodeRecord | undefined;
  /** Nodes whose answers count: not the target, nor nodes that never held anything or will never answer again. */
  readonly others: readonly NodeRecord[];
  /** The smallest factor that members run with. A changed spec reaches them only with a restart. */
  readonly replicationFactor: number;
}

/** Undefined for a record without a target: an operation of another kind. */
export function scopeOf(o: ClusterObservation, record: Operation, desired: number): RemovalScope | undefined {
  const { target } = record;
  if (target === undefined) return undefined;
  return {
    o,
    record,
    desired,
    target,
    node: o.nodes.find((node) => node.uid === target.uid),
    others: survivorsOf(o, target).filter((node) => node.id !== target.nodeId),
    replicationFactor: sharedFactor(o),
  };
}

/** All members that take part while the target is still one of them, by id. */
export function membersOf({ others }: RemovalScope, node: NodeRecord): readonly NodeRecord[] {
  return [...others, node].sort((a, b) => a.id - b.id);
}

/** Asks whether every record of the target is on its other homes, or whether all survivors cover each other
 *  (`settling`). Undefined while the generations of the members are not all known. */
export function comparisonFor(
  scope: RemovalScope,
  purpose: 'removal' | 'settling',
  nodes: readonly NodeRecord[],
  isKeptFresh = purpose === 'removal',
): ComparisonRequest | undefined {
  const request = comparisonAmong(scope, nodes, isKeptFresh);
  return request === undefined || purpose === 'settling'
    ? request
    : { ...request, purpose, sources: [scope.target.nodeId] };
}

/** What an operation without a target has in common with one that has. */
export type GroupScope = Pick<RemovalScope, 'o' | 'record' | 'replicationFactor'>;

/** Asks whether all of these cover each other. */
export function comparisonAmong(
  { o, record, replicationFactor }: GroupScope,
  nodes: readonly NodeRecord[],
  isKeptFresh: boolean,
): ComparisonRequest | undefined {
  const members = comparedMembers(o, nodes);
  if (members === undefined) return undefined;
  return {
    purpose: 'settling',
    id: record.id,
    members,
    sources: members.map(({ nodeId }) => nodeId),
    replicationFactor,
    sinceMs: Number.NEGATIVE_INFINITY,
    isKeptFresh,
  };
}

/** What the other members are not known to have of what was compared lately, whatever else holds; undefined when they
 *  have all of it.
 *  @param sinceMs monotonic: what was read before does not count */
export function notYetCovered(
  o: Pick<ClusterObservation, 'comparison' | 'nodes' | 'monotonicMs'>,
  request: ComparisonRequest | undefined,
  sinceMs = Number.NEGATIVE_INFINITY,
): Hold | undefined {
  const { nodes, monotonicMs } = o;
  const needed = { monotonicMs, sinceMs, maxAgeMs: FRESH_MS, nameOf: namesIn(nodes) };
  return contentsCheck(reportOf(o, request), needed).check.hold;
}

/** Nothing is read before it can count: it would be read again, and for seconds after we connect or disconnect the
 *  number of a member's peers is not known. A comparison that was begun goes on while something it needs does not hold;
 *  whether it counts is known when that holds again. */
export function begun(
  o: Pick<ClusterObservation, 'comparison'>,
  request: ComparisonRequest | undefined,
  { countsFromMs }: { readonly countsFromMs: number | undefined },
): ComparisonRequest | undefined {
  if (request !== undefined && countsFromMs !== undefined) return { ...request, sinceMs: countsFromMs };
  return reportOf(o, request) === undefined ? undefined : request;
}
