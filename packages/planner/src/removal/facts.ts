// The same few questions every phase of a removal asks of one observation: who is the target, who are the others, by which
// rules is a proof judged, which test keys belong to it.

import type { Operation } from '@marekvs/api';
import type { ClusterObservation, NodeRecord } from '../observation.ts';
import { type AuditKind, type AuditMember, type AuditReport, type AuditRequest, isSameRequest } from './audit.ts';
import { canaryPartitions } from './canaries.ts';
import type { ProofRules } from './evidence.ts';
import { survivorsOf } from './going.ts';
import { boundsOf, goesByProof, hasTestKeys } from './record.ts';
import { testKeysOf } from './test-key-members.ts';

/** One operation with a target, as the phases see it. */
export interface RemovalScope {
  readonly o: ClusterObservation;
  readonly record: Operation;
  readonly desired: number;
  readonly target: NonNullable<Operation['target']>;
  /** The target's MarekvsNode: the one with its UID, never just of its name. */
  readonly node: NodeRecord | undefined;
  /** Whose answers count: neither the target nor nodes that never held anything or never will answer again. */
  readonly others: readonly NodeRecord[];
  readonly rules: ProofRules;
  /** Test keys were written for this operation, or may have been: they are deleted before it ends. */
  readonly hasKeys: boolean;
}

/** Undefined for a record without a target: an operation of another kind. */
export function scopeOf(o: ClusterObservation, record: Operation, desired: number): RemovalScope | undefined {
  const { target } = record;
  if (target === undefined) return undefined;
  const others = survivorsOf(o, target).filter((node) => node.id !== target.nodeId);
  return {
    o,
    record,
    desired,
    target,
    node: o.nodes.find((node) => node.uid === target.uid),
    others,
    rules: rulesOf(o, record),
    hasKeys: goesByProof(record) && hasTestKeys(record, o.cluster.spec.removal.audit),
  };
}

/** Everybody who takes part while the target is still one of them, by id. */
export function membersOf({ others }: RemovalScope, node: NodeRecord): readonly NodeRecord[] {
  return [...others, node].sort((a, b) => a.id - b.id);
}

/** How the proofs of this operation are judged. What a removal without its target's answer cannot show by test keys it makes up for with rounds. */
export function rulesOf(o: ClusterObservation, record: Operation): ProofRules {
  const { removal, replicationFactor } = o.cluster.spec;
  return {
    tier: removal.proof,
    audited: removal.audit && goesByProof(record) && hasTestKeys(record, removal.audit),
    // What members run with, which a changed spec does not reach before they are restarted.
    replicationFactor: o.nodes[0]?.replicationFactor ?? replicationFactor,
    bounds: boundsOf(record),
    isDead: !goesByProof(record),
  };
}

/** The test keys' work of one kind, for exactly these members; undefined while one of them has no process to ask. */
export function auditRequest(
  scope: RemovalScope,
  kind: AuditKind,
  nodes: readonly NodeRecord[],
): AuditRequest | undefined {
  const members = nodes.flatMap(({ id, pod }): AuditMember[] =>
    pod?.ip === undefined || pod.isTerminating ? [] : [{ nodeId: id, podUid: pod.uid, ip: pod.ip }],
  );
  if (members.length < nodes.length) return undefined;
  const { replicationFactor } = scope.rules;
  const ids = [...new Set([...idsAtClaim(scope), scope.target.nodeId])];
  return {
    operationId: scope.record.id,
    kind,
    replicationFactor,
    targetId: scope.target.nodeId,
    members,
    partitions: canaryPartitions(ids, replicationFactor, scope.target.nodeId),
  };
}

/** The report of this very request, or undefined. */
export function reportOf(scope: RemovalScope, request: AuditRequest | undefined): AuditReport | undefined {
  const { audit } = scope.o;
  if (audit === undefined || request === undefined) return undefined;
  return isSameRequest(audit.request, request) ? audit : undefined;
}

/** Everybody who was a member when the test keys were written. A record of an earlier version has them in its proof, once it has one. */
function idsAtClaim({ record, others }: RemovalScope): readonly number[] {
  const keys = testKeysOf(record);
  if (keys.kind === 'of') return keys.memberIds;
  const proven = Object.keys(record.proof?.pre?.generations ?? {}).map(Number);
  return proven.length > 0 ? proven : others.map((node) => node.id);
}
