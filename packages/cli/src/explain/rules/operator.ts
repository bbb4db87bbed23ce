// Is there an operator that manages this cluster, and may it do what it needs? Read from its lease, the cluster's
// observedGeneration, and reviews of its permissions.

import { OPERATOR_LEASE } from '@marekvs/api';
import { timeMs } from '@marekvs/planner';
import { absenceOf } from '../../cluster/operator-lease.ts';
import type { ExplainFacts, Finding } from '../facts/finding.ts';
import { only } from './build.ts';

/** A pass takes well under a second; a status may be some seconds late. */
const SEEN_PATIENCE_MS = 30_000;

export function howOperatorIs(facts: ExplainFacts): readonly Finding[] {
  const lease = leaseFinding(facts);
  const permissions = permissionFinding(facts);
  const isAway = lease.some(({ rule }) => rule === 'OperatorDown');
  return [...lease, ...permissions, ...(isAway ? [] : seenFinding(facts, permissions.length > 0))];
}

function leaseFinding(facts: ExplainFacts): readonly Finding[] {
  const { lease, namespace } = facts.operator;
  const absence = absenceOf(facts.operator, facts.nowMs);
  if (absence === undefined) return [];
  const { message, sinceMs, isFree } = absence;
  const source = `Lease ${namespace}/${lease.kind === 'read' ? lease.name : OPERATOR_LEASE}`;
  return only(facts, isFree ? 'OperatorLeaseFree' : 'OperatorDown', { message, sinceMs, source });
}

function permissionFinding(facts: ExplainFacts): readonly Finding[] {
  const { missingPermissions, namespace } = facts.operator;
  if (missingPermissions === undefined || missingPermissions.length === 0) return [];
  const where = facts.parts.cluster.metadata.namespace;
  return only(facts, 'Unauthorized', {
    message: `the operator may not do what it needs in namespace ${where}: ${missingPermissions.join('; ')}`,
    source: `permissions of serviceaccount ${namespace}/marekvs-operator`,
  });
}

function seenFinding(facts: ExplainFacts, isExplained: boolean): readonly Finding[] {
  const { metadata, status } = facts.parts.cluster;
  const createdMs = timeMs(metadata.creationTimestamp) ?? facts.nowMs;
  if (status === undefined) {
    if (facts.nowMs - createdMs < SEEN_PATIENCE_MS || isExplained) return [];
    return only(facts, 'NotWatched', {
      message: 'no operator has ever written a status of this cluster: none manages this namespace',
      sinceMs: createdMs,
      source: 'MarekvsCluster status',
    });
  }
  if (status.observedGeneration === metadata.generation) return [];
  return only(facts, 'SpecNotSeen', {
    message: `the status is about generation ${status.observedGeneration ?? 'unknown'} of the spec, which is at ${metadata.generation}`,
    source: 'MarekvsCluster status',
  });
}
