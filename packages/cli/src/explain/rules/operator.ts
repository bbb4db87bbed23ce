// Is there an operator that manages this cluster, and may it do what it needs? Read from its lease, the cluster's
// observedGeneration, and reviews of its permissions.

import { timeMs } from '@marekvs/planner';
import type { ExplainFacts, Finding } from '../facts/finding.ts';
import { only } from './build.ts';

/** Counted from the end of the lease's own duration: within this time another replica takes it over. */
const TAKEOVER_MS = 15_000;
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
  const source = `Lease ${namespace}/marekvs-operator`;
  switch (lease.kind) {
    case 'unknown':
      return [];
    case 'missing':
      return only(facts, 'OperatorDown', {
        message: `no operator has ever held a lease in namespace ${namespace}: it is not installed there, or never started`,
        source,
      });
    case 'read': {
      const { renewedMs, durationMs, holder } = lease;
      if (holder === '')
        return only(
          facts,
          renewedMs !== undefined && facts.nowMs - renewedMs > TAKEOVER_MS ? 'OperatorDown' : 'OperatorLeaseFree',
          {
            message: 'the operator has released its lease and nobody has taken it since',
            sinceMs: renewedMs,
            source,
          },
        );
      if (renewedMs === undefined || facts.nowMs - renewedMs <= durationMs + TAKEOVER_MS) return [];
      return only(facts, 'OperatorDown', {
        message: `the operator ${holder.split('_')[0]} has stopped renewing its lease, and no other has taken it`,
        sinceMs: renewedMs,
        source,
      });
    }
  }
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
